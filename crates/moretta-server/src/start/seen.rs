//! The last head of the log that was told, kept outside of the store: a store that is older than it
//! was restored from a backup, or somebody has cut its log.

use crate::audit::{self, Entry, Hash, Head};
use crate::clock::Millis;
use crate::db::Sql;
use crate::id::Id;
use crate::problem::Result;
use crate::session;
use crate::store::Store;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Reads a head; none of another text.
pub fn parse_head(text: &str) -> Option<Head> {
    let (number, hash) = text.trim().split_once(':')?;
    let number = number.parse().ok().filter(|number| *number >= 0)?;
    if hash.len() != 64 || !hash.is_ascii() {
        return None;
    }
    let mut sum: Hash = [0; 32];
    for (byte, place) in sum.iter_mut().zip((0..64).step_by(2)) {
        *byte = u8::from_str_radix(&hash[place..place + 2], 16).ok()?;
    }
    Some(Head { number, hash: sum })
}

/// Where the last head that was told is noted.
#[derive(Clone, Debug)]
pub(super) struct Note(PathBuf);

impl Note {
    pub(super) fn of(data: &Path) -> Self {
        Note(data.join("head"))
    }

    pub(super) fn read(&self) -> Option<Head> {
        parse_head(&std::fs::read_to_string(&self.0).ok()?)
    }

    /// Replaces it as a whole, so that it is never half a head.
    pub(super) fn write(&self, head: &Head) -> std::io::Result<()> {
        let beside = self.0.with_file_name(format!("head-{}", Id::random()));
        let mut file = moretta::io::create_private(&beside)?;
        writeln!(file, "{}", head.text())?;
        file.sync_all()?;
        std::fs::rename(&beside, &self.0)
    }
}

/// Whether the log still holds a head that was told.
fn holds(sql: &mut dyn Sql, seen: &Head) -> Result<bool> {
    if seen.number == 0 {
        return Ok(*seen == audit::beginning());
    }
    let row = sql.row(
        "SELECT hash FROM audit WHERE number = $1",
        values![seen.number],
    )?;
    row.map_or(Ok(false), |row| Ok(row.bytes(0)? == seen.hash))
}

/// Ends all sessions and links of a store that does not hold a head that was told, enters that in its log, and
/// gives the head that it lacks.
///
/// # Errors
/// When the store does not answer.
pub(super) fn heed(store: &Store, seen: &[Head], at: Millis) -> Result<Option<Head>> {
    let lacking = store.read(|sql| {
        for head in seen {
            if !holds(sql, head)? {
                return Ok(Some(*head));
            }
        }
        Ok(None)
    })?;
    let Some(lacking) = lacking else {
        return Ok(None);
    };
    store.act(|act| {
        let ended = session::end_everybodys(&mut **act)?;
        act.log(&Entry {
            at,
            act: "admin.restored",
            facts: vec![("seen", lacking.text()), ("sessions", ended.to_string())],
            ..Entry::default()
        })
    })?;
    Ok(Some(lacking))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_as_it_is_written() {
        let head = audit::beginning();
        assert_eq!(parse_head(&head.text()), Some(head));
        let digits = "0".repeat(64);
        for text in [
            "",
            "1",
            ":",
            &format!("-1:{digits}"),
            &format!("1:{}é", &digits[..62]),
        ] {
            assert_eq!(parse_head(text), None, "{text}");
        }
    }
}
