use super::*;
use crate::math::uniform::Uniform;
use rand_distr::{Distribution, StandardNormal};

/// A stream of uniform features and its projection; the noise is as `blur` says.
fn stream(rows: usize, m: usize, k: usize, blur: Blur, shift: f64) -> (Records, Records) {
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(11);
    let mut normal = || -> f64 { StandardNormal.sample(&mut generator) };
    let scale = 1.0 / (k as f64).sqrt();
    let matrix: Vec<f64> = (0..m * k).map(|_| scale * normal()).collect();
    let (mut inputs, mut outputs) = (Records::new(m), Records::new(k));
    let mut walk = vec![0.0; k];
    let mut other = Xoshiro256PlusPlus::seed_from_u64(12);
    for _ in 0..rows {
        let x: Vec<f64> = (0..m).map(|_| other.draw()).collect();
        let projected = |j: usize| (0..m).map(|i| x[i] * matrix[i * k + j]).sum::<f64>();
        let y = (0..k).map(|j| {
            let noise = match blur {
                Blur::None => 0.0,
                Blur::Independent { deviation } => deviation * normal(),
                Blur::Cumulative { deviation, .. } => {
                    walk[j] += deviation * normal();
                    walk[j]
                }
            };
            projected(j) + noise + shift
        });
        let y: Vec<f64> = y.collect();
        inputs.push(&x);
        outputs.push(&y);
    }
    (inputs, outputs)
}

fn settings(known: usize) -> StudySettings {
    StudySettings {
        known,
        attacks: 60,
        epsilon: 0.2,
        optimizer: Optimizer::Lbfgs,
        starts: 3,
        accuracy: None,
        seed: 5,
    }
}

fn attack(m: usize, blur: Blur, shift: f64, settings: &StudySettings) -> Study {
    let (inputs, outputs) = stream(400, m, m, blur, shift);
    let stream = Stream {
        inputs: &inputs,
        outputs: &outputs,
        blur,
        translated: shift != 0.0,
    };
    study(&stream, settings).expect("enough records")
}

fn named<'a>(study: &'a Study, name: &str) -> &'a Success {
    let found = study.attacks.iter().find(|success| success.attack == name);
    found.expect("tried")
}

#[test]
fn without_noise_as_many_known_records_as_features_tell_everything() {
    for shift in [0.0, 3.0] {
        let found = attack(4, Blur::None, shift, &settings(5));
        let known = named(&found, "known matrix");
        assert_eq!(known.breach, 1.0);
        assert!(known.median_error < 1e-6, "{}", known.median_error);
        let guess = found
            .guesses
            .iter()
            .find(|guess| guess.attack == "known matrix");
        let guessed = guess.expect("tried").records.iter();
        assert_eq!((guessed.len(), found.originals.len()), (60, 60));
        for (guessed, original) in guessed.zip(found.originals.iter()) {
            assert!(relative_error(guessed, original) < 0.2);
        }
    }
}

#[test]
fn the_marginal_attack_is_stronger_than_the_published_one() {
    let settings = StudySettings {
        attacks: 100,
        ..settings(3)
    };
    let found = attack(4, Blur::None, 0.0, &settings);
    let (published, ours) = (named(&found, "A-RP"), named(&found, "marginal"));
    assert!(published.breach >= 0.1, "{}", published.breach);
    assert!(ours.breach > 1.5 * published.breach, "{}", ours.breach);
    assert!(ours.median_error < published.median_error);
}

#[test]
fn noise_of_either_kind_makes_breaches_rarer() {
    let sigma = 0.25;
    let steps: f64 = (1..=400).map(|i| f64::from(i).sqrt()).sum();
    let independent = Blur::Independent { deviation: sigma };
    let cumulative = Blur::Cumulative {
        deviation: 400.0 * sigma / steps,
        reset: None,
    };
    let settings = StudySettings {
        attacks: 120,
        ..settings(3)
    };
    let best = |blur: Blur| {
        let found = attack(4, blur, 0.0, &settings);
        let breaches = found.attacks.iter().map(|success| success.breach);
        breaches.fold(0.0, f64::max)
    };
    let breaches = [best(Blur::None), best(independent), best(cumulative)];
    assert!(
        breaches[0] > breaches[1] && breaches[0] > breaches[2],
        "{breaches:?}"
    );
}

#[test]
fn both_optimizers_find_maxima_as_high() {
    let gradient = attack(3, Blur::None, 0.0, &settings(2));
    let simplex = StudySettings {
        optimizer: Optimizer::NelderMead,
        ..settings(2)
    };
    let simplex = attack(3, Blur::None, 0.0, &simplex);
    for (one, other) in gradient.attacks.iter().zip(&simplex.attacks) {
        assert_eq!(one.attack, other.attack);
        let difference = (one.median_error - other.median_error).abs();
        assert!(difference < 0.3, "{}: {difference}", one.attack);
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let blur = Blur::Cumulative {
        deviation: 0.02,
        reset: None,
    };
    let errors = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let found = pool
            .expect("threads")
            .install(|| attack(4, blur, 0.0, &settings(2)));
        let medians = found
            .attacks
            .into_iter()
            .map(|success| success.median_error);
        medians.collect::<Vec<f64>>()
    };
    assert_eq!(errors(1), errors(3));
}

#[test]
fn too_few_records_are_an_error_and_missing_values_are_passed_over() {
    let mut inputs = Records::new(2);
    inputs.push(&[f64::NAN, 1.0]);
    inputs.push(&[1.0, 2.0]);
    inputs.push(&[2.0, 4.0]);
    inputs.push(&[0.0, 0.0]);
    let stream = Stream {
        inputs: &inputs,
        outputs: &inputs,
        blur: Blur::None,
        translated: false,
    };
    for known in [1, 2] {
        let error = study(&stream, &settings(known)).expect_err("too few");
        assert_eq!(error.exit_code(), 4, "{error}");
    }
}

#[test]
fn breaches_are_counted_at_any_threshold() {
    let found = attack(4, Blur::None, 0.0, &settings(3));
    for success in &found.attacks {
        assert_eq!(
            success.breach_at(found.epsilon),
            (success.breach, success.interval.expect("one by one"))
        );
        let shares = [0.0, 0.1, 0.2, 0.5, f64::INFINITY].map(|e| success.breach_at(e).0);
        assert!(shares.is_sorted() && shares[0] == 0.0, "{shares:?}");
    }
}
