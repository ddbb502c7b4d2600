//! Fetches keys, hierarchies, matrices and populations from where a policy says that they are.

use super::{Policy, Root};
use crate::config::{Placed, Value};
use crate::data::hierarchy::parse_file;
use crate::data::{Batch, ReadAs, Role};
use crate::engine::{Action, Context, KeyPlace, Keys, Plan, Progress};
use crate::error::{Error, Result};
use crate::io::{self, ColumnPlan, Files, ReadOptions};
use crate::protect::Method;
use crate::protect::identifiers::Key;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

impl Policy {
    /// What a session of this policy needs, with all keys that the policy names.
    ///
    /// # Errors
    /// When a key is not there or too short.
    pub fn context(&self, progress: &Progress) -> Result<Context> {
        Ok(Context {
            keys: self.keys()?,
            population: self.population()?.map(Arc::new),
            progress: progress.clone(),
            cancel: progress.cancel().clone(),
            measure_all: self.report.is_some(),
            ..Context::default()
        })
    }

    /// The plan, with what hierarchy files hold in place of the files.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn loaded_plan(&self) -> Result<Plan> {
        let mut plan = self.plan.clone();
        load_hierarchies(&mut plan, &self.files)?;
        Ok(plan)
    }

    /// The quasi-identifiers of the population that the guarantee names, read like the source.
    ///
    /// # Errors
    /// When the file cannot be read, or lacks one of them.
    pub(crate) fn population(&self) -> Result<Option<Batch>> {
        let Some(path) = self.plan.guarantee.population() else {
            return Ok(None);
        };
        let options = ReadOptions {
            progress: None,
            stream: false,
            ..self.source.options.clone()
        };
        let names = io::names(path, &options)?;
        let quasi = self.plan.columns.iter().filter(|c| c.role == Role::Quasi);
        if let Some(absent) = quasi.clone().find(|column| !names.contains(&column.name)) {
            let what = format!("the population has no column `{}`", absent.name);
            return Err(Error::input(what)
                .in_file(path)
                .help("it needs all quasi-identifiers, under the names that the source has"));
        }
        let read = |name: String| match quasi.clone().find(|column| column.name == name) {
            Some(column) => column.plan(),
            None => ColumnPlan {
                name,
                role: Role::Drop,
                read: ReadAs::Skip,
            },
        };
        let plans: Vec<ColumnPlan> = names.into_iter().map(read).collect();
        let source = io::open(path, &options, &plans)?;
        let schema = Arc::clone(source.schema());
        let rows = Batch::concat(&schema, source.collect::<Result<Vec<_>>>()?)?;
        Ok(Some(rows))
    }

    /// The key from which fakes are drawn, where the policy names one.
    ///
    /// # Errors
    /// When it is not there or too short.
    pub(crate) fn fakes_key(&self) -> Result<Option<Key>> {
        let fakes = self.plan.stream().and_then(|config| config.fakes.as_ref());
        let place = fakes.and_then(|fakes| fakes.key.as_deref());
        place
            .map(|place| self.load_key(&KeyPlace::named(place)))
            .transpose()
    }

    /// Fetches a key that the policy names.
    ///
    /// # Errors
    /// When it is not there or too short.
    pub(crate) fn load_key(&self, place: &KeyPlace) -> Result<Key> {
        self.secrets.load(place, &self.files)
    }

    /// The same as text.
    ///
    /// # Errors
    /// When it is not there.
    pub(crate) fn load_text(&self, place: &KeyPlace) -> Result<Vec<u8>> {
        self.secrets.load_text(place, &self.files)
    }

    /// The keys of all pseudonyms.
    ///
    /// # Errors
    /// When one is not there or too short.
    fn keys(&self) -> Result<Keys> {
        let mut keys = Keys::default();
        for column in &self.plan.columns {
            if let Action::Pseudonym { key, .. } = &column.action {
                let loaded = self.load_key(key).map_err(|e| e.at(column.span.clone()))?;
                keys.insert(key.clone(), loaded);
            }
        }
        let fakes = self.plan.stream().and_then(|config| config.fakes.as_ref());
        if let Some(place) = fakes.and_then(|fakes| fakes.key.as_deref()) {
            let place = KeyPlace::named(place);
            keys.insert(place.clone(), self.load_key(&place)?);
        }
        Ok(keys)
    }
}

/// Puts what hierarchy files hold in place of the files.
pub(super) fn load_hierarchies(plan: &mut Plan, files: &Files) -> Result<()> {
    let read = |path: &Path| files.read(path).map_err(|e| Error::io("read", path, e));
    for column in &mut plan.columns {
        if let Some(rule) = &mut column.hierarchy {
            *rule = rule
                .loaded_by(read)
                .map_err(|e| e.at(column.span.clone()))?;
        }
    }
    Ok(())
}

/// Puts what files of matrices hold into a method.
pub(super) fn load_matrices(method: &mut Method, root: &Root, span: &Range<usize>) -> Result<()> {
    let loaded = method.load(|file| {
        let placed = Placed {
            value: Value::Text(file.display().to_string()),
            span: span.clone(),
        };
        let path = root.resolve(&placed, &file.display().to_string())?;
        let bytes = root.files().read(&path);
        let bytes = bytes.map_err(|e| Error::io("read", &path, e))?;
        let lines = parse_file(&path, bytes)?;
        Ok((path, lines))
    });
    loaded.map_err(|error| error.at(span.clone()))
}
