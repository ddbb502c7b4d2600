//! What a released value says: one value, an interval, a set, a node, anything, or missing.
//!
//! The text of a region is the release format of moretta, read by the checker
//! and the measures and by people:
//!
//! | region | text |
//! |---|---|
//! | one value | `39`, `Private` |
//! | closed interval of numbers or dates | `30..39`, `2024-01-03..2024-02-11` |
//! | at least, at most | `90..`, `..17` |
//! | run of ordered categories | `low..mid` |
//! | set of categories | `{Private\|State-gov}` |
//! | node of a hierarchy | its label |
//! | anything, also a missing value | `*` |
//! | missing | an empty cell |

use super::TOP;
use super::domain::{Domain, Scale};
use std::fmt::Write;

/// What a released value says about the original one.
#[derive(Clone, Debug, PartialEq)]
pub enum Region {
    /// The original is missing too.
    Missing,
    /// Anything, also a missing value.
    Any,
    /// A number between these, both included; an end that is infinite is open.
    Interval(f64, f64),
    /// One of these category codes, ascending.
    Set(Vec<u32>),
    /// Any leaf under this node of the hierarchy (level, node).
    Node(usize, u32),
}

/// An original value of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// No value.
    Missing,
    /// A number, or the day of a date.
    Number(f64),
    /// A category: its code and text.
    Category(u32, &'a str),
}

impl Region {
    /// Reads the text of a released value; `None` when it says nothing the domain knows.
    pub fn parse(text: Option<&str>, domain: &Domain) -> Option<Region> {
        let Some(text) = text else {
            return Some(Region::Missing);
        };
        if let Some(hierarchy) = &domain.hierarchy
            && let Some((level, node)) = hierarchy.find(text)
            && text != TOP
        {
            return Some(Region::Node(level, node));
        }
        if text == TOP {
            return Some(Region::Any);
        }
        match &domain.scale {
            Scale::Number { date, .. } => {
                let number = |text: &str| match date {
                    Some(format) => format.parse(text).map(f64::from),
                    None => text.parse::<f64>().ok().filter(|n| n.is_finite()),
                };
                if let Some(n) = number(text) {
                    return Some(Region::Interval(n, n));
                }
                let (low, high) = match text.split_once("..")? {
                    ("", "") => return None,
                    ("", high) => (f64::NEG_INFINITY, number(high)?),
                    (low, "") => (number(low)?, f64::INFINITY),
                    (low, high) => (number(low)?, number(high)?),
                };
                (low <= high).then_some(Region::Interval(low, high))
            }
            Scale::Category { levels, ordered } => {
                let code = |text: &str| levels.find(text);
                if let Some(code) = code(text) {
                    return Some(Region::Set(vec![code]));
                }
                if let Some(listed) = Region::listed(text) {
                    let mut codes = listed
                        .iter()
                        .map(|t| code(t))
                        .collect::<Option<Vec<u32>>>()?;
                    codes.sort_unstable();
                    return Some(Region::Set(codes));
                }
                if !ordered {
                    return None;
                }
                let (low, high) = text.split_once("..")?;
                let (low, high) = (code(low)?, code(high)?);
                (low <= high).then(|| Region::Set((low..=high).collect()))
            }
        }
    }

    /// The categories of a set as it is released, `{a|b}`; `None` where the text is none.
    pub fn listed(text: &str) -> Option<Vec<String>> {
        let inner = text.strip_prefix('{')?.strip_suffix('}')?;
        Some(split_set(inner))
    }

    /// Whether it is an interval without one of its ends.
    pub fn is_open(&self) -> bool {
        matches!(self, Region::Interval(low, high) if low.is_infinite() || high.is_infinite())
    }

    /// The text that is released.
    pub fn text(&self, domain: &Domain) -> Option<String> {
        match (self, &domain.scale) {
            (Region::Missing, _) => None,
            (Region::Any, _) => Some(TOP.to_owned()),
            (Region::Node(level, node), _) => domain
                .hierarchy
                .as_ref()
                .map(|h| h.label(*level, *node).to_owned()),
            (Region::Interval(low, high), scale) => {
                let date = match scale {
                    Scale::Number { date, .. } => *date,
                    Scale::Category { .. } => None,
                };
                let show = |n: f64| match date {
                    _ if n.is_infinite() => String::new(),
                    Some(format) => format.format(n as i32),
                    None => n.to_string(),
                };
                Some(if low == high {
                    show(*low)
                } else {
                    format!("{}..{}", show(*low), show(*high))
                })
            }
            (Region::Set(codes), Scale::Category { levels, ordered }) => {
                Some(set_text(codes, *ordered, |code| levels.get(code)))
            }
            (Region::Set(_), Scale::Number { .. }) => None,
        }
    }

    /// Whether it covers every value that `other` covers, as far as the domain can tell.
    pub fn contains(&self, other: &Region, domain: &Domain) -> bool {
        match (self, other) {
            (Region::Any, _) => true,
            (Region::Interval(low, high), Region::Interval(from, to)) => low <= from && to <= high,
            (Region::Set(codes), Region::Set(others)) => {
                others.iter().all(|code| codes.binary_search(code).is_ok())
            }
            (Region::Node(level, node), Region::Node(other_level, other)) => {
                domain.hierarchy.as_ref().is_some_and(|tree| {
                    let (outer, inner) = (
                        tree.leaves_under(*level, *node),
                        tree.leaves_under(*other_level, *other),
                    );
                    outer.start <= inner.start && inner.end <= outer.end
                })
            }
            (Region::Node(level, node), Region::Interval(low, high)) if low == high => {
                covers_leaf(domain, *level, *node, &domain.number_text(*low))
            }
            (Region::Node(level, node), Region::Set(codes)) => match &domain.scale {
                Scale::Category { levels, .. } => codes
                    .iter()
                    .all(|&code| covers_leaf(domain, *level, *node, levels.get(code))),
                Scale::Number { .. } => false,
            },
            (Region::Set(_) | Region::Interval(..), Region::Node(level, node)) => {
                domain.hierarchy.as_ref().is_some_and(|tree| {
                    let mut leaves = tree.leaves_under(*level, *node);
                    leaves.all(|leaf| self.covers_text(tree.label(0, leaf), domain))
                })
            }
            (one, other) => one == other,
        }
    }

    /// Whether it covers the value that stands as `text` in a file.
    fn covers_text(&self, text: &str, domain: &Domain) -> bool {
        match (self, &domain.scale) {
            (Region::Set(codes), Scale::Category { levels, .. }) => {
                let code = levels.find(text);
                code.is_some_and(|code| codes.binary_search(&code).is_ok())
            }
            (Region::Interval(low, high), Scale::Number { date, .. }) => {
                let number = match date {
                    Some(format) => format.parse(text).map(f64::from),
                    None => text.parse::<f64>().ok(),
                };
                number.is_some_and(|number| *low <= number && number <= *high)
            }
            _ => false,
        }
    }

    /// Whether a row with this original value may be released with this region.
    pub fn covers(&self, value: Value<'_>, domain: &Domain) -> bool {
        match (self, value) {
            (Region::Any, _) | (Region::Missing, Value::Missing) => true,
            (Region::Interval(low, high), Value::Number(n)) => *low <= n && n <= *high,
            (Region::Set(codes), Value::Category(code, _)) => codes.binary_search(&code).is_ok(),
            (Region::Node(level, node), Value::Category(_, text)) => {
                covers_leaf(domain, *level, *node, text)
            }
            (Region::Node(level, node), Value::Number(n)) => {
                covers_leaf(domain, *level, *node, &domain.number_text(n))
            }
            _ => false,
        }
    }
}

impl Domain {
    /// A number as it stands in a file.
    pub fn number_text(&self, n: f64) -> String {
        match &self.scale {
            Scale::Number {
                date: Some(format), ..
            } => format.format(n as i32),
            _ => (n + 0.0).to_string(),
        }
    }
}

fn covers_leaf(domain: &Domain, level: usize, node: u32, text: &str) -> bool {
    domain.hierarchy.as_ref().is_some_and(|h| {
        h.leaf(text)
            .is_some_and(|leaf| h.leaves_under(level, node).contains(&leaf))
    })
}

fn set_text<'a>(codes: &[u32], ordered: bool, level: impl Fn(u32) -> &'a str) -> String {
    match codes {
        [one] => level(*one).to_owned(),
        [low, .., high] if ordered => format!("{}..{}", level(*low), level(*high)),
        _ => {
            let mut text = String::from("{");
            for (i, &code) in codes.iter().enumerate() {
                if i > 0 {
                    text.push('|');
                }
                for c in level(code).chars() {
                    if matches!(c, '|' | '\\') {
                        text.push('\\');
                    }
                    let _ = text.write_char(c);
                }
            }
            text.push('}');
            text
        }
    }
}

fn split_set(inner: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        let last = parts.len() - 1;
        match c {
            '\\' => parts[last].extend(chars.next()),
            '|' => parts.push(String::new()),
            c => parts[last].push(c),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::hierarchy::Hierarchy;
    use crate::data::{DateFormat, Levels};
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

    fn categories(ordered: bool) -> Domain {
        let levels: Levels = ["a", "b|\\", "c", "d", "e"].iter().collect();
        Domain {
            scale: Scale::Category {
                levels: Arc::new(levels),
                ordered,
            },
            hierarchy: None,
        }
    }

    fn check(region: Region, domain: &Domain, text: Option<&str>) {
        assert_eq!(region.text(domain).as_deref(), text);
        assert_eq!(Region::parse(text, domain), Some(region));
    }

    #[test]
    fn text_and_region_are_the_same() {
        check(Region::Interval(-5.0, -1.5), &numbers(), Some("-5..-1.5"));
        check(Region::Interval(7.0, 7.0), &numbers(), Some("7"));
        check(
            Region::Interval(90.0, f64::INFINITY),
            &numbers(),
            Some("90.."),
        );
        check(
            Region::Interval(f64::NEG_INFINITY, 17.0),
            &numbers(),
            Some("..17"),
        );
        check(Region::Any, &numbers(), Some("*"));
        check(Region::Missing, &numbers(), None);
        check(
            Region::Set(vec![1, 3]),
            &categories(false),
            Some("{b\\|\\\\|d}"),
        );
        check(Region::Set(vec![0]), &categories(false), Some("a"));
        check(Region::Set(vec![2, 3, 4]), &categories(true), Some("c..e"));
    }

    #[test]
    fn dates_are_intervals_of_days() {
        let domain = Domain {
            scale: Scale::Number {
                low: 0.0,
                high: 10.0,
                date: Some(DateFormat::ISO),
            },
            hierarchy: None,
        };
        check(
            Region::Interval(0.0, 5.0),
            &domain,
            Some("1970-01-01..1970-01-06"),
        );
    }

    #[test]
    fn a_node_covers_its_leaves_only() {
        let rows = [
            ["a", "x", "*"],
            ["b", "x", "*"],
            ["c", "y", "*"],
            ["d", "y", "*"],
        ];
        let chains: Vec<Vec<&str>> = rows.iter().map(|r| r.to_vec()).collect();
        let domain = Domain {
            scale: Scale::Category {
                levels: Arc::new(["a", "b", "c", "d"].iter().collect()),
                ordered: false,
            },
            hierarchy: Some(Arc::new(Hierarchy::from_chains(&chains).expect("a tree"))),
        };
        check(Region::Node(1, 0), &domain, Some("x"));
        check(Region::Node(0, 2), &domain, Some("c"));
        assert!(Region::Node(1, 0).covers(Value::Category(1, "b"), &domain));
        assert!(!Region::Node(1, 0).covers(Value::Category(2, "c"), &domain));
        assert!(!Region::Node(1, 0).covers(Value::Missing, &domain));
        assert!(Region::Any.covers(Value::Missing, &domain));
    }

    #[test]
    fn a_foreign_text_is_no_region() {
        for text in ["", "x", "..", "5..x", "9..1", "nan", "inf..", "5..inf"] {
            assert_eq!(Region::parse(Some(text), &numbers()), None, "{text}");
        }
        assert_eq!(Region::parse(Some("{a|z}"), &categories(false)), None);
        assert_eq!(Region::parse(Some("a..c"), &categories(false)), None);
    }
}
