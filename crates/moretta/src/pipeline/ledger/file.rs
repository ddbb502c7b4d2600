//! The bytes of a ledger: entries in a chain of sums, and a head under the key.
//!
//! ```text
//! "moretta ledger 1\n"
//! 'E' length of what it says (4 bytes) · what it says · rows (8) · [id (16) person (8) class (4)]… · sum (32)
//! …
//! 'H' entries (8) · last sum (32) · code (32)
//! ```
//!
//! What an entry says is canonical JSON. Its sum is SHA-256 of the sum before it and of its
//! bytes; the code at the end is HMAC-SHA-256 of the number of entries and the last sum under
//! the key of the ledger. So a byte that is changed, an entry that is swapped and a tail that is
//! cut off are found. An older ledger that is put in the place of a newer one is found by
//! the head alone, where it was kept elsewhere, as a signed manifest does.

use crate::engine::ledger::Unit;
use crate::error::Result;
use crate::pipeline::manifest::{canonical, parse};
use crate::protect::identifiers::Key;
use serde_json::Value;
use sha2::{Digest, Sha256};

const MAGIC: &[u8] = b"moretta ledger 1\n";
const ENTRY: u8 = b'E';
const HEAD: u8 = b'H';

/// Bytes of a row.
const ROW: usize = 28;

/// A sum of the chain.
pub(super) type Sum = [u8; 32];

/// One entry.
#[derive(Clone)]
pub(super) struct Entry {
    /// What it says.
    pub(super) says: Value,
    /// What it tells of the rows of the data set.
    pub(super) units: Vec<Unit>,
    /// The sum of the chain up to it.
    pub(super) sum: Sum,
}

/// Appends an entry to a chain that ends with `before`.
pub(super) fn entry(before: &Sum, says: Value, units: Vec<Unit>) -> Result<Entry> {
    let sum = chained(before, &body(&says, &units)?);
    Ok(Entry { says, units, sum })
}

/// The sum that a chain begins with.
pub(super) fn first() -> Sum {
    Sha256::digest(MAGIC).into()
}

/// The whole ledger.
pub(super) fn write(entries: &[Entry], key: &Key) -> Result<Vec<u8>> {
    let mut bytes = MAGIC.to_vec();
    for entry in entries {
        bytes.push(ENTRY);
        bytes.extend(body(&entry.says, &entry.units)?);
        bytes.extend(entry.sum);
    }
    let last = entries.last().map_or_else(first, |entry| entry.sum);
    bytes.push(HEAD);
    bytes.extend((entries.len() as u64).to_be_bytes());
    bytes.extend(last);
    bytes.extend(code(key, entries.len() as u64, &last));
    Ok(bytes)
}

/// Reads a ledger; none when it is not one that was written under this key, to the last byte.
pub(super) fn read(bytes: &[u8], key: &Key) -> Option<Vec<Entry>> {
    let mut rest = bytes.strip_prefix(MAGIC)?;
    let mut entries: Vec<Entry> = Vec::new();
    let mut last = first();
    loop {
        let (&tag, after) = rest.split_first()?;
        rest = after;
        if tag == HEAD {
            break;
        }
        let start = rest;
        let length = u32::from_be_bytes(take(&mut rest)?);
        let says = text(&mut rest, length as usize)?;
        let count = usize::try_from(u64::from_be_bytes(take(&mut rest)?)).ok()?;
        let (rows, after) = rest.split_at_checked(count.checked_mul(ROW)?)?;
        rest = after;
        let body = &start[..start.len() - rest.len()];
        let sum: Sum = take(&mut rest)?;
        if tag != ENTRY || sum != chained(&last, body) {
            return None;
        }
        last = sum;
        let units = rows.chunks_exact(ROW).map(unit).collect::<Option<_>>()?;
        entries.push(Entry { says, units, sum });
    }
    let count = u64::from_be_bytes(take(&mut rest)?);
    let (sum, found): (Sum, Sum) = (take(&mut rest)?, take(&mut rest)?);
    let right = count == entries.len() as u64 && sum == last && rest.is_empty();
    (right && found == code(key, count, &last)).then_some(entries)
}

fn body(says: &Value, units: &[Unit]) -> Result<Vec<u8>> {
    let says = canonical(says)?;
    let mut bytes = Vec::with_capacity(says.len() + 12 + units.len() * ROW);
    bytes.extend((says.len() as u32).to_be_bytes());
    bytes.extend(says.as_bytes());
    bytes.extend((units.len() as u64).to_be_bytes());
    for unit in units {
        bytes.extend(unit.id.to_be_bytes());
        bytes.extend(unit.person.to_be_bytes());
        bytes.extend(unit.class.to_be_bytes());
    }
    Ok(bytes)
}

fn unit(row: &[u8]) -> Option<Unit> {
    let mut rest = row;
    Some(Unit {
        id: u128::from_be_bytes(take(&mut rest)?),
        person: u64::from_be_bytes(take(&mut rest)?),
        class: u32::from_be_bytes(take(&mut rest)?),
    })
}

fn chained(before: &Sum, body: &[u8]) -> Sum {
    let mut hasher = Sha256::new();
    hasher.update(before);
    hasher.update(body);
    hasher.finalize().into()
}

fn code(key: &Key, count: u64, last: &Sum) -> Sum {
    key.block(&[b"head of a ledger", &count.to_be_bytes(), last])
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(*taken)
}

fn text(rest: &mut &[u8], length: usize) -> Option<Value> {
    let (text, after) = rest.split_at_checked(length)?;
    *rest = after;
    let text = std::str::from_utf8(text).ok()?;
    parse(&format!("{text}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn key(text: &str) -> Key {
        Key::new(text.as_bytes().to_vec()).expect("long enough")
    }

    fn three(key: &Key) -> Vec<u8> {
        let mut entries: Vec<Entry> = Vec::new();
        for number in 0..3u32 {
            let before = entries.last().map_or_else(first, |entry| entry.sum);
            let units = (0..4 + number).map(|row| Unit {
                id: u128::from(row) << 70 | 5,
                person: u64::from(row),
                class: row % 2,
            });
            let says = json!({ "release": number.to_string() });
            entries.push(entry(&before, says, units.collect()).expect("an entry"));
        }
        write(&entries, key).expect("written")
    }

    #[test]
    fn what_was_written_is_read_again() {
        let key = key("0123456789abcdef");
        let entries = read(&three(&key), &key).expect("a ledger");
        assert_eq!(entries.len(), 3);
        assert_eq!(entries[2].says, json!({ "release": "2" }));
        assert_eq!(entries[1].units.len(), 5);
        assert_eq!(write(&entries, &key).expect("written"), three(&key));
        let none = write(&[], &key).expect("written");
        assert_eq!(read(&none, &key).map(|entries| entries.len()), Some(0));
    }

    #[test]
    fn every_byte_counts() {
        let key = key("0123456789abcdef");
        let whole = three(&key);
        for place in 0..whole.len() {
            for flipped in [1, 0x80, 0xff] {
                let mut changed = whole.clone();
                changed[place] ^= flipped;
                assert!(read(&changed, &key).is_none(), "a changed byte {place}");
            }
            assert!(read(&whole[..place], &key).is_none(), "cut at {place}");
            let mut shorter = whole.clone();
            shorter.remove(place);
            assert!(read(&shorter, &key).is_none(), "without byte {place}");
            let mut longer = whole.clone();
            longer.insert(place, b'E');
            assert!(read(&longer, &key).is_none(), "one more at {place}");
            for other in [place + 1, place + ROW, place + 3 * ROW] {
                if other < whole.len() && whole[place] != whole[other] {
                    let mut swapped = whole.clone();
                    swapped.swap(place, other);
                    assert!(
                        read(&swapped, &key).is_none(),
                        "{place} and {other} swapped"
                    );
                }
            }
        }
    }

    #[test]
    fn entries_cannot_be_swapped_left_out_or_put_under_another_key() {
        let mine = key("0123456789abcdef");
        let entries = read(&three(&mine), &mine).expect("a ledger");
        let reads = |entries: &[Entry]| {
            let bytes = write(entries, &mine).expect("written");
            read(&bytes, &mine).is_some()
        };
        let [a, b, c] = [0, 1, 2].map(|place| entries[place].clone());
        assert!(reads(&[a.clone(), b.clone(), c.clone()]));
        assert!(!reads(&[b.clone(), a.clone(), c.clone()]));
        assert!(!reads(&[a.clone(), c.clone()]));
        assert!(!reads(&[b, c]));
        assert!(read(&three(&mine), &key("another key, as long")).is_none());
        // Who has no key cannot write a shorter one.
        let shorter = write(&[a], &key("another key, as long")).expect("written");
        assert!(read(&shorter, &mine).is_none());
    }
}
