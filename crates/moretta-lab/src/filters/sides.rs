//! Whose filters stand side by side: one column of the tables for each.
//!
//! A side builds a filter for a point of the grid, or says that it has none. A
//! new side is a line in [`SIDES`]; all tables, files and plots follow.

use super::differential_privacy::{self, DifferentialPrivacy};
use super::filter::Filter;
use super::microaggregation::Microaggregation;
use super::noise::{self, Noise};
use super::ours;
use super::point::{Method, Setting};
use super::rank_swapping::{self, RankSwapping};

/// Makes the filter of a point, if the side has one.
pub(crate) type Build = fn(&Setting) -> Option<Box<dyn Filter>>;

/// A set of filters.
#[derive(Debug)]
pub(crate) struct Side {
    pub(crate) name: &'static str,
    pub(crate) build: Build,
    /// What a reader of its figures should know.
    pub(crate) note: &'static str,
    /// Whether its figures must be the printed ones.
    pub(crate) must_agree: fn(Method) -> bool,
}

/// All sides, in the order of the columns.
pub(crate) const SIDES: &[Side] = &[
    Side {
        name: "published",
        build: published,
        note: "the code as it was: microaggregation averages records that follow each other and \
               releases the raw ones; the noise of dp is not divided by k, not split over the \
               attributes, and follows the range of the data",
        must_agree: |_| true,
    },
    Side {
        name: "ours",
        build: ours::build,
        note: "noise and rank swapping must agree; microaggregation releases centroids of true \
               neighbours (less loss, and a linker that finds them more often), dp keeps its ε \
               for whole records (far more loss): these differ on purpose",
        must_agree: |method| matches!(method, Method::Noise { .. } | Method::RankSwapping { .. }),
    },
];

/// The filters exactly as published, mistakes included.
fn published(setting: &Setting) -> Option<Box<dyn Filter>> {
    let Setting {
        method,
        attributes: n,
        seeds,
    } = *setting;
    Some(match method {
        Method::Noise { a } => Box::new(Noise::new(a, n, seeds.of(noise::SEED))),
        Method::Microaggregation { k, b } => Box::new(Microaggregation::new(k, b, n)),
        Method::RankSwapping { p, b } => {
            Box::new(RankSwapping::new(p, b, n, seeds.of(rank_swapping::SEED)))
        }
        Method::DifferentialPrivacy { epsilon, k, b } => {
            let seed = seeds.of(differential_privacy::SEED);
            Box::new(DifferentialPrivacy::new(epsilon, k, b, n, seed))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::estimators::Outcome;
    use super::super::figure::{Figure, Shortening};
    use super::super::point::{Point, Seeds, Stream};
    use super::*;
    use Stream::{Rbf, Waveform};

    /// Figures of the original program, run with the options behind the tables:
    /// 100,000 records, risk to six decimals and loss to two.
    const MEASURED: &[(Stream, Method, f64, f64)] = &[
        (Rbf, Method::Noise { a: 0.1 }, 0.956690, 1123.97),
        (Rbf, Method::Noise { a: 0.25 }, 0.889330, 7024.83),
        (Rbf, Method::Noise { a: 0.5 }, 0.774080, 28099.34),
        (Rbf, Method::Noise { a: 0.75 }, 0.596720, 63223.51),
        (Rbf, Method::Noise { a: 1.0 }, 0.430270, 112397.35),
        (Waveform, Method::Noise { a: 0.1 }, 1.0, 50741.41),
        (Waveform, Method::Noise { a: 1.0 }, 0.742740, 5074141.40),
        (Rbf, micro(3, 100), 0.232065, 74917.30),
        (Rbf, micro(3, 250), 0.152738, 74917.30),
        (Rbf, micro(5, 100), 0.144205, 89953.68),
        (Rbf, micro(10, 100), 0.088524, 101193.72),
        (Rbf, micro(100, 100), 0.030208, 111313.78),
        (Waveform, micro(3, 100), 0.241428, 3375656.78),
        (Waveform, micro(10, 100), 0.076385, 4566550.54),
        (Rbf, rank(10, 100), 0.838320, 19136.62),
        (Rbf, rank(25, 100), 0.468650, 57753.05),
        (Rbf, rank(50, 100), 0.070160, 136791.17),
        (Rbf, rank(10, 250), 0.909770, 6875.94),
        (Waveform, rank(10, 100), 0.996700, 705196.07),
        (Rbf, private(1.0), 0.012720, 31293384.63),
        (Rbf, private(10.0), 0.059340, 380879.35),
        (Waveform, private(1.0), 0.013740, 854151739.45),
    ];

    const fn micro(k: usize, b: usize) -> Method {
        Method::Microaggregation { k, b }
    }

    const fn rank(p: usize, b: usize) -> Method {
        Method::RankSwapping { p, b }
    }

    const fn private(epsilon: f64) -> Method {
        let (k, b) = (3, 100);
        Method::DifferentialPrivacy { epsilon, k, b }
    }

    fn run(stream: Stream, method: Method, rows: usize, run: u32) -> Outcome {
        outcome(published, stream, method, rows, run)
    }

    fn outcome(build: Build, stream: Stream, method: Method, rows: usize, run: u32) -> Outcome {
        let figure = || Figure::parse("1", Shortening::Rounded).expect("a figure");
        let point = Point {
            table: String::new(),
            stream,
            method,
            risk: figure(),
            loss: figure(),
        };
        let outcome = point.run(build, rows, Seeds(run));
        outcome.expect("sound options").expect("a filter")
    }

    #[test]
    fn the_published_filters_give_what_the_original_program_gives() {
        use rayon::prelude::*;
        MEASURED
            .par_iter()
            .for_each(|&(stream, method, risk, loss)| {
                let outcome = run(stream, method, 100_000, 0);
                let told = format!("{} {method}: {outcome:?}", stream.name());
                assert!((outcome.risk - risk).abs() < 1e-6, "{told}");
                assert!((outcome.loss - loss).abs() < 0.006, "{told}");
            });
    }

    #[test]
    fn noise_and_rank_swapping_of_the_product_agree_with_the_printed_figures() {
        for &(stream, method, risk, loss) in MEASURED.iter().filter(|point| point.0 == Rbf) {
            let off = |found: f64, printed: f64| (found - printed).abs() / printed;
            match method {
                Method::RankSwapping { .. } => {
                    let ours = outcome(ours::build, stream, method, 100_000, 0);
                    assert!((ours.risk - risk).abs() < 1e-6, "{method}: {ours:?}");
                    assert!((ours.loss - loss).abs() < 0.006, "{method}: {ours:?}");
                }
                Method::Noise { .. } => {
                    let ours = outcome(ours::build, stream, method, 100_000, 0);
                    let worst = off(ours.risk, risk).max(off(ours.loss, loss));
                    assert!(worst < 0.01, "{method}: {ours:?}");
                }
                _ => {}
            }
        }
    }

    #[test]
    fn true_neighbours_lose_what_a_second_implementation_found() {
        // Risk .3877 and loss 26,268.5, measured with another program.
        let ours = outcome(ours::build, Rbf, micro(3, 100), 100_000, 0);
        assert!((ours.risk - 0.3877).abs() < 0.0001, "{ours:?}");
        assert!((ours.loss - 26268.5).abs() < 0.1, "{ours:?}");
    }

    #[test]
    fn other_runs_differ_and_the_same_run_does_not() {
        for method in [Method::Noise { a: 1.0 }, micro(3, 20), rank(5, 20)] {
            let first = run(Rbf, method, 1000, 1);
            assert_eq!(first, run(Rbf, method, 1000, 1));
            assert_ne!(first, run(Rbf, method, 1000, 2));
        }
    }
}
