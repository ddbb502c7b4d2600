//! A table that is changed by PRAM again and again: figures on average over the draws.

use super::super::data::Loaded;
use super::super::grid::parts;
use moretta::data::{CategoricalTable, Variable};
use moretta::engine::Plan;
use moretta::measure::categorical::{Bivariate, Scorer};
use moretta::optimize::evolution::TradeOff;
use moretta::protect::pram::TransitionMatrix;
use moretta::{Error, Result};
use std::collections::BTreeMap;

/// How often a table is changed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Draws {
    pub(super) first_seed: u64,
    pub(super) count: u64,
}

/// Figures on average.
#[derive(Clone, Debug)]
pub(in crate::categorical) struct Averages {
    pub(in crate::categorical) of: TradeOff,
    pub(super) parts: [f64; 6],
    /// Of each column that stays as it is.
    pub(super) crossed: Vec<Crossed>,
}

/// The table of a changed column and one that stays as it is.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::categorical) struct Crossed {
    /// The column that stays as it is.
    pub(super) with: &'static str,
    /// The sum of absolute differences of the cells, and their mean.
    pub(super) difference: f64,
    pub(super) per_cell: f64,
    pub(super) chi_square: [f64; 2],
    /// The absolute change of χ² over what it was, in percent.
    pub(super) change: f64,
    pub(super) cramers_v: [f64; 2],
    /// The share of unique records that are unchanged and still unique, in percent; none without
    /// unique records.
    pub(super) risk: Option<f64>,
}

/// The lines of a policy that make PRAM use these matrices.
pub(super) fn with_matrices(table: &Loaded, matrices: &[TransitionMatrix]) -> String {
    let mut known = Vec::new();
    for ((place, name), matrix) in table.table.names().enumerate().zip(matrices) {
        let categories = table.table.categories(place).unwrap_or_default();
        let rows = matrix.rows().map(|row| {
            let cells: Vec<String> = row.iter().map(|share| format!("{share:?}")).collect();
            format!("[{}]", cells.join(", "))
        });
        let rows: Vec<String> = rows.collect();
        known.push(format!(
            "{{ columns = [\"{name}\"], categories = [\"{}\"], rows = [{}] }}",
            categories.join("\", \""),
            rows.join(", ")
        ));
    }
    format!("matrices = [{}]\n", known.join(", "))
}

/// What PRAM with these lines of a policy makes of a table, on average.
pub(super) fn averages(
    table: &Loaded,
    scorer: &Scorer,
    lines: &str,
    draws: Draws,
) -> Result<Averages> {
    let mut sum = Averages {
        of: TradeOff {
            loss: 0.0,
            risk: 0.0,
        },
        parts: [0.0; 6],
        crossed: table
            .untouched
            .iter()
            .map(|(with, _)| Crossed {
                with,
                ..Crossed::default()
            })
            .collect(),
    };
    let share = 1.0 / draws.count.max(1) as f64;
    for draw in 0..draws.count {
        let masked = masked(table, lines, draws.first_seed.wrapping_add(draw))?;
        let figures = scorer.score(&masked)?.figures();
        sum.of.loss += share * figures.il();
        sum.of.risk += share * figures.dr();
        for (sum, part) in sum.parts.iter_mut().zip(parts(&figures)) {
            *sum += share * part;
        }
        for (sum, (_, column)) in sum.crossed.iter_mut().zip(&table.untouched) {
            let crossed = crossed(scorer.original(), &masked, column)?;
            sum.difference += share * crossed.difference;
            sum.per_cell += share * crossed.per_cell;
            sum.change += share * crossed.change;
            let risk = crossed.risk.map(|risk| share * risk);
            sum.risk = risk.map(|risk| sum.risk.unwrap_or(0.0) + risk);
            for place in 0..2 {
                sum.chi_square[place] += share * crossed.chi_square[place];
                sum.cramers_v[place] += share * crossed.cramers_v[place];
            }
        }
    }
    Ok(sum)
}

fn masked(table: &Loaded, lines: &str, seed: u64) -> Result<CategoricalTable> {
    let mut text = format!("seed = {seed}\n");
    for name in table.table.names() {
        text += &format!("[columns.{name}]\nrole = \"quasi\"\n");
    }
    text += &format!("[[protect]]\nmethod = \"pram\"\n{lines}");
    let records = table.table.protected(&Plan::parse(&text)?)?;
    let records = records.ok_or_else(|| Error::bug("PRAM left rows out"))?;
    table.table.categorical(&records)
}

/// The first column, changed, with one that is not.
fn crossed(
    original: &CategoricalTable,
    masked: &CategoricalTable,
    untouched: &[String],
) -> Result<Crossed> {
    let mut codes: BTreeMap<&str, u32> = BTreeMap::new();
    for text in untouched {
        codes.insert(text, 0);
    }
    for (code, place) in codes.values_mut().zip(0..) {
        *code = place;
    }
    let second = Variable::nominal(codes.len());
    let table = Bivariate::new(original.variables()[0], second);
    let mut table = table.ok_or_else(|| Error::bug("a table of two columns is too large"))?;
    let pairs = |of: &CategoricalTable| -> Vec<(u32, u32)> {
        let first = of.column(0).iter().zip(untouched);
        first.map(|(&code, text)| (code, codes[&**text])).collect()
    };
    let (before, after) = (pairs(original), pairs(masked));
    for (&before, &after) in before.iter().zip(&after) {
        table.add(before, after, 1);
    }
    Ok(Crossed {
        with: "",
        difference: table.difference() as f64,
        per_cell: table.difference_per_cell(),
        chi_square: table.chi_square(),
        change: 100.0 * table.chi_square_change().unwrap_or(0.0),
        cramers_v: table.cramers_v(),
        risk: table.uniques_kept().map(|kept| 100.0 * kept),
    })
}
