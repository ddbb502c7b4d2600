use super::*;
use crate::config::Placed;
use crate::data::{Attribute, Role};
use crate::math::uniform::Uniform;
use crate::protect::filter::Masked;
use proptest::prelude::*;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

fn config(noise: Noise) -> RandomProjection {
    RandomProjection {
        k: None,
        noise,
        sigma: 0.1,
        records: 1,
        reset: None,
        translation: 0.0,
        bounds: BTreeMap::new(),
        categories: BTreeMap::new(),
        buffer: None,
        columns: None,
    }
}

/// Numbers, of which all range from 0 to 1.
fn bounded(noise: Noise, names: &[String]) -> RandomProjection {
    let unit = Bounds::new(0.0, 1.0).expect("a range");
    RandomProjection {
        bounds: names.iter().map(|name| (name.clone(), unit)).collect(),
        ..config(noise)
    }
}

fn names(width: usize) -> Vec<String> {
    (0..width).map(|place| format!("x{place}")).collect()
}

fn columns(names: &[String], attribute: Attribute) -> Vec<MaskedColumn<'_>> {
    let column = |name| MaskedColumn {
        name,
        role: Role::Quasi,
        attribute,
    };
    names.iter().map(|name| column(name.as_str())).collect()
}

fn project(
    config: &RandomProjection,
    columns: &[MaskedColumn<'_>],
    records: &[Vec<f64>],
    seed: u64,
) -> Vec<Vec<f64>> {
    let mut filter = config.build(columns, seed).expect("built");
    let width = config.replaced_by(columns).expect("fits").map(|n| n.len());
    let mut out = Masked::new(width.expect("other columns"));
    for record in records {
        filter.push(record, &mut out).expect("projected");
    }
    filter.finish(&mut out).expect("done");
    out.records().iter().map(<[f64]>::to_vec).collect()
}

fn square(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

#[test]
fn squared_distances_survive_in_expectation() {
    let names = names(6);
    let columns = columns(&names, Attribute::Number);
    let records = [vec![0.1, 0.9, 0.4, 0.0, 1.0, 0.3], vec![0.7; 6]];
    let expected = square(&records[0], &records[1]);
    for k in [1, 3, 6] {
        let config = RandomProjection {
            k: Some(k),
            ..bounded(Noise::None, &names)
        };
        let seeds = 5_000;
        let sum: f64 = (0..seeds)
            .map(|seed| project(&config, &columns, &records, seed))
            .map(|projected| square(&projected[0], &projected[1]))
            .sum();
        // Each square is expected · χ²(k)/k, whose variance is expected² · 2/k.
        let deviation = expected * (2.0 / (k as f64 * seeds as f64)).sqrt();
        let difference = (sum / seeds as f64 - expected).abs();
        assert!(difference < 5.0 * deviation, "k = {k}: {difference}");
    }
}

#[test]
fn sigma_is_a_standard_deviation_and_no_variance() {
    let names = names(2);
    let columns = columns(&names, Attribute::Number);
    let records = vec![vec![0.0, 0.0]; 40_000];
    let check = |config: &RandomProjection, expected: f64| {
        let noise = project(config, &columns, &records, 5);
        let steps = noise.windows(2).map(|pair| match config.noise {
            Noise::Cumulative => pair[1][0] - pair[0][0],
            _ => pair[1][0],
        });
        let variance = steps.map(|step| step * step).sum::<f64>() / 39_999.0;
        let found = variance.sqrt();
        assert!((found / expected - 1.0).abs() < 0.02, "{found} {expected}");
    };
    check(&bounded(Noise::Independent, &names), 0.1);
    check(&bounded(Noise::Cumulative, &names), 0.1);
    let many = RandomProjection {
        records: 40_000,
        ..bounded(Noise::Cumulative, &names)
    };
    check(&many, many.deviation());
}

#[test]
fn both_kinds_of_noise_are_equally_large_on_average() {
    for records in [1, 2, 100, SUMMED, SUMMED + 1, 10_000_000] {
        let sigma = cumulative_deviation(0.25, records);
        let total: f64 = (1..=records).map(|i| (i as f64).sqrt() * sigma).sum();
        let mean = total / records as f64;
        assert!((mean - 0.25).abs() < 1e-8, "{records}: {mean}");
    }
}

#[test]
fn cumulative_noise_starts_anew_after_so_many_rows() {
    let names = names(1);
    let columns = columns(&names, Attribute::Number);
    let records = vec![vec![0.0]; 60_000];
    let config = RandomProjection {
        reset: Some(Reset::Rows(3)),
        ..bounded(Noise::Cumulative, &names)
    };
    let noise = project(&config, &columns, &records, 9);
    for place in 0..3 {
        let variance = noise.chunks(3).map(|c| c[place][0].powi(2)).sum::<f64>() / 20_000.0;
        let expected = 0.01 * (place + 1) as f64;
        assert!((variance / expected - 1.0).abs() < 0.06, "{variance}");
    }
}

/// Where the noise on two features of 0 or 1, which are 1 more often after half of the
/// rows, starts.
fn starts(reset: Option<Reset>, often: [f64; 2]) -> Vec<u64> {
    let names = names(2);
    let config = RandomProjection {
        reset,
        ..bounded(Noise::Cumulative, &names)
    };
    let mut random = Xoshiro256PlusPlus::seed_from_u64(8);
    let mut records = Records::new(2);
    for row in 0..6_000 {
        let mut bit = || f64::from(u8::from(random.draw() < often[row / 3_000]));
        records.push(&[bit(), if row % 7 == 0 { f64::NAN } else { bit() }]);
    }
    let columns = columns(&names, Attribute::Number);
    let (_, starts) = config.features_of(&columns, &records).expect("features");
    starts
}

#[test]
fn cumulative_noise_starts_anew_where_the_stream_drifts() {
    let drift = Some(Reset::Drift { delta: 0.002 });
    let found = starts(drift, [0.2, 0.7]);
    assert!(
        matches!(found[..], [0, row] if (3_000..3_200).contains(&row)),
        "{found:?}"
    );
    assert_eq!(starts(drift, [0.4, 0.4]), [0]);
    assert_eq!(starts(None, [0.2, 0.7]), [0]);
    assert_eq!(
        starts(Some(Reset::Rows(2_500)), [0.2, 0.7]),
        [0, 2500, 5000]
    );
}

#[test]
fn drift_is_read_with_its_delta() {
    let read = |given: &[(&str, Value)]| {
        let mut section = Section::new("[[protect]]", 0..1);
        let noise = ("noise", Value::Text("cumulative".to_owned()));
        for (key, value) in [&[noise], given].concat() {
            section.insert(key, 0..1, Placed { value, span: 0..1 });
        }
        RandomProjection::read(&mut section).map(|config| config.reset)
    };
    let text = |text: &str| ("reset", Value::Text(text.to_owned()));
    let rows = |rows| ("reset", Value::Whole(rows));
    let delta = |delta| ("delta", Value::Number(delta));
    let drift = |delta| Some(Reset::Drift { delta });
    for (given, expected) in [
        (&[][..], None),
        (&[rows(7)], Some(Reset::Rows(7))),
        (&[text("drift")], drift(0.002)),
        (&[text("drift"), delta(0.1)], drift(0.1)),
    ] {
        assert_eq!(read(given).expect("read"), expected);
    }
    for given in [
        &[rows(0)][..],
        &[text("never")],
        &[("reset", Value::Number(1.5))],
        &[delta(0.1)],
        &[rows(7), delta(0.1)],
        &[text("drift"), delta(0.0)],
    ] {
        assert_eq!(read(given).expect_err("refused").exit_code(), 3);
    }
}

#[test]
fn a_translation_moves_all_records_alike() {
    let names = names(2);
    let columns = columns(&names, Attribute::Number);
    let records = [vec![0.2, 0.4], vec![0.0, 1.0]];
    let plain = bounded(Noise::None, &names);
    let moved = RandomProjection {
        translation: 5.0,
        ..plain.clone()
    };
    let plain = project(&plain, &columns, &records, 3);
    let moved = project(&moved, &columns, &records, 3);
    let shift = moved[0][0] - plain[0][0];
    assert!(shift != 0.0 && shift.abs() <= 5.0);
    assert!((moved[1][0] - plain[1][0] - shift).abs() < 1e-12);
}

#[test]
fn categories_become_features_and_unknown_ones_are_refused() {
    let names = names(1);
    let nominal = columns(&names, Attribute::Nominal);
    let mut config = config(Noise::None);
    let error = config.build(&nominal, 1).err().expect("refused");
    assert_eq!(error.exit_code(), 3);
    let words = ["a", "b", "c"].map(str::to_owned).to_vec();
    config.categories.insert(names[0].clone(), words);
    let filter = config.build(&nominal, 1).expect("declared");
    let mut features = Vec::new();
    let mut encode = |filter: &RandomProjectionFilter, value: f64| {
        let found = filter.features().encode(&[value], &mut features);
        found.map(|()| features.clone())
    };
    assert_eq!(encode(&filter, 1.0).expect("known"), [0.0, 1.0, 0.0]);
    let error = encode(&filter, 3.0).expect_err("unknown");
    assert_eq!(error.exit_code(), 4);
    let ordered = columns(&names, Attribute::Ordinal { levels: 3 });
    let filter = config.build(&ordered, 1).expect("declared");
    assert_eq!(encode(&filter, 1.0).expect("known"), [0.5]);
}

#[test]
fn ranges_are_of_the_rows_that_waited_and_a_constant_is_no_trouble() {
    let names = names(2);
    let columns = columns(&names, Attribute::Number);
    let config = RandomProjection {
        buffer: Some(2),
        ..config(Noise::None)
    };
    let mut filter = config.build(&columns, 1).expect("built");
    let mut out = Masked::new(2);
    filter.push(&[10.0, 7.0], &mut out).expect("taken");
    assert!(out.decided().is_empty());
    filter.push(&[20.0, 7.0], &mut out).expect("taken");
    assert_eq!(out.decided().len(), 2);
    let mut features = Vec::new();
    filter.push(&[40.0, 7.0], &mut out).expect("taken");
    let encoded = filter.features().encode(&[40.0, 7.0], &mut features);
    encoded.expect("numbers");
    assert_eq!(features, [3.0, 0.0]);
}

proptest! {
    #[test]
    fn a_record_is_projected_without_the_others(
        one in prop::collection::vec(0.0..1.0_f64, 4),
        other in prop::collection::vec(0.0..1.0_f64, 4),
        seed in any::<u64>(),
    ) {
        let names = names(4);
        let columns = columns(&names, Attribute::Number);
        let config = bounded(Noise::None, &names);
        let both = project(&config, &columns, &[other, one.clone()], seed);
        let alone = project(&config, &columns, &[one], seed);
        prop_assert_eq!(&both[1], &alone[0]);
    }

    #[test]
    fn a_record_with_a_missing_value_has_no_projection(place in 0..3_usize, seed in any::<u64>()) {
        let names = names(3);
        let columns = columns(&names, Attribute::Number);
        let mut record = vec![0.5; 3];
        record[place] = f64::NAN;
        let config = bounded(Noise::Cumulative, &names);
        let released = project(&config, &columns, &[record, vec![0.5; 3]], seed);
        prop_assert!(released[0].iter().all(|value| value.is_nan()));
        prop_assert!(released[1].iter().all(|value| value.is_finite()));
    }
}

#[test]
fn numbers_without_a_place_in_their_range_are_an_error_that_names_their_column() {
    let names = names(2);
    let columns = columns(&names, Attribute::Number);
    for (buffer, values) in [
        (None, [1e308, -1e308, 0.0]),
        (Some(2), [1e308, -1e308, 0.0]),
        (Some(2), [0.0, 1e-10, 1e308]),
        (Some(2), [f64::NAN, f64::NAN, 1.0]),
    ] {
        let config = RandomProjection {
            buffer,
            ..config(Noise::None)
        };
        let mut filter = config.build(&columns, 1).expect("built");
        let mut out = Masked::new(2);
        let mut rows = values.iter().map(|&value| [f64::NAN, value]);
        let pushed = rows.try_for_each(|record| filter.push(&record, &mut out));
        let error = pushed.and_then(|()| filter.finish(&mut out));
        let error = error.expect_err("no place");
        assert_eq!(error.exit_code(), 4);
        assert!(error.to_string().contains("x1"), "{error}");
    }
}
