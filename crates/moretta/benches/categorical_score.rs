//! The score of masked categories: whole files, and one changed value at a time.
//!
//! German Credit's EXISTACC, SAVINGS and PRESEMPLOY (1,000 rows) and Adult's education,
//! marital-status and occupation (32,561 rows) from the public data, or as many made-up rows with
//! domains of the same sizes where that is not there.

use divan::Bencher;
use divan::counter::ItemsCount;
use moretta::data::{CategoricalTable, Variable};
use moretta::measure::categorical::{ScoreSettings, Scored, Scorer};
use std::collections::BTreeMap;
use std::path::Path;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    divan::main();
}

/// Numbers below an end, always the same.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        ((self.0 >> 33) as usize) % end
    }
}

/// Some columns of a public file, as ordered categories in the order of their texts.
fn public(file: &str, columns: [usize; 3]) -> Option<CategoricalTable> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let text = std::fs::read_to_string(path.join(file)).ok()?;
    let rows = text.lines().skip(1);
    let rows: Vec<Vec<&str>> = rows.map(|line| line.split(',').collect()).collect();
    let coded = columns.map(|column| {
        let mut codes: BTreeMap<&str, u32> = rows.iter().map(|row| (row[column], 0)).collect();
        codes.values_mut().zip(0..).for_each(|(code, n)| *code = n);
        let column: Vec<u32> = rows.iter().map(|row| codes[row[column]]).collect();
        (Variable::ordinal(codes.len()), column)
    });
    let (variables, columns) = coded.into_iter().unzip();
    CategoricalTable::new(variables, columns).ok()
}

fn made_up(rows: usize, levels: [usize; 3]) -> CategoricalTable {
    let mut random = Random(1);
    let columns = levels.map(|levels| {
        // The smaller of two draws, so that some categories are rare.
        let mut code = || random.below(levels).min(random.below(levels)) as u32;
        (0..rows).map(|_| code()).collect()
    });
    let variables = levels.map(Variable::ordinal).to_vec();
    CategoricalTable::new(variables, columns.to_vec()).expect("codes of their domains")
}

fn german() -> CategoricalTable {
    public("german/german.csv", [0, 5, 6]).unwrap_or_else(|| made_up(1_000, [4, 5, 5]))
}

fn adult() -> CategoricalTable {
    public("adult-uci/adult-uci.csv", [3, 5, 6]).unwrap_or_else(|| made_up(32_561, [16, 7, 15]))
}

/// A fifth of all values are drawn anew.
fn masked(original: &CategoricalTable) -> CategoricalTable {
    let mut masked = original.clone();
    let mut random = Random(7);
    for attribute in 0..masked.width() {
        let levels = masked.variables()[attribute].levels;
        for code in masked.column_mut(attribute) {
            if random.below(5) == 0 {
                *code = random.below(levels) as u32;
            }
        }
    }
    masked
}

fn scorer(original: CategoricalTable) -> (Scorer, CategoricalTable) {
    let masked = masked(&original);
    let scorer = Scorer::new(original, ScoreSettings::default()).expect("settings");
    (scorer, masked)
}

#[divan::bench]
fn whole_file_german(bencher: Bencher<'_, '_>) {
    let (scorer, masked) = scorer(german());
    bencher.bench_local(|| scorer.score(&masked).expect("a file").figures());
}

/// One value is replaced, and all figures are asked for.
#[divan::bench]
fn replaced_value_german(bencher: Bencher<'_, '_>) {
    const CHANGES: usize = 1_000;
    let (scorer, masked) = scorer(german());
    let mut scored: Scored = scorer.score(&masked).expect("a file");
    let mut random = Random(11);
    bencher.counter(ItemsCount::new(CHANGES)).bench_local(|| {
        let mut least = f64::INFINITY;
        for _ in 0..CHANGES {
            let (row, attribute) = (random.below(masked.rows()), random.below(3));
            let code = random.below(masked.variables()[attribute].levels);
            scored.replace(row, attribute, code as u32);
            least = least.min(scored.figures().mean());
        }
        least
    });
}

/// The originals are counted, and all masked records linked to them.
#[divan::bench(sample_count = 5)]
fn whole_file_adult(bencher: Bencher<'_, '_>) {
    let original = adult();
    let masked = masked(&original);
    bencher.bench_local(|| {
        let scorer = Scorer::new(original.clone(), ScoreSettings::default()).expect("settings");
        scorer.score(&masked).expect("a file").figures()
    });
}

/// As many different records as there are rows.
#[divan::bench(sample_count = 3)]
fn whole_file_of_different_records(bencher: Bencher<'_, '_>) {
    let original = made_up(30_000, [1_000, 1_000, 1_000]);
    let masked = masked(&original);
    bencher.bench_local(|| {
        let scorer = Scorer::new(original.clone(), ScoreSettings::default()).expect("settings");
        scorer.score(&masked).expect("a file").figures()
    });
}
