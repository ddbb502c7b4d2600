//! Classes that are released as one: what they show is widened until it covers all of them.

use super::cells::SUPPRESSED;
use crate::data::{Batch, Categories, Column, Domain, Domains, Region, Role};
use crate::engine::shown::covered_as_text;
use crate::error::Result;
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// The rows with one appearance for each component; rows that are [`SUPPRESSED`] are left out.
pub(crate) fn joined(rows: &Batch, components: &[u32], domains: &Domains) -> Result<Batch> {
    let kept = (0..rows.len() as u32).filter(|&row| components[row as usize] != SUPPRESSED);
    let kept: Vec<u32> = kept.collect();
    let components: Vec<u32> = kept.iter().map(|&row| components[row as usize]).collect();
    let rows = covered_as_text(&rows.take(&kept)?)?;
    let mut columns = rows.columns().to_vec();
    for (field, column) in rows.schema().fields().iter().zip(&mut columns) {
        if let (Role::Quasi, Column::Category(cells)) = (field.role, &*column) {
            let domain = domains.require(&field.name)?;
            *column = Column::Category(widened(cells, &components, domain));
        }
    }
    Batch::new(rows.schema().clone(), rows.rows().clone(), columns)
}

/// What one column shows of each component.
fn widened(cells: &Categories, components: &[u32], domain: &Domain) -> Categories {
    let mut shown: HashMap<u32, Vec<Option<&str>>, FixedState> = HashMap::default();
    for (row, component) in components.iter().enumerate() {
        let texts = shown.entry(*component).or_default();
        let text = cells.get(row);
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    let shown: HashMap<u32, Option<String>, FixedState> = shown
        .into_iter()
        .map(|(component, texts)| (component, hull(&texts, domain)))
        .collect();
    components
        .iter()
        .map(|component| shown[component].as_deref())
        .collect()
}

/// The text that covers all of these.
fn hull(texts: &[Option<&str>], domain: &Domain) -> Option<String> {
    if let [text] = texts {
        return text.map(str::to_owned);
    }
    let regions = texts.iter().map(|text| Region::parse(*text, domain));
    let regions = regions.map(|region| region.unwrap_or(Region::Any));
    let hull = regions.reduce(|a, b| join(a, b, domain));
    hull.unwrap_or(Region::Any).text(domain)
}

fn join(a: Region, b: Region, domain: &Domain) -> Region {
    match (a, b) {
        (a, b) if a == b => a,
        (Region::Interval(low, high), Region::Interval(from, to)) => {
            Region::Interval(low.min(from), high.max(to))
        }
        (Region::Set(mut codes), Region::Set(others)) => {
            codes.extend(others);
            codes.sort_unstable();
            codes.dedup();
            Region::Set(codes)
        }
        (Region::Node(level, node), Region::Node(other_level, other)) => {
            let Some(tree) = &domain.hierarchy else {
                return Region::Any;
            };
            let [a, b] =
                [(level, node), (other_level, other)].map(|(l, n)| tree.leaves_under(l, n));
            let (first, last) = (a.start.min(b.start), a.end.max(b.end).saturating_sub(1));
            match tree.lowest_common(first, last) {
                (level, _) if level + 1 == tree.level_count() => Region::Any,
                (level, node) => Region::Node(level, node),
            }
        }
        // Missing and present, or regions of two kinds.
        _ => Region::Any,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::hierarchy::Hierarchy;
    use crate::data::{Levels, Scale};
    use std::sync::Arc;

    fn numbers() -> Domain {
        Domain {
            scale: Scale::Number {
                low: 0.0,
                high: 100.0,
                date: None,
            },
            hierarchy: None,
        }
    }

    fn words(chains: &[Vec<&str>]) -> Domain {
        let levels: Levels = ["a", "b", "c", "d"].into_iter().collect();
        Domain {
            scale: Scale::Category {
                levels: Arc::new(levels),
                ordered: false,
            },
            hierarchy: (!chains.is_empty())
                .then(|| Arc::new(Hierarchy::from_chains(chains).expect("a tree"))),
        }
    }

    #[test]
    fn hulls_cover_all_that_was_shown() {
        let check = |domain: &Domain, texts: &[Option<&str>], expected: Option<&str>| {
            assert_eq!(hull(texts, domain).as_deref(), expected, "{texts:?}");
        };
        let numbers = numbers();
        check(&numbers, &[Some("1..2"), Some("5")], Some("1..5"));
        check(
            &numbers,
            &[Some("1..9"), Some("2..3"), Some("1..4")],
            Some("1..9"),
        );
        check(&numbers, &[Some("1..2"), None], Some("*"));
        check(&numbers, &[Some("1..2"), Some("*")], Some("*"));
        check(&numbers, &[Some("1..2")], Some("1..2"));
        let plain = words(&[]);
        check(&plain, &[Some("a"), Some("{b|c}")], Some("{a|b|c}"));
        check(&plain, &[None, Some("a")], Some("*"));
        let tree = words(&[
            vec!["a", "left", "*"],
            vec!["b", "left", "*"],
            vec!["c", "right", "*"],
            vec!["d", "right", "*"],
        ]);
        check(&tree, &[Some("a"), Some("b")], Some("left"));
        check(&tree, &[Some("left"), Some("b")], Some("left"));
        check(&tree, &[Some("a"), Some("right")], Some("*"));
    }
}
