//! Concept drift: one stream gives way to another, at once or little by little.
//!
//! Record c comes from the second stream with the probability
//! 1/(1 + e^(-4(c - position)/width)); only the stream that is chosen goes on. After
//! MOA's `ConceptDriftStream`. Streams nest, so that a stream can drift more than
//! once. With a recurrence, as in `RecurrentConceptDriftStream`, the second stream comes
//! and goes several times. Two streams with the same seed replay the same records under another
//! concept: give them different seeds if that is not what you want.

use super::{Generator, Header, MOST, within};
use moretta_data::error::{Error, Result};
use moretta_data::math::java_random::JavaRandom;

/// The options, by default MOA's.
#[derive(Clone, Debug)]
pub struct ConceptDrift {
    /// The record around which the change happens, counted from 1.
    pub position: f64,
    /// How many records the change takes.
    pub width: f64,
    /// Decides from which stream each record comes.
    pub seed: i64,
    /// Whether the first stream comes back; `None` when the second one stays.
    pub recurrence: Option<Recurrence>,
}

/// How a second stream comes and goes, by default as in MOA.
#[derive(Clone, Debug)]
pub struct Recurrence {
    /// How many records it lasts each time.
    pub duration: u32,
    /// How many records lie between two times.
    pub pause: u32,
    /// How many times it comes.
    pub times: u32,
}

impl Default for Recurrence {
    fn default() -> Self {
        Recurrence {
            duration: 100,
            pause: 200,
            times: 4,
        }
    }
}

impl Default for ConceptDrift {
    fn default() -> Self {
        ConceptDrift {
            position: 0.0,
            width: 1000.0,
            seed: 1,
            recurrence: None,
        }
    }
}

impl ConceptDrift {
    /// A stream that goes from one to the other; both have the same header.
    pub fn generator(
        &self,
        from: Box<dyn Generator>,
        to: Box<dyn Generator>,
    ) -> Result<ConceptDriftGenerator> {
        within("position", self.position, 0.0..=1e15)?;
        within("width", self.width, 1.0..=1e15)?;
        if let Some(recurrence) = &self.recurrence {
            within("times", recurrence.times, 1..=MOST)?;
        }
        if from.header() != to.header() {
            return Err(
                Error::usage("the two streams differ in attributes or classes")
                    .help("choose streams of the same shape"),
            );
        }
        Ok(ConceptDriftGenerator {
            from,
            to,
            random: JavaRandom::new(self.seed),
            count: 0.0,
            options: self.clone(),
        })
    }

    /// The probability that record `count` comes from the second stream.
    fn probability(&self, count: f64) -> f64 {
        let Some(recurrence) = &self.recurrence else {
            return self.rise(count, self.position);
        };
        let [duration, pause] = [recurrence.duration, recurrence.pause].map(f64::from);
        (0..recurrence.times)
            .map(|time| self.position + f64::from(time) * (duration + pause))
            .map(|begin| self.rise(count, begin) - self.rise(count, begin + duration))
            .sum()
    }

    /// The logistic curve that passes one half at `position`.
    fn rise(&self, count: f64, position: f64) -> f64 {
        1.0 / (1.0 + (-4.0 * (count - position) / self.width).exp())
    }
}

/// Records of two streams.
#[derive(Debug)]
pub struct ConceptDriftGenerator {
    from: Box<dyn Generator>,
    to: Box<dyn Generator>,
    random: JavaRandom,
    /// Records up to and with this one.
    count: f64,
    options: ConceptDrift,
}

impl Generator for ConceptDriftGenerator {
    fn header(&self) -> Header {
        self.from.header()
    }

    fn next(&mut self, record: &mut [f64]) -> u32 {
        self.count += 1.0;
        if self.random.next_double() > self.options.probability(self.count) {
            self.from.next(record)
        } else {
            self.to.next(record)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Led, Sea};
    use super::*;

    #[test]
    fn streams_of_another_shape_are_refused() {
        let led = Box::new(Led::default().generator().expect("sound options"));
        let sea = Box::new(Sea::default().generator().expect("sound options"));
        let error = ConceptDrift::default()
            .generator(led, sea)
            .expect_err("another shape");
        assert_eq!(error.exit_code(), 2);
    }

    #[test]
    fn only_the_chosen_stream_goes_on() {
        let sea = |seed| {
            let options = Sea {
                seed,
                ..Sea::default()
            };
            options.generator().expect("sound options")
        };
        let options = ConceptDrift {
            position: 500.0,
            width: 300.0,
            ..ConceptDrift::default()
        };
        let mut drift = options
            .generator(Box::new(sea(1)), Box::new(sea(2)))
            .expect("the same shape");
        let (mut from, mut to) = (sea(1), sea(2));
        let (mut record, mut first, mut second) = ([0.0; 3], [0.0; 3], [0.0; 3]);
        from.next(&mut first);
        to.next(&mut second);
        let mut later = 0;
        for _ in 0..1000 {
            drift.next(&mut record);
            if record == first {
                from.next(&mut first);
            } else {
                assert_eq!(record, second);
                to.next(&mut second);
                later += 1;
            }
        }
        assert!((450..550).contains(&later), "{later}");
    }
}
