//! The list of methods: what CLI, documentation and policy are made from.

use super::config::{MethodConfig, Nested, Shown};
use super::parameters::SUPPRESS;
use super::pram::Pram;
use super::random_projection::RandomProjection;
use super::recoding::Recoding;
use super::z_anonymity::ZAnonymity;
use super::{Filtered, Masking, Operator, Setting, Table};
use crate::config::{Absent, Accepts, Parameter, Section, Value};
use crate::data::Schema;
use crate::error::{Error, Result};
use crate::guarantee::{Combination, Missing};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Makes `Method` and `METHODS` of one list: what it is called, its parameters, its page (the
/// source whose module doc it is) and what it works on.
macro_rules! methods {
    ($($(#[$meaning:meta])* $name:literal, $variant:ident($config:path), $page:literal, $family:ident;)*) => {
        /// A method with its parameters: inert until built.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Method {
            $($(#[$meaning])* $variant($config),)*
            /// A method of a program that embeds the library.
            Own(OwnMethod),
        }

        /// Every method.
        pub const METHODS: &[MethodInfo] = &[$(MethodInfo {
            name: $name,
            source: include_str!($page),
            parameters: <$config>::PARAMETERS,
            family: Family::$family,
            read: |section| <$config>::read(section).map(Method::$variant),
        },)*];

        impl Method {
            /// The name used in a policy.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Method::$variant(_) => $name,)*
                    Method::Own(own) => own.name,
                }
            }

            fn config(&self) -> &dyn MethodConfig {
                match self {
                    $(Method::$variant(config) => config,)*
                    Method::Own(own) => &*own.config,
                }
            }

            fn shared_config(&self) -> Arc<dyn MethodConfig + Send + Sync> {
                match self {
                    $(Method::$variant(config) => Arc::new(config.clone()),)*
                    Method::Own(own) => Arc::clone(&own.config),
                }
            }

            /// Its `[[protect]]` table, as [`Method::read`] reads it.
            ///
            /// # Errors
            /// No policy can name a method of whoever embeds the library.
            pub fn written(&self) -> Result<Section> {
                let mut section = Section::new("[[protect]]", 0..0);
                section.set(&METHOD, self.name());
                match self {
                    $(Method::$variant(config) => config.write(&mut section),)*
                    Method::Own(own) => {
                        let what = format!("the method `{}` is none that a policy can name", own.name);
                        return Err(Error::policy(what).help("put it into the plan by code"));
                    }
                }
                Ok(section)
            }

            /// Its parameters, to be changed; none of an own method.
            fn config_mut(&mut self) -> Option<&mut dyn MethodConfig> {
                match self {
                    $(Method::$variant(config) => Some(config),)*
                    Method::Own(_) => None,
                }
            }
        }
    };
}

methods! {
    /// Cuts the table into boxes.
    "mondrian", Mondrian(super::mondrian::Mondrian), "mondrian/mod.rs", Table;
    /// Recodes every column to a level of its hierarchy.
    "generalization", Generalization(super::generalization::Generalization), "generalization.rs", Table;
    /// Finds the levels that lose least.
    "lattice", Lattice(super::lattice::Lattice), "lattice/mod.rs", Table;
    /// Raises the column with most values until few rows stand out.
    "datafly", Datafly(super::datafly::Datafly), "datafly.rs", Table;
    /// Groups rows that mean nearly the same under their lowest common ancestors.
    "semantic-grouping", SemanticGrouping(super::semantic_grouping::SemanticGrouping), "semantic_grouping/mod.rs", Table;
    /// Makes combinations of a few columns frequent.
    "mu-argus", MuArgus(super::mu_argus::MuArgus), "mu_argus/mod.rs", Table;
    /// Empties cells of rows that stand out.
    "suppression", Suppression(super::suppression::Suppression), "suppression/mod.rs", Table;
    /// Recodes columns by fixed rules, by itself or before another method.
    "recoding", Recoding(super::recoding::Recoding), "recoding/mod.rs", Table;
    /// Makes the items of persons coarser.
    "km-anonymity", KmAnonymity(super::km_anonymity::KmAnonymity), "km_anonymity/mod.rs", Items;
    /// Releases a random part of the rows.
    "sampling", Sampling(super::sampling::Sampling), "sampling/mod.rs", Sample;
    /// Substitutes risky values, draws a sample and calibrates its weights.
    "massc", Massc(super::massc::Massc), "massc/mod.rs", Sample;
    /// Releases of each event what enough people share.
    "z-anonymity", ZAnonymity(super::z_anonymity::ZAnonymity), "z_anonymity/mod.rs", Stream;
    /// Adds random amounts.
    "noise", Noise(super::noise::Noise), "noise/mod.rs", Filter;
    /// Shows similar records as one.
    "microaggregation", Microaggregation(super::microaggregation::Microaggregation), "microaggregation/mod.rs", Filter;
    /// Exchanges values of nearly the same rank.
    "rank-swapping", RankSwapping(super::rank_swapping::RankSwapping), "rank_swapping/mod.rs", Filter;
    /// Makes rare or extreme categories one.
    "merging", Merging(super::merging::Merging), "merging.rs", Filter;
    /// Changes categories by lot, with known probabilities.
    "pram", Pram(super::pram::Pram), "pram/mod.rs", Filter;
    /// Releases secret mixtures of the columns.
    "random-projection", RandomProjection(super::random_projection::RandomProjection), "random_projection/mod.rs", Filter;
    /// Replaces each value by the mean of its rank in random samples.
    "resampling", Resampling(super::resampling::Resampling), "resampling/mod.rs", Filter;
    /// Deals values out anew, with the rank correlations that they had.
    "shuffling", Shuffling(super::shuffling::Shuffling), "shuffling/mod.rs", Filter;
    /// Shows noisy means of groups.
    "dp-microaggregation", DpMicroaggregation(super::dp::microaggregation::DpMicroaggregation), "dp/microaggregation/mod.rs", Filter;
    /// Makes each value noisy by itself.
    "local-dp", LocalDp(super::dp::local::LocalDp), "dp/local/mod.rs", Filter;
}

/// A method of a program that embeds the library: no policy names it, and what it releases is
/// checked as that of all others.
#[derive(Clone)]
pub struct OwnMethod {
    name: &'static str,
    config: Arc<dyn MethodConfig + Send + Sync>,
}

impl fmt::Debug for OwnMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OwnMethod").field(&self.name).finish()
    }
}

impl PartialEq for OwnMethod {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.config, &other.config)
    }
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
    /// Tables of items, which it makes coarser.
    Items,
    /// Tables, of which it releases a sample.
    Sample,
    /// Streams of events, of which it decides each as it comes.
    Stream,
    /// Records of tables and of streams, whose values it replaces.
    Filter,
}

/// The key that names the method.
pub const METHOD: Parameter = Parameter::new(
    "method",
    Accepts::Name("method", || METHODS.iter().map(|info| info.name).collect()),
    Absent::Refused,
    "how the rows are protected",
)
.examples(&["\"mondrian\""]);

impl MethodInfo {
    /// The method called `name`.
    pub fn find(name: &str) -> Option<&'static MethodInfo> {
        METHODS.iter().find(|info| info.name == name)
    }

    /// The method with the defaults of its parameters, but for the share of rows that it may
    /// suppress; a number that a search may vary and that has no default is that of its example.
    /// None where more needs to be told.
    pub fn with_defaults(&self, suppress: Option<f64>) -> Option<Method> {
        let mut section = Section::new("[[protect]]", 0..0);
        section.set(&METHOD, self.name);
        if let (Some(share), true) = (suppress, self.has(&SUPPRESS)) {
            section.set(&SUPPRESS, share);
        }
        let needed = |parameter: &&Parameter| {
            parameter.absent == Absent::Refused && parameter.tunable.is_some()
        };
        for parameter in self.parameters.iter().filter(needed) {
            let example = parameter.examples.first()?;
            match parameter.accepts {
                Accepts::Whole(..) => section.set(parameter, Value::Whole(example.parse().ok()?)),
                _ => section.set(parameter, example.parse::<f64>().ok()?),
            }
        }
        Method::read(section).ok()
    }

    fn has(&self, parameter: &Parameter) -> bool {
        self.parameters.iter().any(|own| own.name == parameter.name)
    }

    /// What it does, in one sentence: the first line of its page.
    pub fn about(&self) -> String {
        let page = self.page();
        page.lines().next().unwrap_or_default().to_owned()
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
    /// A method of a program that embeds the library.
    pub fn own(name: &'static str, config: impl MethodConfig + Send + Sync + 'static) -> Self {
        Method::Own(OwnMethod {
            name,
            config: Arc::new(config),
        })
    }

    /// Reads one `[[protect]]` table.
    pub fn read(mut section: Section) -> Result<Self> {
        let name = section.text(&METHOD)?;
        let info = MethodInfo::find(&name).ok_or_else(|| Error::bug("no such method"))?;
        let method = (info.read)(&mut section)?;
        section.finish()?;
        Ok(method)
    }

    /// See [`MethodConfig::represents`].
    pub fn represents(&self, column: &str) -> bool {
        self.config().represents(column)
    }

    /// See [`MethodConfig::shows`].
    pub fn shows(&self, column: &str, hierarchy: bool) -> Shown {
        self.config().shows(column, hierarchy)
    }

    /// See [`MethodConfig::decides`].
    pub fn decides(&self) -> bool {
        self.config().decides()
    }

    /// See [`MethodConfig::suppress`].
    pub fn suppress(&self) -> Option<f64> {
        self.config().suppress()
    }

    /// Whether it makes values coarser until the promises of `[guarantee]` hold.
    pub fn keeps_guarantee(&self) -> bool {
        self.config().suppress().is_some()
    }

    /// See [`MethodConfig::combinations`].
    ///
    /// # Errors
    /// When its parameters do not fit these columns.
    pub fn combinations(&self, quasi: &[&str]) -> Result<Option<Vec<Combination>>> {
        self.config().combinations(quasi)
    }

    /// See [`MethodConfig::reads_missing`].
    pub fn reads_missing(&self) -> Missing {
        self.config().reads_missing()
    }

    /// Whether it may suppress rows of a table to keep the promises.
    pub fn may_suppress(&self) -> bool {
        self.config().suppress().is_some_and(|share| share > 0.0)
    }

    /// Whether it may suppress all rows.
    pub fn may_suppress_all(&self) -> bool {
        self.config().suppress() == Some(1.0)
    }

    /// See [`MethodConfig::depends_on_order`].
    pub fn depends_on_order(&self) -> bool {
        self.config().depends_on_order()
    }

    /// The same method, if it may suppress no larger share of the rows of a table. An own method
    /// must see to that by itself: of rows that it has released once it releases all.
    #[must_use]
    pub fn suppressing(&self, share: f64) -> Self {
        self.changed(|config| config.suppress_at_most(share))
    }

    /// The same method with another k, where that is a parameter of its own.
    #[must_use]
    pub fn promising(&self, k: u32) -> Self {
        self.changed(|config| config.promise(k))
    }

    fn changed(&self, change: impl FnOnce(&mut dyn MethodConfig)) -> Self {
        let mut method = self.clone();
        if let Some(config) = method.config_mut() {
            change(config);
        }
        method
    }

    /// See [`MethodConfig::nests`].
    pub fn nests(&self) -> Option<Nested> {
        self.config().nests()
    }

    /// See [`MethodConfig::samples`].
    pub fn samples(&self) -> bool {
        self.config().samples()
    }

    /// See [`MethodConfig::covers_items`].
    pub fn covers_items(&self) -> bool {
        self.config().covers_items()
    }

    /// Whether the clusters of a table can be protected each by itself, as
    /// [`MethodConfig::works_in_clusters`] says. A private method must not depend on which rows are
    /// near each other; what is drawn of a table is of all rows; classes that were made before stay
    /// whole.
    pub fn works_in_clusters(&self) -> bool {
        let of_parts = match self.as_masking() {
            Some(masking) => {
                let whole = masking.loss().is_some() || masking.inside_classes();
                !whole && masking.is_comparable()
            }
            None => !self.samples() && self.as_stream().is_none(),
        };
        of_parts && self.config().works_in_clusters()
    }

    /// See [`MethodConfig::reads`].
    pub fn reads(&self) -> Vec<&str> {
        self.config().reads()
    }

    /// See [`MethodConfig::remakes`].
    pub fn remakes(&self) -> Vec<&str> {
        self.config().remakes()
    }

    /// See [`MethodConfig::is_random`].
    pub fn is_random(&self) -> bool {
        self.config().is_random()
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
        self.config().masking()
    }

    /// Rows that it may hold back of a stream of records; none where it is for tables or events.
    pub fn buffer(&self) -> Option<usize> {
        match self.as_recoding() {
            Some(recoding) => recoding.buffer,
            None => self.as_masking()?.buffer(),
        }
    }

    /// Whether it recodes each row of a stream by itself, by rules that follow from no row.
    pub fn recodes_stream(&self) -> bool {
        self.is_recoding() && self.buffer().is_some()
    }

    /// The method, if it recodes columns by fixed rules.
    pub fn as_recoding(&self) -> Option<&Recoding> {
        match self {
            Method::Recoding(config) => Some(config),
            _ => None,
        }
    }

    /// Whether it recodes columns by fixed rules.
    pub fn is_recoding(&self) -> bool {
        self.as_recoding().is_some()
    }

    /// The method, if it changes categories by a transition matrix.
    pub fn as_pram(&self) -> Option<&Pram> {
        match self {
            Method::Pram(config) => Some(config),
            _ => None,
        }
    }

    /// Reads what its parameters leave to files, which the caller finds and reads as rows of cells.
    ///
    /// # Errors
    /// When a file cannot be read, or does not hold what it should.
    pub fn load(
        &mut self,
        read: impl Fn(&Path) -> Result<(PathBuf, Vec<Vec<String>>)>,
    ) -> Result<()> {
        match self {
            Method::Pram(config) => config.load(read),
            _ => Ok(()),
        }
    }

    /// The files that it was read from besides the policy.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.as_pram().into_iter().flat_map(Pram::files)
    }

    /// The method, if it projects records.
    pub fn as_projection(&self) -> Option<&RandomProjection> {
        match self {
            Method::RandomProjection(config) => Some(config),
            _ => None,
        }
    }

    /// Makes the method work on tables of this schema; those of streams are not for tables.
    pub fn build(&self, schema: &Arc<Schema>, setting: &Setting) -> Result<Box<dyn Operator>> {
        match (self.config().table(setting), self.as_masking()) {
            (Some(table), _) => Ok(Box::new(Table::new(table, schema)?)),
            (None, Some(masking)) => {
                let filtered = Filtered::build(masking, schema, setting.seed, &setting.cancel)?;
                Ok(Box::new(filtered))
            }
            (None, None) => Err(Error::bug("a stream is no table")),
        }
    }

    /// Makes the method work on tables of this schema, which are recoded before it.
    pub fn build_after(
        &self,
        recoding: &Recoding,
        schema: &Arc<Schema>,
        setting: &Setting,
    ) -> Result<Box<dyn Operator>> {
        let table = recoding.before(self.shared_config(), setting);
        Ok(Box::new(Table::new(table, schema)?))
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
