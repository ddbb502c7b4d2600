//! Fetches keys, hierarchies, matrices and populations from where a policy says that they are.

use super::{Policy, Root};
use crate::config::{Placed, Value};
use crate::data::hierarchy::read_file;
use crate::data::{Batch, ReadAs, Role};
use crate::engine::{Action, Context, KeyPlace, Keys, Plan, Progress};
use crate::error::{Error, Result};
use crate::io::{self, ColumnPlan, ReadOptions};
use crate::protect::Method;
use crate::protect::identifiers::Key;
use std::ops::Range;
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
        load_hierarchies(&mut plan)?;
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
        let place = fakes.and_then(|fakes| fakes.key.clone());
        place
            .map(|name| load(&KeyPlace::Environment(name)))
            .transpose()
    }

    /// The keys of all pseudonyms.
    ///
    /// # Errors
    /// When one is not there or too short.
    fn keys(&self) -> Result<Keys> {
        let mut keys = Keys::default();
        for column in &self.plan.columns {
            if let Action::Pseudonym { key, .. } = &column.action {
                let loaded = load(key).map_err(|e| e.at(column.span.clone()))?;
                keys.insert(key.clone(), loaded);
            }
        }
        let fakes = self.plan.stream().and_then(|config| config.fakes.as_ref());
        if let Some(name) = fakes.and_then(|fakes| fakes.key.clone()) {
            let place = KeyPlace::Environment(name);
            keys.insert(place.clone(), load(&place)?);
        }
        Ok(keys)
    }
}

/// Puts what hierarchy files hold in place of the files.
pub(super) fn load_hierarchies(plan: &mut Plan) -> Result<()> {
    for column in &mut plan.columns {
        if let Some(rule) = &mut column.hierarchy {
            *rule = rule.loaded().map_err(|e| e.at(column.span.clone()))?;
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
        let lines = read_file(&path)?;
        Ok((path, lines))
    });
    loaded.map_err(|error| error.at(span.clone()))
}

/// Fetches a key.
pub(crate) fn load(place: &KeyPlace) -> Result<Key> {
    Key::new(load_text(place)?)
}

/// Fetches the text of a key, without white space around it.
pub(crate) fn load_text(place: &KeyPlace) -> Result<Vec<u8>> {
    match place {
        KeyPlace::Environment(name) => match std::env::var(name) {
            Ok(text) => Ok(text.trim().as_bytes().to_vec()),
            Err(_) => Err(Error::policy(format!(
                "the environment variable {name} that holds the key is not set"
            ))
            .help(format!(
                "export {name}=\"$(openssl rand -hex 32)\" and keep it safe"
            ))),
        },
        KeyPlace::File(path) => {
            let text = std::fs::read(path).map_err(|e| Error::io("read", path, e))?;
            Ok(text.trim_ascii().to_vec())
        }
    }
}
