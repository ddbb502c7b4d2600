//! The data model: batches of columns with roles, and hierarchies of values.

mod batch;
mod categories;
pub mod date;
mod domain;
pub mod hierarchy;
mod levels;
mod numbers;
pub mod region;
mod schema;

pub use batch::{Batch, Column, RowIds};
pub use categories::{Categories, MISSING};
pub use date::DateFormat;
pub use domain::{Domain, Domains, Scale};
pub use levels::{Levels, LevelsBuilder};
pub use numbers::Numbers;
pub use region::Region;
pub use schema::{Field, Kind, Role, Schema};
