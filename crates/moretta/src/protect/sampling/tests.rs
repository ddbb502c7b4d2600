use super::draw::{Units, rounded, shares};
use super::*;
use crate::data::{Categories, Column, Field, Kind, Numbers, RowIds};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

fn generator(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// Rows of persons in regions; a person without a name is none.
fn table(rows: &[(Option<&str>, &str)]) -> Batch {
    let category = Kind::Category { ordered: false };
    let fields = vec![
        Field::new("who", Role::Subject, category.clone()),
        Field::new("region", Role::Plain, category),
        Field::new("n", Role::Plain, Kind::Number { integer: true }),
    ];
    let columns = vec![
        Column::Category(rows.iter().map(|row| row.0).collect::<Categories>()),
        Column::Category(rows.iter().map(|row| Some(row.1)).collect::<Categories>()),
        Column::Number(Numbers::from_iter((0..rows.len()).map(|n| n as f64))),
    ];
    let ids = RowIds::Range {
        start: 0,
        len: rows.len(),
    };
    let schema = Arc::new(Schema::new(fields).expect("names differ"));
    Batch::new(schema, ids, columns).expect("fits")
}

fn draw(table: &Batch, size: SampleSize, strata: &[&str], seed: u64) -> Result<Release> {
    let draw = Draw {
        config: Sampling {
            size,
            strata: strata.iter().map(|name| (*name).to_owned()).collect(),
        },
        seed,
        cancel: Cancel::default(),
    };
    draw.release(table)
}

/// Every set of so many of so many numbers.
fn sets(of: usize, size: usize) -> Vec<Vec<u32>> {
    let all = (0..1_u32 << of).filter(|set| set.count_ones() as usize == size);
    let members = |set: u32| (0..of as u32).filter(|n| set >> n & 1 == 1).collect();
    all.map(members).collect()
}

#[test]
fn every_sample_of_a_size_is_as_likely() {
    let units = Units {
        rows: 6,
        persons: None,
        strata: None,
    };
    let mut generator = generator(1);
    let mut counts: BTreeMap<Vec<u32>, i32> = BTreeMap::new();
    for _ in 0..20_000 {
        let drawn = units.draw(vec![6], vec![3], &mut generator, &Cancel::default());
        *counts.entry(drawn.expect("drawn")).or_default() += 1;
    }
    let all: BTreeSet<Vec<u32>> = sets(6, 3).into_iter().collect();
    assert!(counts.keys().eq(&all));
    // Five standard deviations of a count whose mean is 1000.
    let close = |count: &i32| (count - 1000).abs() < 155;
    assert!(counts.values().all(close), "{counts:?}");
}

#[test]
fn a_person_is_drawn_with_all_rows_and_those_without_a_name_are_one() {
    let rows = [
        (Some("ann"), "north"),
        (None, "north"),
        (Some("bob"), "north"),
        (Some("ann"), "north"),
        (Some("cid"), "north"),
        (None, "north"),
    ];
    let table = table(&rows);
    let mut seen = BTreeSet::new();
    for seed in 0..200 {
        let sample = draw(&table, SampleSize::Units(2), &[], seed).expect("drawn");
        let ids: BTreeSet<u64> = sample.batch.rows().iter().collect();
        assert_eq!(sample.left_out as usize + ids.len(), rows.len());
        let whole = [&[0, 3][..], &[1, 5], &[2], &[4]];
        let drawn = whole.map(|of| of.iter().filter(|id| ids.contains(id)).count());
        assert!(
            drawn
                .iter()
                .zip(whole)
                .all(|(&n, of)| n == 0 || n == of.len()),
            "{ids:?}"
        );
        assert_eq!(drawn.iter().filter(|&&n| n > 0).count(), 2);
        seen.insert(drawn);
    }
    assert_eq!(seen.len(), 6, "any two of four persons");
}

#[test]
fn a_person_in_several_strata_is_refused() {
    let torn = table(&[
        (Some("ann"), "north"),
        (Some("bob"), "north"),
        (Some("ann"), "south"),
    ]);
    let refused = draw(&torn, SampleSize::Units(1), &["region"], 1).err();
    assert_eq!(refused.expect("refused").exit_code(), 4);
    assert!(draw(&torn, SampleSize::Units(1), &[], 1).is_ok());
}

#[test]
fn a_sample_is_never_empty_and_never_the_table() {
    for (size, units, drawn) in [
        (SampleSize::Fraction(0.57), 100, Some(57)),
        (SampleSize::Fraction(0.1), 19, Some(1)),
        (SampleSize::Fraction(0.1), 9, None),
        (SampleSize::Fraction(0.99), 1, None),
        (SampleSize::Fraction(0.99), 2, Some(1)),
        (SampleSize::Fraction(0.99), 10_000_000, Some(9_900_000)),
        (SampleSize::Units(5), 6, Some(5)),
        (SampleSize::Units(5), 5, None),
        (SampleSize::Units(5), 0, None),
    ] {
        let found = size.of(units);
        assert_eq!(found.as_ref().ok().copied(), drawn, "{size:?} of {units}");
        let code = found.err().map_or(1, |error| error.exit_code());
        assert_eq!(code, 1);
    }
}

#[test]
fn also_a_stratum_of_one_is_drawn_with_the_chance_of_all() {
    let regions = ["a", "b", "b", "c", "c", "c", "d", "d", "d", "d", "e"];
    let rows: Vec<(Option<&str>, &str)> = regions.iter().map(|&region| (None, region)).collect();
    let names: Vec<String> = (0..rows.len()).map(|n| format!("p{n}")).collect();
    let rows: Vec<_> = rows
        .iter()
        .zip(&names)
        .map(|(row, who)| (Some(&**who), row.1))
        .collect();
    let table = table(&rows);
    let mut drawn = vec![0_i32; rows.len()];
    let draws = 6600;
    for seed in 0..draws {
        let sample = draw(&table, SampleSize::Fraction(0.6), &["region"], seed).expect("drawn");
        assert_eq!(sample.batch.len(), 6);
        sample
            .batch
            .rows()
            .iter()
            .for_each(|id| drawn[id as usize] += 1);
    }
    // 6 of 11, and five standard deviations.
    let close = |&count: &i32| (count - 3600).abs() < 205;
    assert!(drawn.iter().all(close), "{drawn:?}");
}

proptest! {
    #[test]
    fn shares_are_proportional_rounded_down_or_up_and_exact_on_average(
        counts in proptest::collection::vec(0..9_u64, 1..7),
        part in 0.0..1.0_f64,
        seed: u64,
    ) {
        let all: u64 = counts.iter().sum();
        prop_assume!(all > 0);
        let size = (part * all as f64) as u64;
        let mut order: Vec<usize> = (0..counts.len()).collect();
        crate::math::uniform::shuffle(&mut order, &mut generator(seed));
        let mut sums = vec![0; counts.len()];
        for start in 0..all {
            let shares = rounded(&counts, size, &order, start);
            prop_assert_eq!(shares.iter().sum::<u64>(), size);
            for (stratum, &share) in shares.iter().enumerate() {
                let exact = size * counts[stratum];
                prop_assert!(share == exact / all || share == exact.div_ceil(all));
                prop_assert!(share <= counts[stratum]);
                sums[stratum] += share;
            }
        }
        // All starts are alike, so this is the mean share times all units.
        let expected: Vec<u64> = counts.iter().map(|count| count * size).collect();
        prop_assert_eq!(sums, expected);
        prop_assert_eq!(shares(&counts, size, &mut generator(seed)).iter().sum::<u64>(), size);
    }
}
