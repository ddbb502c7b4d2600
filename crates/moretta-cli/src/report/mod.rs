//! The report of a run as one HTML file.
//!
//! The page is complete in itself: styles and drawings are inside it, it runs
//! no script, and its content security policy forbids it to fetch anything, so
//! it can be mailed, archived and printed. It shows what [`Report`] holds and
//! nothing else; counts that the report hides stay hidden.
//!
//! Names and labels come from the data and are hostile until escaped;
//! [`markup::Markup`] takes markup only from the program's own literals.
//! Cost: linear in the report, which holds bins and classes, never rows.

mod classes;
mod columns;
mod exposure;
#[cfg(test)]
pub(crate) mod fixture;
mod learning;
mod markup;
mod measures;
mod number;
mod page;
mod pairs;
mod plot;
mod policy;
mod risk;
mod stream;
mod suppression;
mod toml;
mod verdict;

pub(crate) use learning::{Study, arm_words, learning_html, overview};
pub(crate) use number::{count, number, percent, seconds, told};
pub(crate) use suppression::Suppressed;

use markup::Markup;
use moretta::pipeline::Report;

/// The report as a page that needs no other file.
pub(crate) fn html(report: &Report) -> String {
    let mut page = Markup::default();
    page::write(report, &mut page);
    page.into_string()
}
