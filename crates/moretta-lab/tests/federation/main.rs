//! Sites that keep their columns answer together as was published: HDSM, its baselines, and
//! what batches and late labels cost.
//!
//! Each site sees some columns of every record. A plain [reference] runs the whole algorithm and
//! gives the printed figures; first records, blocks and learners are those of the study, on its
//! streams. Gas sensors, Higgs, flights and drives are missing here, since not all of their data
//! is at hand.

mod baselines;
mod demonstration;
mod hierarchy;
mod lockstep;
mod machines;
mod reference;
#[path = "../support/mod.rs"]
mod support;

/// A share in percent with two digits.
fn percent(share: f64) -> String {
    format!("{:.2}", 100.0 * share)
}
