//! Keys by names that whoever opens a policy knows, beside environment variables and files.
//!
//! **Protects against** policies that reach for what is not theirs: where secrets are resolved
//! alone, neither an environment variable nor a file can be named as a key.
//! **Does not protect against** a policy that names another key of the same resolver.

use super::Root;
use crate::config::Placed;
use crate::engine::KeyPlace;
use crate::error::{Error, Result};
use crate::io::Files;
use crate::protect::identifiers::Key;
use std::fmt;
use std::sync::Arc;

type Find = dyn Fn(&str) -> Option<Vec<u8>> + Send + Sync;

/// Who knows the keys that a policy names as `secret:NAME`; nobody unless one is given.
#[derive(Clone, Default)]
pub struct Secrets {
    find: Option<Arc<Find>>,
    alone: bool,
}

impl Secrets {
    /// Secrets that `find` knows by their names, beside environment variables and files.
    pub fn by(find: impl Fn(&str) -> Option<Vec<u8>> + Send + Sync + 'static) -> Self {
        Secrets {
            find: Some(Arc::new(find)),
            alone: false,
        }
    }

    /// The same secrets, and no environment variables and files.
    pub fn alone(self) -> Self {
        Secrets {
            alone: true,
            ..self
        }
    }

    /// Refuses a place of a key that is not for policies of this origin.
    pub(super) fn check(&self, place: &str) -> Result<()> {
        let (what, help) = match place.strip_prefix("secret:") {
            Some(_) if self.find.is_none() => (
                "nobody here knows keys by `secret:`",
                "use \"env:NAME\" or \"file:PATH\"; `secret:` is for policies of a server",
            ),
            Some("") => (
                "`secret:` is not followed by the name of a key",
                "for example key = \"secret:patients\"",
            ),
            None if self.alone => (
                "keys are named here, and not taken from files or the environment",
                "use \"secret:NAME\", the name of a key that the project keeps",
            ),
            _ => return Ok(()),
        };
        Err(Error::policy(what).help(help))
    }

    /// Fetches the text of a key, without white space around it.
    pub(crate) fn load_text(&self, place: &KeyPlace, files: &Files) -> Result<Vec<u8>> {
        match place {
            KeyPlace::Environment(name) => match std::env::var(name) {
                Ok(text) => Ok(text.trim().as_bytes().to_vec()),
                Err(_) => Err(Error::policy(format!(
                    "the environment variable {name} that holds the key is not set"
                ))
                .help(format!(
                    "export {name}=\"$(openssl rand -hex 32)\" and keep it safe"
                ))),
            },
            KeyPlace::File(path) => {
                let text = files.read(path).map_err(|e| Error::io("read", path, e))?;
                Ok(text.trim_ascii().to_vec())
            }
            KeyPlace::Secret(name) => {
                let found = self.find.as_ref().and_then(|find| find(name));
                let text = found.ok_or_else(|| {
                    Error::policy(format!("there is no key `{name}`"))
                        .help("make a key of this name, or name one that is there")
                })?;
                Ok(text.trim_ascii().to_vec())
            }
        }
    }

    /// Fetches a key.
    pub(crate) fn load(&self, place: &KeyPlace, files: &Files) -> Result<Key> {
        Key::new(self.load_text(place, files)?)
    }
}

/// "env:NAME", "file:PATH" or "secret:NAME".
pub(super) fn read_key(placed: &Placed, name: &str, root: &Root) -> Result<KeyPlace> {
    let place = placed.text(name)?;
    let allowed = root.secrets().check(&place);
    allowed.map_err(|error| error.at(placed.span.clone()))?;
    if let Some(name) = place.strip_prefix("secret:") {
        return Ok(KeyPlace::Secret(name.to_owned()));
    }
    let Some(variable) = place.strip_prefix("env:") else {
        let path = place.strip_prefix("file:").unwrap_or(&place);
        return Ok(KeyPlace::File(root.resolve(placed, path)?));
    };
    if variable.is_empty() || variable.contains(['=', '\0']) {
        return Err(placed
            .error("`env:` is not followed by the name of a variable")
            .help("for example key = \"env:MORETTA_KEY\""));
    }
    Ok(KeyPlace::Environment(variable.to_owned()))
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = self.find.is_some();
        f.debug_struct("Secrets")
            .field("known", &known)
            .finish_non_exhaustive()
    }
}
