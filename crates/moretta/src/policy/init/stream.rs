//! Events of persons over time, for which a stream suits better than a table.
//!
//! Where one column tells the moment and another the person, and persons come again, each
//! event is released when enough persons showed the same (z-anonymity). Attributes that would
//! be sensitive in a table leave under the same rule, and so does a class.

use super::Guess;
use super::column::{Guessed, Moments};
use crate::data::hierarchy::HierarchySpec;
use crate::data::{Categories, Field, Kind, Role};
use crate::io::ReadAs;

/// Characters between the parts of a path.
const SEPARATORS: &[&str] = &["/", "*", ">", "|", "::"];

/// Turns the guesses into those of a stream, if there are a time, a person who comes again
/// and something to release. `fields` and `texts` are what
/// the columns hold.
pub(super) fn propose(
    columns: &mut [Guessed],
    fields: &[Field],
    texts: &[Option<Categories>],
) -> bool {
    let subject = columns.iter().any(|c| c.guess.role == Role::Subject);
    let best: Option<Moments> = columns.iter().filter_map(|c| c.moments).max();
    let time = columns
        .iter()
        .position(|c| c.moments.is_some() && c.moments == best && c.guess.role != Role::Subject);
    let attribute = |(i, column): (usize, &Guessed)| {
        Some(i) != time
            && matches!(
                column.guess.role,
                Role::Quasi | Role::Sensitive | Role::Class
            )
    };
    let Some(time) = time.filter(|_| subject && columns.iter().enumerate().any(attribute)) else {
        return false;
    };
    for (i, column) in columns.iter_mut().enumerate() {
        let guess = &mut column.guess;
        match guess.role {
            _ if i == time => {
                *guess = Guess {
                    role: Role::Time,
                    why: "the values are times of events".to_owned(),
                    read: ReadAs::Infer,
                    hierarchy: None,
                    optional: false,
                    ..guess.clone()
                };
            }
            Role::Quasi | Role::Sensitive | Role::Class => {
                let reason = match guess.role {
                    Role::Quasi => "",
                    _ => "; leaves a stream only when z persons share it",
                };
                guess.why.push_str(reason);
                guess.role = Role::Quasi;
                in_a_stream(
                    guess,
                    column.moments.is_some(),
                    &fields[i].kind,
                    texts[i].as_ref(),
                );
            }
            _ => {}
        }
    }
    true
}

/// An attribute without a hierarchy is released whole or not at all, so each gets one that can.
fn in_a_stream(guess: &mut Guess, is_moment: bool, kind: &Kind, texts: Option<&Categories>) {
    if is_moment {
        (guess.read, guess.hierarchy) = (ReadAs::Category, None);
        return;
    }
    guess.optional = false;
    match (kind, &guess.hierarchy) {
        (Kind::Number { .. }, Some(HierarchySpec::Intervals(_))) => guess.read = ReadAs::Number,
        (Kind::Date(format), Some(HierarchySpec::Dates(_))) => guess.read = ReadAs::Date(*format),
        (Kind::Category { .. }, None) => {
            guess.hierarchy = texts
                .and_then(separator)
                .map(|s| HierarchySpec::Path(s.to_owned()));
        }
        _ => {}
    }
}

/// What stands between the parts of nearly all values.
fn separator(texts: &Categories) -> Option<&'static str> {
    let values = texts.levels();
    let splits = |separator: &&&str| {
        let split = values.iter().filter(|value| value.contains(**separator));
        !values.is_empty() && split.count() * 10 >= values.len() * 9
    };
    SEPARATORS.iter().find(splits).copied()
}
