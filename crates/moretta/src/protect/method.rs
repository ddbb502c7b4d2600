//! The list of methods: what CLI, documentation and policy are made from.

use super::dp::local::LocalDp;
use super::dp::microaggregation::DpMicroaggregation;
use super::generalization::Generalization;
use super::microaggregation::Microaggregation;
use super::mondrian::{Mode, Mondrian};
use super::noise::Noise;
use super::random_projection::RandomProjection;
use super::rank_swapping::RankSwapping;
use super::z_anonymity::ZAnonymity;
use super::{Filtered, Masking, Protector, Setting, Table};
use crate::config::{Section, unknown};
use crate::data::Schema;
use crate::error::{Error, Result};
use std::sync::Arc;

/// A method with its parameters: inert until built.
#[derive(Clone, Debug, PartialEq)]
pub enum Method {
    /// Cuts the table into boxes.
    Mondrian(Mondrian),
    /// Recodes every column to a level of its hierarchy.
    Generalization(Generalization),
    /// Releases of each event what enough people share.
    ZAnonymity(ZAnonymity),
    /// Adds random amounts.
    Noise(Noise),
    /// Shows similar records as one.
    Microaggregation(Microaggregation),
    /// Exchanges values of nearly the same rank.
    RankSwapping(RankSwapping),
    /// Releases secret mixtures of the columns.
    RandomProjection(RandomProjection),
    /// Shows noisy means of groups.
    DpMicroaggregation(DpMicroaggregation),
    /// Makes each value noisy by itself.
    LocalDp(LocalDp),
}

/// What is known of a method.
pub struct MethodInfo {
    /// The name used in a policy.
    pub name: &'static str,
    /// The source whose module doc is the method's page.
    source: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// What it works on.
    pub family: Family,
    read: fn(&mut Section) -> Result<Method>,
}

/// What a method works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Tables, whose values it makes coarser.
    Table,
    /// Streams of events, of which it decides each as it comes.
    Stream,
    /// Records of tables and of streams, whose values it replaces.
    Filter,
}

/// What a method shows of a quasi-identifier, as far as a reader of the release can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Any values.
    Values,
    /// Labels of any level of the hierarchy.
    Labels,
    /// Labels of this level of the hierarchy.
    Level(usize),
    /// Intervals of numbers or dates, and at most so many different single values.
    Intervals(usize),
}

/// One parameter of a method.
pub struct Parameter {
    /// Its key in a policy.
    pub name: &'static str,
    /// What it can be.
    pub values: &'static str,
    /// What it is when not given.
    pub default: &'static str,
    /// What it does.
    pub meaning: &'static str,
}

/// Every method.
pub const METHODS: &[MethodInfo] = &[
    MethodInfo {
        name: "mondrian",
        source: include_str!("mondrian/mod.rs"),
        parameters: Mondrian::PARAMETERS,
        family: Family::Table,
        read: |section| Mondrian::read(section).map(Method::Mondrian),
    },
    MethodInfo {
        name: "generalization",
        source: include_str!("generalization.rs"),
        parameters: Generalization::PARAMETERS,
        family: Family::Table,
        read: |section| Generalization::read(section).map(Method::Generalization),
    },
    MethodInfo {
        name: "z-anonymity",
        source: include_str!("z_anonymity/mod.rs"),
        parameters: ZAnonymity::PARAMETERS,
        family: Family::Stream,
        read: |section| ZAnonymity::read(section).map(Method::ZAnonymity),
    },
    MethodInfo {
        name: "noise",
        source: include_str!("noise/mod.rs"),
        parameters: Noise::PARAMETERS,
        family: Family::Filter,
        read: |section| Noise::read(section).map(Method::Noise),
    },
    MethodInfo {
        name: "microaggregation",
        source: include_str!("microaggregation/mod.rs"),
        parameters: Microaggregation::PARAMETERS,
        family: Family::Filter,
        read: |section| Microaggregation::read(section).map(Method::Microaggregation),
    },
    MethodInfo {
        name: "rank-swapping",
        source: include_str!("rank_swapping/mod.rs"),
        parameters: RankSwapping::PARAMETERS,
        family: Family::Filter,
        read: |section| RankSwapping::read(section).map(Method::RankSwapping),
    },
    MethodInfo {
        name: "random-projection",
        source: include_str!("random_projection/mod.rs"),
        parameters: RandomProjection::PARAMETERS,
        family: Family::Filter,
        read: |section| RandomProjection::read(section).map(Method::RandomProjection),
    },
    MethodInfo {
        name: "dp-microaggregation",
        source: include_str!("dp/microaggregation/mod.rs"),
        parameters: DpMicroaggregation::PARAMETERS,
        family: Family::Filter,
        read: |section| DpMicroaggregation::read(section).map(Method::DpMicroaggregation),
    },
    MethodInfo {
        name: "local-dp",
        source: include_str!("dp/local/mod.rs"),
        parameters: LocalDp::PARAMETERS,
        family: Family::Filter,
        read: |section| LocalDp::read(section).map(Method::LocalDp),
    },
];

impl MethodInfo {
    /// The method called `name`.
    pub fn find(name: &str) -> Option<&'static MethodInfo> {
        METHODS.iter().find(|info| info.name == name)
    }

    /// The method's page: its module documentation.
    pub fn page(&self) -> String {
        let lines = self
            .source
            .lines()
            .map_while(|line| line.strip_prefix("//!"));
        let mut page: String = lines
            .map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line)))
            .collect();
        page.truncate(page.trim_end().len());
        page
    }
}

impl Method {
    /// Reads one `[[protect]]` table.
    pub fn read(mut section: Section) -> Result<Self> {
        let placed = section.required("method")?;
        let name = placed.text("method")?;
        let Some(info) = MethodInfo::find(&name) else {
            let names: Vec<&str> = METHODS.iter().map(|info| info.name).collect();
            return Err(unknown(
                placed.error(format!("there is no method `{name}`")),
                &name,
                &names,
            ));
        };
        let method = (info.read)(&mut section)?;
        section.finish()?;
        Ok(method)
    }

    /// The name used in a policy.
    pub fn name(&self) -> &'static str {
        match self {
            Method::Mondrian(_) => "mondrian",
            Method::Generalization(_) => "generalization",
            Method::ZAnonymity(_) => "z-anonymity",
            Method::Noise(_) => "noise",
            Method::Microaggregation(_) => "microaggregation",
            Method::RankSwapping(_) => "rank-swapping",
            Method::RandomProjection(_) => "random-projection",
            Method::DpMicroaggregation(_) => "dp-microaggregation",
            Method::LocalDp(_) => "local-dp",
        }
    }

    /// Whether it shows, for the column `name`, a value that stands for a class
    /// rather than a region that covers it.
    pub fn represents(&self, name: &str) -> bool {
        match self {
            Method::Mondrian(config) => config.output_for(name).is_representative(),
            _ => false,
        }
    }

    /// What it shows of the quasi-identifier `name`, which has a hierarchy or not.
    pub fn shows(&self, name: &str, hierarchy: bool) -> Shown {
        match self {
            Method::Mondrian(config) => config.shows(name, hierarchy),
            Method::Generalization(config) => match config.levels.get(name) {
                Some(&level) if level > 0 => Shown::Level(level),
                _ => Shown::Values,
            },
            _ => Shown::Values,
        }
    }

    /// Whether it may suppress all rows of a table: as many as the policy allows, or a table
    /// that is too short for groups.
    pub fn may_suppress_all(&self) -> bool {
        match self {
            Method::Mondrian(config) => config.suppress == 1.0,
            Method::Generalization(config) => config.suppress == 1.0,
            other => other.as_masking().is_some(),
        }
    }

    /// Whether it gets the rows of a table in an order of their content, since what it
    /// releases depends on their order.
    pub fn depends_on_order(&self) -> bool {
        match self {
            // Rows with equal values are divided in the order in which they come.
            Method::Mondrian(config) => config.mode != Mode::Strict,
            Method::Generalization(_) => false,
            // Its windows are places of the input: places that follow from the data of others
            // would make one record matter to all windows.
            Method::DpMicroaggregation(_) => false,
            _ => true,
        }
    }

    /// The same method, if it may not suppress rows of a table.
    #[must_use]
    pub fn without_suppression(&self) -> Self {
        match self.clone() {
            Method::Mondrian(config) => Method::Mondrian(Mondrian {
                suppress: 0.0,
                ..config
            }),
            Method::Generalization(config) => Method::Generalization(Generalization {
                suppress: 0.0,
                ..config
            }),
            other => other,
        }
    }

    /// Whether chance has a part in what it releases: another seed gives another release.
    pub fn is_random(&self) -> bool {
        match self {
            Method::Mondrian(_) | Method::Generalization(_) | Method::Microaggregation(_) => false,
            Method::Noise(_)
            | Method::RankSwapping(_)
            | Method::RandomProjection(_)
            | Method::DpMicroaggregation(_)
            | Method::LocalDp(_) => true,
            Method::ZAnonymity(config) => config.fakes.is_some(),
        }
    }

    /// The method, if it decides rows of a stream as they come.
    pub fn as_stream(&self) -> Option<&ZAnonymity> {
        match self {
            Method::ZAnonymity(config) => Some(config),
            _ => None,
        }
    }

    /// The method, if it masks records, of tables or of streams.
    pub fn as_masking(&self) -> Option<&dyn Masking> {
        match self {
            Method::Noise(config) => Some(config),
            Method::Microaggregation(config) => Some(config),
            Method::RankSwapping(config) => Some(config),
            Method::RandomProjection(config) => Some(config),
            Method::DpMicroaggregation(config) => Some(config),
            Method::LocalDp(config) => Some(config),
            Method::Mondrian(_) | Method::Generalization(_) | Method::ZAnonymity(_) => None,
        }
    }

    /// The method, if it projects records.
    pub fn as_projection(&self) -> Option<&RandomProjection> {
        match self {
            Method::RandomProjection(config) => Some(config),
            _ => None,
        }
    }

    /// Makes the method work on tables of this schema; those of streams are not for tables.
    pub fn build(&self, schema: &Arc<Schema>, setting: &Setting) -> Result<Box<dyn Protector>> {
        if let Some(masking) = self.as_masking() {
            let filtered = Filtered::build(masking, schema, setting.seed)?;
            return Ok(Box::new(filtered));
        }
        let table = match self {
            Method::Mondrian(config) => config.on(setting),
            Method::Generalization(config) => config.on(setting),
            _ => return Err(Error::bug("a stream is no table")),
        };
        Ok(Box::new(Table::new(
            table,
            schema,
            setting.guarantee.clone(),
        )?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_has_a_page_that_answers_the_four_questions() {
        for info in METHODS {
            let page = info.page();
            for answer in [
                "**Protects against**",
                "**Does not protect against**",
                "**Costs**",
                "**From**",
            ] {
                assert!(page.contains(answer), "{} lacks {answer}", info.name);
            }
        }
    }
}
