//! Columns that methods look at besides those that they change.

use super::{Action, ColumnPolicy, Plan};
use crate::data::{ReadAs, Role};
use crate::error::{Error, Result};

impl Plan {
    /// The column whose name is spelt most like this one.
    pub(super) fn nearest_column(&self, name: &str) -> Option<&str> {
        let known = self.columns.iter().map(|column| column.name.as_str());
        known.min_by_key(|known| strsim::damerau_levenshtein(name, known))
    }

    /// Columns that methods look at besides those that they change are there, and of a type; those
    /// that they compute are released.
    pub(super) fn check_reads(&self) -> Result<()> {
        for method in &self.protect {
            let remade = method.remakes();
            let dropped = |column: &&ColumnPolicy| {
                remade.contains(&column.name.as_str()) && column.action != Action::Keep
            };
            if let Some(column) = self.columns.iter().find(dropped) {
                return Err(Error::policy(format!(
                    "{} computes `{}`, which is not released",
                    method.name(),
                    column.name
                ))
                .at(column.span.clone())
                .help("give it the role plain"));
            }
            for name in method.reads().into_iter().chain(remade) {
                let Some(column) = self.column(name) else {
                    let what = format!(
                        "{} looks at `{name}`, which is not under [columns]",
                        method.name()
                    );
                    return Err(Error::policy(what).help(match self.nearest_column(name) {
                        Some(near) => format!("did you mean `{near}`? Else add it there"),
                        None => "add it there".to_owned(),
                    }));
                };
                let untyped = matches!(column.role, Role::Plain | Role::Identifier | Role::Key);
                let passes = match self.read_as(column) {
                    ReadAs::Plain => true,
                    ReadAs::Infer => untyped,
                    _ => false,
                };
                if passes {
                    return Err(Error::policy(format!(
                        "{} looks at `{name}`, which only passes through",
                        method.name()
                    ))
                    .at(column.span.clone())
                    .help("give it a type: number, category or date"));
                }
            }
        }
        Ok(())
    }
}
