//! Quasi-identifiers in an order, the places where they can be cut, and what the parts show.

use crate::data::hierarchy::TOP;
use crate::data::{Batch, Categories, Column, Domain, LevelsBuilder, MISSING, Region, Scale};
use crate::error::{Error, Result};
use crate::protect::ranks::ranks;
use std::sync::Arc;

/// A quasi-identifier: its values in their order fall into bins, between which it can be cut.
pub(super) struct CutColumn {
    /// The bin of each row; missing cells have the last bin for themselves.
    pub(super) bins: Vec<u32>,
    /// How many bins there are, one more than places to cut.
    pub(super) n_bins: usize,
    /// How many values each bin has.
    pub(super) values: Vec<usize>,
    /// How much what it loses counts.
    pub(super) weight: f64,
    /// The first and the last value of each bin, missing left out.
    ends: Vec<(usize, usize)>,
    scale: Values,
    has_missing: bool,
}

/// The values of a column, in their order.
enum Values {
    /// Numbers, or days.
    Numbers(Vec<f64>),
    /// Codes of categories.
    Codes(Vec<u32>),
}

impl CutColumn {
    /// Cut between all neighbouring values, or at most at so many places, which divide the rows
    /// as evenly as they can.
    pub(super) fn new(
        name: &str,
        column: &Column,
        weight: f64,
        most: Option<usize>,
    ) -> Result<Self> {
        let (scale, ranks) = match column {
            Column::Number(numbers) => {
                let (values, ranks) = ranks(numbers);
                (Values::Numbers(values), ranks)
            }
            Column::Category(categories) => ranked(categories),
            Column::Plain(_) => {
                return Err(Error::bug(format!("column `{name}` was read as plain")));
            }
        };
        let n_values = match &scale {
            Values::Numbers(values) => values.len(),
            Values::Codes(codes) => codes.len(),
        };
        let mut rows = vec![0u64; n_values + 1];
        ranks.iter().for_each(|&rank| rows[rank as usize] += 1);
        let has_missing = rows[n_values] > 0;
        let ends = ends(&rows[..n_values], most);
        let mut bin_of = vec![ends.len() as u32; n_values + 1];
        for (bin, &(first, last)) in (0..).zip(&ends) {
            bin_of[first..=last].fill(bin);
        }
        let mut values: Vec<usize> = ends.iter().map(|(first, last)| last - first + 1).collect();
        values.extend(has_missing.then_some(0));
        Ok(CutColumn {
            bins: ranks.iter().map(|&rank| bin_of[rank as usize]).collect(),
            n_bins: values.len().max(1),
            values,
            weight,
            ends,
            scale,
            has_missing,
        })
    }

    /// Whether a bin is that of missing cells.
    pub(super) fn is_missing(&self, bin: usize) -> bool {
        self.has_missing && bin == self.ends.len()
    }

    /// The share of the other values that a value is put together with, where so many are.
    pub(super) fn share(&self, values: usize) -> f64 {
        let all: usize = self.values.iter().sum();
        match all {
            0 | 1 => 0.0,
            _ => values.saturating_sub(1) as f64 / (all - 1) as f64,
        }
    }

    /// The column as it is released, its parts being runs of bins.
    pub(super) fn recode(&self, part_of_bin: &[u32], domain: &Domain) -> Result<Column> {
        let parts = part_of_bin.last().map_or(0, |&last| last as usize + 1);
        let mut builder = LevelsBuilder::default();
        let mut codes = Vec::with_capacity(parts);
        for part in 0..parts as u32 {
            let bins: Vec<usize> = (0..self.n_bins)
                .filter(|&bin| part_of_bin[bin] == part)
                .collect();
            let (first, last) = (bins[0], bins[bins.len() - 1]);
            let text = self.text(first, last, domain)?;
            codes.push(text.map_or(MISSING, |text| builder.intern(&text)));
        }
        let code = |&bin: &u32| codes[part_of_bin[bin as usize] as usize];
        let codes = self.bins.iter().map(code).collect();
        Ok(Column::Category(Categories::new(
            codes,
            Arc::new(builder.finish()),
        )))
    }

    /// What the bins from `first` to `last` show; `None` where they are the missing cells.
    fn text(&self, first: usize, last: usize, domain: &Domain) -> Result<Option<String>> {
        if self.is_missing(last) {
            return Ok((first < last).then(|| TOP.to_owned()));
        }
        let Some((&(from, _), &(_, to))) = self.ends.get(first).zip(self.ends.get(last)) else {
            return Ok(None);
        };
        let region = match &self.scale {
            Values::Codes(codes) => Region::Set(codes[from..=to].to_vec()),
            Values::Numbers(values) => {
                let (low, high) = bounds(values, from, to, domain);
                Region::Interval(low, high)
            }
        };
        let text = region
            .text(domain)
            .ok_or_else(|| Error::bug("a part without a text"))?;
        Ok(Some(text))
    }
}

/// Categories that the column holds, in their order, and the rank of each row.
fn ranked(categories: &Categories) -> (Values, Vec<u32>) {
    let mut held = vec![false; categories.levels().len()];
    for &code in categories.codes().iter().filter(|&&code| code != MISSING) {
        held[code as usize] = true;
    }
    let codes: Vec<u32> = (0..)
        .zip(&held)
        .filter(|(_, held)| **held)
        .map(|(c, _)| c)
        .collect();
    let mut rank_of = vec![codes.len() as u32; held.len()];
    for (rank, &code) in (0..).zip(&codes) {
        rank_of[code as usize] = rank;
    }
    let rank = |&code: &u32| {
        rank_of
            .get(code as usize)
            .copied()
            .unwrap_or(codes.len() as u32)
    };
    let ranks = categories.codes().iter().map(rank).collect();
    (Values::Codes(codes), ranks)
}

/// The first and the last value of each bin: one value each, or bins of about as many rows.
fn ends(rows: &[u64], most: Option<usize>) -> Vec<(usize, usize)> {
    let most = most.unwrap_or(usize::MAX).saturating_add(1);
    let all: u64 = rows.iter().sum();
    let mut ends: Vec<(usize, usize)> = Vec::new();
    if rows.len() <= most {
        return (0..rows.len()).map(|value| (value, value)).collect();
    }
    let (mut first, mut before) = (0, 0);
    for (value, &here) in rows.iter().enumerate() {
        before += here;
        let full = before as u128 * most as u128 >= all as u128 * (ends.len() as u128 + 1);
        if full || value + 1 == rows.len() {
            ends.push((first, value));
            first = value + 1;
        }
    }
    ends
}

/// Numbers between which the values from `from` to `to` are, and no others. Bounds between two
/// values are the roundest numbers there, so that they need not be somebody's value.
fn bounds(values: &[f64], from: usize, to: usize, domain: &Domain) -> (f64, f64) {
    if values.len() == 1 {
        return (values[0], values[0]);
    }
    let date = matches!(domain.scale, Scale::Number { date: Some(_), .. });
    let whole = date
        || values
            .iter()
            .all(|value| value.fract() == 0.0 && value.abs() < 1e15);
    let between = |left: usize| {
        let (low, high) = (values[left], values[left + 1]);
        match date {
            true => (low + high).div_euclid(2.0) + 1.0,
            false => roundest(low, high, whole),
        }
    };
    let (least, largest) = (values[0], values[values.len() - 1]);
    let step = 10f64.powf(((largest - least) / 10.0).log10().ceil());
    let step = if whole { step.max(1.0) } else { step };
    let low = match from {
        0 => ((least / step).floor() * step).min(least),
        _ => between(from - 1),
    };
    let up = match to + 1 == values.len() {
        true => ((largest / step).floor() + 1.0) * step,
        false => between(to),
    };
    let high = if whole { up - 1.0 } else { up };
    // Rounding in the last digit must not leave a value out.
    (low.min(values[from]), high.max(values[to]))
}

/// The number above `low` and at most `high` that ends with the most zeros.
fn roundest(low: f64, high: f64, whole: bool) -> f64 {
    let largest = (high.abs().max(low.abs()).max(1e-300)).log10().ceil() as i32;
    let least = if whole { 0 } else { largest - 15 };
    for power in (least..=largest).rev() {
        let step = 10f64.powi(power);
        let number = (high / step).floor() * step;
        if low < number && number <= high {
            return number;
        }
    }
    high
}

/// The quasi-identifiers of a table at these places.
pub(super) fn columns(
    table: &Batch,
    places: &[usize],
    weight: impl Fn(&str) -> f64,
    most: Option<usize>,
) -> Result<Vec<CutColumn>> {
    let column = |&place: &usize| {
        let name = &*table.schema().fields()[place].name;
        CutColumn::new(name, table.column(place), weight(name), most)
    };
    places.iter().map(column).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::DateFormat;

    fn domain(date: Option<DateFormat>) -> Domain {
        Domain {
            scale: Scale::Number {
                low: 0.0,
                high: 0.0,
                date,
            },
            hierarchy: None,
        }
    }

    /// What rows show when the column is cut before these bins.
    fn shown(column: Column, domain: &Domain, most: Option<usize>, cuts: &[usize]) -> Vec<String> {
        let cut = CutColumn::new("c", &column, 1.0, most).expect("a column");
        let mut part = 0;
        let parts = (0..cut.n_bins).map(|bin| {
            part += u32::from(cuts.contains(&bin));
            part
        });
        let Column::Category(shown) = cut
            .recode(&parts.collect::<Vec<u32>>(), domain)
            .expect("recoded")
        else {
            panic!("texts");
        };
        (0..shown.len())
            .map(|row| shown.get(row).unwrap_or("").to_owned())
            .collect()
    }

    #[test]
    fn bounds_lie_between_values_and_are_round() {
        let ages = |ages: &[f64]| Column::Number(ages.iter().map(|&age| Some(age)).collect());
        let check = |values: &[f64], cuts: &[usize], expected: &[&str]| {
            assert_eq!(
                shown(ages(values), &domain(None), None, cuts),
                expected,
                "{values:?}"
            );
        };
        check(
            &[17.0, 34.0, 41.0, 90.0],
            &[2],
            &["10..39", "10..39", "40..99", "40..99"],
        );
        check(&[17.0, 18.0, 19.0], &[1, 2], &["17", "18", "19"]);
        check(&[0.25, 0.5, 1.75], &[1], &["0..0.5", "0.5..2", "0.5..2"]);
        check(
            &[-30.0, -20.0, 5.0],
            &[1, 2],
            &["-30..-21", "-20..-1", "0..9"],
        );
        check(&[7.0, 7.0], &[], &["7", "7"]);
        let days = Column::Number([Some(0.0), Some(9.0)].into_iter().collect());
        let shown = shown(days, &domain(Some(DateFormat::ISO)), None, &[1]);
        assert_eq!(shown, ["1970-01-01..1970-01-05", "1970-01-06..1970-01-10"]);
    }

    #[test]
    fn missing_cells_are_their_own_part_or_make_others_say_nothing() {
        let cells = [Some(1.0), None, Some(2.0)];
        let column = || Column::Number(cells.into_iter().collect());
        let shown = |cuts: &[usize]| shown(column(), &domain(None), None, cuts);
        assert_eq!(shown(&[]), ["*", "*", "*"]);
        assert_eq!(shown(&[2]), ["1..2", "", "1..2"]);
        assert_eq!(shown(&[1]), ["1", "*", "*"]);
    }

    #[test]
    fn few_cuts_divide_the_rows_evenly() {
        let numbers = (0..100).map(|n| Some(f64::from(n)));
        let cut = CutColumn::new("c", &Column::Number(numbers.collect()), 1.0, Some(3));
        let cut = cut.expect("a column");
        assert_eq!(cut.values, [25, 25, 25, 25]);
        assert_eq!(
            ends(&[1, 1, 90, 1, 1, 1], Some(2)),
            [(0, 2), (3, 3), (4, 5)]
        );
        assert_eq!(ends(&[], Some(2)), []);
    }

    #[test]
    fn categories_are_cut_in_their_order() {
        let words: Categories = ["a", "c", "b"].iter().map(|word| Some(*word)).collect();
        let sorted = words.sorted();
        for (ordered, expected) in [(false, "{a|b}"), (true, "a..b")] {
            let domain = Domain {
                scale: Scale::Category {
                    levels: Arc::clone(sorted.levels()),
                    ordered,
                },
                hierarchy: None,
            };
            let shown = shown(Column::Category(sorted.clone()), &domain, None, &[2]);
            assert_eq!(shown, [expected, "c", expected]);
        }
    }
}
