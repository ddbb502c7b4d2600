//! What a step of `moretta evolve` costs beside scoring the whole file: one-cell mutations through
//! the search on one core, the same files scored anew, and files whose records are linked by
//! comparing all pairs, as a program does that does not group them.
//!
//! German Credit's checking_status, savings_status and employment_since, whose place is the first
//! argument; without one, as many made-up rows. Seconds are CPU seconds. Prints JSON.
//!
//! ```text
//! cargo run --release --workspace --bin evolve_cost -- ../shared/data/german/german.csv
//! ```

use moretta::data::{CategoricalTable, Variable};
use moretta::measure::categorical::{ScoreSettings, Scorer};
use moretta::optimize::evolution::{Draws, Search, Settings, Stop};
use moretta::pipeline::CategoryFiles;
use moretta_costs::{Outcome, cpu_seconds};
use serde_json::json;
use std::hint::black_box;

/// The columns and the categories of each, in their order.
const COLUMNS: [(&str, &[&str]); 3] = [
    ("checking_status", &["A11", "A12", "A13", "A14"]),
    ("savings_status", &["A61", "A62", "A63", "A64", "A65"]),
    ("employment_since", &["A71", "A72", "A73", "A74", "A75"]),
];

const MEMBERS: usize = 104;
const STEPS: u64 = 2_000_000;
const WHOLE: usize = 2000;
const COMPARED: usize = 50;

#[expect(clippy::print_stdout, reason = "the result is for the caller")]
fn main() -> Outcome<()> {
    let original = match std::env::args().nth(1) {
        Some(path) => read(&std::fs::read_to_string(path)?)?,
        None => made_up()?,
    };
    let rows = original.rows();
    let scorer = Scorer::new(original.clone(), ScoreSettings::default())?;
    let files = CategoryFiles::new(scorer.clone(), false);
    // Each member has a few tenths of its cells changed.
    let mut draws = Draws::new(1);
    let mut tables = Vec::new();
    for member in 0..MEMBERS {
        let mut table = original.clone();
        for _ in 0..rows * (1 + member % 9) / 3 {
            let attribute = draws.below(3);
            let levels = table.variables()[attribute].levels;
            let row = draws.below(rows);
            table.column_mut(attribute)[row] = draws.below(levels) as u32;
        }
        tables.push(table);
    }
    let members: Result<Vec<_>, _> = tables.iter().map(|table| files.file(table)).collect();
    let settings = Settings {
        crossover_rate: 0.0,
        stop: Stop {
            steps: Some(STEPS),
            ..Stop::default()
        },
        ..Settings::default()
    };
    let mut search = Search::new(settings, 1, members?)?;
    let first = search.now();
    let begun = cpu_seconds()?;
    search.run(u64::MAX, |_| Ok(false))?;
    let mutation = (cpu_seconds()? - begun) / STEPS as f64;
    let begun = cpu_seconds()?;
    for table in tables.iter().cycle().take(WHOLE) {
        black_box(scorer.score(table)?.figures());
    }
    let whole = (cpu_seconds()? - begun) / WHOLE as f64;
    let begun = cpu_seconds()?;
    for table in tables.iter().take(COMPARED) {
        black_box(all_pairs(&original, table));
    }
    let compared = (cpu_seconds()? - begun) / COMPARED as f64;
    let result = json!({
        "rows": rows,
        "steps": STEPS,
        "accepted": search.accepted(),
        "best": [first.best, search.now().best],
        "mutations_per_second": (1.0 / mutation).round(),
        "whole_files_per_second": (1.0 / whole).round(),
        "times_faster": (whole / mutation).round(),
        "all_pairs_per_second": (1.0 / compared).round(),
        "times_faster_than_all_pairs": (compared / mutation).round(),
    });
    println!("{result}");
    Ok(())
}

/// What both linkages need, counted pair by pair: how often records agree in which attributes, and
/// how many originals are nearest to each masked record.
fn all_pairs(original: &CategoricalTable, masked: &CategoricalTable) -> ([u32; 8], usize) {
    let mut patterns = [0_u32; 8];
    let mut ties = 0;
    let mut record = Vec::new();
    for row in 0..masked.rows() {
        record.clear();
        record.extend(masked.row(row));
        let mut nearest = (f64::INFINITY, 0);
        for other in 0..original.rows() {
            let codes = original.row(other).zip(&record).enumerate();
            let pattern = codes.fold(0, |sum, (k, (a, b))| sum | usize::from(a == *b) << k);
            patterns[pattern] += 1;
            let distance = original.distance(other, &record);
            if distance < nearest.0 {
                nearest = (distance, 1);
            } else if distance == nearest.0 {
                nearest.1 += 1;
            }
        }
        ties += nearest.1;
    }
    (patterns, ties)
}

/// The columns of a CSV without quotes.
fn read(text: &str) -> Outcome<CategoricalTable> {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().ok_or("no header")?.split(',').collect();
    let mut columns = vec![Vec::new(); COLUMNS.len()];
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        for (column, (name, categories)) in columns.iter_mut().zip(COLUMNS) {
            let place = header.iter().position(|header| *header == name);
            let cell = cells[place.ok_or("a column is missing")?];
            let code = categories.iter().position(|category| *category == cell);
            column.push(code.ok_or("an unknown category")? as u32);
        }
    }
    Ok(CategoricalTable::new(variables(), columns)?)
}

fn made_up() -> Outcome<CategoricalTable> {
    let mut draws = Draws::new(2);
    let mut column = |levels: usize| (0..1000).map(|_| draws.below(levels) as u32).collect();
    let columns = COLUMNS.map(|(_, categories)| column(categories.len()));
    Ok(CategoricalTable::new(variables(), columns.to_vec())?)
}

fn variables() -> Vec<Variable> {
    COLUMNS
        .map(|(_, categories)| Variable::ordinal(categories.len()))
        .to_vec()
}
