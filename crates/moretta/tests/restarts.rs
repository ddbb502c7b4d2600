//! What an attacker assumes of cumulative noise that starts anew where a stream drifts is
//! how that noise is made.

use moretta::attack::reconstruction::{Blur, Restarts};
use moretta::data::Records;
use moretta::math::java_random::JavaRandom;
use moretta::protect::random_projection::{Noise, RandomProjection, Reset};
use moretta::protect::{Filter, Masked, MaskedColumn};
use std::collections::BTreeMap;

const ROWS: usize = 1_600;

/// An even number that lies higher in every other quarter of the stream.
fn drifting() -> Vec<f64> {
    let mut random = JavaRandom::new(4);
    let shift = |row: usize| {
        if (row / 400).is_multiple_of(2) {
            0.0
        } else {
            0.5
        }
    };
    let value = |row| shift(row) + 0.5 * random.next_double();
    (0..ROWS).map(value).collect()
}

/// What is released, and the rows with which the noise started.
fn project(values: &[f64], noise: Noise, seed: u64) -> (Vec<f64>, Vec<u64>) {
    let names = ["x".to_owned()];
    let config = RandomProjection {
        k: None,
        noise,
        sigma: 0.1,
        records: 1,
        reset: Some(Reset::Drift { delta: 0.002 }),
        translation: 0.0,
        bounds: BTreeMap::new(),
        categories: BTreeMap::new(),
        buffer: None,
        columns: None,
    };
    let columns = MaskedColumn::numbers(&names);
    let mut filter = config.build(&columns, seed).expect("built");
    let (mut records, mut masked) = (Records::new(1), Masked::new(1));
    for value in values {
        records.push(&[*value]);
        filter.push(&[*value], &mut masked).expect("projected");
    }
    filter.finish(&mut masked).expect("projected");
    let (_, starts) = config.features_of(&columns, &records).expect("features");
    (masked.into_records().column(0).collect(), starts)
}

#[test]
fn noise_has_the_covariance_that_an_attacker_assumes() {
    let values = drifting();
    let (_, starts) = project(&values, Noise::Cumulative, 1);
    assert_eq!(starts.len(), 4, "{starts:?}");
    let soon =
        |(part, start): (usize, &u64)| (400 * part..400 * part + 80).contains(&(*start as usize));
    assert!(starts.iter().enumerate().all(soon), "{starts:?}");
    let blur = Blur::Cumulative {
        deviation: 0.1,
        reset: Some(Restarts::At(&starts)),
    };
    let last = starts[3] as usize;
    let pairs = [
        (10, 350),
        (300, 300),
        (300, last - 1),
        (last - 1, last),
        (last, last),
        (last + 40, 1_599),
    ];
    let mut sums = [0.0; 6];
    let seeds = 400;
    for seed in 0..seeds {
        // The same seed gives the same matrix, so that the difference is noise alone.
        let (noisy, found) = project(&values, Noise::Cumulative, seed);
        let (plain, _) = project(&values, Noise::None, seed);
        assert_eq!(
            found, starts,
            "starts depend on the records and not on the seed"
        );
        for (sum, (one, other)) in sums.iter_mut().zip(pairs) {
            *sum += (noisy[one] - plain[one]) * (noisy[other] - plain[other]);
        }
    }
    for (sum, (one, other)) in sums.into_iter().zip(pairs) {
        let variance = |row: usize| blur.covariance(row as u64, row as u64);
        let expected = blur.covariance(one as u64, other as u64);
        // Of a product of normals, whose variance is σ₁²σ₂² + σ₁₂².
        let error = (variance(one) * variance(other) + expected * expected).sqrt();
        let error = error / f64::from(seeds as u32).sqrt();
        let found = sum / seeds as f64;
        assert!(
            (found - expected).abs() < 5.0 * error,
            "{one} {other}: {found} {expected}"
        );
    }
}
