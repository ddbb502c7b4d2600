use super::*;
use crate::config::{Placed, Section, Value};
use crate::protect::dp::acceptance::{accepts, cell, rejects, tally, two_sided};

fn column(mechanism: Mechanism, epsilon: f64) -> LocalColumn {
    LocalColumn {
        mechanism,
        epsilon: Epsilon::new(epsilon).expect("in range"),
    }
}

fn bounds(lower: f64, upper: f64) -> Bounds {
    Bounds::new(lower, upper).expect("a range")
}

fn categories(n: usize) -> Vec<String> {
    (0..n).map(|i| format!("c{i}")).collect()
}

fn filter(columns: Vec<LocalColumn>) -> LocalFilter {
    let names: Vec<String> = (0..columns.len()).map(|i| format!("x{i}")).collect();
    let config = LocalDp {
        columns: names.iter().cloned().zip(columns).collect(),
        ..LocalDp::default()
    };
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut filter = config.build(&names).expect("valid");
    filter.entropy = Entropy::fixed(11);
    filter
}

fn answers(column: LocalColumn, value: f64, n: usize) -> Vec<f64> {
    let mut filter = filter(vec![column]);
    let mut answer = || {
        let mut record = [value];
        filter.protect(&mut record);
        record[0]
    };
    (0..n).map(|_| answer()).collect()
}

fn count(answers: &[f64], cells: usize, place: impl Fn(f64) -> usize) -> Vec<u64> {
    let mut answers = answers.iter();
    tally(cells, answers.len(), || {
        place(*answers.next().expect("one for each"))
    })
}

/// Laplace noise in quarters of its scale.
fn laplace_cells(answers: &[f64], truth: f64, scale: f64) -> (Vec<u64>, Vec<f64>) {
    let counts = count(answers, 41, |a| {
        cell(20, ((a - truth) / scale * 4.0).floor() as i64)
    });
    let below = |x: f64| {
        if x < 0.0 {
            x.exp() / 2.0
        } else {
            1.0 - (-x).exp() / 2.0
        }
    };
    let mut expected = Vec::new();
    for i in -20..=20 {
        let low = if i == -20 {
            0.0
        } else {
            below(f64::from(i) / 4.0)
        };
        let high = if i == 20 {
            1.0
        } else {
            below(f64::from(i + 1) / 4.0)
        };
        expected.push(high - low);
    }
    (counts, expected)
}

#[test]
fn laplace_noise_has_the_scale_of_the_range_over_epsilon() {
    let laplace = |epsilon| column(Mechanism::Laplace(bounds(0.0, 120.0)), epsilon);
    for (epsilon, value, truth) in [
        (0.5, 60.0, 60.0),
        (2.0, 0.0, 0.0),
        (1.0, 1e9, 120.0),
        (1.0, f64::NAN, 60.0),
    ] {
        let answers = answers(laplace(epsilon), value, 5_000);
        // The grid is a thousandth of the scale, so cells see no difference from the continuous law.
        let (counts, expected) = laplace_cells(&answers, truth, 120.0 / epsilon);
        accepts(&counts, &expected);
        let (counts, expected) = laplace_cells(&answers, truth, 60.0 / epsilon);
        rejects(&counts, &expected);
        let positive: Vec<f64> = answers.iter().map(|a| truth + (a - truth).abs()).collect();
        let (counts, expected) = laplace_cells(&positive, truth, 120.0 / epsilon);
        rejects(&counts, &expected);
    }
}

#[test]
fn answers_lie_on_the_grid_whatever_the_value() {
    let laplace = column(Mechanism::Laplace(bounds(0.0, 1.0)), 1.0);
    for value in [0.1, 1.0 / 3.0, 0.7] {
        for answer in answers(laplace.clone(), value, 100) {
            assert_eq!((answer * 1024.0).fract(), 0.0);
        }
    }
}

#[test]
fn geometric_noise_is_on_whole_numbers() {
    let geometric = column(Mechanism::Geometric(bounds(0.0, 5.0)), 1.0);
    let answers = answers(geometric, 3.0, 30_000);
    let counts = count(&answers, 81, |a| cell(40, a as i64 - 3));
    accepts(&counts, &two_sided(40, |x| (-x / 5.0).exp()));
    rejects(&counts, &two_sided(40, |x| (-x / 6.0).exp()));
    assert!(answers.iter().all(|a| a.fract() == 0.0));
}

#[test]
fn gaussian_noise_has_the_deviation_of_its_concentrated_privacy() {
    let (epsilon, delta) = (1.0, 1e-6);
    let gaussian = Mechanism::Gaussian {
        bounds: bounds(0.0, 10.0),
        delta,
    };
    let answers = answers(column(gaussian, epsilon), 5.0, 20_000);
    let rho = rho_of(Epsilon::new(epsilon).expect("in range"), delta);
    let sigma = 10.0 / (2.0 * rho).sqrt();
    let cells = |sigma: f64| {
        count(&answers, 21, |a| {
            cell(10, ((a - 5.0) / sigma * 4.0).round() as i64)
        })
    };
    // Normal probabilities of the cells, by summing a fine grid.
    let expected: Vec<f64> = {
        let fine = two_sided(4_000, |x| (-x * x / 2e6).exp());
        let mut cells = vec![0.0; 21];
        for (i, p) in fine.iter().enumerate() {
            cells[cell(10, ((i as f64 - 4_000.0) / 250.0).round() as i64)] += p;
        }
        cells
    };
    accepts(&cells(sigma), &expected);
    rejects(&cells(sigma * 1.2), &expected);
}

#[test]
fn categories_answer_by_their_odds() {
    let kary = column(Mechanism::Kary(categories(4)), 1.0);
    let total = 1f64.exp() + 3.0;
    let mut odds = vec![1.0 / total; 4];
    odds[2] = 1f64.exp() / total;
    let counts = count(&answers(kary.clone(), 2.0, 20_000), 4, |a| a as usize);
    accepts(&counts, &odds);
    rejects(&counts, &[0.25; 4]);
    let counts = count(&answers(kary, f64::NAN, 20_000), 4, |a| a as usize);
    accepts(&counts, &[0.25; 4]);
    let ranked = column(Mechanism::Exponential(categories(5)), 2.0);
    let weights: Vec<f64> = (0..5).map(|i| (-f64::from(i) * 2.0 / 8.0).exp()).collect();
    let total: f64 = weights.iter().sum();
    let odds: Vec<f64> = weights.iter().map(|w| w / total).collect();
    let counts = count(&answers(ranked, 0.0, 20_000), 5, |a| a as usize);
    accepts(&counts, &odds);
}

#[test]
fn exact_odds_of_any_two_inputs_differ_by_at_most_e_to_epsilon() {
    for (n, epsilon) in [(2, 0.1), (3, 1.0), (7, 4.0)] {
        let rate = epsilon / (2.0 * (n as f64 - 1.0));
        let odds = |truth: i32| -> Vec<f64> {
            let weights = (0..n).map(|i: i32| (-rate * f64::from((i - truth).abs())).exp());
            let weights: Vec<f64> = weights.collect();
            let total: f64 = weights.iter().sum();
            weights.iter().map(|w| w / total).collect()
        };
        for a in 0..n {
            for b in 0..n {
                for (p, q) in odds(a).iter().zip(odds(b)) {
                    assert!((p / q).ln() <= epsilon + 1e-12);
                }
            }
        }
    }
}

#[test]
fn the_sampler_as_it_stands_loses_no_more_than_epsilon_between_any_two_values() {
    for (width, value) in [(1.0, 0.3), (5.0, 1.0), (12.0, 4.0)] {
        let epsilon = Epsilon::new(value).expect("in range");
        let rate = epsilon.per(width as u64).expect("in range");
        let magnitude = crate::protect::dp::sample::Geometric::new(rate);
        let log_probability = |x: i64| magnitude.log_probability(x.unsigned_abs());
        let (mut worst, top) = (0f64, width as i64);
        for output in -20..=20 {
            for (a, b) in [(0, top), (top, 0), (0, 1), (top / 2, 0)] {
                let loss = log_probability(output - a) - log_probability(output - b);
                worst = worst.max(loss);
            }
        }
        assert!(
            worst <= value + 1e-9 && worst > value - 1e-6,
            "{worst} for {value}"
        );
    }
}

#[test]
fn values_of_no_declared_category_are_counted_and_not_told() {
    let mut filter = filter(vec![column(Mechanism::Kary(categories(3)), 1.0)]);
    for value in [0.0, 2.0, f64::NAN] {
        filter.protect(&mut [value]);
    }
    filter.check().expect("all declared");
    for value in [3.0, -1.0, 0.5, 77.25] {
        let mut record = [value];
        filter.protect(&mut record);
        assert!([0.0, 1.0, 2.0].contains(&record[0]));
    }
    let error = filter.check().expect_err("undeclared");
    assert_eq!(
        error.to_string(),
        "column `x0`: 4 values are no declared category"
    );
    assert_eq!(error.exit_code(), 4);
}

#[test]
fn clamped_answers_stay_within_the_bounds() {
    let mut filter = filter(vec![column(Mechanism::Laplace(bounds(0.0, 1.0)), 0.1)]);
    filter.clamp = true;
    for _ in 0..100 {
        let mut record = [0.5];
        filter.protect(&mut record);
        assert!((0.0..=1.0).contains(&record[0]));
    }
}

#[test]
fn a_record_loses_the_sum_of_its_columns_and_more_than_the_budget_is_refused() {
    let laplace = || column(Mechanism::Laplace(bounds(0.0, 1.0)), 0.5);
    let mut config = LocalDp {
        columns: [("a".to_owned(), laplace()), ("b".to_owned(), laplace())].into(),
        ..LocalDp::default()
    };
    assert_eq!(config.loss().epsilon().value(), 1.0);
    let mut exit_code = |epsilon: f64| {
        config.budget = Some(Budget {
            epsilon: Epsilon::new(epsilon).expect("in range"),
            delta: 0.0,
        });
        config
            .build(&["a", "b"])
            .err()
            .map(|error| error.exit_code())
    };
    assert_eq!(exit_code(1.0), None);
    assert_eq!(exit_code(0.99), Some(7));
    config.budget = None;
    assert!(config.build(&["a"]).is_err());
    assert!(config.build(&["a", "b", "c"]).is_err());
}

fn placed(value: Value) -> Placed {
    Placed { value, span: 0..1 }
}

fn section(settings: &[(&str, Value)]) -> Section {
    let mut section = Section::new("[[protect]]", 0..1);
    for (key, value) in settings {
        section.insert(key, 0..1, placed(value.clone()));
    }
    section
}

#[test]
fn a_policy_is_read_or_refused() {
    let text = |text: &str| Value::Text(text.to_owned());
    let list = |items: &[Value]| Value::List(items.iter().cloned().map(placed).collect());
    let range = || ("bounds", list(&[Value::Whole(0), Value::Whole(120)]));
    let words = |words: &[&str]| {
        let items: Vec<Value> = words.iter().map(|&word| text(word)).collect();
        ("categories", list(&items))
    };
    let mechanism = |name: &str| ("mechanism", text(name));
    let epsilon = || ("epsilon", Value::Number(0.5));
    let read = |settings: &[(&str, Value)]| {
        let columns = Value::Table(section(&[("age", Value::Table(section(settings)))]));
        LocalDp::read(&mut section(&[("columns", columns)]))
    };
    let laplace = read(&[mechanism("laplace"), epsilon(), range()]).expect("valid");
    assert_eq!(
        laplace.columns["age"],
        column(Mechanism::Laplace(bounds(0.0, 120.0)), 0.5)
    );
    let sex = read(&[
        mechanism("randomised-response"),
        epsilon(),
        words(&["f", "m"]),
    ])
    .expect("valid");
    assert_eq!(sex.categories("age").map(<[String]>::len), Some(2));
    for (settings, message) in [
        (vec![epsilon()], "[[protect]] needs `mechanism`"),
        (
            vec![mechanism("laplace"), range()],
            "[[protect]] needs `epsilon`",
        ),
        (
            vec![mechanism("laplace"), epsilon()],
            "`age` needs `bounds`",
        ),
        (
            vec![mechanism("k-ary"), epsilon()],
            "`age` needs `categories`",
        ),
        (
            vec![mechanism("k-ary"), epsilon(), words(&["f", "f"])],
            "`categories` names this value twice",
        ),
        (
            vec![mechanism("k-ary"), epsilon(), words(&["f"])],
            "`categories` needs from 2 to 65536 values",
        ),
        (
            vec![
                mechanism("randomised-response"),
                epsilon(),
                words(&["a", "b", "c"]),
            ],
            "randomised response is for two categories, `age` has 3",
        ),
        (
            vec![mechanism("gaussian"), epsilon(), range()],
            "[[protect]] needs `delta`",
        ),
        (
            vec![
                mechanism("gaussian"),
                epsilon(),
                range(),
                ("delta", Value::Number(0.5)),
            ],
            "`delta` must lie between 1e-30 and 0.1",
        ),
        (
            vec![
                mechanism("geometric"),
                epsilon(),
                ("bounds", list(&[Value::Number(0.5), Value::Whole(3)])),
            ],
            "the geometric mechanism is for whole numbers, the bounds of `age` are not",
        ),
        (
            vec![
                mechanism("k-ary"),
                ("epsilon", Value::Whole(300)),
                words(&["f", "m"]),
            ],
            "`age` cannot be protected with this epsilon",
        ),
        (
            vec![mechanism("laplace"), epsilon(), range(), words(&["f", "m"])],
            "unknown key `categories` in [[protect]]",
        ),
    ] {
        let error = read(&settings).expect_err("refused");
        assert_eq!(error.to_string(), message);
    }
}
