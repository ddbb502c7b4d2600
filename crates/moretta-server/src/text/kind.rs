//! The kinds of texts: what each must be before it is kept.

use super::compose::{Places, compose};
use crate::problem::{Place, Problem, Result};
use moretta::data::hierarchy::{HierarchySpec, HierarchyTable, Texts};
use moretta::data::{Kind, Levels};
use std::path::PathBuf;

/// Names that the server gives to files beside hierarchies.
const OURS: &[&str] = &["policy.toml", "report.html", "ledger"];

/// A kind of text.
pub trait TextKind: 'static {
    /// Its word, in the store and in the log.
    const WORD: &'static str;

    /// Holds a text against what the kind asks.
    ///
    /// # Errors
    /// With the place that is wrong, where there is one.
    fn check(name: &str, text: &str) -> Result<()>;
}

/// A hierarchy in the layout of ARX: no header, a row a value, most special first.
#[derive(Clone, Copy, Debug)]
pub enum Hierarchy {}

/// A policy without places.
#[derive(Clone, Copy, Debug)]
pub enum Policy {}

impl TextKind for Hierarchy {
    const WORD: &'static str = "hierarchy";

    fn check(name: &str, text: &str) -> Result<()> {
        let is_path = name.starts_with('.') || name.contains(['/', '\\', ':']);
        if is_path
            || OURS.contains(&name)
            || name.starts_with("data.")
            || name.starts_with("release.")
        {
            return Err(
                Problem::unusable("a hierarchy cannot be named as a place of the server")
                    .help("choose a name as `education.csv`, without / and \\"),
            );
        }
        let table = HierarchyTable {
            name: PathBuf::from(name),
            text: text.to_owned(),
        };
        let none: Levels = std::iter::empty::<String>().collect();
        let texts = Texts::of(&Kind::Category { ordered: false });
        let built = HierarchySpec::Table(table).build("", &none, texts);
        built.map(drop).map_err(|error| {
            let problem = Problem::from(error);
            let place = problem.place.or_else(|| line_of(&problem.what));
            problem.at(place)
        })
    }
}

/// The line that a sentence of the library names.
fn line_of(what: &str) -> Option<Place> {
    let (_, rest) = what.split_once("line ")?;
    let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    let line = digits.parse().ok()?;
    Some(Place { line, column: 1 })
}

impl TextKind for Policy {
    const WORD: &'static str = "policy";

    fn check(_: &str, text: &str) -> Result<()> {
        compose(text, &Places::of_data("data.csv")).map(drop)
    }
}
