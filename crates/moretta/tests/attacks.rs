//! Attacks on releases of public data that must find at least so much: who publishes
//! such a release is told no smaller risk.

mod support;

use moretta::attack::fitted_matrix::{self, FittedMatrix, Release};
use moretta::attack::linkage::{nearest_record, rank_intersection};
use moretta::attack::reconstruction::{Blur, Stream};
use moretta::attack::{Yardstick, spectral};
use moretta::data::Records;
use moretta::protect::noise::{self, Kind};
use moretta::protect::random_projection::{Noise, RandomProjection};
use moretta::protect::rank_swapping::{Direction, Inside, RankSwapping, Within};
use moretta::protect::resampling::Resampling;
use moretta::protect::{Filter, Masked, MaskedColumn, Masking};
use std::collections::BTreeMap;
use std::path::Path;

const YARDSTICK: Yardstick = Yardstick {
    epsilon: 0.2,
    accuracy: None,
};

/// The numbers of a table, and the last column of each row.
fn read(path: &Path, columns: usize) -> (Records, Vec<String>) {
    let text = std::fs::read_to_string(path).expect("read");
    let (mut records, mut last) = (Records::new(columns), Vec::new());
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let numbers = cells.iter().take(columns);
        let record: Vec<f64> = numbers
            .map(|cell| cell.parse().expect("a number"))
            .collect();
        records.push(&record);
        last.push((*cells.last().expect("cells")).to_owned());
    }
    (records, last)
}

fn names(columns: usize) -> Vec<String> {
    (0..columns).map(|column| format!("c{column}")).collect()
}

fn mask(filter: &mut dyn Filter, records: &Records) -> Records {
    let mut masked = Masked::new(records.width());
    for record in records.iter() {
        filter.push(record, &mut masked).expect("masked");
    }
    filter.finish(&mut masked).expect("masked");
    masked.into_records()
}

/// Some rows of the electricity market, with their classes; none without the data.
fn electricity(rows: impl Fn(usize) -> bool) -> Option<(Records, Vec<u32>)> {
    const FEATURES: usize = 8;
    let folder = support::shared("electricity")?;
    let (all, classes) = read(&folder.join("electricity.csv"), FEATURES);
    assert_eq!(all.len(), 45_312);
    let (mut records, mut codes) = (Records::new(FEATURES), Vec::new());
    for (row, (record, class)) in all.iter().zip(&classes).enumerate() {
        if rows(row) {
            records.push(record);
            codes.push(u32::from(class == "UP"));
        }
    }
    Some((records, codes))
}

#[test]
fn neighbours_tell_more_of_noisy_electricity_than_a_record_does() {
    let Some((records, _)) = electricity(|row| row < 3_000) else {
        return;
    };
    let config = noise::Noise {
        kind: Kind::Uncorrelated,
        transform: noise::Transform::None,
        amount: 0.25,
        steps: None,
        replace: 0.0,
        class: 0.0,
        buffer: None,
        columns: None,
    };
    let names = names(records.width());
    let mut filter = config
        .filter(&MaskedColumn::numbers(&names), 1)
        .expect("numbers");
    let released = mask(&mut *filter, &records);
    let known = spectral::Noise::Independent { amount: 0.25 };
    let breaches = |in_order: bool| -> Vec<f64> {
        let found = spectral::attack(&records, &released, Some(known), in_order);
        let all = found.expect("enough rows").successes(YARDSTICK);
        all.iter().map(|success| success.breach).collect()
    };
    let (shuffled, in_order) = (breaches(false), breaches(true));
    assert_eq!((shuffled.len(), in_order.len()), (4, 5));
    assert_eq!(shuffled, in_order[..4]);
    let (bayes, neighbours) = (in_order[3], in_order[4]);
    assert!(neighbours > bayes + 0.2, "{bayes} {neighbours}");
}

#[test]
fn intersections_of_ranks_find_more_of_the_census_than_distances_do() {
    const COLUMNS: usize = 13;
    let Some(folder) = support::shared("census") else {
        return;
    };
    let (records, _) = read(&folder.join("census.csv"), COLUMNS);
    assert_eq!(records.len(), 1_080);
    let names = names(COLUMNS);
    for (percent, by_distance, by_ranks) in [(10.0, 0.7, 0.95), (15.0, 0.4, 0.85)] {
        let config = RankSwapping {
            inside: Inside::Table,
            within: Within::Percent(percent),
            direction: Direction::Both,
            buffer: None,
            columns: None,
        };
        let mut filter = config
            .filter(&MaskedColumn::numbers(&names), 1)
            .expect("numbers");
        let released = mask(&mut *filter, &records);
        let ranks = config.within.ranks(records.len());
        let nearest = nearest_record(&records, &released);
        let intersection = rank_intersection(&records, &released, ranks);
        assert!(nearest.linked < by_distance, "{nearest:?}");
        assert!(intersection.linked > by_ranks, "{intersection:?}");
    }
}

/// The page of the method tells of it.
#[test]
fn nearly_all_re_sampled_records_of_the_census_are_found_again_by_distance() {
    const COLUMNS: usize = 13;
    let Some(folder) = support::shared("census") else {
        return;
    };
    let (records, _) = read(&folder.join("census.csv"), COLUMNS);
    let names = names(COLUMNS);
    for (samples, least) in [(1, 0.9), (3, 0.95), (100, 0.95)] {
        let config = Resampling {
            samples,
            buffer: None,
            columns: None,
        };
        let filter = config.filter(&MaskedColumn::numbers(&names), 1);
        let released = mask(&mut *filter.expect("numbers"), &records);
        let nearest = nearest_record(&records, &released);
        assert!(nearest.linked > least, "{samples}: {nearest:?}");
    }
}

/// Attacks a projection of electricity to `k` numbers by 4 known records and a sample.
fn fitted(
    (records, classes): &(Records, Vec<u32>),
    k: usize,
    noise: Noise,
    sample: usize,
) -> FittedMatrix {
    let config = RandomProjection {
        k: Some(k),
        noise,
        sigma: 0.05,
        records: records.len() as u64,
        reset: None,
        translation: 0.0,
        bounds: BTreeMap::new(),
        categories: BTreeMap::new(),
        buffer: None,
        columns: None,
    };
    let names = names(records.width());
    let mut filter = config
        .build(&MaskedColumn::numbers(&names), 1)
        .expect("numbers");
    let mut masked = Masked::new(k);
    for record in records.iter() {
        filter.push(record, &mut masked).expect("projected");
    }
    filter.finish(&mut masked).expect("projected");
    let (mut inputs, mut features) = (Records::new(records.width()), Vec::new());
    for record in records.iter() {
        filter
            .features()
            .encode(record, &mut features)
            .expect("numbers");
        inputs.push(&features);
    }
    let deviation = config.deviation();
    let stream = Stream {
        inputs: &inputs,
        outputs: masked.records(),
        blur: match noise {
            Noise::None => Blur::None,
            Noise::Independent => Blur::Independent { deviation },
            Noise::Cumulative => Blur::Cumulative {
                deviation,
                reset: None,
            },
        },
        translated: false,
    };
    let release = Release {
        stream: &stream,
        classes: Some(classes),
        in_order: true,
    };
    fitted_matrix::attack(&release, 4, Some(sample), 1).expect("enough rows")
}

fn check(found: &FittedMatrix, attack: &str, least: f64) {
    let all = found.successes(YARDSTICK);
    let one = all.iter().find(|success| success.attack == attack);
    let breach = one.expect("tried").breach;
    assert!(breach > least, "{attack}: {breach}");
}

#[test]
fn four_known_records_and_a_hundred_others_undo_a_projection() {
    let Some(table) = electricity(|row| row % 16 == 0) else {
        return;
    };
    check(&fitted(&table, 8, Noise::None, 100), "fitted matrix", 0.8);
}

/// Takes minutes in a debug build.
#[test]
fn a_thousand_other_records_find_most_whatever_hides_them() {
    if std::env::var_os("MORETTA_LONG").is_none() {
        return;
    }
    let Some(table) = electricity(|_| true) else {
        return;
    };
    for (k, noise, attack, least) in [
        (8, Noise::None, "fitted matrix", 0.98),
        (8, Noise::Independent, "fitted matrix", 0.8),
        (8, Noise::Independent, "fitted matrix, over neighbours", 0.9),
        (8, Noise::Cumulative, "fitted matrix", 0.9),
        (4, Noise::None, "fitted matrix", 0.45),
    ] {
        check(&fitted(&table, k, noise, 1_000), attack, least);
    }
}
