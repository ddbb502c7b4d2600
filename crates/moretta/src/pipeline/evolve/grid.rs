//! The grid of methods and parameters whose releases a search begins with. A method joins it by
//! a line in [`grid`].

use super::cells::Cells;
use crate::config::{Section, Value};
use crate::data::hierarchy::{HierarchySpec, HierarchyTable};
use crate::protect::{METHOD, Method};
use std::path::PathBuf;

/// A method with its parameters, and what it is called.
pub(super) struct Recipe {
    pub(super) label: String,
    pub(super) method: Method,
    /// The k that is promised, for methods that make values coarser until it holds.
    pub(super) k: Option<u32>,
    /// Hierarchies that it needs, by the place of the column.
    pub(super) hierarchies: Vec<(usize, HierarchySpec)>,
}

/// Every recipe for these columns.
pub(super) fn grid(cells: &Cells) -> Vec<Recipe> {
    let mut recipes = Vec::new();
    recipes.extend(microaggregation(cells));
    recipes.extend(rank_swapping());
    match cells.are_categories() {
        true => {
            recipes.extend(ends(cells, "top"));
            recipes.extend(ends(cells, "bottom"));
            recipes.extend(merged(cells));
            recipes.extend(pram());
            recipes.extend(mondrian(cells, "mode"));
        }
        false => {
            recipes.extend(noise());
            recipes.extend(mondrian(cells, "mean"));
        }
    }
    recipes
}

/// A recipe; none where this program has no such method.
fn recipe(label: String, name: &str, parameters: Vec<(&str, Value)>) -> Option<Recipe> {
    let mut section = Section::new("[[protect]]", 0..0);
    section.set(&METHOD, name);
    for (key, value) in parameters {
        section.put(key, value);
    }
    Some(Recipe {
        label,
        method: Method::read(section).ok()?,
        k: None,
        hierarchies: Vec::new(),
    })
}

/// Groups of 2 to 10, in all columns together, in each by itself, in one beside the others, and
/// in one alone.
fn microaggregation(cells: &Cells) -> Vec<Recipe> {
    let names: Vec<String> = cells.names().map(str::to_owned).collect();
    let alone = |name: &String| vec![name.clone()];
    let mut groupings: Vec<Vec<Vec<String>>> = vec![vec![names.clone()]];
    if names.len() > 1 {
        groupings.push(names.iter().map(alone).collect());
        for (place, name) in names.iter().enumerate() {
            let mut rest = names.clone();
            rest.remove(place);
            if rest.len() > 1 {
                groupings.push(vec![rest, alone(name)]);
            }
            groupings.push(vec![alone(name)]);
        }
    }
    let mut recipes = Vec::new();
    for k in 2..=10_u32 {
        for groups in &groupings {
            let lists: Vec<String> = groups.iter().map(|group| group.join(" ")).collect();
            let label = format!("microaggregation k={k}, {}", lists.join(" | "));
            let groups = Value::from(groups.clone());
            let parameters = vec![("k", Value::from(k)), ("groups", groups)];
            recipes.extend(recipe(label, "microaggregation", parameters));
        }
    }
    recipes
}

fn rank_swapping() -> impl Iterator<Item = Recipe> {
    let percents = std::iter::once(1).chain((2..=20).step_by(2));
    percents.filter_map(|percent| {
        let within = Value::from(format!("{percent}%"));
        let label = format!("rank-swapping {percent}%");
        recipe(label, "rank-swapping", vec![("within", within)])
    })
}

fn pram() -> impl Iterator<Item = Recipe> {
    (1..=9).filter_map(|tenths| {
        let theta = f64::from(tenths) / 10.0;
        let parameters = vec![
            ("design", Value::from("frequency")),
            ("theta", Value::from(theta)),
        ];
        recipe(format!("pram theta={theta}"), "pram", parameters)
    })
}

fn noise() -> impl Iterator<Item = Recipe> {
    [0.02, 0.05, 0.1, 0.2, 0.4]
        .into_iter()
        .filter_map(|amount| {
            let label = format!("noise {amount}");
            recipe(label, "noise", vec![("amount", Value::from(amount))])
        })
}

/// Classes of k whose values are shown as one of them.
fn mondrian(cells: &Cells, output: &str) -> Vec<Recipe> {
    let shown = |place: usize| match cells.is_ordered(place) {
        true => "median",
        false => output,
    };
    let mut by_column = Section::new("output", 0..0);
    for (place, name) in cells.names().enumerate() {
        by_column.put(name, shown(place));
    }
    let recipe = |k: u32| {
        let parameters = vec![("output", Value::from(by_column.clone()))];
        let recipe = recipe(format!("mondrian k={k}"), "mondrian", parameters)?;
        Some(Recipe {
            k: Some(k),
            ..recipe
        })
    };
    [2, 3, 5, 10].into_iter().filter_map(recipe).collect()
}

/// The last (`top`) or first categories of ordered columns become one, 2 to 7 of them.
fn ends(cells: &Cells, end: &str) -> Vec<Recipe> {
    let bounds = |merged: usize| {
        let mut section = Section::new(end, 0..0);
        for (place, name) in cells.names().enumerate() {
            let categories = cells.categories[place].as_ref();
            let ordered = categories.filter(|_| cells.is_ordered(place));
            if let Some(categories) = ordered.filter(|all| all.len() > merged) {
                let bound = match end {
                    "top" => &categories[categories.len() - merged],
                    _ => &categories[merged - 1],
                };
                section.put(name, bound.as_str());
            }
        }
        section
    };
    let recipe = |merged: usize| {
        let bounds = bounds(merged);
        bounds.values().next()?;
        let label = format!("recoding {end} {merged}");
        recipe(label, "recoding", vec![(end, Value::from(bounds))])
    };
    (2..=7).filter_map(recipe).collect()
}

/// The rarest categories of every column become one, 2 to 7 of them (global recoding).
fn merged(cells: &Cells) -> Vec<Recipe> {
    let recipe = |merged: usize| {
        let mut levels = Section::new("levels", 0..0);
        let mut hierarchies = Vec::new();
        for (place, name) in cells.names().enumerate() {
            let Some(categories) = cells.categories[place].as_ref() else {
                continue;
            };
            if categories.len() > merged {
                let counts = cells.counts(place);
                let mut rarest: Vec<usize> = (0..categories.len()).collect();
                rarest.sort_by_key(|&code| (counts[code], code));
                rarest.truncate(merged);
                hierarchies.push((place, joined(categories, &rarest)));
                levels.put(name, 1_u32);
            }
        }
        levels.values().next()?;
        let label = format!("recoding rarest {merged}");
        let recipe = recipe(label, "recoding", vec![("levels", Value::from(levels))])?;
        Some(Recipe {
            hierarchies,
            ..recipe
        })
    };
    (2..=7).filter_map(recipe).collect()
}

/// A hierarchy in which some categories go to one node and each other one to its own.
fn joined(categories: &[String], together: &[usize]) -> HierarchySpec {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let row = |(code, text): (usize, &String)| {
        let node = match together.contains(&code) {
            true => "node of the rarest".to_owned(),
            false => format!("node of {code}"),
        };
        format!("{};{};*\n", quoted(text), quoted(&node))
    };
    HierarchySpec::Table(HierarchyTable {
        name: PathBuf::from("the rarest categories as one"),
        text: categories.iter().enumerate().map(row).collect(),
    })
}
