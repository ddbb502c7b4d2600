//! Runs every method on every stream.

use super::attacks::{Attacked, Attacker, Known, attack};
use super::data_sets::DataSet;
use super::learning::{Learnt, learn};
use super::method::{Method, methods};
use moretta::attack::reconstruction::magnitude;
use moretta::{Error, Result};
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How attacks are run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    pub(super) attacks: usize,
    pub(super) seed: u64,
}

/// A stream, unprotected and by each method.
#[derive(Clone, Debug)]
pub(super) struct SetResult {
    pub(super) name: &'static str,
    pub(super) records: usize,
    pub(super) features: usize,
    pub(super) classes: usize,
    pub(super) original: Learnt,
    pub(super) methods: Vec<MethodResult>,
}

/// What a method left of a stream.
#[derive(Clone, Debug)]
pub(super) struct MethodResult {
    pub(super) method: Method,
    pub(super) learnt: Learnt,
    /// In the order of [`Known::ALL`].
    pub(super) attacked: Vec<Attacked>,
}

impl MethodResult {
    /// By those who know so many records.
    pub(super) fn by(&self, known: Known) -> &Attacked {
        let found = self
            .attacked
            .iter()
            .find(|attacked| attacked.known == known);
        found.expect("all attackers have attacked")
    }

    /// The privacy-accuracy magnitude (PAM); 0 were perfect.
    pub(super) fn magnitude(&self, known: Known, epsilon: f64, attacker: Attacker) -> f64 {
        let breach = self.by(known).breach(attacker, epsilon);
        magnitude(1.0 - self.learnt.accuracy, breach)
    }
}

/// What one run gives: of the original only what was learnt.
struct Run {
    learnt: Learnt,
    attacked: Vec<Attacked>,
}

/// Runs everything on all threads; the result does not depend on them.
pub(super) fn compute(
    sets: &[DataSet],
    settings: &Settings,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Vec<SetResult>> {
    let methods = methods();
    let done = AtomicUsize::new(0);
    let all = sets.len() * (methods.len() + 1);
    let counted = |run: Result<Run>| {
        progress(done.fetch_add(1, Ordering::Relaxed) + 1, all);
        run
    };
    let of_set = |set: &DataSet| -> Result<SetResult> {
        let choices = std::iter::once(None).chain(methods.iter().copied().map(Some));
        let choices: Vec<Option<Method>> = choices.collect();
        let runs = choices.into_par_iter();
        let runs = runs.map(|method| counted(run(set, method, settings)));
        let mut runs = runs.collect::<Result<Vec<Run>>>()?.into_iter();
        let original = runs.next().expect("the original runs first");
        let results = methods.iter().zip(runs);
        Ok(SetResult {
            name: set.name,
            records: set.records.len(),
            features: set.records.width(),
            classes: set.class_count,
            original: original.learnt,
            methods: results
                .map(|(&method, run)| MethodResult {
                    method,
                    learnt: run.learnt,
                    attacked: run.attacked,
                })
                .collect(),
        })
    };
    sets.par_iter().map(of_set).collect()
}

fn run(set: &DataSet, method: Option<Method>, settings: &Settings) -> Result<Run> {
    let Some(method) = method else {
        return Ok(Run {
            learnt: learn(set, &set.records)?,
            attacked: Vec::new(),
        });
    };
    let perturbed = method.perturb(&set.records, settings.seed)?;
    Ok(Run {
        learnt: learn(set, &perturbed.released)?,
        attacked: attack(&perturbed, settings).map_err(|error| unlike(set, error))?,
    })
}

/// What is wrong with the records, in words of this study.
fn unlike(set: &DataSet, error: Error) -> Error {
    match error {
        Error::Input(_) => {
            let what = format!("too few records of {} differ enough to be known", set.name);
            Error::input(what).help("take more with --records, or choose others with --sets")
        }
        other => other,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::data_sets::{chosen, read};
    use super::*;
    use moretta::data::Records;
    use moretta::math::java_random::JavaRandom;
    use std::path::Path;
    use std::sync::OnceLock;

    /// Short streams of few features, with few attacks on them.
    pub(in super::super) fn small() -> Vec<SetResult> {
        static SMALL: OnceLock<Vec<SetResult>> = OnceLock::new();
        let results = SMALL.get_or_init(|| {
            let sea = chosen(&["sea".to_owned()]).expect("known");
            let mut sets = read(&sea, Path::new("nowhere"), 300).expect("generated");
            sets.push(above_the_mean());
            let settings = Settings {
                attacks: 6,
                seed: 1,
            };
            compute(&sets, &settings, &|_, _| {}).expect("computed")
        });
        results.clone()
    }

    /// Four numbers, and whether they are large.
    fn above_the_mean() -> DataSet {
        let mut random = JavaRandom::new(1);
        let mut set = DataSet {
            name: "large",
            records: Records::new(4),
            classes: Vec::new(),
            class_count: 2,
        };
        for _ in 0..300 {
            let record = [(); 4].map(|()| random.next_double());
            set.classes
                .push(u32::from(record.iter().sum::<f64>() > 2.0));
            set.records.push(&record);
        }
        set
    }

    #[test]
    fn noise_costs_accuracy_and_attackers_know_as_many_records_as_asked_for() {
        for set in small() {
            // RP against RPIN 0.25.
            let accuracy = |method: usize| set.methods[method].learnt.accuracy;
            assert!(accuracy(0) > accuracy(3), "{}", set.name);
            let counts: Vec<usize> = set.methods[0].attacked.iter().map(|a| a.count).collect();
            let m = set.features;
            assert_eq!(counts, [m - 1, m.div_ceil(2), 1]);
        }
    }

    #[test]
    fn the_magnitude_is_of_error_and_breach() {
        let result = &small()[0].methods[0];
        let (known, attacker) = (Known::Half, Attacker::Ours);
        let error = 1.0 - result.learnt.accuracy;
        let breach = result.by(known).breach(attacker, 0.1);
        let found = result.magnitude(known, 0.1, attacker);
        assert!((found - (error * error + breach * breach)).abs() < 1e-12);
    }
}
