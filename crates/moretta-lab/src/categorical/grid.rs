//! What every masking method over its grid loses and risks: the start of each search.

use super::data::Loaded;
use crate::sheet::{Cell, Place, Sheet, row};
use moretta::Result;
use moretta::data::Records;
use moretta::optimize::evolution::{Fitness, TradeOff};
use rayon::prelude::*;

/// A protected file.
#[derive(Clone, Debug)]
pub(super) struct Protected {
    /// The method with its parameters.
    pub(super) label: String,
    pub(super) of: TradeOff,
    /// The measures that loss and risk are made of, in percent.
    pub(super) parts: Vec<f64>,
}

/// The names of these measures: of categories, and of numbers.
pub(super) const PARTS: [&str; 6] = ["DBIL", "CTBIL", "EBIL", "ID", "DBRL", "PRL"];
const PARTS_OF_NUMBERS: [&str; 4] = ["PIL", "ID", "DBRL", "PRL"];

/// What all methods make of a table.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    pub(super) data: &'static str,
    rows: usize,
    recalled: Option<usize>,
    numbers: bool,
    pub(super) files: Vec<Protected>,
}

/// The method of a label: its words before the first with a parameter.
pub(super) fn method(label: &str) -> String {
    let words = label.split(' ');
    let words: Vec<&str> = words
        .take_while(|word| !word.contains(|c: char| c.is_ascii_digit()))
        .collect();
    words.join(" ")
}

/// The bits of a number, as a policy has them without a word of its own.
pub(super) const BITS: u32 = 12;

pub(super) fn compute(loaded: &Loaded, seed: u64) -> Result<Grid> {
    let start = loaded.table.start(seed)?;
    let measured = measured(loaded, &start)?;
    let files = start.into_iter().zip(measured);
    let files = files.map(|((label, _), (of, parts))| Protected { label, of, parts });
    Ok(Grid {
        data: loaded.set.name,
        rows: loaded.rows(),
        recalled: loaded.set.recalled,
        numbers: loaded.holds_numbers(),
        files: files.collect(),
    })
}

/// Loss and risk of each file, and what they are made of.
pub(super) fn measured(
    loaded: &Loaded,
    files: &[(String, Records)],
) -> Result<Vec<(TradeOff, Vec<f64>)>> {
    if loaded.holds_numbers() {
        let of = loaded.table.number_files(BITS);
        let measure = |(_, records): &(String, Records)| {
            let measured = of.file(records).measured();
            let parts = measured.parts.map(|(_, percent)| percent);
            (measured.of, parts.to_vec())
        };
        return Ok(files.par_iter().map(measure).collect());
    }
    let scorer = loaded.scorer()?;
    let measure = |(_, records): &(String, Records)| {
        let figures = scorer.score(&loaded.table.categorical(records)?)?;
        let figures = { figures }.figures();
        let of = TradeOff {
            loss: figures.il(),
            risk: figures.dr(),
        };
        Ok((of, parts(&figures).to_vec()))
    };
    files.par_iter().map(measure).collect()
}

/// The measures in the order of [`PARTS`].
pub(super) fn parts(figures: &moretta::measure::categorical::Figures) -> [f64; 6] {
    [
        figures.dbil,
        figures.ctbil,
        figures.ebil,
        figures.interval,
        figures.distance_linkage,
        figures.probabilistic_linkage,
    ]
}

pub(super) fn mean(of: TradeOff) -> f64 {
    Fitness::Mean.score(of, 0, 1)
}

pub(super) fn max(of: TradeOff) -> f64 {
    Fitness::Max.score(of, 0, 1)
}

impl Grid {
    /// The methods, in the order in which they come.
    pub(super) fn methods(&self) -> Vec<String> {
        let mut methods: Vec<String> = Vec::new();
        for file in &self.files {
            let method = method(&file.label);
            if !methods.contains(&method) {
                methods.push(method);
            }
        }
        methods
    }

    /// The best file of those of a method, or of all.
    fn best(&self, of: Option<&str>, score: fn(TradeOff) -> f64) -> Option<&Protected> {
        let files = self.files.iter();
        let files = files.filter(|file| of.is_none_or(|of| method(&file.label) == of));
        files.min_by(|a, b| score(a.of).total_cmp(&score(b.of)))
    }
}

/// All files, the best of each method, and how many files there are.
pub(super) fn sheets(grids: &[Grid]) -> Vec<Sheet> {
    let figures = ["IL", "DR", "mean", "max"];
    let head = ["data", "method", "file"];
    let head = [&head[..], &figures, &PARTS, &["PIL"]].concat();
    let mut all = Sheet::new("grid", "Every file", Place::File, &head);
    let head = [&["data", "method", "files", "best by mean"][..], &figures].concat();
    let head = [&head[..], &PARTS, &["best by max", "max"]].concat();
    let title = "Methods over their grids: the best file of each by the mean of IL and DR, and by the larger";
    let mut best = Sheet::new("grid-best", title, Place::Both, &head);
    let head = [
        "data",
        "rows",
        "files",
        "recalled",
        "best by mean",
        "mean",
        "best by max",
        "max",
    ];
    let title = "Files of the first population, beside the number recalled of the source study";
    let mut counts = Sheet::new("grid-counts", title, Place::Both, &head);
    for grid in grids {
        for file in &grid.files {
            let mut row = row![grid.data, method(&file.label), &*file.label];
            row.extend(row![
                file.of.loss,
                file.of.risk,
                mean(file.of),
                max(file.of)
            ]);
            row.extend(grid.cells(file));
            row.extend(row![grid.numbers.then(|| file.parts[0])]);
            all.rows.push(row);
        }
        for name in grid.methods() {
            let files = grid.files.iter().filter(|file| method(&file.label) == name);
            let (Some(by_mean), Some(by_max)) =
                (grid.best(Some(&name), mean), grid.best(Some(&name), max))
            else {
                continue;
            };
            let mut row = row![grid.data, &*name, files.count(), short(&by_mean.label)];
            let of = by_mean.of;
            row.extend(row![of.loss, of.risk, mean(of), max(of)]);
            row.extend(grid.cells(by_mean));
            row.extend(row![short(&by_max.label), max(by_max.of)]);
            best.rows.push(row);
        }
        let (by_mean, by_max) = (grid.best(None, mean), grid.best(None, max));
        counts.rows.push(row![
            grid.data,
            grid.rows,
            grid.files.len(),
            grid.recalled
                .map_or("–".to_owned(), |files| files.to_string()),
            by_mean.map_or(String::new(), |file| short(&file.label)),
            by_mean.map(|file| mean(file.of)),
            by_max.map_or(String::new(), |file| short(&file.label)),
            by_max.map(|file| max(file.of)),
        ]);
    }
    best.note("IL of categories is the mean of DBIL, CTBIL and EBIL, of numbers PIL; DR is half ID and a quarter each of DBRL and PRL.");
    best.note(
        "The source study's figures of its grids are not known to us; nothing stands beside ours.",
    );
    counts.note("Recalled: 72 files of microaggregation, 4 each of top, bottom and global recoding, 11 of rank swapping and 9 of PRAM (Adult: 48, 6, 6, 6, 11, 9). Ours add Mondrian, and merge only as many categories as a column has to spare.");
    vec![counts, best, all]
}

impl Grid {
    /// The parts of a file in the order of [`PARTS`]; those that numbers do not have are empty.
    fn cells(&self, file: &Protected) -> Vec<Cell> {
        let names = match self.numbers {
            true => &PARTS_OF_NUMBERS[..],
            false => &PARTS,
        };
        let part = |name: &&str| {
            let place = names.iter().position(|other| other == name);
            Cell::from(place.map(|place| file.parts[place]))
        };
        PARTS.iter().map(part).collect()
    }
}

/// A label without the names of all columns, which are long and many.
pub(super) fn short(label: &str) -> String {
    let Some((head, groups)) = label.split_once(", ") else {
        return label.to_owned();
    };
    let sizes: Vec<String> = groups
        .split(" | ")
        .map(|group| group.split(' ').count().to_string())
        .collect();
    format!("{head}, groups of {}", sizes.join("+"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_told_by_method_and_shortened() {
        for (label, of, told) in [
            ("pram theta=0.3", "pram", "pram theta=0.3"),
            ("merging top 3", "merging top", "merging top 3"),
            ("rank-swapping 14%", "rank-swapping", "rank-swapping 14%"),
            (
                "microaggregation k=3, a b | c",
                "microaggregation",
                "microaggregation k=3, groups of 2+1",
            ),
        ] {
            assert_eq!((&*method(label), &*short(label)), (of, told));
        }
    }
}
