//! A point of the grid: which stream, which method with which parameters, and what was printed.

use super::estimators::{Estimators, Outcome};
use super::figure::Figure;
use super::filter::{Filter, Pair};
use moretta::Result;
use moretta::math::java_random::JavaRandom;
use moretta_generate::moa::{Generator, RandomRbf, Waveform};
use std::fmt;

/// A line of the published tables.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    /// `A.1` to `A.16`
    pub(crate) table: String,
    pub(crate) stream: Stream,
    pub(crate) method: Method,
    pub(crate) risk: Figure,
    pub(crate) loss: Figure,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    Rbf,
    Waveform,
}

impl Stream {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Stream::Rbf => "rbf",
            Stream::Waveform => "waveform",
        }
    }

    /// The stream with MOA's options; the model of the RBF is always the same.
    fn generator(self, seeds: Seeds) -> Result<Box<dyn Generator>> {
        let seed = seeds.of(1);
        Ok(match self {
            Stream::Rbf => {
                let options = RandomRbf {
                    seed,
                    ..RandomRbf::default()
                };
                Box::new(options.generator()?)
            }
            Stream::Waveform => Box::new(
                Waveform {
                    seed,
                    ..Waveform::default()
                }
                .generator()?,
            ),
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Method {
    Noise { a: f64 },
    Microaggregation { k: usize, b: usize },
    RankSwapping { p: usize, b: usize },
    DifferentialPrivacy { epsilon: f64, k: usize, b: usize },
}

impl Method {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Method::Noise { .. } => "noise",
            Method::Microaggregation { .. } => "microaggregation",
            Method::RankSwapping { .. } => "rank_swapping",
            Method::DifferentialPrivacy { .. } => "dp_microaggregation",
        }
    }

    /// The originals that the linker remembers: as many as the filter does.
    fn linked(self) -> usize {
        match self {
            Method::Noise { .. } => 100,
            Method::Microaggregation { b, .. }
            | Method::RankSwapping { b, .. }
            | Method::DifferentialPrivacy { b, .. } => b,
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Method::Noise { a } => write!(f, "noise a={a}"),
            Method::Microaggregation { k, b } => write!(f, "microaggregation k={k} b={b}"),
            Method::RankSwapping { p, b } => write!(f, "rank swapping p={p} b={b}"),
            Method::DifferentialPrivacy { epsilon, k, b } => {
                write!(f, "dp ε={epsilon} k={k} b={b}")
            }
        }
    }
}

/// Which seeds a run uses: run 0 the published ones, the others their own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seeds(pub(crate) u32);

impl Seeds {
    /// The seed that stands in for a published one.
    pub(crate) fn of(self, published: i64) -> i64 {
        match self.0 {
            0 => published,
            // Neighbouring seeds of a congruential generator would be related.
            run => published ^ JavaRandom::new(i64::from(run)).next_long(),
        }
    }
}

/// What a filter needs to know to be built.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    pub(crate) method: Method,
    pub(crate) attributes: usize,
    pub(crate) seeds: Seeds,
}

impl Point {
    /// Runs a filter until `rows` records went out. A filter that holds records
    /// back has read more of the stream by then.
    pub(crate) fn run(
        &self,
        build: fn(&Setting) -> Option<Box<dyn Filter>>,
        rows: usize,
        seeds: Seeds,
    ) -> Result<Option<Outcome>> {
        let mut stream = self.stream.generator(seeds)?;
        let attributes = stream.header().attributes.len();
        let setting = Setting {
            method: self.method,
            attributes,
            seeds,
        };
        let Some(mut filter) = build(&setting) else {
            return Ok(None);
        };
        let mut estimators = Estimators::new(self.method.linked(), attributes);
        let mut record = vec![0.0; attributes];
        let mut pair = Pair::new(attributes);
        let mut left = rows;
        while left > 0 {
            stream.next(&mut record);
            if filter.push(&record, &mut pair) {
                estimators.observe(&pair);
                left -= 1;
            }
        }
        Ok(Some(estimators.outcome()))
    }
}
