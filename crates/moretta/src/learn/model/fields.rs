//! Saving and loading that follow from the fields of a type: said once, in their order.
//!
//! For types that need nothing else to be read. What depends on the header, as the weights
//! of a leaf do, is written by hand: lengths that follow from the header are not in the file.

use super::bytes::{Reader, Writer};
use crate::error::Result;

/// Something that is saved and loaded by itself.
pub(in crate::learn) trait Saved: Sized {
    fn save(&self, out: &mut Writer);

    /// Fails unless what was read could have been saved.
    fn load(from: &mut Reader<'_>) -> Result<Self>;
}

/// A number whose range is that of its type; one of 64 bits is a count, and no more than a
/// stream can reach.
macro_rules! saved_numbers {
    ($($type:ty: $method:ident),+) => {
        $(impl Saved for $type {
            fn save(&self, out: &mut Writer) {
                out.$method(*self);
            }

            fn load(from: &mut Reader<'_>) -> Result<Self> {
                from.$method()
            }
        })+
    };
}

saved_numbers!(bool: bool, u32: u32, u64: count, usize: size, f64: f64);

/// As long with a value as without one.
impl<T: Saved + Default> Saved for Option<T> {
    fn save(&self, out: &mut Writer) {
        self.is_some().save(out);
        match self {
            Some(value) => value.save(out),
            None => T::default().save(out),
        }
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        let (is_some, value) = (bool::load(from)?, T::load(from)?);
        Ok(is_some.then_some(value))
    }
}

/// Derives [`Saved`]: of a struct from its fields, in this order, and what must hold of them,
/// else the words are its fault; of an enum without values from all its variants, in order.
macro_rules! saved {
    (struct $type:ident { $($field:ident),+ $(, ..$rest:expr)? } $(if $sound:expr, else $odd:literal)?) => {
        impl $crate::learn::model::Saved for $type {
            fn save(&self, out: &mut $crate::learn::model::Writer) {
                $($crate::learn::model::Saved::save(&self.$field, out);)+
            }

            fn load(from: &mut $crate::learn::model::Reader<'_>) -> $crate::error::Result<Self> {
                let loaded = $type {
                    $($field: $crate::learn::model::Saved::load(from)?,)+
                    $(..$rest)?
                };
                $(
                    let sound: fn(&$type) -> bool = $sound;
                    if !sound(&loaded) {
                        return Err($crate::learn::model::odd($odd));
                    }
                )?
                Ok(loaded)
            }
        }
    };
    (enum $type:ident { $($variant:ident),+ } else $odd:literal) => {
        impl $crate::learn::model::Saved for $type {
            fn save(&self, out: &mut $crate::learn::model::Writer) {
                out.byte(*self as u8);
            }

            fn load(from: &mut $crate::learn::model::Reader<'_>) -> $crate::error::Result<Self> {
                let byte = from.byte()?;
                let all = [$($type::$variant),+];
                let found = all.into_iter().find(|one| *one as u8 == byte);
                found.ok_or_else(|| $crate::learn::model::odd($odd))
            }
        }
    };
}
pub(in crate::learn) use saved;
