//! What a checkpoint belongs to besides its policy: keys, hierarchies and sources.
//!
//! Each is noted as an HMAC-SHA-256 under the keys of the policy and a salt that is
//! drawn for every stream. Of a source these are its first bytes and its length: it
//! may have grown since, and may not have become shorter or begin otherwise. A source
//! that is no file, such as standard input, is not noted.
//!
//! **Protects against** going on with another key, which would give the same persons
//! other pseudonyms in one release, and with other data. Without the key of the policy
//! nobody can try guesses of the source on a checkpoint.
//! **Does not protect against** whoever can read the checkpoint of a policy without
//! any key, which only its owner can: the salt is in it, so a guess of all the first
//! bytes at once can be tried. Bytes behind the first are not looked at.

use crate::data::hierarchy::HierarchySpec;
use crate::error::{Error, Result};
use crate::policy::{Action, Policy};
use crate::protect::Method;
use crate::protect::identifiers::Key;
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::path::Path;

/// Bytes of a source that are looked at.
const FIRST: u64 = 4096;

/// What a checkpoint belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Bound {
    salt: [u8; 16],
    keys: [u8; 16],
    hierarchies: [u8; 16],
    /// None for a source that is no file.
    sources: Vec<Option<Begin>>,
}

/// The beginning of a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Begin {
    length: u64,
    first: [u8; 16],
}

impl Bound {
    /// What a stream that begins now belongs to.
    pub(super) fn now(policy: &Policy) -> Result<Self> {
        let salt = Key::random()?.block(&[b"salt"]);
        let mut short = [0; 16];
        short.copy_from_slice(&salt[..16]);
        Bound::with(policy, short, |path| {
            Ok(length(policy, path)?.map(|length| (length, length)))
        })
    }

    /// What of it is not as it was.
    pub(super) fn changed(&self, policy: &Policy) -> Result<Option<String>> {
        let mut before = self.sources.iter().flatten().map(|begin| begin.length);
        let now = Bound::with(policy, self.salt, |path| {
            let length = length(policy, path)?;
            Ok(length.and_then(|length| Some((length, before.next()?))))
        })?;
        if now.keys != self.keys {
            return Ok(Some("it was made with another key".to_owned()));
        }
        if now.hierarchies != self.hierarchies {
            return Ok(Some("a hierarchy is not as it was then".to_owned()));
        }
        let several = self.sources.len() > 1;
        let sources = self.sources.iter().zip(&now.sources).enumerate();
        for (number, (before, now)) in sources {
            let name = match several {
                true => format!("source {}", number + 1),
                false => "the source".to_owned(),
            };
            match (before, now) {
                (Some(before), Some(now)) if now.length < before.length => {
                    return Ok(Some(format!("{name} has become shorter")));
                }
                (Some(before), Some(now)) if now.first != before.first => {
                    return Ok(Some(format!("{name} does not begin as it did then")));
                }
                (Some(_), None) | (None, Some(_)) => {
                    return Ok(Some(format!("{name} was a file or is one now")));
                }
                _ => {}
            }
        }
        Ok(None)
    }

    /// `look` gives the length of a source and how long it was when it was looked at first.
    fn with(
        policy: &Policy,
        salt: [u8; 16],
        mut look: impl FnMut(&Path) -> Result<Option<(u64, u64)>>,
    ) -> Result<Self> {
        let mut secret = Key::derived(Key::derived([0; 32]).block(&[b"checkpoint", &salt]));
        for key in keys(policy)? {
            secret = Key::derived(key.block(&[b"checkpoint", &secret.block(&[])]));
        }
        let print = |what: &[u8], bytes: &[u8]| -> [u8; 16] {
            let mut short = [0; 16];
            short.copy_from_slice(&secret.block(&[what, bytes])[..16]);
            short
        };
        let mut files = Vec::new();
        for column in &policy.plan.columns {
            let read = match &column.hierarchy {
                Some(HierarchySpec::File(path)) => read(policy, path)?,
                // Read with the policy.
                Some(HierarchySpec::Table(table)) => table.text.clone().into_bytes(),
                _ => continue,
            };
            files.extend_from_slice(&(read.len() as u64).to_be_bytes());
            files.extend(read);
        }
        for path in policy.plan.protect.iter().flat_map(Method::files) {
            let read = read(policy, path)?;
            files.extend_from_slice(&(read.len() as u64).to_be_bytes());
            files.extend(read);
        }
        let mut sources = Vec::new();
        for path in std::iter::once(&policy.source.path).chain(&policy.source.more) {
            let begin = match look(path)? {
                None => None,
                Some((length, then)) => Some(Begin {
                    length,
                    first: print(b"source", &first_bytes(policy, path, then)?),
                }),
            };
            sources.push(begin);
        }
        Ok(Bound {
            salt,
            keys: print(b"keys", &[]),
            hierarchies: print(b"hierarchies", &files),
            sources,
        })
    }
}

/// Every key of the policy.
fn keys(policy: &Policy) -> Result<Vec<Key>> {
    let mut keys = Vec::new();
    for column in &policy.plan.columns {
        if let Action::Pseudonym { key, .. } = &column.action {
            keys.push(
                policy
                    .load_key(key)
                    .map_err(|e| e.at(column.span.clone()))?,
            );
        }
    }
    keys.extend(policy.fakes_key()?);
    Ok(keys)
}

/// A small file.
fn read(policy: &Policy, path: &Path) -> Result<Vec<u8>> {
    let read = policy.files.read(path);
    read.map_err(|e| Error::io("read", path, e))
}

/// The length of a file; none of what is no file.
fn length(policy: &Policy, path: &Path) -> Result<Option<u64>> {
    match policy.files.length(path) {
        Ok(length) => Ok(length),
        Err(_) if path == Path::new("-") => Ok(None),
        Err(e) => Err(Error::io("read", path, e)),
    }
}

/// The first bytes of a file that was so long.
fn first_bytes(policy: &Policy, path: &Path, length: u64) -> Result<Vec<u8>> {
    let failed = |e| Error::io("read", path, e);
    let mut bytes = Vec::new();
    let file = policy.files.open(path).map_err(failed)?;
    file.take(FIRST.min(length))
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Root;

    const POLICY: &str = r#"
        version = 1
        [source]
        path = ["a.csv", "b.csv"]
        [columns]
        t = { role = "time" }
        user = { role = "subject", action = "pseudonym", key = "file:key" }
        page = { role = "quasi", hierarchy = { file = "pages.csv" } }
        [[protect]]
        method = "z-anonymity"
        z = 5
        window = "1h"
        [sink]
        path = "out.csv"
    "#;

    const FILES: [(&str, &str); 4] = [
        ("a.csv", "t,user,page\n1,u,x\n"),
        ("b.csv", "t,user,page\n2,v,y\n"),
        ("key", "0123456789abcdef"),
        ("pages.csv", "x;all\ny;all\n"),
    ];

    #[test]
    fn what_has_changed_is_said_and_a_source_may_grow() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            std::fs::write(folder.path().join(name), text).expect("written");
        };
        let restore = || FILES.map(|(name, text)| write(name, text));
        restore();
        let root = Root::of_policy(&folder.path().join("policy.toml"), None).expect("a root");
        let policy = Policy::parse(POLICY, &root).expect("a policy");
        let bound = Bound::now(&policy).expect("bound");
        for (name, text, expected) in [
            ("key", "0123456789abcdeg", Some("another key")),
            ("pages.csv", "x;other\ny;all\n", Some("a hierarchy")),
            (
                "a.csv",
                "t,user,page\n1,w,x\n",
                Some("source 1 does not begin"),
            ),
            (
                "b.csv",
                "t,user,page\n",
                Some("source 2 has become shorter"),
            ),
            ("b.csv", "t,user,page\n2,v,y\n3,w,y\n", None),
            ("a.csv", FILES[0].1, None),
        ] {
            write(name, text);
            let changed = bound.changed(&policy).expect("looked at");
            assert_eq!(changed.is_some(), expected.is_some(), "{name}: {changed:?}");
            let told = changed.unwrap_or_default();
            assert!(told.contains(expected.unwrap_or_default()), "{told}");
            restore();
        }
    }

    #[test]
    fn two_streams_of_one_source_share_no_print() {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in FILES {
            std::fs::write(folder.path().join(name), text).expect("written");
        }
        let root = Root::of_policy(&folder.path().join("policy.toml"), None).expect("a root");
        let policy = Policy::parse(POLICY, &root).expect("a policy");
        let [one, other] = [0, 1].map(|_| Bound::now(&policy).expect("bound"));
        assert_ne!(one.keys, other.keys);
        assert_ne!(one.hierarchies, other.hierarchies);
        assert_ne!(one.sources, other.sources);
    }
}
