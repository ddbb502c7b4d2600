//! The quasi-identifiers of a table as numbers: what each row holds, and what covers it on each
//! level.

use super::attribute::Attribute;
use crate::data::hierarchy::Hierarchy;
use crate::data::{Column, Domain, MISSING};
use crate::error::{Error, Result};
use crate::protect::ranks::ranks;

/// A quasi-identifier as numbers.
pub(super) struct Encoded {
    /// Its levels.
    pub(super) attribute: Attribute,
    /// The value of each row.
    pub(super) values: Vec<u32>,
    /// The value of each row of the population.
    pub(super) population: Vec<u32>,
}

/// Encodes a column. Without a hierarchy it has two levels, its values and `*`. A missing value
/// equals only missing, below the top, which says nothing and so covers it too.
pub(super) fn encode(
    name: &str,
    (column, population): (&Column, Option<&Column>),
    domain: &Domain,
    weight: f64,
) -> Result<Encoded> {
    let n_rows = column.len();
    let both = population.map(|population| Column::concat(&[column, population]));
    let both = both.transpose()?;
    let column = both.as_ref().unwrap_or(column);
    let (texts, mut values): (Vec<String>, Vec<u32>) = match column {
        Column::Category(categories) => {
            let texts = categories.levels().iter().map(str::to_owned).collect();
            (texts, categories.codes().to_vec())
        }
        Column::Number(numbers) => {
            let (present, ranks) = ranks(numbers);
            let texts = present.iter().map(|&n| domain.number_text(n)).collect();
            (texts, ranks)
        }
        Column::Plain(_) => return Err(Error::bug(format!("column `{name}` was read as plain"))),
    };
    // Missing slots come as MISSING or as the rank behind the last.
    let missing = texts.len() as u32;
    values
        .iter_mut()
        .for_each(|value| *value = (*value).min(missing));
    let population = values.split_off(n_rows);
    let mut rows = vec![0u64; texts.len() + 1];
    values.iter().for_each(|&value| rows[value as usize] += 1);
    let (size, levels) = match &domain.hierarchy {
        Some(tree) => (tree.leaf_count(), of_tree(name, tree, &texts)?),
        None => {
            let nodes = (0..=missing).collect();
            let held = rows.iter().filter(|&&rows| rows > 0).count();
            let top = (vec![0; texts.len() + 1], vec![held.max(1) as u32]);
            (held.max(1), vec![(nodes, vec![1; texts.len() + 1]), top])
        }
    };
    Ok(Encoded {
        attribute: Attribute::new(size, levels, &rows, weight),
        values,
        population,
    })
}

/// For each level, the node of each value, missing last, and the leaves under each node. Only
/// nodes above values that the table holds have a number.
fn of_tree(name: &str, tree: &Hierarchy, texts: &[String]) -> Result<Vec<(Vec<u32>, Vec<u32>)>> {
    let leaves = texts.iter().map(|text| tree.leaf(text));
    let leaves = leaves.collect::<Option<Vec<u32>>>().ok_or_else(|| {
        Error::policy(format!(
            "the hierarchy of column `{name}` misses values of the data"
        ))
    })?;
    let top = tree.level_count() - 1;
    let level = |level: usize| {
        let mut number = vec![MISSING; tree.node_count(level)];
        let mut under = Vec::new();
        let mut nodes = Vec::with_capacity(texts.len() + 1);
        for &leaf in &leaves {
            let node = tree.node(level, leaf);
            let number = &mut number[node as usize];
            if *number == MISSING {
                *number = under.len() as u32;
                under.push(tree.leaves_under(level, node).len() as u32);
            }
            nodes.push(*number);
        }
        if level == top && !under.is_empty() {
            nodes.push(0);
        } else {
            nodes.push(under.len() as u32);
            under.push(1);
        }
        (nodes, under)
    };
    Ok((0..=top).map(level).collect())
}
