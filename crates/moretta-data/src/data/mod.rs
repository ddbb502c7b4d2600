//! The data model: batches of columns with roles, and hierarchies of values.
//!
//! What is hidden from the documentation is for the crates of moretta alone.

mod batch;
mod c_median;
mod categorical;
mod categories;
#[doc(hidden)]
pub mod coded;
pub mod date;
#[doc(hidden)]
pub mod dictionary;
mod domain;
mod duration;
mod folded;
pub mod hierarchy;
mod invisible;
pub mod items;
#[doc(hidden)]
pub mod json_column;
mod levels;
mod number_text;
mod numbers;
#[doc(hidden)]
pub mod plain_text;
mod reading;
mod records;
pub mod region;
mod schema;
mod semantic_space;
mod taxonomy;
mod time;
mod times;
mod units;

pub use batch::{Batch, Column, RowIds};
pub use c_median::{ClusterColumn, Clusters, c_median, draw_seeds};
pub use categorical::{CategoricalTable, Variable};
pub use categories::{Categories, MISSING};
pub use date::DateFormat;
pub use domain::{Domain, Domains, Scale};
pub use duration::{duration_text, parse_duration};
pub use folded::{folded, seen};
pub use invisible::is_invisible;
pub use levels::{Levels, LevelsBuilder};
#[doc(hidden)]
pub use number_text::push_number;
pub use numbers::Numbers;
pub use reading::{ColumnPlan, ReadAs};
pub use records::{Attribute, Encoder, Records};
pub use region::Region;
pub use schema::{Declared, Field, Kind, Role, Schema};
pub use semantic_space::SemanticSpace;
pub use taxonomy::Taxonomy;
pub use time::TimeFormat;
pub use times::times;
pub use units::Units;

/// What is shown of a value of which nothing is told, and the label of the top of a hierarchy.
pub const TOP: &str = "*";
