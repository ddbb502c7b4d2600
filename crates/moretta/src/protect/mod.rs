//! Methods that protect: one file a method, one trait for all, one list of them.

mod among;
mod chain;
mod claim;
mod clusters;
mod config;
pub mod datafly;
pub mod dp;
mod effect;
mod filter;
pub mod generalization;
pub mod identifiers;
pub mod km_anonymity;
pub mod lattice;
pub(crate) mod limits;
pub mod massc;
pub mod merging;
mod method;
pub mod microaggregation;
pub mod mondrian;
pub mod mu_argus;
mod nest;
pub mod noise;
mod parameters;
pub mod pram;
pub(crate) mod prepared;
pub mod random_projection;
pub mod rank_swapping;
mod ranks;
pub mod recoding;
pub mod resampling;
pub mod rotation;
pub mod sampling;
pub mod semantic_grouping;
pub mod shuffling;
mod solutions;
pub mod suppression;
mod table;
mod transition;
mod tree_codes;
mod window;
pub mod z_anonymity;

pub use among::{Among, Company};
pub use chain::Chain;
pub use claim::{About, Claim};
pub use clusters::clusters;
pub use config::{MethodConfig, Nested, Shown};
pub use effect::Effect;
pub(crate) use effect::recoding_effects;
pub use filter::{Filter, Filtered, Masked, MaskedColumn, Masking, encoder, masked_columns};
pub use method::{Family, METHOD, METHODS, Method, MethodInfo, OwnMethod};
pub use nest::Nest;
pub(crate) use parameters::SUPPRESS;
pub use solutions::{Solution, Solutions, Trail};
pub use table::{Release, Table, TableMethod};
pub use transition::{CodedTransition, Transition};
pub use window::{Mask, Window};

use crate::cancel::Cancel;
use crate::data::{Batch, Domains, Schema};
use crate::error::Result;
use crate::guarantee::Guarantee;
use std::sync::Arc;

/// Turns original rows into rows that may be released.
///
/// Row-local methods return what they got; methods with state decide row by
/// row; table methods wait for the end. Ids travel with the rows: each id comes
/// out at most once, and none that did not go in.
pub trait Operator: Send {
    /// The schema of what it releases.
    fn schema(&self) -> &Arc<Schema>;
    /// Takes rows and gives what can be released now, maybe nothing.
    fn push(&mut self, batch: Batch) -> Result<Batch>;
    /// Gives what is left; what may not be released is suppressed.
    fn finish(&mut self) -> Result<Batch>;
    /// After how many more rows nothing waits here; none where that is not known.
    fn settles_in(&self) -> Option<u64> {
        Some(0)
    }
    /// An earlier run has released `rows` rows: they are not shown again, and count only for
    /// what they have cost.
    ///
    /// # Errors
    /// When nothing may be released after them.
    fn skip(&mut self, _rows: u64) -> Result<()> {
        Ok(())
    }
    /// For each of its methods that mask or recode records, the ids of the rows that it has given back since
    /// this was asked last, and among which records each was masked; none where by itself. It
    /// begins to take notes when it is asked for the first time.
    fn among(&mut self) -> Vec<Vec<(u64, Option<Among>)>> {
        Vec::new()
    }
    /// Why rows were held back for good, with counts.
    fn suppressed(&self) -> Vec<(String, u64)> {
        Vec::new()
    }
    /// Rows that are not in the sample that it draws: held back by design, whatever they hold,
    /// and not among those that are suppressed.
    fn left_out(&self) -> u64 {
        0
    }
    /// The matrices by which it has changed categories. Those that were made from frequencies tell
    /// these, so they are published only where somebody asks for it.
    fn transitions(&self) -> Vec<Transition> {
        Vec::new()
    }
    /// What a search over recodings has found, where there was one.
    fn solutions(&self) -> Option<Solutions> {
        None
    }
}

/// What a method needs to know besides its own parameters.
#[derive(Clone, Debug, Default)]
pub struct Setting {
    /// What the release must keep to.
    pub guarantee: Guarantee,
    /// The values and hierarchies of the quasi-identifiers, and the trees of sensitive columns.
    pub domains: Arc<Domains>,
    /// The population of which the table is a sample: its quasi-identifiers, of the same kinds as
    /// those of the table, one row a person. Given where the guarantee asks for it.
    pub population: Option<Arc<Batch>>,
    /// A coarser release of the same rows inside which this one must lie; none but for levels.
    pub nest: Nest,
    /// For randomness that is not a secret.
    pub seed: u64,
    /// Stops the method.
    pub cancel: Cancel,
    /// Shows how a search goes.
    pub trail: Trail,
}
