use super::*;
use std::collections::HashMap;

/// The classes of Adult by its first columns.
fn adult(columns: usize) -> Option<Vec<u32>> {
    let place = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/data/adult/adult.csv"
    );
    let text = match std::fs::read_to_string(place) {
        Ok(text) => text,
        Err(_) if std::env::var_os("CI").is_none() => return None,
        Err(error) => panic!("Adult must be there in continuous integration: {error}"),
    };
    let mut sizes: HashMap<Vec<&str>, u32> = HashMap::new();
    for line in text.lines().skip(1).filter(|line| !line.is_empty()) {
        let key = line.split(';').take(columns).collect();
        *sizes.entry(key).or_default() += 1;
    }
    Some(sizes.into_values().collect())
}

fn close(found: f64, expected: f64, step: f64) {
    assert!((found - expected).abs() <= step, "{found} {expected}");
}

struct Published {
    columns: usize,
    population: u64,
    /// Classes of one person, of two, and all.
    classes: [f64; 3],
    /// θ and α, with their last digits.
    fit: [(f64, f64); 2],
    pitman: f64,
    zayatz: f64,
    snb: Option<f64>,
    chosen: Model,
}

#[test]
fn estimates_of_adult_are_those_of_arx_and_of_an_independent_computation() {
    let nine = (
        [15_512.0, 2_098.0, 19_502.0],
        [(3176.23, 0.005), (0.717949, 5e-7)],
    );
    let five = (
        [3_187.0, 908.0, 6_072.0],
        [(481.273, 5e-4), (0.462896, 5e-7)],
    );
    let three = ([62.0, 59.0, 528.0], [(89.43, 5e-5), (0.00436364, 5e-9)]);
    let published =
        |columns, population, (classes, fit), figures: [f64; 2], snb, chosen| Published {
            columns,
            population,
            classes,
            fit,
            pitman: figures[0],
            zayatz: figures[1],
            snb,
            chosen,
        };
    for row in [
        published(
            9,
            60_324,
            nine,
            [26_295.400, 26_056.919],
            Some(25_759.754),
            Model::Snb,
        ),
        published(
            9,
            1_000_000,
            nine,
            [197_435.669, 284_895.826],
            None,
            Model::Pitman,
        ),
        published(
            5,
            100_000,
            five,
            [5_692.655, 5_463.998],
            Some(5_734.868),
            Model::Zayatz,
        ),
        published(
            3,
            301_620,
            three,
            [92.659, 38.419],
            Some(4.437),
            Model::Pitman,
        ),
    ] {
        let Some(sizes) = adult(row.columns) else {
            return;
        };
        let sample = Sample::new(sizes, row.population);
        assert_eq!(
            [sample.of_size(1.0), sample.of_size(2.0), sample.count()],
            row.classes
        );
        let fit = pitman::fit(&sample).expect("a fit");
        close(fit.theta, row.fit[0].0, row.fit[0].1);
        close(fit.alpha, row.fit[1].0, row.fit[1].1);
        let found = Uniques::estimate(&sample);
        close(found.pitman.expect("Pitman fits"), row.pitman, 5.1e-4);
        close(found.zayatz, row.zayatz, 5.1e-4);
        if let Some(snb) = row.snb {
            close(found.snb.expect("SNB fits"), snb, 5.1e-4);
        }
        assert_eq!(found.chosen, row.chosen, "{found:?}");
    }
}

/// Zayatz by binomial coefficients as products, one factor at a time.
#[test]
fn zayatz_is_its_formula() {
    let choose = |n: u64, k: u64| {
        (0..k)
            .map(|i| (n - i) as f64 / (i + 1) as f64)
            .product::<f64>()
    };
    let (sizes, all) = ([1u32, 1, 1, 2, 2, 4, 5], 40u64);
    let n: u64 = sizes.iter().map(|&size| u64::from(size)).sum();
    let seen = |j: u64| j as f64 * choose(all - j, n - 1) / choose(all, n);
    let sum: f64 = sizes.iter().map(|&size| seen(u64::from(size))).sum();
    let expected = 3.0 * (3.0 * seen(1) / sum) * all as f64 / n as f64;
    let found = Uniques::estimate(&Sample::new(sizes, all));
    close(found.zayatz, expected, 1e-9);
}

#[test]
fn nobody_alone_in_the_sample_is_nobody_alone() {
    let found = Uniques::estimate(&Sample::new([2, 3, 9], 1_000));
    let all = (found.pitman, found.zayatz, found.snb);
    assert_eq!(all, (Some(0.0), 0.0, Some(0.0)));
    assert_eq!(found.chosen(), 0.0);
    let nothing = Uniques::estimate(&Sample::new([], 0));
    assert_eq!((nothing.chosen(), nothing.rate(0.0)), (0.0, 0.0));
}

#[test]
fn odd_samples_are_estimated_without_a_panic() {
    let many = vec![1u32; 1000];
    for (sizes, population) in [
        (vec![1], 1),
        (vec![1], 1_000_000),
        (vec![1, 1], 2),
        (many.clone(), 1_000),
        (many, u64::MAX),
        (vec![1, 2_000_000], 3_000_000),
        (vec![1, 2, u32::MAX], 5),
    ] {
        let found = Uniques::estimate(&Sample::new(sizes, population));
        for estimate in [Some(found.zayatz), found.pitman, found.snb]
            .into_iter()
            .flatten()
        {
            assert!(estimate.is_finite() && estimate >= 0.0, "{found:?}");
        }
        assert!(found.rate(found.chosen()) <= 1.0 + 1e-9, "{found:?}");
    }
}

#[test]
fn the_whole_population_is_its_own_estimate() {
    let found = Uniques::estimate(&Sample::new([1, 1, 1, 2, 4], 9));
    close(found.zayatz, 3.0, 1e-12);
    assert_eq!(found.chosen, Model::Zayatz);
}
