//! Best and mean score over the steps, at a bounded number of moments.

use super::TradeOff;

/// The population after some steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Steps that were done.
    pub step: u64,
    /// The best score.
    pub best: f64,
    /// The mean score.
    pub mean: f64,
    /// Loss and risk of the best.
    pub of: TradeOff,
}

/// Moments at equal distances.
#[derive(Clone, Debug)]
pub struct History {
    moments: Vec<Moment>,
    every: u64,
}

/// Moments that are kept; when there are more, every other one is dropped.
const MOST: usize = 400;

impl History {
    pub(super) fn new(start: Moment) -> Self {
        History {
            moments: vec![start],
            every: 1,
        }
    }

    /// The moments, the start first.
    pub fn moments(&self) -> &[Moment] {
        &self.moments
    }

    /// Notes that the population was like `now` up to the step of `now`, whatever came before.
    pub(super) fn note(&mut self, now: Moment) {
        let mut last = self.moments.last().map_or(0, |moment| moment.step);
        while last + self.every <= now.step {
            last += self.every;
            self.moments.push(Moment { step: last, ..now });
            if self.moments.len() > MOST {
                self.every *= 2;
                let every = self.every;
                self.moments.retain(|moment| moment.step % every == 0);
                last = self.moments.last().map_or(0, |moment| moment.step);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(step: u64, score: f64) -> Moment {
        Moment {
            step,
            best: score,
            mean: score,
            of: TradeOff {
                loss: score,
                risk: score,
            },
        }
    }

    #[test]
    fn what_is_noted_rarely_gives_the_same_curve_as_what_is_noted_at_each_step() {
        let score = |step: u64| 100.0 - (step / 250) as f64;
        let mut often = History::new(moment(0, 100.0));
        let mut rarely = History::new(moment(0, 100.0));
        for step in 1..=5000 {
            often.note(moment(step, score(step)));
            // Only the last step before a change, and the end.
            if score(step + 1) != score(step) || step == 5000 {
                rarely.note(moment(step, score(step)));
            }
        }
        assert_eq!(often.moments(), rarely.moments());
        assert!(often.moments().len() <= MOST);
        assert_eq!(often.moments()[0].step, 0);
        assert!(often.moments().iter().all(|m| m.best == score(m.step)));
    }
}
