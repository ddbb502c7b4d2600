use super::*;
use crate::data::{Attribute, Role};
use std::collections::BTreeMap;

const NAMES: [&str; 3] = ["pulse", "ward", "age"];

fn config(noise: Noise, sigma: f64) -> RandomProjection {
    let words = ["a", "b", "c"].map(str::to_owned).to_vec();
    let bounds = |lower, upper| Bounds::new(lower, upper).expect("a range");
    RandomProjection {
        k: Some(4),
        noise,
        sigma,
        records: 1,
        reset: None,
        translation: 0.0,
        bounds: BTreeMap::from([
            ("pulse".to_owned(), bounds(20.0, 220.0)),
            ("age".to_owned(), bounds(0.0, 120.0)),
        ]),
        categories: BTreeMap::from([("ward".to_owned(), words)]),
        buffer: None,
        columns: None,
    }
}

fn columns() -> Vec<MaskedColumn<'static>> {
    let column = |(name, attribute)| MaskedColumn {
        name,
        role: Role::Quasi,
        attribute,
    };
    let attributes = [Attribute::Number, Attribute::Nominal, Attribute::Number];
    NAMES.into_iter().zip(attributes).map(column).collect()
}

const CREATION: Creation<'static> = Creation {
    federation: [8; 32],
    node: 5,
    first: 2,
    sources: &[0, 1, 2],
};

fn seed(site: u64) -> [u8; 32] {
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&site.to_le_bytes());
    seed
}

fn group(sources: usize, colluders: usize) -> Group {
    Group::new(sources, colluders).expect("a group")
}

fn build(config: &RandomProjection, group: Group, site: u64) -> Projection {
    let built = Projection::new(config, &columns(), group, &seed(site), &CREATION);
    built.expect("a projection")
}

fn project(projection: &mut Projection, record: u64, values: &[f64; 3]) -> Vec<f64> {
    let mut out = Vec::new();
    projection
        .project(record, values, &mut out)
        .expect("projected");
    out
}

const RECORD: [f64; 3] = [120.0, 1.0, 60.0];
const OTHER: [f64; 3] = [70.0, 2.0, 30.0];
/// Everything at its lower end, but a category cannot be 0 everywhere.
const LOWEST: [f64; 3] = [20.0, 0.0, 0.0];

/// A variance of so many draws is that expected, within five standard deviations.
fn check_variance(squares: f64, draws: usize, expected: f64) {
    let ratio = squares / draws as f64 / expected;
    let bound = 5.0 * (2.0 / draws as f64).sqrt();
    assert!((ratio - 1.0).abs() < bound, "{ratio} is not within {bound}");
}

#[test]
fn squared_distances_survive_in_expectation() {
    let config = config(Noise::None, 0.0);
    let sites = 4_000;
    let mut sum = 0.0;
    for site in 0..sites {
        let mut projection = build(&config, group(3, 0), site);
        let (one, other) = (
            project(&mut projection, 0, &RECORD),
            project(&mut projection, 1, &OTHER),
        );
        sum += one
            .iter()
            .zip(&other)
            .map(|(a, b)| (a - b) * (a - b))
            .sum::<f64>();
    }
    // Pulse moves by 1/4 of its bounds, age by 1/4, and two categories by 1 each.
    let expected = 0.0625 + 0.0625 + 2.0;
    check_variance(sum * 4.0, 4 * sites as usize, expected);
}

#[test]
fn the_joined_projection_is_the_sum_of_the_parts() {
    let config = config(Noise::None, 0.0);
    let mut sites: Vec<Projection> = (0..3)
        .map(|site| build(&config, group(3, 0), site))
        .collect();
    let mut sum = [[0.0; 4]; 2];
    for site in &mut sites {
        for (sum, values) in sum.iter_mut().zip([&RECORD, &OTHER]) {
            let projected = project(site, 0, values);
            sum.iter_mut().zip(projected).for_each(|(sum, y)| *sum += y);
        }
    }
    for place in 0..4 {
        let features = [[0.5, 0.0, 1.0, 0.0, 0.5], [0.25, 0.0, 0.0, 1.0, 0.25]];
        for (sum, features) in sum.iter().zip(features) {
            let rows = sites
                .iter()
                .flat_map(|site| site.matrix.iter().zip(features));
            let expected: f64 = rows.map(|(row, feature)| row[place] * feature).sum();
            assert!((sum[place] - expected).abs() < 1e-12);
        }
    }
}

#[test]
fn noise_in_the_sum_of_all_sources_and_without_colluders() {
    let records = 20_000;
    for noise in [Noise::Independent, Noise::Cumulative] {
        for (sources, colluders) in [(3, 0), (3, 1), (5, 2), (5, 3), (10, 4)] {
            let (sigma, group) = (0.3, group(sources, colluders));
            let config = config(noise, sigma);
            let mut sites: Vec<Projection> = (0..sources as u64)
                .map(|site| build(&config, group, site))
                .collect();
            let mut squares = [0.0; 2];
            let mut last = vec![vec![0.0; 4]; sources];
            for record in 0..records {
                let mut sums = [[0.0; 4]; 2];
                for (place, site) in sites.iter_mut().enumerate() {
                    let weights = site.matrix.clone();
                    let noise = project(site, record, &LOWEST);
                    for number in 0..4 {
                        // The one feature that is 1 is the first category.
                        let mut draw = noise[number] - weights[1][number];
                        if config.noise == Noise::Cumulative {
                            let step = draw - last[place][number];
                            last[place][number] = draw;
                            draw = step;
                        }
                        sums[0][number] += draw;
                        if place >= colluders {
                            sums[1][number] += draw;
                        }
                    }
                }
                for (squares, sums) in squares.iter_mut().zip(sums) {
                    *squares += sums.iter().map(|sum| sum * sum).sum::<f64>();
                }
            }
            let (o, c) = (sources as f64, colluders as f64);
            let draws = 4 * records as usize;
            check_variance(squares[0], draws, sigma * sigma * o / (o - c));
            check_variance(squares[1], draws, sigma * sigma);
        }
    }
}

#[test]
fn noise_is_the_same_in_every_batch_order_and_repetition() {
    for noise in [Noise::Independent, Noise::Cumulative] {
        for reset in [None, Some(Reset::Rows(7))] {
            let config = RandomProjection {
                reset,
                ..config(noise, 0.2)
            };
            let mut at_once = build(&config, group(3, 1), 1);
            let all: Vec<Vec<f64>> = (0..100)
                .map(|n| project(&mut at_once, n, &RECORD))
                .collect();
            assert_ne!(all[0], all[1]);
            for size in [1, 3, 64] {
                // Each batch by a site that was started anew, and every record twice.
                for batch in (0..100_u64).collect::<Vec<u64>>().chunks(size) {
                    let mut site = build(&config, group(3, 1), 1);
                    for &record in batch {
                        let expected = &all[record as usize];
                        assert_eq!(project(&mut site, record, &RECORD), *expected);
                        assert_eq!(project(&mut site, record, &RECORD), *expected);
                    }
                }
            }
            for record in [99, 98, 3, 50, 0] {
                assert_eq!(project(&mut at_once, record, &RECORD), all[record as usize]);
            }
        }
    }
}

#[test]
fn secrets_are_of_one_site_node_group_and_set_of_parameters() {
    let plain = RandomProjection {
        translation: 1.0,
        ..config(Noise::Independent, 0.2)
    };
    let first = |config: &RandomProjection, group: Group, site: u64, creation: Creation<'_>| {
        let built = Projection::new(config, &columns(), group, &seed(site), &creation);
        let built = built.expect("a projection");
        (built.matrix[0][0].to_bits(), built.translation[0].to_bits())
    };
    let expected = first(&plain, group(3, 1), 1, CREATION);
    assert_eq!(first(&plain, group(3, 1), 1, CREATION), expected);
    let with = |change: fn(&mut RandomProjection)| {
        let mut other = plain.clone();
        change(&mut other);
        first(&other, group(3, 1), 1, CREATION)
    };
    let wider = |config: &mut RandomProjection| {
        let bounds = Bounds::new(0.0, 130.0).expect("a range");
        config.bounds.insert("age".to_owned(), bounds);
    };
    for other in [
        first(&plain, group(3, 1), 2, CREATION),
        first(&plain, group(4, 1), 1, CREATION),
        first(&plain, group(3, 0), 1, CREATION),
        first(
            &plain,
            group(3, 1),
            1,
            Creation {
                node: 6,
                ..CREATION
            },
        ),
        first(
            &plain,
            group(3, 1),
            1,
            Creation {
                first: 3,
                ..CREATION
            },
        ),
        first(
            &plain,
            group(3, 1),
            1,
            Creation {
                sources: &[0, 1, 3],
                ..CREATION
            },
        ),
        first(
            &plain,
            group(3, 1),
            1,
            Creation {
                federation: [9; 32],
                ..CREATION
            },
        ),
        with(|config| config.sigma = 0.3),
        with(|config| config.k = Some(3)),
        with(|config| config.translation = 2.0),
        with(|config| config.noise = Noise::None),
        with(|config| config.reset = Some(Reset::Rows(9))),
        with(wider),
    ] {
        assert!(other.0 != expected.0 && other.1 != expected.1);
    }
}

#[test]
fn values_without_a_place_are_refused_by_column_and_without_the_value() {
    let mut projection = build(&config(Noise::Independent, 0.1), group(3, 0), 1);
    let mut out = vec![7.0];
    let mut check = |values: &[f64], column: &str| {
        let error = projection
            .project(0, values, &mut out)
            .expect_err("refused");
        let told = format!("{error} {error:?}");
        assert_eq!(error.exit_code(), 4);
        assert!(told.contains(column) && !told.contains("777"), "{told}");
        assert_eq!(out, [7.0]);
    };
    check(&[777.0, 0.0, 1.0], "`pulse`");
    check(&[-777.0, 0.0, 1.0], "`pulse`");
    check(&[100.0, 0.0, 120.000777], "`age`");
    check(&[f64::NAN, 0.0, 1.0], "`pulse`");
    check(&[100.0, f64::NAN, 1.0], "`ward`");
    check(&[100.0, 777.0, 1.0], "`ward`");
    check(&[f64::INFINITY, 0.0, 1.0], "`pulse`");
    check(&[100.0, 0.0], "another number of columns");
    for values in [[20.0, 0.0, 0.0], [220.0, 2.0, 120.0]] {
        projection.project(0, &values, &mut out).expect("within");
    }
    assert_eq!(out.len(), 9);
    assert_eq!(format!("{projection:?}"), "Projection(4 numbers)");
}

#[test]
fn parameters_that_would_tell_of_the_data_are_refused() {
    let check = |change: fn(&mut RandomProjection), reason: &str| {
        let mut config = config(Noise::Cumulative, 0.1);
        change(&mut config);
        let built = Projection::new(&config, &columns(), group(3, 0), &seed(1), &CREATION);
        let error = built.expect_err("refused");
        assert_eq!(error.exit_code(), 3);
        assert!(error.to_string().contains(reason), "{error}");
    };
    check(|config| config.k = None, "need k");
    check(|config| config.k = Some(0), "need k");
    check(
        |config| config.bounds.retain(|name, _| name != "age"),
        "no `bounds`",
    );
    check(|config| config.categories.clear(), "`ward`");
    check(
        |config| config.reset = Some(Reset::Drift { delta: 0.1 }),
        "drift",
    );
    for (sources, colluders) in [(2, 0), (0, 0), (1025, 0), (3, 2), (5, 4), (3, usize::MAX)] {
        assert!(Group::new(sources, colluders).is_err());
    }
}
