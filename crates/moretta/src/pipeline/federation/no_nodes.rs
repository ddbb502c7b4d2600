//! Why a federation has made no trouble node.

use crate::federate::{Asked, Terms};
use serde::Serialize;

/// The reason, as far as the aggregator can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoNodes {
    /// The policy asks for none.
    NotWanted,
    /// No sources that could share one.
    NoCandidates,
    /// No record was answered wrong while sources were asked.
    NoMistakes,
    /// `factor` is so small for the length of the columns that no record would be forwarded.
    TooLong,
    /// No source would have forwarded a record that was answered wrong.
    NothingForwarded,
    /// Sources would have forwarded others.
    NoAgreement,
}

impl NoNodes {
    /// Why there is no node after so many records. A source forwards a record if its rank among at
    /// most `window` records is below the factor divided by the length, and no rank is below one
    /// record of those.
    pub(super) fn of(terms: &Terms, asked: Option<Asked>, records: u64) -> Self {
        let Some(trouble) = &terms.trouble else {
            return NoNodes::NotWanted;
        };
        let Some(asked) = asked else {
            return NoNodes::NoCandidates;
        };
        let ranked = records.min(terms.window as u64);
        let is_too_long = trouble.factor.value() * ranked as f64 <= asked.least_length as f64;
        match (asked.records, asked.forwards) {
            (_, true) => NoNodes::NoAgreement,
            (0, _) => NoNodes::NoMistakes,
            _ if is_too_long => NoNodes::TooLong,
            _ => NoNodes::NothingForwarded,
        }
    }

    /// What to tell.
    pub fn sentence(self) -> &'static str {
        match self {
            NoNodes::NotWanted => "the policy has no `trouble`",
            NoNodes::NoCandidates => "there are no sources that could share one",
            NoNodes::NoMistakes => {
                "no record was answered wrong while sources were asked what they would forward"
            }
            NoNodes::TooLong => {
                "`factor` is so small for the length of the columns together, or their `size` so large, that no record would be forwarded"
            }
            NoNodes::NothingForwarded => {
                "no source would have forwarded a record that was answered wrong"
            }
            NoNodes::NoAgreement => {
                "no sources agreed in what troubles them by more than chance would explain"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::federate::{Ratio, Rule};

    #[test]
    fn a_reason_is_that_which_comes_first() {
        let terms = Terms::of_study(2, 2, Rule::Vote);
        let check = |terms: &Terms, asked, records, expected| {
            assert_eq!(NoNodes::of(terms, asked, records), expected, "{asked:?}");
        };
        let asked = |least_length, records, forwards| {
            Some(Asked {
                least_length,
                records,
                forwards,
            })
        };
        check(&terms, asked(2, 5, false), 100, NoNodes::NotWanted);
        let terms = terms.with_trouble(Ratio::new(4, 1));
        assert_eq!(terms.window, 1000);
        check(&terms, None, 100, NoNodes::NoCandidates);
        check(&terms, asked(2, 0, false), 100, NoNodes::NoMistakes);
        check(&terms, asked(2, 5, false), 100, NoNodes::NothingForwarded);
        check(&terms, asked(2, 5, true), 100, NoNodes::NoAgreement);
        // A rank is at least one of a hundred, and later one of a thousand.
        check(&terms, asked(399, 5, false), 100, NoNodes::NothingForwarded);
        check(&terms, asked(400, 5, false), 100, NoNodes::TooLong);
        check(
            &terms,
            asked(3999, 5, false),
            90_000,
            NoNodes::NothingForwarded,
        );
        check(&terms, asked(4000, 5, false), 90_000, NoNodes::TooLong);
        // What was forwarded once was not too long.
        check(&terms, asked(4000, 5, true), 90_000, NoNodes::NoAgreement);
    }
}
