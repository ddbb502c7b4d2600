//! The kinds of zones.

use crate::seal::{Key, ZoneKeys};

/// What tells a zone from the others.
pub trait ZoneKind: 'static {
    /// Its name, in the store and as its folder.
    const NAME: &'static str;

    /// Its key.
    fn key(keys: &ZoneKeys) -> &Key;
}

macro_rules! kinds {
    ($($(#[$doc:meta])+ $kind:ident $name:literal $key:ident;)+) => {
        $($(#[$doc])+
        #[derive(Clone, Copy, Debug)]
        pub enum $kind {}

        impl ZoneKind for $kind {
            const NAME: &'static str = $name;

            fn key(keys: &ZoneKeys) -> &Key {
                &keys.$key
            }
        })+
    };
}

kinds! {
    /// Uploaded data.
    Raw "raw" raw;
    /// What waits for approval.
    Staging "staging" staging;
    /// What was published.
    Release "release" release;
    /// What names persons.
    Vault "vault" vault;
}
