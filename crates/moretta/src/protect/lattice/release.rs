//! Searches the lattice of a table and releases the node that was found.

use super::attribute::Attribute;
use super::encode::encode;
use super::judge::{Judge, Rows};
use super::metric::Measured;
use super::node::{MOST_COLUMNS, Node, Shape};
use super::search::{Evaluation, Found, Search};
use super::{Lattice, SearchKind};
use crate::data::{Batch, Role, Schema};
use crate::error::{Error, Result};
use crate::protect::Setting;
use crate::protect::generalization::{FullDomain, Generalization};
use crate::protect::limits::Limits;
use crate::protect::solutions::{Solution, Solutions};
use crate::protect::table::{Release, TableMethod, quasi_as_text};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Nodes that the result lists.
const LISTED: usize = 100;

pub(super) struct Ready {
    pub(super) config: Lattice,
    pub(super) setting: Setting,
}

impl TableMethod for Ready {
    fn schema(&self, original: &Schema) -> Result<Schema> {
        let quasi = original.with_role(Role::Quasi);
        if quasi.is_empty() {
            return Err(Error::policy(
                "no column has the role `quasi`; there is nothing to generalise",
            ));
        }
        if quasi.len() > MOST_COLUMNS {
            return Err(
                Error::policy(format!("more than {MOST_COLUMNS} quasi-identifiers"))
                    .help("use method = \"mondrian\""),
            );
        }
        for name in self.config.levels.keys() {
            let place = original.index_of(name);
            if place.map(|i| original.fields()[i].role) != Some(Role::Quasi) {
                return Err(Error::policy(format!(
                    "`levels` names `{name}`, which is no quasi-identifier"
                )));
            }
        }
        quasi_as_text(original)
    }

    fn release(&self, table: &Batch) -> Result<Release> {
        let limits = Limits::new(&self.setting.guarantee, table, &self.setting.domains)?;
        if let Some(error) = limits.refusal(table.len(), true) {
            return Err(error);
        }
        let searched = self.search(table, &limits)?;
        let mut solutions = searched.solutions(self.config.metric.name());
        // What is suppressed shifts what classes are compared with, which may cost more rows than
        // there are left; then the next best node is tried.
        let mut refusal = None;
        for place in 0..solutions.best.len() {
            let levels = &solutions.best[place].levels;
            match self.full_domain(&searched, levels).release(table) {
                Ok(release) => {
                    solutions.best.drain(..place);
                    return Ok(Release {
                        solutions: Some(solutions),
                        ..release
                    });
                }
                Err(error) => refusal = refusal.or(Some(error)),
            }
        }
        Err(refusal.unwrap_or_else(|| self.unreachable(&searched)))
    }
}

impl Ready {
    fn search(&self, table: &Batch, limits: &Limits) -> Result<Searched> {
        let names = self.quasi(table);
        let people = self.setting.population.as_deref();
        let people = people.filter(|_| limits.asks_population());
        let (mut attributes, mut values) = (Vec::new(), Vec::new());
        let mut population = Vec::new();
        for (place, name) in &names {
            let domain = self.setting.domains.require(name)?;
            let weight = self.setting.domains.weight(name);
            let of_people = people.map(|people| {
                let column = people.column_named(name);
                column.ok_or_else(|| Error::bug(format!("no column `{name}` in the population")))
            });
            let columns = (table.column(*place), of_people.transpose()?);
            let encoded = encode(name, columns, domain, weight)?;
            attributes.push(encoded.attribute);
            values.push(encoded.values);
            population.push(encoded.population);
        }
        let levels = names.iter().zip(&attributes);
        let levels = levels
            .map(|((_, name), attribute)| self.levels(name, attribute))
            .collect::<Result<Vec<_>>>()?;
        let shape = Shape::new(&levels);
        let attributes: Arc<[Attribute]> = attributes.into();
        let rows = table.len() as u64;
        // As in ARX, the budget is rounded down.
        let budget = (self.config.suppress * rows as f64).floor() as u64;
        let measured = Measured::new(
            self.config.metric,
            Arc::clone(&attributes),
            (rows, budget),
            self.config.balance,
        );
        let rows = Rows {
            attributes: &attributes,
            values: &values,
            population: people.map(|_| population.as_slice()),
            limits,
            measured: &measured,
            budget,
            bottom: shape.bottom,
        };
        let found = self.find(&rows, &shape, names.len())?;
        Ok(Searched {
            columns: names.into_iter().map(|(_, name)| name).collect(),
            heights: attributes.iter().map(|a| a.height).collect(),
            rows: table.len(),
            shape,
            found,
        })
    }

    /// Searches with keys as wide as they must be.
    fn find(&self, rows: &Rows<'_>, shape: &Shape, columns: usize) -> Result<Found> {
        let (fields, words) = rows.layout();
        match words {
            1 => {
                let mut judge = Judge::<1>::new(rows, &fields);
                self.walk(rows, shape, columns, |node| judge.evaluate(node))
            }
            2 => {
                let mut judge = Judge::<2>::new(rows, &fields);
                self.walk(rows, shape, columns, |node| judge.evaluate(node))
            }
            3..=4 => {
                let mut judge = Judge::<4>::new(rows, &fields);
                self.walk(rows, shape, columns, |node| judge.evaluate(node))
            }
            5..=16 => {
                let mut judge = Judge::<16>::new(rows, &fields);
                self.walk(rows, shape, columns, |node| judge.evaluate(node))
            }
            _ => Err(
                Error::policy("the quasi-identifiers have too many values for a lattice")
                    .help("recode the longest ones before, or use method = \"mondrian\""),
            ),
        }
    }

    fn walk(
        &self,
        rows: &Rows<'_>,
        shape: &Shape,
        columns: usize,
        mut evaluate: impl FnMut(Node) -> Evaluation,
    ) -> Result<Found> {
        let trail = &self.setting.trail;
        trail.begin();
        let mut search = Search {
            lattice: shape,
            measured: rows.measured,
            evaluate: |node| Ok(evaluate(node)),
            most: match self.config.search {
                SearchKind::Optimal => None,
                SearchKind::Heuristic { most } => Some(most),
            },
            cancel: &self.setting.cancel,
        };
        search.run(|node, evaluation, gap| {
            trail.add(solution(&node, evaluation, columns), gap);
        })
    }

    /// The lowest and the highest level that a column may have.
    fn levels(&self, name: &str, attribute: &Attribute) -> Result<(usize, usize)> {
        let height = attribute.height;
        let (low, high) = self.declared_levels(name, height)?;
        let Some(&(least, most)) = self.setting.nest.levels.get(name) else {
            return Ok((low, high));
        };
        let high = high.min(most.min(height));
        Ok((low.max(least).min(high), high))
    }

    /// Those that the policy names.
    fn declared_levels(&self, name: &str, height: usize) -> Result<(usize, usize)> {
        let Some(&(low, high)) = self.config.levels.get(name) else {
            return Ok((0, height));
        };
        let tree = self.setting.domains.require(name)?.hierarchy.as_deref();
        let level = |number: usize| match tree {
            Some(tree) => tree.level(number),
            None => (number <= height).then_some(number),
        };
        match (level(low), level(high)) {
            (Some(low), Some(high)) => Ok((low, high)),
            _ => Err(Error::policy(format!(
                "column `{name}` has levels 0 to {height}, not {high}"
            ))),
        }
    }

    fn quasi(&self, table: &Batch) -> Vec<(usize, String)> {
        let schema = table.schema();
        let places = schema.with_role(Role::Quasi).into_iter();
        places
            .map(|place| (place, schema.fields()[place].name.to_string()))
            .collect()
    }

    /// The recoding of a node.
    fn full_domain(&self, searched: &Searched, levels: &[usize]) -> FullDomain {
        let levels = searched.columns.iter().cloned().zip(levels.iter().copied());
        FullDomain {
            config: Generalization {
                levels: levels.collect::<BTreeMap<String, usize>>(),
                suppress: self.config.suppress,
            },
            setting: self.setting.clone(),
            as_text: true,
        }
    }

    /// No node keeps the promises.
    fn unreachable(&self, searched: &Searched) -> Error {
        let percent = |share: f64| (share * 1000.0).round() / 10.0;
        let top = searched.found.evaluated.values();
        let least = top.map(|evaluation| evaluation.suppressed).min();
        let rows = searched.rows.max(1) as f64;
        let what = match least {
            Some(least) => format!(
                "no node of the lattice keeps the promises within {} % suppression; best {} %",
                percent(self.config.suppress),
                percent(least as f64 / rows)
            ),
            None => "no node of the lattice was looked at".to_owned(),
        };
        Error::guarantee(what)
            .help("raise `suppress` or the highest `levels`, or use method = \"mondrian\"")
    }
}

/// A table whose lattice was searched.
struct Searched {
    columns: Vec<String>,
    heights: Vec<usize>,
    rows: usize,
    shape: Shape,
    found: Found,
}

impl Searched {
    /// The best nodes, and those just below them that do not keep the promises.
    fn solutions(&self, metric: &'static str) -> Solutions {
        let mut best: Vec<(&Node, &Evaluation)> = self.found.evaluated.iter().collect();
        best.retain(|(_, evaluation)| evaluation.holds);
        best.sort_by(|(a, one), (b, other)| {
            let by_value = one.value.total_cmp(&other.value);
            by_value.then_with(|| a.preferred(b))
        });
        best.truncate(LISTED);
        let nearly = |node: &Node| best.iter().any(|(best, _)| node.is_just_below(best));
        let below = self.found.evaluated.iter();
        let mut below: Vec<(&Node, &Evaluation)> = below
            .filter(|(node, evaluation)| !evaluation.holds && nearly(node))
            .collect();
        below.sort_by(|(a, _), (b, _)| a.preferred(b));
        let columns = self.columns.len();
        let listed = |nodes: Vec<(&Node, &Evaluation)>| {
            let nodes = nodes.into_iter();
            nodes
                .map(|(node, evaluation)| solution(node, evaluation, columns))
                .collect()
        };
        Solutions {
            columns: self.columns.clone(),
            heights: self.heights.clone(),
            metric,
            nodes: self.shape.size(),
            looked_at: self.found.evaluated.len() as u64,
            gap: self.found.gap(),
            best: listed(best),
            below: listed(below),
        }
    }
}

fn solution(node: &Node, evaluation: &Evaluation, columns: usize) -> Solution {
    Solution {
        levels: node.levels(columns),
        holds: evaluation.holds,
        loss: evaluation.holds.then_some(evaluation.value),
        suppressed: evaluation.suppressed,
        classes: evaluation.classes,
    }
}
