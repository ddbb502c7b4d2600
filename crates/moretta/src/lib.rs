//! Publish, stream and mine personal data without giving the persons away.
//!
//! A [`Plan`](engine::Plan) says what is done to rows and what is promised of them; a
//! [`Session`](engine::Session) takes rows and gives back rows that were checked:
//!
//! ```
//! use moretta::data::{Batch, Column, Field, Kind, Numbers, Role, RowIds, Schema};
//! use moretta::engine::{Context, Plan, Session};
//! use std::sync::Arc;
//!
//! let plan = Arc::new(Plan::parse(
//!     "columns.age = { role = \"quasi\" }
//!      guarantee.k = 2
//!      protect = [{ method = \"mondrian\" }]",
//! )?);
//! let age = Field::new("age", Role::Quasi, Kind::Number { integer: true });
//! let schema = Arc::new(Schema::new(vec![age])?);
//! let ages = Column::Number(Numbers::new(vec![34.0, 61.0, 35.0, 62.0]));
//! let rows = RowIds::Range { start: 0, len: 4 };
//! let mut session = Session::open(&plan, &schema, Context::default())?;
//! session.push(Batch::new(schema, rows, vec![ages])?)?;
//! let (released, outcome) = session.finish()?;
//! assert_eq!(released.rows().len(), 4);
//! assert!(outcome.report.verdict.passed);
//! # Ok::<(), moretta::Error>(())
//! ```
//!
//! A plan is the same however it is made: read from such a text, put together by hand or by a
//! form. [`Plan::to_toml`](engine::Plan::to_toml) writes it as a text that is read as an equal plan.
//!
//! The folder `examples` of the crate shows a table of Arrow record batches, a stream that
//! is pushed batch by batch, a method, a measure and a sink of one's own, and how a session
//! is stopped. [`pipeline`] runs a policy file between files, as the program `moretta` does.
//!
//! The library is synchronous, prints nothing and knows no network. Errors name
//! files, lines, columns and counts; they never carry a value from the data.

pub mod attack;
mod cancel;
pub mod config;
pub mod engine;
pub mod federate;
pub mod graph;
pub mod guarantee;
pub mod learn;
pub mod measure;
pub mod optimize;
pub mod pipeline;
pub mod policy;
pub mod protect;

pub use error::{Error, Result};
#[doc(inline)]
pub use moretta_data::{data, error, math};
#[doc(inline)]
pub use moretta_files as io;
