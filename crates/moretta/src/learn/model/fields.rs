//! Saving and loading that follow from the fields of a type: said once, in their order.
//!
//! Loading is given what is known already: the header, the options of a tree. A length that
//! follows from that is not in the file, so it cannot be wrong; what else must hold of the fields
//! is said beside them. Some types are written by hand, as those are whose parts depend on each
//! other.

use super::bytes::{Reader, Writer, odd};
use crate::error::Result;
use crate::math::java_random::JavaRandom;

/// Something that is saved.
pub(crate) trait Saved {
    fn save(&self, out: &mut Writer);
}

/// Something that is loaded where `With` is known.
pub(crate) trait Loaded<With>: Sized {
    /// Fails unless what was read could have been saved.
    fn load(with: &With, from: &mut Reader<'_>) -> Result<Self>;
}

/// A number whose range is that of its type; one of 64 bits is a count, and no more than a
/// stream can reach.
macro_rules! saved_numbers {
    ($($type:ty: $method:ident),+) => {
        $(impl Saved for $type {
            fn save(&self, out: &mut Writer) {
                out.$method(*self);
            }
        }

        impl<With> Loaded<With> for $type {
            fn load(_: &With, from: &mut Reader<'_>) -> Result<Self> {
                from.$method()
            }
        }

        /// As long with a value as without one.
        impl Saved for Option<$type> {
            fn save(&self, out: &mut Writer) {
                (self.is_some(), self.unwrap_or_default()).save(out);
            }
        }

        impl<With> Loaded<With> for Option<$type> {
            fn load(with: &With, from: &mut Reader<'_>) -> Result<Self> {
                let (is_some, value) = Loaded::load(with, from)?;
                Ok(bool::then_some(is_some, value))
            }
        })+
    };
}

saved_numbers!(bool: bool, u32: u32, u64: count, usize: size, f64: f64);

impl Saved for JavaRandom {
    fn save(&self, out: &mut Writer) {
        let (state, kept) = self.parts();
        out.u64(state);
        kept.save(out);
    }
}

impl<With> Loaded<With> for JavaRandom {
    fn load(with: &With, from: &mut Reader<'_>) -> Result<Self> {
        let random = JavaRandom::from_parts(from.u64()?, Loaded::load(with, from)?);
        random.ok_or_else(|| odd("a source of chance that there is not"))
    }
}

impl<A: Saved, B: Saved> Saved for (A, B) {
    fn save(&self, out: &mut Writer) {
        self.0.save(out);
        self.1.save(out);
    }
}

impl<With, A: Loaded<With>, B: Loaded<With>> Loaded<With> for (A, B) {
    fn load(with: &With, from: &mut Reader<'_>) -> Result<Self> {
        Ok((A::load(with, from)?, B::load(with, from)?))
    }
}

/// The values, but not how many.
impl<T: Saved> Saved for Vec<T> {
    fn save(&self, out: &mut Writer) {
        self.iter().for_each(|value| value.save(out));
    }
}

/// What can be large takes room only where it is there.
impl<T: Saved> Saved for Option<Box<T>> {
    fn save(&self, out: &mut Writer) {
        self.is_some().save(out);
        if let Some(value) = self {
            value.save(out);
        }
    }
}

impl<With, T: Loaded<With>> Loaded<With> for Option<Box<T>> {
    fn load(with: &With, from: &mut Reader<'_>) -> Result<Self> {
        Ok(match from.bool()? {
            true => Some(Box::new(T::load(with, from)?)),
            false => None,
        })
    }
}

/// Derives [`Saved`] and [`Loaded`].
///
/// Of a struct from its fields, in this order. Behind `with` stands what must be known. A field
/// with a length in brackets is a list; one with `in` is loaded with that instead. Lengths and
/// `in` may name fields before them, whose type is then said. What is not saved follows behind `;` or as `..rest`. Then
/// comes what must hold of all, else the words are its fault; and what is made of it.
///
/// Of an enum without values from all its variants, in order.
macro_rules! saved {
    (struct $type:ident with $with:ident: $context:ty { $($fields:tt)+ } $($sound:tt)*) => {
        saved!(@struct [] $type, $with: $context, { $($fields)+ } $($sound)*);
    };
    (struct $type:ident { $($fields:tt)+ } $($sound:tt)*) => {
        saved!(@struct [With] $type, with: With, { $($fields)+ } $($sound)*);
    };
    (@struct [$($any:ident)?] $type:ident, $with:ident: $context:ty, {
        $($field:ident $(: $of:ident)? $([$length:expr])? $(in $inner:expr)?),+
        $(, ..$rest:expr)?
        $(; $($own:ident: $value:expr),+ $(,)?)?
    } $(if $sound:expr, else $odd:literal)? $(then $made:expr)?) => {
        impl $crate::learn::model::Saved for $type {
            fn save(&self, out: &mut $crate::learn::model::Writer) {
                $($crate::learn::model::Saved::save(&self.$field, out);)+
            }
        }

        impl $(<$any>)? $crate::learn::model::Loaded<$context> for $type {
            fn load(
                $with: &$context,
                from: &mut $crate::learn::model::Reader<'_>,
            ) -> $crate::error::Result<Self> {
                $(let $field $(: $of)? = saved!(@load $with, from $([$length])? $(in $inner)?)?;)+
                let loaded = $type {
                    $($field,)+
                    $($($own: $value,)+)?
                    $(..$rest)?
                };
                $(
                    let sound: fn(&$type) -> bool = $sound;
                    if !sound(&loaded) {
                        return Err($crate::learn::model::odd($odd));
                    }
                )?
                $(
                    let made: fn($type) -> $type = $made;
                    let loaded = made(loaded);
                )?
                Ok(loaded)
            }
        }
    };
    (@load $with:ident, $from:ident) => {
        $crate::learn::model::Loaded::load($with, $from)
    };
    (@load $with:ident, $from:ident in $inner:expr) => {
        $crate::learn::model::Loaded::load(&$inner, $from)
    };
    (@load $with:ident, $from:ident [$length:expr]) => {
        $from.many($length, |from| $crate::learn::model::Loaded::load($with, from))
    };
    (@load $with:ident, $from:ident [$length:expr] in $inner:expr) => {{
        let inner = $inner;
        $from.many($length, |from| $crate::learn::model::Loaded::load(&inner, from))
    }};
    (enum $type:ident { $($variant:ident),+ } else $odd:literal) => {
        impl $crate::learn::model::Saved for $type {
            fn save(&self, out: &mut $crate::learn::model::Writer) {
                out.byte(*self as u8);
            }
        }

        impl<With> $crate::learn::model::Loaded<With> for $type {
            fn load(
                _: &With,
                from: &mut $crate::learn::model::Reader<'_>,
            ) -> $crate::error::Result<Self> {
                let byte = from.byte()?;
                let all = [$($type::$variant),+];
                let found = all.into_iter().find(|one| *one as u8 == byte);
                found.ok_or_else(|| $crate::learn::model::odd($odd))
            }
        }
    };
}
pub(crate) use saved;

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    struct Inner {
        low: f64,
        values: Vec<f64>,
    }

    saved!(
        struct Inner with length: usize { low, values[*length] }
        if |inner| inner.values.iter().all(|value| inner.low <= *value), else "a value below all"
    );

    #[derive(Debug, PartialEq)]
    struct Outer {
        parts: usize,
        inner: Vec<Inner>,
        last: Option<Box<Inner>>,
        pair: (bool, Option<usize>),
        width: usize,
        sum: f64,
    }

    saved!(
        struct Outer with width: usize {
            parts: usize, inner[parts] in *width, last, pair;
            width: *width, sum: 0.0
        }
        then |outer| Outer { sum: outer.inner.iter().map(|inner| inner.low).sum(), ..outer }
    );

    fn outer() -> Outer {
        let inner = |low: f64| Inner {
            low,
            values: vec![low, low + 1.0],
        };
        Outer {
            parts: 2,
            inner: vec![inner(-1.0), inner(4.0)],
            last: Some(Box::new(inner(0.5))),
            pair: (true, Some(7)),
            width: 2,
            sum: 3.0,
        }
    }

    fn bytes(saved: &impl Saved) -> Vec<u8> {
        let mut out = Writer::default();
        saved.save(&mut out);
        out.into_bytes()
    }

    #[test]
    fn lengths_that_are_known_are_not_written_and_what_is_not_saved_is_made_again() {
        for outer in [
            outer(),
            Outer {
                last: None,
                pair: (false, None),
                ..outer()
            },
        ] {
            let bytes = bytes(&outer);
            let parts = 3 - usize::from(outer.last.is_none());
            assert_eq!(bytes.len(), 8 + parts * 24 + 1 + 1 + 9);
            let mut from = Reader::new(&bytes);
            assert_eq!(Outer::load(&2, &mut from).expect("as saved"), outer);
            from.end().expect("nothing is left");
            for end in 0..bytes.len() {
                Outer::load(&2, &mut Reader::new(&bytes[..end])).expect_err("cut");
            }
        }
    }

    #[test]
    fn what_does_not_hold_is_refused_in_its_words_and_lengths_beyond_the_end_at_once() {
        let mut wrong = outer();
        wrong.inner[1].low = 9.0;
        let error = Outer::load(&2, &mut Reader::new(&bytes(&wrong))).expect_err("wrong");
        assert!(error.to_string().contains("a value below all"), "{error}");
        for parts in [usize::MAX, 1 << 40, 200] {
            let error = Outer::load(&2, &mut Reader::new(&bytes(&Outer { parts, ..outer() })));
            let error = error.expect_err("long");
            assert!(error.to_string().contains("beyond its end"), "{error}");
        }
    }
}
