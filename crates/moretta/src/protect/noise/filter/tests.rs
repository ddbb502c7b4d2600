use super::*;
use crate::math::moments::{CoMoments, Moments};
use proptest::prelude::*;

const ROWS: usize = 20_000;

fn config(kind: Kind, amount: f64) -> Noise {
    Noise {
        kind,
        transform: Transform::None,
        amount,
        steps: None,
        replace: 0.3,
        class: 0.0,
        buffer: None,
        columns: None,
    }
}

/// Two numbers of spread 3 and 0.5 around 10 and 2, correlated by 0.8.
fn pairs() -> Records {
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut records = Records::new(2);
    for _ in 0..ROWS {
        let [a, b]: [f64; 2] = std::array::from_fn(|_| StandardNormal.sample(&mut generator));
        records.push(&[10.0 + 3.0 * a, 2.0 + 0.5 * (0.8 * a + 0.6 * b)]);
    }
    records
}

fn columns(attributes: &[Attribute], roles: &[Role]) -> Vec<MaskedColumn<'static>> {
    let columns = attributes.iter().zip(roles);
    columns
        .map(|(&attribute, &role)| MaskedColumn {
            name: "x",
            role,
            attribute,
        })
        .collect()
}

fn mask(config: &Noise, attributes: &[Attribute], roles: &[Role], records: &Records) -> Masked {
    let columns = columns(attributes, roles);
    let mut filter = NoiseFilter::new(config, &columns, 11);
    let mut out = Masked::new(records.width());
    for record in records.iter() {
        filter.push(record, &mut out).expect("taken");
    }
    filter.finish(&mut out).expect("done");
    assert_eq!(out.decided().len(), records.len());
    out
}

const NUMBERS: [Attribute; 2] = [Attribute::Number; 2];
const QUASI: [Role; 2] = [Role::Quasi; 2];

fn joint(records: &Records) -> CoMoments {
    let mut moments = CoMoments::new(records.width());
    records.iter().for_each(|record| {
        moments.push(record);
    });
    moments
}

fn near(found: f64, expected: f64, share: f64) {
    let off = (found - expected).abs();
    assert!(
        off <= share * expected.abs(),
        "{found} is not about {expected}"
    );
}

#[test]
fn the_deviation_of_added_noise_is_the_amount_times_that_of_the_column() {
    let records = pairs();
    for kind in [Kind::Uncorrelated, Kind::Correlated, Kind::Laplace] {
        for buffer in [None, Some(5_000)] {
            let config = Noise {
                buffer,
                ..config(kind, 0.25)
            };
            let out = mask(&config, &NUMBERS, &QUASI, &records);
            for (column, deviation) in [(0, 3.0), (1, 0.5)] {
                let masked = out.records().column(column);
                let noise: Moments = masked
                    .zip(records.column(column))
                    .map(|(masked, original)| masked - original)
                    .collect();
                near(noise.deviation(), 0.25 * deviation, 0.04);
                assert!(noise.mean().abs() < 0.02 * deviation, "{kind:?}");
            }
        }
    }
}

#[test]
fn laplace_noise_has_heavier_tails_than_normal_noise() {
    let records = pairs();
    let kurtosis = |kind| {
        let out = mask(&config(kind, 1.0), &NUMBERS, &QUASI, &records);
        let noise: Vec<f64> = out
            .records()
            .column(0)
            .zip(records.column(0))
            .map(|(m, o)| m - o)
            .collect();
        let power = |n| noise.iter().map(|x| f64::powi(*x, n)).sum::<f64>() / noise.len() as f64;
        power(4) / power(2).powi(2)
    };
    near(kurtosis(Kind::Uncorrelated), 3.0, 0.1);
    near(kurtosis(Kind::Laplace), 6.0, 0.15);
}

#[test]
fn correlated_noise_keeps_correlations_and_transformed_noise_variances_too() {
    let records = pairs();
    let before = joint(&records);
    let covariance = |moments: &CoMoments| moments.covariance(0, 1);
    let after = |kind| joint(mask(&config(kind, 0.5), &NUMBERS, &QUASI, &records).records());
    let uncorrelated = after(Kind::Uncorrelated);
    near(covariance(&uncorrelated), covariance(&before), 0.05);
    near(
        uncorrelated.correlation(0, 1).expect("spread"),
        0.8 / 1.25,
        0.03,
    );
    let correlated = after(Kind::Correlated);
    near(correlated.correlation(0, 1).expect("spread"), 0.8, 0.02);
    near(correlated.variance(0), 1.25 * before.variance(0), 0.03);
    let transformed = after(Kind::Transformed);
    near(transformed.correlation(0, 1).expect("spread"), 0.8, 0.02);
    for column in 0..2 {
        near(transformed.variance(column), before.variance(column), 0.03);
        near(transformed.means()[column], before.means()[column], 0.01);
    }
}

#[test]
fn records_that_are_never_whole_get_noise_of_their_columns_too() {
    let mut records = Records::new(3);
    for (row, pair) in pairs().iter().enumerate() {
        let missing = |odd| row % 2 == odd;
        let hole = |value, odd| if missing(odd) { f64::NAN } else { value };
        records.push(&[pair[0], hole(pair[1], 0), hole(pair[0], 1)]);
    }
    let attributes = [Attribute::Number; 3];
    for kind in [Kind::Correlated, Kind::Transformed] {
        for buffer in [None, Some(100)] {
            let config = Noise {
                buffer,
                ..config(kind, 0.5)
            };
            let out = mask(&config, &attributes, &[Role::Quasi; 3], &records);
            for (column, deviation) in [(0, 3.0), (1, 0.5), (2, 3.0)] {
                let masked = out.records().column(column).zip(records.column(column));
                let noise: Moments = masked.map(|(masked, original)| masked - original).collect();
                let expected = match kind {
                    // What is drawn towards the mean moves by that, too.
                    Kind::Transformed => {
                        let towards = 1.0 / 1.25_f64.sqrt();
                        (0.25 * towards * towards + (1.0 - towards).powi(2)).sqrt()
                    }
                    _ => 0.5,
                };
                near(noise.deviation(), expected * deviation, 0.05);
            }
        }
    }
}

#[test]
fn factors_have_the_mean_one_and_the_deviation_of_the_amount() {
    let records = pairs();
    for kind in [Kind::Multiplicative, Kind::LogNormal] {
        let out = mask(&config(kind, 0.2), &NUMBERS, &QUASI, &records);
        let masked = out.records().column(0).zip(records.column(0));
        let factors: Moments = masked.map(|(masked, original)| masked / original).collect();
        near(factors.mean(), 1.0, 0.01);
        near(factors.deviation(), 0.2, 0.05);
    }
}

#[test]
fn categories_are_replaced_by_others_that_were_seen_and_classes_are_not() {
    let mut records = Records::new(2);
    for row in 0..ROWS {
        records.push(&[[0.0, 1.0, 5.0][row % 3], (row % 2) as f64]);
    }
    let attributes = [Attribute::Nominal; 2];
    let out = mask(
        &config(Kind::Uncorrelated, 0.0),
        &attributes,
        &[Role::Quasi, Role::Class],
        &records,
    );
    let masked = out.records().column(0).zip(records.column(0));
    let others: Vec<f64> = masked
        .filter(|(masked, original)| masked != original)
        .map(|(masked, _)| masked)
        .collect();
    near(others.len() as f64, 0.3 * ROWS as f64, 0.05);
    for code in [0.0, 1.0, 5.0] {
        let share = others.iter().filter(|&&other| other == code).count();
        near(share as f64, others.len() as f64 / 3.0, 0.1);
    }
    assert!(out.records().column(1).eq(records.column(1)));
}

#[test]
fn the_first_rows_of_a_stream_wait_and_a_lone_one_never_leaves() {
    let config = Noise {
        buffer: Some(3),
        ..config(Kind::Uncorrelated, 0.1)
    };
    let columns = columns(&[Attribute::Number], &[Role::Quasi]);
    let mut filter = NoiseFilter::new(&config, &columns, 1);
    let mut out = Masked::new(1);
    let mut decided = Vec::new();
    for value in [1.0, 2.0, 3.0, 4.0] {
        filter.push(&[value], &mut out).expect("taken");
        decided.push(out.decided().len());
    }
    assert_eq!(decided, [0, 0, 3, 4]);
    assert!(
        out.records()
            .column(0)
            .zip([1.0, 2.0, 3.0, 4.0])
            .all(|(masked, original)| masked != original)
    );
    let mut records = Records::new(1);
    records.push(&[5.0]);
    let out = mask(&config, &[Attribute::Number], &[Role::Quasi], &records);
    assert_eq!(out.decided(), [false]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_records_leave_in_full_with_missing_values_missing(
        values in prop::collection::vec(
            prop_oneof![5 => -1e150..1e150, 1 => Just(f64::NAN), 1 => Just(0.0)], 4..60),
        kind in prop::sample::select(super::super::KINDS.to_vec()),
        buffer in prop::option::of(2..20_usize),
    ) {
        let mut records = Records::new(2);
        values.chunks_exact(2).for_each(|record| records.push(record));
        let config = Noise { buffer, ..config(kind.1, 0.5) };
        let out = mask(&config, &NUMBERS, &QUASI, &records);
        prop_assert!(out.decided().iter().all(|&released| released));
        for column in 0..2 {
            for (masked, original) in out.records().column(column).zip(records.column(column)) {
                prop_assert!(!original.is_nan() || masked.is_nan());
            }
        }
        let again = mask(&config, &NUMBERS, &QUASI, &records);
        let bits = |out: &Masked| -> Vec<u64> {
            out.records().iter().flatten().map(|value| value.to_bits()).collect()
        };
        prop_assert_eq!(bits(&out), bits(&again));
    }
}

/// Two skewed columns, correlated: incomes and rents.
fn skewed() -> Records {
    let mut records = Records::new(2);
    for record in pairs().iter() {
        let income = ((record[0] - 10.0) / 3.0).exp() * 1000.0;
        records.push(&[income, (record[1] - 2.0).exp() * 300.0]);
    }
    records
}

fn sorted(records: &Records, column: usize) -> Vec<f64> {
    let mut values: Vec<f64> = records.column(column).collect();
    values.sort_by(f64::total_cmp);
    values
}

/// The rank of each record, counted one by one.
fn ranks(records: &Records, column: usize) -> Vec<f64> {
    let sorted = sorted(records, column);
    let rank = |value: f64| sorted.partition_point(|&other| other < value) as f64;
    records.column(column).map(rank).collect()
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let mut moments = CoMoments::new(2);
    a.iter().zip(b).for_each(|(&a, &b)| {
        moments.push(&[a, b]);
    });
    moments.correlation(0, 1).expect("both vary")
}

#[test]
fn noise_on_ranks_keeps_range_distribution_and_rank_correlation() {
    let records = skewed();
    let config = Noise {
        transform: Transform::RankNormal,
        ..config(Kind::Transformed, 0.5)
    };
    let out = mask(&config, &NUMBERS, &QUASI, &records);
    for column in 0..2 {
        let (before, after) = (sorted(&records, column), sorted(out.records(), column));
        assert!(before[0] <= after[0] && after[ROWS - 1] <= before[ROWS - 1]);
        // Shares of rows below each twentieth are those of before, to a hundredth.
        for place in (0..ROWS).step_by(ROWS / 20) {
            let below = after.partition_point(|&value| value < before[place]) as f64;
            let off = (below - place as f64).abs() / ROWS as f64;
            assert!(off < 0.012, "column {column}, {place}: {off}");
        }
        let changed = records.column(column).zip(out.records().column(column));
        let same = changed.filter(|(before, after)| before == after).count();
        assert!(same < ROWS / 100, "{same} numbers left as they were");
    }
    let by_ranks = |records: &Records| correlation(&ranks(records, 0), &ranks(records, 1));
    let (before, after) = (by_ranks(&records), by_ranks(out.records()));
    assert!((before - after).abs() < 0.02, "{before} {after}");
    // Ranks of a record go with its own by 1/√(1 + a²).
    let own = correlation(&ranks(&records, 0), &ranks(out.records(), 0));
    near(own, 1.0 / 1.25_f64.sqrt(), 0.03);
}

#[test]
fn numbers_that_many_share_stay_as_frequent_as_they_were() {
    let mut records = Records::new(1);
    for row in 0..ROWS {
        let value = if row % 5 < 2 { 0.0 } else { (row % 997) as f64 };
        records.push(&[if row == 7 { f64::NAN } else { value }]);
    }
    let config = Noise {
        transform: Transform::RankNormal,
        ..config(Kind::Transformed, 0.3)
    };
    let out = mask(&config, &NUMBERS[..1], &QUASI[..1], &records);
    let zeros = |records: &Records| records.column(0).filter(|&value| value == 0.0).count() as f64;
    near(zeros(out.records()), zeros(&records), 0.05);
    assert!(out.records().record(7)[0].is_nan(), "missing stays missing");
}

#[test]
fn noise_on_ranks_is_what_a_slow_reference_makes() {
    let mut records = Records::new(1);
    let numbers = [5.0, 1.0, 9.0, 1.0, 1.0, 20.0, 7.5];
    numbers.iter().for_each(|&number| records.push(&[number]));
    let config = Noise {
        transform: Transform::RankNormal,
        ..config(Kind::Uncorrelated, 0.4)
    };
    let out = mask(&config, &NUMBERS[..1], &QUASI[..1], &records);
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(11);
    let n = numbers.len() as f64;
    let mut scores = Vec::new();
    for &number in &numbers {
        let drawn: f64 = StandardUniform.sample(&mut generator);
        let below = numbers.iter().filter(|&&other| other < number).count() as f64;
        let equal = numbers.iter().filter(|&&other| other == number).count() as f64;
        let share = (below + drawn * equal) / n;
        // The quantile by halves.
        let (mut low, mut high) = (-40.0, 40.0);
        for _ in 0..200 {
            let middle = (low + high) / 2.0;
            match 0.5 * libm::erfc(-middle / 2.0_f64.sqrt()) < share {
                true => low = middle,
                false => high = middle,
            }
        }
        scores.push(low);
    }
    let moments: Moments = scores.iter().copied().collect();
    let mut ascending = numbers.to_vec();
    ascending.sort_by(f64::total_cmp);
    for (row, score) in scores.into_iter().enumerate() {
        let normal: f64 = StandardNormal.sample(&mut generator);
        let place = score + 0.4 * moments.deviation() * normal;
        // In hundredths of a rank, from that of the first to that of the last.
        let mut rank = 0.5 * libm::erfc(-place / 2.0_f64.sqrt()) * n - 0.5;
        while !(0.0..=n - 1.0).contains(&rank) {
            rank = if rank < 0.0 {
                -rank
            } else {
                2.0 * (n - 1.0) - rank
            };
        }
        let (low, part) = (rank.floor() as usize, rank.fract());
        let high = (low + 1).min(numbers.len() - 1);
        let expected = ascending[low] + part * (ascending[high] - ascending[low]);
        let found = out.records().record(row)[0];
        assert!(
            (found - expected).abs() < 1e-6,
            "row {row}: {found} {expected}"
        );
    }
}

#[test]
fn noise_on_logarithms_keeps_numbers_above_zero_and_refuses_others() {
    let records = skewed();
    for buffer in [None, Some(100)] {
        let config = Noise {
            transform: Transform::Log,
            buffer,
            ..config(Kind::Correlated, 0.3)
        };
        let out = mask(&config, &NUMBERS, &QUASI, &records);
        assert!(out.records().values().iter().all(|&value| value > 0.0));
        let noise: Moments = (out.records().column(0).zip(records.column(0)))
            .map(|(masked, original)| masked.ln() - original.ln())
            .collect();
        // The logarithms of the first column have a spread of 1.
        near(noise.deviation(), 0.3, 0.06);
        let columns = columns(&NUMBERS, &QUASI);
        let mut filter = NoiseFilter::new(&config, &columns, 1);
        let refused = filter.push(&[0.0, 1.0], &mut Masked::new(2));
        let error = refused.expect_err("no logarithm");
        assert!(error.to_string().contains("not above 0"), "{error}");
    }
}
