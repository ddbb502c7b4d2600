//! What was found of PRAM, as sheets.

use super::super::evolution::{FITNESSES, word};
use super::super::grid::PARTS;
use super::applied::Averages;
use super::{Designed, Found, Results};
use crate::sheet::{Cell, Place, Sheet, row};
use moretta::optimize::evolution::Fitness;

/// A protection of some columns, designed or found.
struct Line<'a> {
    data: &'a str,
    columns: &'a str,
    fitness: Fitness,
    family: &'a str,
    parameter: &'a str,
    averages: &'a Averages,
    guessed: f64,
    found: Option<&'a Found>,
}

/// For each target and fitness the best design of each family, then what searches have found.
fn lines(results: &Results) -> Vec<Line<'_>> {
    let mut targets: Vec<(&str, &str)> = Vec::new();
    for one in &results.designed {
        let target = (one.data, &*one.columns);
        if !targets.contains(&target) {
            targets.push(target);
        }
    }
    let mut lines = Vec::new();
    for (data, columns) in targets {
        for fitness in FITNESSES {
            let of = |one: &&Designed| one.data == data && one.columns == columns;
            let mut best: Vec<&Designed> = Vec::new();
            for one in results.designed.iter().filter(of) {
                let score = |one: &Designed| fitness.score(one.averages.of, 0, 1);
                match best.iter_mut().find(|other| other.family == one.family) {
                    Some(other) if score(one) < score(other) => *other = one,
                    Some(_) => {}
                    None => best.push(one),
                }
            }
            lines.extend(best.into_iter().map(|one| Line {
                data,
                columns,
                fitness,
                family: one.family,
                parameter: &one.parameter,
                averages: &one.averages,
                guessed: one.guessed,
                found: None,
            }));
            let of =
                |one: &&Found| one.data == data && one.columns == columns && one.fitness == fitness;
            lines.extend(results.found.iter().filter(of).map(|one| Line {
                data,
                columns,
                fitness,
                family: &one.family,
                parameter: "",
                averages: &one.averages,
                guessed: one.guessed,
                found: Some(one),
            }));
        }
    }
    lines
}

impl Line<'_> {
    fn key(&self) -> Vec<Cell> {
        row![self.data, self.columns, word(self.fitness), self.family]
    }
}

pub(in super::super) fn sheets(results: &Results) -> Vec<Sheet> {
    let lines = lines(results);
    vec![
        scores(&lines),
        crossed(&lines),
        formulas(&results.found),
        one_matrix(&results.found),
        matrices(&results.found),
    ]
}

const KEY: [&str; 4] = ["data", "columns", "fitness", "protection"];

fn scores(lines: &[Line<'_>]) -> Sheet {
    let head = ["parameter", "IL", "DR", "score"];
    let rest = ["guessed", "in the search", "stays", "steps", "CPU seconds"];
    let head = [&KEY[..], &head, &PARTS, &rest].concat();
    let title = "PRAM: the best design of each family, and what searches have found";
    let mut sheet = Sheet::new("pram", title, Place::Both, &head);
    for line in lines {
        let of = line.averages.of;
        let mut row = line.key();
        row.extend(row![
            line.parameter,
            of.loss,
            of.risk,
            line.fitness.score(of, 0, 1)
        ]);
        row.extend(line.averages.parts.map(Cell::from));
        let found = line.found;
        row.extend(row![
            line.guessed,
            found.map(|found| found.own_score),
            found.map(|found| found.stays),
            found.map_or(Cell::Nothing, |found| Cell::from(found.steps)),
            found.map(|found| found.seconds),
        ]);
        sheet.rows.push(row);
    }
    sheet.note("Figures are means over draws that no search has seen; `in the search`: the score over the three draws that a search judges by, which flatters what it finds.");
    sheet.note(
        "The source study printed tables 4.1 to 4.15 of such figures; none of them is known to us.",
    );
    sheet
}

fn crossed(lines: &[Line<'_>]) -> Sheet {
    let head = [
        "with",
        "difference",
        "per cell",
        "chi2",
        "chi2 after",
        "change %",
        "V",
        "V after",
        "risk %",
    ];
    let head = [&KEY[..], &head].concat();
    let title = "PRAM of one column, crossed with a column that stays as it is";
    let mut sheet = Sheet::new("pram-crossed", title, Place::Both, &head);
    let first = |line: &&Line<'_>| {
        let firsts = ["checking_status", "class"];
        firsts.contains(&line.columns)
    };
    for line in lines.iter().filter(first) {
        for one in &line.averages.crossed {
            let mut row = line.key();
            row.extend(row![
                one.with,
                one.difference,
                one.per_cell,
                one.chi_square[0],
                one.chi_square[1],
                one.change,
                one.cramers_v[0],
                one.cramers_v[1],
                one.risk,
            ]);
            sheet.rows.push(row);
        }
    }
    sheet.note("difference: sum of absolute differences of the cells of both tables; risk: share of records that are unique in both columns, unchanged and still unique.");
    sheet
}

fn formulas(found: &[Found]) -> Sheet {
    let head = [&KEY[..], &["formula"]].concat();
    let title =
        "Equations that were found: the weight with which category k becomes l, and what stays";
    let mut sheet = Sheet::new("pram-equations", title, Place::Both, &head);
    for one in found {
        if let Some(formula) = &one.formula {
            let key = row![one.data, &*one.columns, word(one.fitness), &*one.family];
            sheet.rows.push([key, row![format!(" {formula}")]].concat());
        }
    }
    sheet.note("Tk and Tl: frequencies of both categories; S: rows; L: categories. x / 0 is 1; negative weights are 0; rows are brought to a sum of 1.");
    sheet
}

/// The best matrix of one column, whose data are public.
fn one_matrix(found: &[Found]) -> Sheet {
    let shown = found
        .iter()
        .find(|one| one.matrices.len() == 1 && one.formula.is_none());
    let title = shown.map_or(String::new(), |one| {
        format!(
            "The best matrix found for {} of {}, fitness {}, in percent",
            one.columns,
            one.data,
            word(one.fitness)
        )
    });
    let mut sheet = Sheet::new("pram-matrix", &title, Place::Terminal, &["becomes"]);
    if let Some(one) = shown {
        sheet.head.extend(one.categories[0].iter().cloned());
        for (category, row) in one.categories[0].iter().zip(one.matrices[0].rows()) {
            let mut cells = row![&**category];
            cells.extend(row.iter().map(|share| Cell::from(100.0 * share)));
            sheet.rows.push(cells);
        }
    }
    sheet
}

fn matrices(found: &[Found]) -> Sheet {
    let head = [&KEY[..], &["column", "from", "to", "probability"]].concat();
    let mut sheet = Sheet::new("pram-matrices", "Matrices", Place::File, &head);
    for one in found {
        let columns = one.names.iter().zip(&one.categories).zip(&one.matrices);
        for ((name, categories), matrix) in columns {
            for (from, row) in categories.iter().zip(matrix.rows()) {
                for (to, share) in categories.iter().zip(row) {
                    let mut cells = row![one.data, &*one.columns, word(one.fitness), &*one.family];
                    cells.extend(row![&**name, &**from, &**to, *share]);
                    sheet.rows.push(cells);
                }
            }
        }
    }
    sheet
}
