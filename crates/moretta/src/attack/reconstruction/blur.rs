//! What an attacker knows of the noise on a release.

/// The noise of a projection; deviations are of one draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Blur<'a> {
    /// None.
    None,
    /// Each number has its own.
    Independent {
        /// σ_δ.
        deviation: f64,
    },
    /// A random walk over the rows.
    Cumulative {
        /// σ_γ, of a step.
        deviation: f64,
        /// When it starts anew; none for never.
        reset: Option<Restarts<'a>>,
    },
}

/// The rows, counted from 0, with which a random walk starts anew.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Restarts<'a> {
    /// Every so many.
    Every(u64),
    /// These, in ascending order.
    At(&'a [u64]),
}

impl Restarts<'_> {
    /// The first row of the walk that `row` belongs to.
    fn start(self, row: u64) -> u64 {
        match self {
            Restarts::Every(rows) => row - row % rows.max(1),
            Restarts::At(starts) => {
                let later = starts.partition_point(|&start| start <= row);
                later.checked_sub(1).map_or(0, |place| starts[place])
            }
        }
    }
}

impl Blur<'_> {
    /// Covariance of the noise of two rows, which are counted from 0.
    pub fn covariance(self, one: u64, other: u64) -> f64 {
        match self {
            Blur::None => 0.0,
            Blur::Independent { deviation } if one == other => deviation * deviation,
            Blur::Independent { .. } => 0.0,
            Blur::Cumulative { deviation, reset } => {
                let start = |row: u64| reset.map_or(0, |restarts| restarts.start(row));
                match start(one) == start(other) {
                    // They share the steps up to the earlier row.
                    true => {
                        let shared = one.min(other) - start(one) + 1;
                        deviation * deviation * shared as f64
                    }
                    false => 0.0,
                }
            }
        }
    }

    /// What the attacks on it are called.
    pub(super) fn word(self) -> &'static str {
        match self {
            Blur::None => "A-RP",
            Blur::Independent { .. } => "A-RPIN",
            Blur::Cumulative { .. } => "A-RPCN",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_walk_share_the_steps_since_its_start() {
        let walk = |reset| Blur::Cumulative {
            deviation: 0.5,
            reset,
        };
        let four = Some(Restarts::Every(4));
        let some = Some(Restarts::At(&[0, 3, 10]));
        for (reset, one, other, expected) in [
            (None, 0, 0, 0.25),
            (None, 3, 9, 1.0),
            (None, 9, 3, 1.0),
            (four, 3, 9, 0.0),
            (four, 9, 11, 0.5),
            (four, 4, 4, 0.25),
            (some, 2, 3, 0.0),
            (some, 3, 3, 0.25),
            (some, 4, 9, 0.5),
            (some, 9, 10, 0.0),
            (some, 99, 11, 0.5),
            (Some(Restarts::At(&[])), 3, 9, 1.0),
        ] {
            let found = walk(reset).covariance(one, other);
            assert_eq!(found, expected, "{reset:?} {one} {other}");
        }
        let independent = Blur::Independent { deviation: 3.0 };
        assert_eq!(independent.covariance(2, 2), 9.0);
        assert_eq!(independent.covariance(2, 3), 0.0);
    }
}
