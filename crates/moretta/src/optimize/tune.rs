//! Finds the most preferred value of one number that still meets its goals.
//!
//! Values of a grid are tried from end to end. Between the most preferred one that
//! meets the goals and its neighbour that does not, bisection goes on.
//!
//! Where goals are the harder to meet the more a value is preferred, this is the limit:
//! exactly for whole numbers, if there are enough bisections. Where they are not (noise
//! draws by lot), it is the most preferred value *that was tried*; between values of the
//! grid better ones may hide, and whoever doubts takes a finer grid.
//!
//! *Costs* one evaluation a value: steps of the grid, and bisections.

use serde::Serialize;

/// Which end of the range protects more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Prefer {
    /// The greater value.
    High,
    /// The smaller value.
    Low,
}

/// How values of a grid lie apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// By equal differences.
    Linear,
    /// By equal ratios; both ends are above 0.
    Logarithmic,
}

/// The values that may be tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The smallest.
    pub low: f64,
    /// The greatest.
    pub high: f64,
    /// Values of the grid, both ends included.
    pub steps: usize,
    /// How they lie apart.
    pub scale: Scale,
    /// Whole numbers only.
    pub whole: bool,
}

/// A value, by how much it misses its goals, and what was found besides.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried<T> {
    /// The value.
    pub value: f64,
    /// At most 0 where all goals are met.
    pub excess: f64,
    /// What was found.
    pub found: T,
}

impl<T> Tried<T> {
    /// Whether all goals are met.
    pub fn meets(&self) -> bool {
        self.excess <= 0.0
    }
}

/// All values that were tried, in ascending order.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuning<T> {
    /// The values.
    pub tried: Vec<Tried<T>>,
    prefer: Prefer,
}

impl<T> Tuning<T> {
    /// The most preferred value that meets all goals.
    pub fn best(&self) -> Option<&Tried<T>> {
        self.preferred_first().find(|tried| tried.meets())
    }

    /// The value that misses its goals by least, the more preferred one of equals.
    pub fn nearest(&self) -> Option<&Tried<T>> {
        self.preferred_first()
            .min_by(|one, other| one.excess.total_cmp(&other.excess))
    }

    /// Whether a value misses the goals between two that meet them.
    pub fn is_ragged(&self) -> bool {
        let best = self.tried.iter().skip_while(|tried| !tried.meets());
        best.skip_while(|tried| tried.meets())
            .any(|tried| tried.meets())
    }

    fn preferred_first(&self) -> Box<dyn Iterator<Item = &Tried<T>> + '_> {
        match self.prefer {
            Prefer::High => Box::new(self.tried.iter().rev()),
            Prefer::Low => Box::new(self.tried.iter()),
        }
    }
}

/// Tries the grid of `range`, then up to `bisections` more values.
///
/// # Errors
/// The first one of `evaluate`, which tells by how much a value misses its goals, 0 or
/// less if it meets them, and what else is to be remembered.
pub fn tune<T, E>(
    range: &Range,
    prefer: Prefer,
    bisections: usize,
    mut evaluate: impl FnMut(f64) -> Result<(f64, T), E>,
) -> Result<Tuning<T>, E> {
    let mut tuning = Tuning {
        tried: Vec::new(),
        prefer,
    };
    let mut attempt = |value: f64, tuning: &mut Tuning<T>| {
        let (excess, found) = evaluate(value)?;
        let place = tuning.tried.partition_point(|tried| tried.value < value);
        let tried = Tried {
            value,
            excess,
            found,
        };
        tuning.tried.insert(place, tried);
        Ok(())
    };
    for value in range.grid() {
        attempt(value, &mut tuning)?;
    }
    for _ in 0..bisections {
        let Some(value) = range.between(&tuning) else {
            break;
        };
        attempt(value, &mut tuning)?;
    }
    Ok(tuning)
}

impl Range {
    /// Different values in ascending order.
    fn grid(&self) -> Vec<f64> {
        let last = self.steps.max(2) - 1;
        let mut grid: Vec<f64> = (0..=last)
            .map(|step| self.at(self.low, self.high, step as f64 / last as f64))
            .collect();
        grid.dedup();
        grid
    }

    /// The value that lies so far, from 0 to 1, between two.
    fn at(&self, low: f64, high: f64, share: f64) -> f64 {
        let value = match self.scale {
            _ if share == 0.0 => low,
            _ if share == 1.0 => high,
            Scale::Linear => low + share * (high - low),
            Scale::Logarithmic => low * (high / low).powf(share),
        };
        match self.whole {
            true => value.round(),
            false => rounded(value),
        }
    }

    /// The middle between the best value and its neighbour that is preferred to it; none
    /// where there is no such, or nothing between them.
    fn between<T>(&self, tuning: &Tuning<T>) -> Option<f64> {
        let best = tuning.best()?.value;
        let place = tuning.tried.iter().position(|tried| tried.value == best)?;
        let neighbour = match tuning.prefer {
            Prefer::High => tuning.tried.get(place + 1)?,
            Prefer::Low => tuning.tried.get(place.checked_sub(1)?)?,
        };
        let (low, high) = (best.min(neighbour.value), best.max(neighbour.value));
        let middle = self.at(low, high, 0.5);
        (low < middle && middle < high).then_some(middle)
    }
}

/// Four digits: what is tried is what a policy will say.
fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::convert::Infallible;

    fn whole(low: i32, high: i32, steps: usize, scale: Scale) -> Range {
        Range {
            low: f64::from(low),
            high: f64::from(high),
            steps,
            scale,
            whole: true,
        }
    }

    fn run(range: &Range, prefer: Prefer, excess: impl Fn(f64) -> f64) -> Tuning<()> {
        let found = tune(range, prefer, 40, |value| {
            Ok::<_, Infallible>((excess(value), ()))
        });
        match found {
            Ok(tuning) => tuning,
            Err(never) => match never {},
        }
    }

    proptest! {
        #[test]
        fn of_whole_numbers_the_limit_is_that_of_trying_all(
            low in 1..50_i32, width in 0..400_i32, steps in 2..9_usize,
            limit in -10..500_i32, log in any::<bool>(), high_protects in any::<bool>(),
        ) {
            let scale = if log { Scale::Logarithmic } else { Scale::Linear };
            let range = whole(low, low + width, steps, scale);
            let (prefer, sign) = match high_protects {
                true => (Prefer::High, 1.0),
                false => (Prefer::Low, -1.0),
            };
            let excess = |value: f64| sign * (value - f64::from(limit));
            let tuning = run(&range, prefer, excess);
            let all = (low..=low + width).map(f64::from).filter(|&value| excess(value) <= 0.0);
            let expected = match prefer {
                Prefer::High => all.reduce(f64::max),
                Prefer::Low => all.reduce(f64::min),
            };
            prop_assert_eq!(tuning.best().map(|best| best.value), expected);
            prop_assert!(!tuning.is_ragged());
        }

        #[test]
        fn of_any_goals_the_best_is_the_most_preferred_that_was_tried(
            met in prop::collection::vec(any::<bool>(), 60), steps in 2..20_usize,
        ) {
            let range = whole(0, 59, steps, Scale::Linear);
            let excess = |value: f64| if met[value as usize] { -1.0 } else { 1.0 };
            let tuning = run(&range, Prefer::High, excess);
            prop_assert!(tuning.tried.is_sorted_by(|one, other| one.value < other.value));
            let tried = tuning.tried.iter().filter(|tried| met[tried.value as usize]);
            let expected = tried.map(|tried| tried.value).reduce(f64::max);
            prop_assert_eq!(tuning.best().map(|best| best.value), expected);
            let mut pattern: Vec<bool> = tuning.tried.iter().map(Tried::meets).collect();
            pattern.dedup();
            prop_assert_eq!(tuning.is_ragged(), pattern.iter().filter(|&&met| met).count() > 1);
            // Beyond the best one nothing is left to bisect.
            if let Some(best) = expected.filter(|&best| best < 59.0) {
                prop_assert!(tuning.tried.iter().any(|tried| tried.value == best + 1.0));
            }
        }

        #[test]
        fn of_real_numbers_the_limit_is_near(limit in 0.011..0.99_f64) {
            let range = Range {
                low: 0.01,
                high: 1.0,
                steps: 5,
                scale: Scale::Logarithmic,
                whole: false,
            };
            let tuning = run(&range, Prefer::High, |value| value - limit);
            let best = tuning.best().expect("the low end meets").value;
            prop_assert!(best <= limit && best > limit * 0.998, "{best} {limit}");
        }
    }

    #[test]
    fn where_nothing_meets_the_nearest_is_told() {
        let range = whole(2, 9, 8, Scale::Linear);
        let tuning = run(&range, Prefer::High, |value| (value - 4.0).abs() + 1.0);
        assert_eq!(tuning.best(), None);
        assert_eq!(tuning.nearest().map(|tried| tried.value), Some(4.0));
        assert_eq!(tuning.tried.len(), 8, "there is nothing to bisect");
    }

    #[test]
    fn the_first_error_ends_the_search() {
        let range = whole(1, 9, 9, Scale::Linear);
        let mut tried = 0;
        let found = tune(&range, Prefer::High, 5, |value| {
            tried += 1;
            match value < 3.0 {
                true => Ok((0.0, ())),
                false => Err("no"),
            }
        });
        assert_eq!((found.err(), tried), (Some("no"), 3));
    }
}
