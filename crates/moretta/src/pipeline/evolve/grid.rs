//! The grid of methods and parameters whose releases a search begins with. A method joins it by
//! a line in [`grid`].

use super::cells::Cells;
use crate::config::{Section, Value};
use crate::error::Result;
use crate::protect::{METHOD, Method, MethodInfo};

/// A method with its parameters, and what it is called.
pub(super) struct Recipe {
    pub(super) label: String,
    pub(super) method: Method,
    /// The k that is promised, for methods that make values coarser until it holds.
    pub(super) k: Option<u32>,
}

/// A recipe; none where this program has no such method, or there is nothing for it to do.
type Made = Result<Option<Recipe>>;

/// Every recipe for these columns.
///
/// # Errors
/// When one is not as its method reads it.
pub(super) fn grid(cells: &Cells) -> Result<Vec<Recipe>> {
    let mut made: Vec<Made> = Vec::new();
    made.extend(microaggregation(cells));
    made.extend(rank_swapping());
    match cells.are_categories() {
        true => {
            for which in ["top", "bottom", "rare"] {
                made.extend(merging(cells, which));
            }
            made.extend(pram());
            made.extend(mondrian(cells, "mode"));
        }
        false => {
            made.extend(noise());
            made.extend(mondrian(cells, "mean"));
        }
    }
    let made: Vec<Option<Recipe>> = made.into_iter().collect::<Result<_>>()?;
    Ok(made.into_iter().flatten().collect())
}

fn recipe(label: String, name: &str, parameters: Vec<(&str, Value)>) -> Made {
    if MethodInfo::find(name).is_none() {
        return Ok(None);
    }
    let mut section = Section::new("[[protect]]", 0..0);
    section.set(&METHOD, name);
    for (key, value) in parameters {
        section.put(key, value);
    }
    Ok(Some(Recipe {
        label,
        method: Method::read(section)?,
        k: None,
    }))
}

/// Groups of 2 to 10, in all columns together, in each by itself, in one beside the others, and
/// in one alone.
fn microaggregation(cells: &Cells) -> Vec<Made> {
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
            recipes.push(recipe(label, "microaggregation", parameters));
        }
    }
    recipes
}

fn rank_swapping() -> impl Iterator<Item = Made> {
    let percents = std::iter::once(1).chain((2..=20).step_by(2));
    percents.map(|percent| {
        let within = Value::from(format!("{percent}%"));
        let label = format!("rank-swapping {percent}%");
        recipe(label, "rank-swapping", vec![("within", within)])
    })
}

fn pram() -> impl Iterator<Item = Made> {
    (1..=9).map(|tenths| {
        let theta = f64::from(tenths) / 10.0;
        let parameters = vec![
            ("design", Value::from("equal-counts")),
            ("theta", Value::from(theta)),
        ];
        recipe(format!("pram theta={theta}"), "pram", parameters)
    })
}

fn noise() -> impl Iterator<Item = Made> {
    [0.02, 0.05, 0.1, 0.2, 0.4].into_iter().map(|amount| {
        let label = format!("noise {amount}");
        recipe(label, "noise", vec![("amount", Value::from(amount))])
    })
}

/// Classes of k whose values are shown as one of them.
fn mondrian(cells: &Cells, output: &str) -> Vec<Made> {
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
        Ok(recipe.map(|recipe| Recipe {
            k: Some(k),
            ..recipe
        }))
    };
    [2, 3, 5, 10].into_iter().map(recipe).collect()
}

/// So many categories of each column become one: the last (`top`) or first (`bottom`) of those that
/// have an order, or the rarest (`rare`, global recoding).
fn merging(cells: &Cells, which: &'static str) -> impl Iterator<Item = Made> {
    let merges = move |place: usize, merged: usize| {
        let categories = cells.categories[place].as_ref().map_or(0, Vec::len);
        categories > merged && (which == "rare" || cells.is_ordered(place))
    };
    (2..=7_usize).map(move |merged| {
        let mut columns = Section::new(which, 0..0);
        for (place, name) in cells.names().enumerate() {
            if merges(place, merged) {
                columns.put(name, merged);
            }
        }
        if columns.values().next().is_none() {
            return Ok(None);
        }
        let label = format!("merging {which} {merged}");
        recipe(label, "merging", vec![(which, Value::from(columns))])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_that_this_program_does_not_have_is_left_out_and_a_wrong_key_is_an_error() {
        let none = recipe("x".to_owned(), "no-such-method", Vec::new()).expect("left out");
        assert!(none.is_none());
        let k = ("k", Value::from(3_u32));
        let made = recipe("x".to_owned(), "microaggregation", vec![k.clone()]);
        assert!(made.expect("read").is_some());
        let wrong = recipe(
            "x".to_owned(),
            "microaggregation",
            vec![k, ("kk", true.into())],
        );
        assert!(wrong.is_err());
    }
}
