//! What an attacker knows of the noise on a release.

/// The noise of a projection; deviations are of one draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Blur {
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
        /// Rows after which it starts anew.
        reset: Option<u64>,
    },
}

impl Blur {
    /// Covariance of the noise of two rows, which are counted from 0.
    pub fn covariance(self, one: u64, other: u64) -> f64 {
        match self {
            Blur::None => 0.0,
            Blur::Independent { deviation } if one == other => deviation * deviation,
            Blur::Independent { .. } => 0.0,
            Blur::Cumulative { deviation, reset } => {
                let start = |row: u64| reset.map_or(0, |rows| row - row % rows);
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
        for (reset, one, other, expected) in [
            (None, 0, 0, 0.25),
            (None, 3, 9, 1.0),
            (None, 9, 3, 1.0),
            (Some(4), 3, 9, 0.0),
            (Some(4), 9, 11, 0.5),
            (Some(4), 4, 4, 0.25),
        ] {
            let found = walk(reset).covariance(one, other);
            assert_eq!(found, expected, "{reset:?} {one} {other}");
        }
        let independent = Blur::Independent { deviation: 3.0 };
        assert_eq!(independent.covariance(2, 2), 9.0);
        assert_eq!(independent.covariance(2, 3), 0.0);
    }
}
