//! A column of values as codes without gaps, in the order that means something.

use crate::data::{Batch, Categories, Column, Domains, Field, Kind, MISSING};
use crate::error::{Error, Result};

/// A column of values as codes without gaps.
pub(super) struct Dense {
    /// A code a row, [`MISSING`] for none.
    pub(super) codes: Vec<u32>,
    /// The text of each code; only values that occur have one.
    pub(super) texts: Vec<String>,
    /// Codes ascend with the declared order or with the numbers that the values
    /// are, not just with their appearance.
    pub(super) in_order: bool,
}

pub(super) fn dense(batch: &Batch, index: usize, domains: &Domains) -> Result<Dense> {
    let field = &batch.schema().fields()[index];
    match batch.column(index) {
        Column::Category(categories) => Ok(dense_categories(field, categories)),
        Column::Number(numbers) => {
            let mut values: Vec<f64> = numbers.iter().flatten().collect();
            values.sort_unstable_by(f64::total_cmp);
            values.dedup();
            let code = |v: f64| values.partition_point(|&x| x < v) as u32;
            let domain = domains.get(&field.name);
            let text = |&v: &f64| match domain {
                Some(domain) => domain.number_text(v),
                None => v.to_string(),
            };
            let codes = numbers.iter().map(|slot| slot.map_or(MISSING, code));
            Ok(Dense {
                codes: codes.collect(),
                texts: values.iter().map(text).collect(),
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
    if let (Some(numbers), false) = (numbers, declared) {
        let mut keyed: Vec<(f64, u32)> = numbers.into_iter().zip(order).collect();
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
        order = keyed.into_iter().map(|(_, code)| code).collect();
    }
    let mut rank = vec![MISSING; occurs.len()];
    for (place, &code) in order.iter().enumerate() {
        rank[code as usize] = place as u32;
    }
    let new = |&code: &u32| rank.get(code as usize).copied().unwrap_or(MISSING);
    Dense {
        codes: categories.codes().iter().map(new).collect(),
        texts: order.iter().map(|&c| levels.get(c).to_owned()).collect(),
        in_order,
    }
}
