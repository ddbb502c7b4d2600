//! Reads `[levels]`: nested releases of one table, written from the least to the most protected.
//!
//! Each level must hide persons among more others than the one before, and the
//! first among at least as many as `[guarantee]` promises; otherwise a reader
//! of a higher level would see more than one of a lower level.

use super::Policy;
use super::guarantee::K;
use crate::config::{Absent, Parameter, Placed, Section};
use crate::engine::Level;
use crate::error::{Error, Result};
use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The keys of a level.
pub(super) const KEYS: &[Parameter] = &[Parameter {
    absent: Absent::Refused,
    ..K
}];

impl Policy {
    /// The policy of each level alone, from the least to the most protected; of a policy without
    /// levels, itself.
    pub fn of_levels(&self) -> Vec<Policy> {
        match self.plan.levels.is_empty() {
            true => vec![self.clone()],
            false => self
                .plan
                .levels
                .iter()
                .map(|level| self.at(level))
                .collect(),
        }
    }

    /// The policy of the level called `name` alone.
    ///
    /// # Errors
    /// When there is none.
    pub fn at_level(&self, name: &str) -> Result<Policy> {
        let level = self.plan.levels.iter().find(|level| level.name == name);
        level.map(|level| self.at(level)).ok_or_else(|| {
            let names: Vec<&str> = self.plan.levels.iter().map(|l| &*l.name).collect();
            let help = match names.is_empty() {
                true => "the policy has no [levels]".to_owned(),
                false => format!("its levels are {}", names.join(", ")),
            };
            Error::usage(format!("the policy has no level `{name}`")).help(help)
        })
    }

    /// The same promises with the k of the level, written to files with its name.
    fn at(&self, level: &Level) -> Policy {
        let mut policy = self.clone();
        policy.plan = self.plan.at(level);
        policy.level = Some(level.name.clone());
        if let Some(sink) = &mut policy.sink {
            sink.path = named(&sink.path, &level.name);
            sink.matrices = sink.matrices.as_ref().map(|path| named(path, &level.name));
            let shown = named(Path::new(&sink.shown), &level.name);
            sink.shown = shown.display().to_string();
        }
        let places = [
            policy.report.as_mut(),
            policy.manifest.as_mut().map(|manifest| &mut manifest.path),
        ];
        for path in places.into_iter().flatten() {
            *path = named(path, &level.name);
        }
        policy
    }

    /// Refuses a policy of several releases where one is looked at.
    ///
    /// # Errors
    /// When it has levels.
    pub(crate) fn refuse_levels(&self, what: &str) -> Result<()> {
        match self.plan.levels.first() {
            None => Ok(()),
            Some(level) => Err(Error::policy(format!(
                "{what} looks at one release, and this policy makes one for each of its [levels]"
            ))
            .help(format!(
                "take [levels] out of a copy and give it the k of one, such as {} of `{}`; made alone it need not lie inside of others",
                level.k, level.name
            ))),
        }
    }

    /// What does not go with levels besides what the plan knows.
    pub(super) fn check_levels(&self) -> Result<()> {
        if self.plan.levels.is_empty() {
            return Ok(());
        }
        if let Some(goal) = &self.goal {
            return Err(
                Error::policy("a [goal] looks for one release, and [levels] are several")
                    .at(goal.span.clone())
                    .help("take one of them out"),
            );
        }
        let standard = |path: &Path| path == Path::new("-");
        match self.sink.as_ref().is_some_and(|sink| standard(&sink.path)) {
            true => Err(
                Error::policy("levels are files, and [sink] is standard output")
                    .help("give [sink] the path of a file: each level adds its name to it"),
            ),
            false => Ok(()),
        }
    }
}

/// A path with the name of a level: `out/release.csv` becomes `out/release-external.csv`.
fn named(path: &Path, level: &str) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let hidden = name.len() - name.trim_start_matches('.').len();
    let stem = name[hidden..]
        .find('.')
        .map_or(name.len(), |dot| hidden + dot);
    let (stem, endings) = name.split_at(stem);
    path.with_file_name(OsString::from(format!("{stem}-{level}{endings}")))
}

/// Reads the levels; `least` is the k of the guarantee.
pub(super) fn read(mut section: Section, least: Option<u32>) -> Result<Vec<Level>> {
    let mut levels: Vec<Level> = Vec::new();
    for (name, span) in section.keys() {
        let Some(placed) = section.take_named(&name) else {
            continue;
        };
        let level = read_level(name, &span, placed)?;
        let same = |other: &&Level| other.name.eq_ignore_ascii_case(&level.name);
        if let Some(other) = levels.iter().find(same) {
            let what = format!(
                "`{}` and `{}` are one file on some disks",
                other.name, level.name
            );
            return Err(Error::policy(what).at(span).help("give one another name"));
        }
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
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if name.is_empty() || !name.chars().all(plain) {
        let what = "the name of a level becomes part of file names";
        return Err(Error::policy(what)
            .at(span.clone())
            .help("use letters without accents, digits, - and _"));
    }
    let mut section = placed.table(&format!("levels.{name}"))?.clone();
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
    fn a_level_adds_its_name_to_a_file_before_its_endings() {
        for (path, expected) in [
            ("out/release.csv", "out/release-x.csv"),
            ("release.csv.gz", "release-x.csv.gz"),
            ("release", "release-x"),
            (".hidden.csv", ".hidden-x.csv"),
            ("a.b/c.parquet", "a.b/c-x.parquet"),
        ] {
            assert_eq!(named(Path::new(path), "x"), Path::new(expected));
        }
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
            ("\"../a\" = { k = 5 }", "part of file names"),
            ("\"a b\" = { k = 5 }", "part of file names"),
            ("a = { k = 5 }\nA = { k = 6 }", "one file on some disks"),
        ] {
            let error = levels(text, Some(5)).expect_err(text);
            assert_eq!(error.exit_code(), 3);
            assert!(error.to_string().contains(what), "{error}");
        }
    }
}
