//! Reads `[levels]`: nested releases of one table, written from the least to the most protected.
//!
//! Each level must hide persons among more others than the one before, and the
//! first among at least as many as `[guarantee]` promises; otherwise a reader
//! of a higher level would see more than one of a lower level.

use super::guarantee::K;
use crate::config::{Absent, Parameter, Placed, Section};
use crate::engine::Level;
use crate::error::{Error, Result};
use std::ops::Range;

/// The keys of a level.
pub(super) const KEYS: &[Parameter] = &[Parameter {
    absent: Absent::Refused,
    ..K
}];

/// Reads the levels; `least` is the k of the guarantee.
pub(super) fn read(mut section: Section, least: Option<u32>) -> Result<Vec<Level>> {
    let mut levels: Vec<Level> = Vec::new();
    for (name, span) in section.keys() {
        let Some(placed) = section.take_named(&name) else {
            continue;
        };
        let level = read_level(name, &span, placed)?;
        check_order(&level, levels.last(), least).map_err(|e| e.at(span))?;
        levels.push(level);
    }
    match levels.is_empty() {
        true => Err(section
            .error("[levels] is empty")
            .help("add a level such as researcher = { k = 5 }, or take the table out")),
        false => Ok(levels),
    }
}

/// The section as [`read`] reads it.
pub(super) fn written(levels: &[Level]) -> Section {
    let mut section = Section::default();
    for level in levels {
        let mut table = Section::default();
        table.set(&K, level.k);
        section.put(&level.name, table);
    }
    section
}

fn read_level(name: String, span: &Range<usize>, placed: Placed) -> Result<Level> {
    let mut section = placed.table(&name)?.clone();
    let k = section.optional(&K, Placed::whole)?.ok_or_else(|| {
        Error::policy(format!("level `{name}` has no k"))
            .at(span.clone())
            .help("write { k = 5 }")
    })?;
    section.finish()?;
    Ok(Level { name, k })
}

fn check_order(level: &Level, before: Option<&Level>, least: Option<u32>) -> Result<()> {
    let Level { name, k } = level;
    match (before, least) {
        (Some(before), _) if *k <= before.k => Err(Error::policy(format!(
            "level `{name}` has k={k}, not more than the {} of `{}` before it",
            before.k, before.name
        ))
        .help("write the levels from the least to the most protected")),
        (None, Some(least)) if *k < least => Err(Error::policy(format!(
            "level `{name}` has k={k}, less than the k={least} of [guarantee]"
        ))
        .help("raise it, or lower the k of the guarantee")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse;
    use super::*;

    fn levels(text: &str, least: Option<u32>) -> Result<Vec<Level>> {
        let mut top = parse(&format!("[levels]\n{text}"))?;
        let section = top
            .optional_table(&super::super::schema::LEVELS)?
            .expect("a table");
        read(section, least)
    }

    #[test]
    fn levels_keep_the_order_of_the_policy() {
        let read = levels("researcher = { k = 5 }\nexternal = { k = 25 }", Some(5));
        let level = |name: &str, k| Level {
            name: name.to_owned(),
            k,
        };
        assert_eq!(
            read.expect("in order"),
            [level("researcher", 5), level("external", 25)]
        );
        assert!(levels("a = { k = 2 }", None).is_ok());
    }

    #[test]
    fn levels_that_do_not_protect_more_and_more_are_refused() {
        for (text, what) in [
            ("a = { k = 5 }\nb = { k = 5 }", "not more than the 5 of `a`"),
            ("a = { k = 9 }\nb = { k = 6 }", "not more than the 9 of `a`"),
            ("a = { k = 4 }", "less than the k=5 of [guarantee]"),
            ("a = { k = 1 }", "`k` must be a whole number"),
            ("a = {}", "level `a` has no k"),
            ("a = 5", "`levels.a` is a whole number, not a table"),
            ("a = { k = 5, l = 2 }", "unknown key `l`"),
            ("a = { k = 5 }\na = { k = 6 }", "duplicate key"),
            ("", "[levels] is empty"),
        ] {
            let error = levels(text, Some(5)).expect_err(text);
            assert_eq!(error.exit_code(), 3);
            assert!(error.to_string().contains(what), "{error}");
        }
    }
}
