//! Differential privacy: exact noise, an accountant, and two methods built on them.
//!
//! | file | idea |
//! |---|---|
//! | `entropy` | random bits of the operating system; no seed has a way in |
//! | `sample/` | noise on whole numbers, by integer arithmetic |
//! | `epsilon`, `accountant` | budgets: split, added and refused exactly |
//! | `grid` | real numbers as whole steps between declared bounds |
//! | `local/` | each record protected by itself |
//! | `microaggregation` | centroids of groups in a window, with the noise divided by k |

#[cfg(test)]
mod acceptance;
mod accountant;
mod entropy;
mod epsilon;
mod grid;
pub mod local;
mod masking;
pub mod microaggregation;
pub mod sample;

pub use accountant::{Accountant, Budget, Loss, Scope};
pub use entropy::Entropy;
pub use epsilon::Epsilon;
pub use grid::{Bounds, Grid};
