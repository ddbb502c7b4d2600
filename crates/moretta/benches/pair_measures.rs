//! Measures of pairs, in records a second: 10 attributes, noise of a quarter of their deviation.

use divan::Bencher;
use divan::counter::ItemsCount;
use moretta::data::{Attribute, Records};
use moretta::measure::{LIST, Of, PairSettings, build};

const ROWS: usize = 20_000;

fn main() {
    divan::main();
}

/// Uniform numbers, and the same with noise of a share of their deviation.
fn pairs(width: usize, share: f64) -> (Records, Records) {
    let mut state = 1_u64;
    let mut random = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let (mut originals, mut protected) = (Records::new(width), Records::new(width));
    for _ in 0..ROWS {
        let original: Vec<f64> = (0..width).map(|_| random()).collect();
        let noise = |value: &f64| {
            // Twelve uniform numbers are nearly normal.
            let normal = (0..12).map(|_| random()).sum::<f64>() - 6.0;
            value + share * 0.2887 * normal
        };
        let masked: Vec<f64> = original.iter().map(noise).collect();
        originals.push(&original);
        protected.push(&masked);
    }
    (originals, protected)
}

fn run(bencher: Bencher<'_, '_>, names: &[&str], width: usize, buffer: usize, share: f64) {
    let (originals, protected) = pairs(width, share);
    let settings = PairSettings {
        buffer,
        ..PairSettings::new(vec![Attribute::Number; width])
    };
    bencher.counter(ItemsCount::new(ROWS)).bench(|| {
        let built = names.iter().map(|name| build(name, &settings));
        let mut measures: Vec<_> = built.map(|measure| measure.expect("in the list")).collect();
        for (original, masked) in originals.iter().zip(protected.iter()) {
            for measure in &mut measures {
                measure.observe_record(original, masked);
            }
        }
        measures
            .iter()
            .filter_map(|measure| measure.value())
            .sum::<f64>()
    });
}

/// With noise of this share of the deviation.
#[divan::bench(args = [100, 250, 500, 1000], consts = [10, 21])]
fn record_linkage<const WIDTH: usize>(bencher: Bencher<'_, '_>, buffer: usize) {
    run(bencher, &["record_linkage"], WIDTH, buffer, 0.25);
}

#[divan::bench(args = [0.1, 1.0])]
fn record_linkage_by_noise(bencher: Bencher<'_, '_>, share: f64) {
    run(bencher, &["record_linkage"], 10, 100, share);
}

#[divan::bench(consts = [10, 21])]
fn both_estimators<const WIDTH: usize>(bencher: Bencher<'_, '_>) {
    run(bencher, &["sse", "record_linkage"], WIDTH, 100, 0.25);
}

/// The measures of records.
fn listed() -> impl Iterator<Item = &'static str> {
    let of_records = LIST.iter().filter(|info| matches!(info.of, Of::Records(_)));
    of_records.map(|info| info.name)
}

#[divan::bench(args = listed())]
fn each(bencher: Bencher<'_, '_>, name: &str) {
    run(bencher, &[name], 10, 100, 0.25);
}

#[divan::bench]
fn all(bencher: Bencher<'_, '_>) {
    let names: Vec<&str> = listed().collect();
    run(bencher, &names, 10, 100, 0.25);
}
