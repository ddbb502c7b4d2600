//! A column of values as codes without gaps, in the order that means something.

use super::super::ranks::ranks;
use crate::data::{Batch, Categories, Column, Domains, Field, Kind, MISSING};
use crate::error::{Error, Result};

/// A column of values as codes without gaps.
pub(super) struct Dense {
    /// A code a row, [`MISSING`] for none.
    pub(super) codes: Vec<u32>,
    /// How many codes there are; only values that occur have one.
    pub(super) values: usize,
    /// The text of each code, when it was asked for.
    pub(super) texts: Vec<String>,
    /// Whether each code is the same number as the one before, written differently.
    pub(super) repeats: Vec<bool>,
    /// Codes ascend with the declared order or with the numbers that the values
    /// are, not just with their appearance.
    pub(super) in_order: bool,
}

/// The codes of a column and, if `with_texts`, what they are called.
pub(super) fn dense(
    batch: &Batch,
    index: usize,
    domains: &Domains,
    with_texts: bool,
) -> Result<Dense> {
    let field = &batch.schema().fields()[index];
    match batch.column(index) {
        Column::Category(categories) => Ok(dense_categories(field, categories)),
        Column::Number(numbers) => {
            let (values, mut codes) = ranks(numbers);
            let missing = values.len() as u32;
            for code in codes.iter_mut().filter(|code| **code == missing) {
                *code = MISSING;
            }
            let domain = domains.get(&field.name);
            let text = |&v: &f64| match domain {
                Some(domain) => domain.number_text(v),
                None => v.to_string(),
            };
            let named = values.iter().filter(|_| with_texts);
            Ok(Dense {
                codes,
                values: values.len(),
                texts: named.map(text).collect(),
                repeats: vec![false; values.len()],
                in_order: true,
            })
        }
        Column::Plain(_) => Err(Error::policy(format!(
            "column `{}` is counted by the guarantee but only passes through as text",
            field.name
        ))
        .help("use type = \"category\"")),
    }
}

fn dense_categories(field: &Field, categories: &Categories) -> Dense {
    let levels = categories.levels();
    let mut occurs = vec![false; levels.len()];
    for &code in categories.codes() {
        if let Some(occurs) = occurs.get_mut(code as usize) {
            *occurs = true;
        }
    }
    let mut order: Vec<u32> = (0..occurs.len() as u32)
        .filter(|&c| occurs[c as usize])
        .collect();
    let number = |&code: &u32| {
        levels
            .get(code)
            .parse()
            .ok()
            .filter(|n: &f64| n.is_finite())
    };
    let numbers: Option<Vec<f64>> = order.iter().map(number).collect();
    let declared = field.kind == Kind::Category { ordered: true };
    let in_order = declared || numbers.is_some();
    let mut repeats = vec![false; order.len()];
    if let (Some(numbers), false) = (numbers, declared) {
        let mut keyed: Vec<(f64, u32)> = numbers.into_iter().zip(order).collect();
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (repeat, pair) in repeats.iter_mut().skip(1).zip(keyed.windows(2)) {
            *repeat = pair[0].0 == pair[1].0;
        }
        order = keyed.into_iter().map(|(_, code)| code).collect();
    }
    let mut rank = vec![MISSING; occurs.len()];
    for (place, &code) in order.iter().enumerate() {
        rank[code as usize] = place as u32;
    }
    let new = |&code: &u32| rank.get(code as usize).copied().unwrap_or(MISSING);
    Dense {
        codes: categories.codes().iter().map(new).collect(),
        values: order.len(),
        repeats,
        texts: order.iter().map(|&c| levels.get(c).to_owned()).collect(),
        in_order,
    }
}
