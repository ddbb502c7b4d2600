//! Mends matches of components: with the right ones the features of what is
//! reconstructed are distributed as those of the sample.
//!
//! Components that are symmetric or alike are easily taken for each other, but the
//! features that follow from them are not. So signs are turned and partners exchanged
//! as long as features and components together fit better.
//!
//! *Costs* width² reconstructions of 500 records a round; of more than 24 components only
//! signs are tried.

use super::components::{Components, Matches, apart, quantiles};
use crate::data::Records;
use crate::math::moments::Moments;

/// Records of which features are compared.
const COMPARED: usize = 500;

/// More components than this are not exchanged.
const EXCHANGED: usize = 24;

/// Rounds after which it ends in any case.
const ROUNDS: usize = 20;

/// What reconstructed features are compared with.
pub(super) struct Fit<'a> {
    known: &'a Components,
    /// Deviation and quantiles of each feature of the sample that varies.
    features: Vec<(usize, f64, Vec<f64>)>,
}

impl<'a> Fit<'a> {
    pub(super) fn new(known: &'a Components, sample: &Records) -> Self {
        let feature = |place: usize| {
            let moments: Moments = sample.column(place).collect();
            let varies = moments.deviation() > 0.0;
            varies.then(|| {
                let quantiles = quantiles(sample.column(place).collect());
                (place, moments.deviation(), quantiles)
            })
        };
        Fit {
            known,
            features: (0..sample.width()).filter_map(feature).collect(),
        }
    }

    /// Better matches, and how far what follows from them is from the sample.
    pub(super) fn mend(
        &self,
        seen: &Components,
        released: &Records,
        mut matches: Matches,
    ) -> (Matches, f64) {
        let width = matches.len();
        let stride = released.len().div_ceil(COMPARED).max(1);
        let rows = released.iter().step_by(stride);
        let mut components = vec![0.0; rows.len() * width];
        for (record, out) in rows.zip(components.chunks_exact_mut(width)) {
            seen.read(record, out);
        }
        let mut least = self.misfit(seen, &components, &matches);
        for _ in 0..ROUNDS {
            let before = least;
            for change in changes(width) {
                let tried = change.apply(&matches);
                let misfit = self.misfit(seen, &components, &tried);
                if misfit < least {
                    (matches, least) = (tried, misfit);
                }
            }
            if least >= before {
                break;
            }
        }
        (matches, least)
    }

    /// How far features and components are from those of the sample.
    fn misfit(&self, seen: &Components, components: &[f64], matches: &Matches) -> f64 {
        let width = matches.len();
        let mut guessed = Records::new(self.known.means.len());
        let mut record = vec![0.0; self.known.means.len()];
        for row in components.chunks_exact(width) {
            self.known.write(row, matches, &mut record);
            guessed.push(&record);
        }
        let features = self.features.iter();
        let of_features: f64 = features
            .map(|(place, deviation, expected)| {
                let found = quantiles(guessed.column(*place).collect());
                apart(expected, found.into_iter()) / deviation
            })
            .sum();
        of_features + self.known.apart(seen, matches)
    }
}

/// Something else to try.
#[derive(Clone, Copy)]
struct Change {
    /// Components that exchange their partners, or one that does not.
    pair: [usize; 2],
    /// Whether their signs turn.
    turned: [bool; 2],
}

impl Change {
    fn apply(self, matches: &Matches) -> Matches {
        let mut changed = matches.clone();
        let [a, b] = self.pair;
        changed.swap(a, b);
        for (place, turned) in self.pair.into_iter().zip(self.turned) {
            if turned {
                changed[place].1 *= -1.0;
            }
        }
        changed
    }
}

/// Every sign alone, and every pair with all signs.
fn changes(width: usize) -> Vec<Change> {
    let sign = |place: usize| Change {
        pair: [place, place],
        turned: [true, false],
    };
    let mut all: Vec<Change> = (0..width).map(sign).collect();
    if width <= EXCHANGED {
        for b in 0..width {
            for a in 0..b {
                let signs = [[false, false], [true, false], [false, true], [true, true]];
                all.extend(signs.map(|turned| Change {
                    pair: [a, b],
                    turned,
                }));
            }
        }
    }
    all
}
