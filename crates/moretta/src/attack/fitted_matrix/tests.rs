use super::kernels::Kernels;
use super::normal::Normal;
use super::prior::Prior;
use super::*;
use crate::attack::reconstruction::Blur;
use crate::math::matrix::{Matrix, times};
use crate::math::optimize::Objective;
use crate::math::uniform::Uniform;
use rand_distr::{Distribution, StandardNormal};

const FEATURES: usize = 4;
const SAMPLE: usize = 120;
const ROWS: usize = 420;

/// Features that depend on each other and on the class, none of them normal.
fn record(class: u32, generator: &mut Xoshiro256PlusPlus) -> Vec<f64> {
    let mut draw = || generator.draw();
    let (a, b, c, d) = (draw(), draw(), draw(), draw());
    let shift = 0.3 * f64::from(class);
    vec![
        0.7 * a.powi(3) + shift,
        0.5 * a + 0.5 * b * b,
        0.3 - 0.3 * (1.0 - c).ln() * (1.0 - shift),
        0.5 * d.sqrt() + 0.4 * b,
    ]
}

struct Table {
    inputs: Records,
    outputs: Records,
    classes: Vec<u32>,
}

/// Records projected to `k` numbers, with a shift and this noise on each row.
fn table(
    k: usize,
    seed: u64,
    record: impl Fn(u32, &mut Xoshiro256PlusPlus) -> Vec<f64>,
    blur: Blur<'_>,
    shift: f64,
) -> Table {
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed);
    let width = record(0, &mut generator).len();
    let scale = 1.0 / (k as f64).sqrt();
    let normal = |generator: &mut Xoshiro256PlusPlus| -> f64 { StandardNormal.sample(generator) };
    let entries = (0..width * k)
        .map(|_| scale * normal(&mut generator))
        .collect();
    let matrix = Matrix::of_values(k, entries);
    let mut table = Table {
        inputs: Records::new(width),
        outputs: Records::new(k),
        classes: Vec::new(),
    };
    let mut walk = vec![0.0; k];
    for row in 0..ROWS {
        let class = u32::from(row % 5 < 2);
        let input = record(class, &mut generator);
        let mut output = vec![shift; k];
        times(&input, &matrix, &mut output);
        for (output, walk) in output.iter_mut().zip(&mut walk) {
            match blur {
                Blur::None => {}
                Blur::Independent { deviation } => *output += deviation * normal(&mut generator),
                Blur::Cumulative { deviation, .. } => {
                    *walk += deviation * normal(&mut generator);
                    *output += *walk;
                }
            }
        }
        table.inputs.push(&input);
        table.outputs.push(&output);
        table.classes.push(class);
    }
    table
}

/// Breaches of each attack by its name.
fn breaches(table: &Table, blur: Blur<'_>, translated: bool, known: usize) -> Vec<(String, f64)> {
    let stream = Stream {
        inputs: &table.inputs,
        outputs: &table.outputs,
        blur,
        translated,
    };
    let release = Release {
        stream: &stream,
        classes: Some(&table.classes),
        in_order: true,
    };
    let found = attack(&release, known, Some(SAMPLE), 5).expect("enough rows");
    assert_eq!(
        (found.sample, found.originals.len()),
        (SAMPLE, ROWS - SAMPLE - known)
    );
    let yardstick = Yardstick {
        epsilon: 0.2,
        accuracy: None,
    };
    let all = found.successes(yardstick).into_iter();
    all.map(|success| (success.attack, success.breach))
        .collect()
}

fn breach(found: &[(String, f64)], attack: &str) -> f64 {
    let one = found.iter().find(|(name, _)| name == attack);
    one.expect("tried").1
}

#[test]
fn without_noise_a_sample_and_classes_tell_nearly_everything() {
    let table = table(FEATURES, 1, record, Blur::None, 3.0);
    let found = breaches(&table, Blur::None, true, 3);
    assert_eq!(found.len(), 4, "no noise to take off by neighbours");
    let (telling, mean) = found.split_at(3);
    assert!(mean[0].1 < 0.5, "{mean:?}");
    for (attack, breach) in telling {
        let least = if attack == FITTED { 0.85 } else { 0.6 };
        assert!(*breach > least, "{attack}: {breach}");
    }
}

#[test]
fn noise_and_fewer_numbers_hide_more_and_not_all() {
    let independent = Blur::Independent { deviation: 0.05 };
    for (k, blur, expected) in [
        (FEATURES, independent, 0.6),
        (FEATURES - 1, Blur::None, 0.5),
    ] {
        let table = table(k, 1, record, blur, 0.0);
        let found = breaches(&table, blur, false, 3);
        let breach = breach(&found, FITTED);
        assert!(
            breach > expected && breach < 0.999,
            "{k} {blur:?}: {found:?}"
        );
    }
}

#[test]
fn categories_show_through_a_projection_to_fewer_numbers() {
    // One of four categories, and two numbers: six features released as four numbers.
    let mixed = |class: u32, generator: &mut Xoshiro256PlusPlus| {
        let draw = generator.draw();
        let category = [0.45, 0.75, 0.9, 1.0]
            .iter()
            .position(|share| draw < *share);
        let category = category.unwrap_or(0);
        let mut features: Vec<f64> = (0..4).map(|c| f64::from(u8::from(c == category))).collect();
        features.extend([
            0.3 * generator.draw() + 0.2 * f64::from(class) + 0.1 * category as f64,
            0.4 * generator.draw().powi(2),
        ]);
        features
    };
    let blur = Blur::Independent { deviation: 0.02 };
    let table = table(4, 2, mixed, blur, 0.0);
    let found = breaches(&table, blur, false, 3);
    let breach = breach(&found, FITTED);
    assert!(breach > 0.7, "{found:?}");
}

#[test]
fn slopes_are_those_of_the_densities() {
    let table = table(3, 4, record, Blur::None, 0.0);
    let stream = Stream {
        inputs: &table.inputs,
        outputs: &table.outputs,
        blur: Blur::None,
        translated: false,
    };
    let release = Release {
        stream: &stream,
        classes: Some(&table.classes),
        in_order: false,
    };
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(1);
    let rows = Rows::draw(&stream, Some(100), 1, &mut generator).expect("enough rows");
    let attacker = Attacker::new(&release, &rows);
    let known = attacker.known(&rows.known);
    let prior = Prior::new(
        &[1.0 / 3.0; FEATURES],
        &known.inputs,
        &known.outputs,
        |_, _| 0.0,
    );
    let noise = Matrix::diagonal(3, 0.01);
    let mut normal = Normal {
        prior: &prior,
        classes: &attacker.classes,
        noise: 0.01,
        smoothing: 0.02,
    };
    let mut kernels = Kernels {
        prior: &prior,
        classes: &attacker.classes,
        noise: &noise,
    };
    check_slopes(&mut normal, prior.unknowns());
    check_slopes(&mut kernels, prior.unknowns());
}

fn check_slopes(objective: &mut impl Objective, unknowns: usize) {
    const STEP: f64 = 1e-5;
    let point: Vec<f64> = (0..unknowns).map(|n| 0.3 * (n as f64).sin()).collect();
    let mut gradient = vec![0.0; unknowns];
    objective.gradient(&point, &mut gradient);
    for (place, slope) in gradient.iter().enumerate() {
        let mut at = |step: f64| {
            let mut moved = point.clone();
            moved[place] += step;
            objective.value(&moved)
        };
        let expected = (at(STEP) - at(-STEP)) / (2.0 * STEP);
        let tolerance = 1e-4 * expected.abs().max(1.0);
        assert!(
            (slope - expected).abs() < tolerance,
            "{place}: {slope} {expected}"
        );
    }
}

#[test]
fn too_few_rows_and_odd_numbers_are_no_trouble() {
    let odd = [1e308, -1e308, 1e154, 5e-324, 0.0, 1.0];
    let (mut inputs, mut outputs) = (Records::new(2), Records::new(2));
    for n in 0..60 {
        inputs.push(&[odd[n % 6], odd[n * 5 % 6]]);
        outputs.push(&[odd[n * 7 % 6], odd[n / 6 % 6]]);
    }
    let stream = Stream {
        inputs: &inputs,
        outputs: &outputs,
        blur: Blur::None,
        translated: false,
    };
    let release = Release {
        stream: &stream,
        classes: None,
        in_order: true,
    };
    for (known, sample, is_tried) in [(2, None, true), (2, Some(57), false), (58, None, false)] {
        match attack(&release, known, sample, 1) {
            Ok(found) => assert!(is_tried && found.guesses.len() >= 4),
            Err(error) => assert_eq!(error.exit_code(), 4),
        }
    }
    assert!(applies(100) && !applies(0) && !applies(101));
}
