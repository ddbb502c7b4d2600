//! Whose values a row gets: those of one of the nearest classes of the same risk.
//!
//! The classes of a risk stand in the order of their values, column after column, the columns in an
//! order that is drawn. A partner is looked for among those that stand near in it.

use super::risk::Risks;
use super::{RISKS, Rates};
use crate::cancel::Cancel;
use crate::data::Column;
use crate::error::Result;
use crate::math::uniform::{Uniform, below, shuffle};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::cmp::Ordering;

/// Classes that are looked at on either side.
const NEAR: usize = 25;

/// Rows between which the work can be stopped.
const ROWS: usize = 1 << 14;

/// Finds partners.
pub(super) struct Partners<'a> {
    risks: &'a Risks,
    columns: Vec<Values<'a>>,
    /// A row of each class.
    row_of: Vec<u32>,
    /// The classes of each risk, in order.
    ordered: [Vec<u32>; RISKS],
    /// The place of each class in that order.
    place_of: Vec<u32>,
}

/// The values of a column, and what the largest difference of two is.
struct Values<'a> {
    column: &'a Column,
    width: f64,
    /// Differences of categories do not count.
    nominal: bool,
}

impl<'a> Partners<'a> {
    pub(super) fn new(
        columns: &[&'a Column],
        risks: &'a Risks,
        generator: &mut Xoshiro256PlusPlus,
    ) -> Self {
        let mut columns: Vec<Values<'a>> =
            columns.iter().map(|column| Values::new(column)).collect();
        shuffle(&mut columns, generator);
        let mut row_of = vec![0; risks.of_class.len()];
        // The first row of each class.
        for (row, &class) in risks.class_of.iter().enumerate().rev() {
            row_of[class as usize] = row as u32;
        }
        let mut ordered: [Vec<u32>; RISKS] = Default::default();
        for (class, &risk) in risks.of_class.iter().enumerate() {
            ordered[risk as usize].push(class as u32);
        }
        let mut place_of = vec![0; row_of.len()];
        for classes in &mut ordered {
            let row = |class: u32| row_of[class as usize] as usize;
            classes.sort_by(|&a, &b| {
                let compared = columns.iter().map(|values| values.compare(row(a), row(b)));
                compared.fold(Ordering::Equal, Ordering::then)
            });
            for (place, &class) in classes.iter().enumerate() {
                place_of[class as usize] = place as u32;
            }
        }
        Partners {
            risks,
            columns,
            row_of,
            ordered,
            place_of,
        }
    }

    /// For each row the one whose values it gets; itself where it keeps its own.
    pub(super) fn choose(
        &mut self,
        rates: &Rates,
        generator: &mut Xoshiro256PlusPlus,
        cancel: &Cancel,
    ) -> Result<Vec<u32>> {
        let mut from: Vec<u32> = (0..self.risks.class_of.len() as u32).collect();
        for (row, from) in from.iter_mut().enumerate() {
            if row % ROWS == 0 {
                cancel.check()?;
            }
            let class = self.risks.class_of[row];
            let rate = rates[self.risks.of_class[class as usize] as usize];
            if generator.draw() < rate
                && let Some(partner) = self.partner(class, generator)
            {
                *from = self.row_of[partner as usize];
            }
        }
        Ok(from)
    }

    /// One of the nearest other classes of the same risk, any of them alike.
    fn partner(&self, class: u32, generator: &mut Xoshiro256PlusPlus) -> Option<u32> {
        let classes = &self.ordered[self.risks.of_class[class as usize] as usize];
        let place = self.place_of[class as usize] as usize;
        let near = place.saturating_sub(NEAR)..(place + NEAR + 1).min(classes.len());
        let (mut found, mut least, mut equal) = (None, f64::INFINITY, 0);
        for &other in classes[near].iter().filter(|&&other| other != class) {
            let distance = self.distance(class, other);
            match distance.total_cmp(&least) {
                Ordering::Greater => continue,
                Ordering::Equal => equal += 1,
                Ordering::Less => (least, equal) = (distance, 1),
            }
            if below(generator, equal) == 0 {
                found = Some(other);
            }
        }
        found
    }

    fn distance(&self, one: u32, other: u32) -> f64 {
        let [one, other] = [one, other].map(|class| self.row_of[class as usize] as usize);
        self.columns
            .iter()
            .map(|values| values.distance(one, other))
            .sum()
    }
}

impl<'a> Values<'a> {
    fn new(column: &'a Column) -> Self {
        let width = match column {
            Column::Number(numbers) => {
                let ends = numbers
                    .iter()
                    .flatten()
                    .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
                        (low.min(x), high.max(x))
                    });
                (ends.1 - ends.0).max(0.0)
            }
            _ => 0.0,
        };
        Values {
            column,
            width,
            nominal: !matches!(column, Column::Number(_)),
        }
    }

    fn value(&self, row: usize) -> Option<f64> {
        match self.column {
            Column::Number(numbers) => numbers.get(row),
            Column::Category(categories) => {
                let present = !categories.is_missing(row);
                present.then(|| f64::from(categories.codes()[row]))
            }
            Column::Plain(_) => None,
        }
    }

    fn compare(&self, one: usize, other: usize) -> Ordering {
        match (self.value(one), self.value(other)) {
            (Some(one), Some(other)) => one.total_cmp(&other),
            (one, other) => one.is_some().cmp(&other.is_some()),
        }
    }

    /// From 0, for equal values, to 1.
    fn distance(&self, one: usize, other: usize) -> f64 {
        match (self.value(one), self.value(other)) {
            (None, None) => 0.0,
            (Some(one), Some(other)) if one == other => 0.0,
            (Some(one), Some(other)) if !self.nominal && self.width.is_finite() => {
                (one - other).abs() / self.width
            }
            _ => 1.0,
        }
    }
}
