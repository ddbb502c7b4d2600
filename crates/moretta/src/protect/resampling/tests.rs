use super::*;
use crate::math::uniform::below;
use crate::protect::Masked;
use proptest::prelude::*;

/// The column of numbers after it was masked by itself.
fn resampled(values: &[f64], samples: usize, seed: u64) -> Vec<f64> {
    resampled_as(Attribute::Number, values, samples, seed)
}

fn resampled_as(attribute: Attribute, values: &[f64], samples: usize, seed: u64) -> Vec<f64> {
    let mut mask = Resample {
        samples,
        attributes: vec![attribute],
        generator: Xoshiro256PlusPlus::seed_from_u64(seed),
    };
    let mut records = Records::new(1);
    values.iter().for_each(|&value| records.push(&[value]));
    let groups = mask.mask(&mut records, values.len(), &Cancel::default());
    assert!(groups.expect("masked").is_empty());
    records.column(0).collect()
}

/// As the paper says it: each sample drawn, sorted and averaged rank by rank.
fn reference(
    ascending: &[f64],
    samples: usize,
    generator: &mut Xoshiro256PlusPlus,
    average: fn(&[f64]) -> f64,
) -> Vec<f64> {
    let mut ranks = vec![Vec::new(); ascending.len()];
    for _ in 0..samples {
        let mut lot = || ascending[below(generator, ascending.len() as u64) as usize];
        let mut sample: Vec<f64> = ascending.iter().map(|_| lot()).collect();
        sample.sort_by(f64::total_cmp);
        for (rank, value) in ranks.iter_mut().zip(sample) {
            rank.push(value);
        }
    }
    ranks.iter().map(|rank| average(rank)).collect()
}

fn mean_of(values: &[f64]) -> f64 {
    values.iter().map(|value| value / values.len() as f64).sum()
}

fn lower_median_of(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values[(values.len() - 1) / 2]
}

/// The chance that so many trials of this chance succeed at least `successes` times.
fn at_least(successes: usize, trials: usize, chance: f64) -> f64 {
    let mut terms = vec![0.0; trials + 1];
    terms[0] = 1.0;
    for _ in 0..trials {
        for i in (0..=trials).rev() {
            let fewer = if i > 0 { terms[i - 1] } else { 0.0 };
            terms[i] = terms[i] * (1.0 - chance) + fewer * chance;
        }
    }
    terms[successes..].iter().sum()
}

#[test]
fn many_samples_come_close_to_what_is_expected_of_each_rank() {
    let values: [f64; 6] = [1.0, 2.0, 4.0, 8.0, 16.0, 100.0];
    let n = values.len();
    let found = resampled(&values, 10_000, 5);
    for (rank, found) in found.iter().enumerate() {
        // The value of a rank is at most the k-th when so many of the n draws are.
        let until = |k: usize| at_least(rank + 1, n, k as f64 / n as f64);
        let chance = |k: usize| until(k + 1) - until(k);
        let expected: f64 = (0..n).map(|k| values[k] * chance(k)).sum();
        let squares: f64 = (0..n).map(|k| values[k].powi(2) * chance(k)).sum();
        let deviation = ((squares - expected * expected) / 10_000.0).sqrt();
        let error = (found - expected).abs();
        assert!(error < 5.0 * deviation, "{rank}: {found} {expected}");
    }
}

#[test]
fn the_mean_of_a_column_is_kept_on_average() {
    let values: Vec<f64> = (0..40).map(|n| f64::from(n * n % 37)).collect();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let center = mean(&values);
    let variance = values.iter().map(|x| (x - center).powi(2)).sum::<f64>() / 40.0;
    let draws = 2000;
    let means = (0..draws).map(|seed| mean(&resampled(&values, 2, seed)));
    let error = means.sum::<f64>() / draws as f64 - center;
    // A mean of 2 samples of 40 each, and of 2000 draws of it.
    let deviation = (variance / 40.0 / 2.0 / draws as f64).sqrt();
    assert!(error.abs() < 5.0 * deviation, "{error} {deviation}");
}

#[test]
fn equal_values_get_their_ranks_in_any_order() {
    let values = [7.0, 7.0, 7.0, 50.0];
    let largest_of_equals = |seed| {
        let found = resampled(&values, 1, seed);
        let largest = found[..3].iter().copied().fold(f64::MIN, f64::max);
        let holders: Vec<usize> = (0..3).filter(|&row| found[row] == largest).collect();
        (holders.len() == 1).then(|| holders[0])
    };
    let found: Vec<usize> = (0..300).filter_map(largest_of_equals).collect();
    for row in 0..3 {
        assert!(found.iter().filter(|&&other| other == row).count() > found.len() / 5);
    }
}

#[test]
fn too_few_values_stay_as_they_are_and_a_lone_row_of_a_table_is_suppressed() {
    assert_eq!(resampled(&[3.0, f64::NAN], 4, 1)[0], 3.0);
    assert_eq!(resampled(&[3.0, 3.0, 3.0], 4, 1), [3.0; 3]);
    let method = Resampling {
        samples: 3,
        buffer: None,
        columns: None,
    };
    let names = ["x".to_owned()];
    let mut filter = method
        .filter(&MaskedColumn::numbers(&names), 1)
        .expect("built");
    let mut out = Masked::new(1);
    filter.push(&[3.0], &mut out).expect("taken");
    filter.finish(&mut out).expect("done");
    assert_eq!(out.decided(), [false]);
}

#[test]
fn categories_without_order_have_no_ranks() {
    let method = Resampling {
        samples: 3,
        buffer: None,
        columns: None,
    };
    let columns = [MaskedColumn {
        name: "town",
        role: crate::data::Role::Quasi,
        attribute: Attribute::Nominal,
    }];
    let error = method.filter(&columns, 1).err().expect("refused");
    assert_eq!(error.exit_code(), 3);
    assert!(error.to_string().contains("`town` has no order"), "{error}");
}

/// Values in the order of the originals, missing ones where they were; the others ascending.
fn check(
    values: &[f64],
    found: &[f64],
    (samples, seed): (usize, u64),
    average: fn(&[f64]) -> f64,
) -> std::result::Result<(), TestCaseError> {
    let mut present: Vec<(f64, f64)> = values.iter().copied().zip(found.iter().copied()).collect();
    for (before, after) in &present {
        prop_assert_eq!(before.is_nan(), after.is_nan());
    }
    present.retain(|(before, _)| !before.is_nan());
    let pairs = present
        .iter()
        .flat_map(|one| present.iter().map(move |other| (one, other)));
    for (one, other) in pairs {
        prop_assert!(one.0 >= other.0 || one.1 <= other.1, "ranks are kept");
    }
    let mut ascending: Vec<f64> = present.iter().map(|pair| pair.0).collect();
    ascending.sort_by(f64::total_cmp);
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed);
    shuffle(&mut ascending.clone(), &mut generator);
    let expected = reference(&ascending, samples, &mut generator, average);
    let mut released: Vec<f64> = present.iter().map(|pair| pair.1).collect();
    released.sort_by(f64::total_cmp);
    prop_assert_eq!(released, expected);
    Ok(())
}

proptest! {
    #[test]
    fn values_are_those_of_the_reference_in_the_order_of_the_originals(
        values in proptest::collection::vec(
            prop_oneof![8 => -1e6..1e6_f64, 2 => (-3..3_i32).prop_map(f64::from), 1 => Just(f64::NAN)],
            0..40,
        ),
        samples in 1..6_usize,
        seed: u64,
    ) {
        let found = resampled(&values, samples, seed);
        check(&values, &found, (samples, seed), mean_of)?;
    }

    #[test]
    fn ordered_categories_are_the_medians_of_the_reference(
        values in proptest::collection::vec(
            prop_oneof![9 => (0..5_u8).prop_map(f64::from), 1 => Just(f64::NAN)],
            0..40,
        ),
        samples in 1..6_usize,
        seed: u64,
    ) {
        let ordered = Attribute::Ordinal { levels: 5 };
        let found = resampled_as(ordered, &values, samples, seed);
        check(&values, &found, (samples, seed), lower_median_of)?;
    }
}
