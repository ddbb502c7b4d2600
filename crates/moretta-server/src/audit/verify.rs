//! Reads the log again and recomputes every sum.

use super::{Entered, Hash, Head, beginning, chained};
use crate::db::Sql;
use crate::problem::{Problem, Result};
use crate::secret::hex;
use std::io::BufRead;

/// What reading the log again has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The last entry that holds.
    pub head: Head,
    /// The first that does not.
    pub fault: Option<Fault>,
}

/// An entry that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Its place.
    pub number: i64,
    /// What is wrong with it.
    pub what: &'static str,
}

/// Follows the chain.
struct Chain {
    head: Head,
    fault: Option<Fault>,
}

impl Chain {
    fn new() -> Self {
        Chain {
            head: beginning(),
            fault: None,
        }
    }

    fn next(&mut self, text: &str, hash: &[u8]) -> Option<Entered> {
        let number = self.head.number + 1;
        let mut fault = |what| {
            self.fault.get_or_insert(Fault { number, what });
            None
        };
        let Ok(entered) = serde_json::from_str::<Entered>(text) else {
            return fault("it is no entry");
        };
        if entered.text() != text {
            return fault("it is not written as an entry is");
        }
        if entered.number != number {
            return fault("an entry is missing before it, or stands twice");
        }
        let sum = chained(&self.head.hash, text);
        if sum[..] != *hash {
            return fault("its sum is another one");
        }
        self.head = Head { number, hash: sum };
        Some(entered)
    }

    /// The next entry does not hold, unless that was found already.
    fn broken(&mut self, what: &'static str) {
        let number = self.head.number + 1;
        self.fault.get_or_insert(Fault { number, what });
    }

    fn ended(mut self, seen: Option<&Head>, at_seen: Option<Hash>) -> Verified {
        if let (Some(seen), None) = (seen, &self.fault) {
            if seen.number > self.head.number {
                self.fault = Some(Fault {
                    number: self.head.number + 1,
                    what: "the end was cut off: a later head has been seen",
                });
            } else if at_seen.is_some_and(|hash| hash != seen.hash) {
                self.fault = Some(Fault {
                    number: seen.number,
                    what: "it is not the one that has been seen",
                });
            }
        }
        Verified {
            head: self.head,
            fault: self.fault,
        }
    }
}

/// How many entries are read at once.
const PIECE: i64 = 1000;

/// Verifies the log of a store; `seen` is a head that was printed earlier.
///
/// # Errors
/// When the store does not answer.
pub fn verify(sql: &mut dyn Sql, seen: Option<&Head>) -> Result<Verified> {
    let mut chain = Chain::new();
    let mut at_seen = seen_at(&chain, seen);
    let mut last = 0;
    while chain.fault.is_none() {
        let rows = sql.query(
            "SELECT number, entry, hash, at, actor, act, project_id FROM audit \
             WHERE number > $1 ORDER BY number LIMIT $2",
            values![last, PIECE],
        )?;
        let Some(end) = rows.last() else { break };
        last = end.integer(0)?;
        for row in &rows {
            let Some(entered) = chain.next(row.text(1)?, row.bytes(2)?) else {
                break;
            };
            let same = row.integer(0)? == entered.number
                && row.integer(3)? == entered.at
                && row.maybe_integer(4)? == entered.actor
                && row.text(5)? == entered.act
                && row.maybe_id(6)? == entered.project;
            if !same {
                chain.fault = Some(Fault {
                    number: entered.number,
                    what: "the columns beside it say something else",
                });
                break;
            }
            at_seen = at_seen.or(seen_at(&chain, seen));
        }
    }
    Ok(chain.ended(seen, at_seen))
}

fn seen_at(chain: &Chain, seen: Option<&Head>) -> Option<Hash> {
    let seen = seen?;
    (seen.number == chain.head.number).then_some(chain.head.hash)
}

/// Verifies an export: a line for each entry, its sum in hexadecimal digits, a blank and its text.
///
/// # Errors
/// When it cannot be read.
pub fn verify_export(lines: impl BufRead, seen: Option<&Head>) -> Result<Verified> {
    let mut chain = Chain::new();
    let mut at_seen = seen_at(&chain, seen);
    for line in lines.split(b'\n') {
        let line = line.map_err(|_| Problem::unusable("the export cannot be read"))?;
        let line = String::from_utf8(line).unwrap_or_default();
        let (hash, text) = line.split_once(' ').unwrap_or_default();
        let sum = unhex(hash).unwrap_or_default();
        // A digit has one form, so that no byte of an export can be another one.
        if hex(&sum) != hash || chain.next(text, &sum).is_none() {
            chain.broken("it is not written as an entry is");
            break;
        }
        at_seen = at_seen.or(seen_at(&chain, seen));
    }
    Ok(chain.ended(seen, at_seen))
}

pub(super) fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |b: u8| (b as char).to_digit(16).map(|d| d as u8);
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| Some(digit(pair[0])? << 4 | digit(*pair.get(1)?)?))
        .collect()
}

pub(super) fn hash_of(bytes: &[u8]) -> Result<Hash> {
    bytes
        .try_into()
        .map_err(|_| Problem::bug("a sum of the log has another length"))
}
