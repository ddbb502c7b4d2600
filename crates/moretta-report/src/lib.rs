//! Reports as text: pages in HTML, drawings in SVG, summaries for a terminal.
//!
//! [`html`] draws the page of a [`Report`], [`summary`] tells it in a few lines,
//! [`learning_html`] draws what learners did, [`federation_html`] what happened between sites; [`figure`] has the drawings of studies, which stand
//! by themselves. Nothing here reads or writes a file.
//!
//! A page is complete in itself: styles and drawings are inside it, it runs
//! no script, and its content security policy forbids it to fetch anything, so
//! it can be mailed, archived and printed. It shows what [`Report`] holds and
//! nothing else; counts that the report hides stay hidden.
//!
//! Names and labels come from the data and are hostile until escaped;
//! [`Markup`] takes markup only from the program's own literals.
//! Cost: linear in the report, which holds bins and classes, never rows.

mod axis;
mod classes;
mod column_sets;
mod columns;
mod comparison;
mod evolution;
mod exposure;
mod federation;
pub mod figure;
#[cfg(test)]
mod fixture;
mod graph;
mod lattice;
mod learning;
mod markup;
mod measures;
mod number;
mod page;
mod pairs;
mod plot;
mod policy;
mod promises;
mod risk;
mod rules;
mod stream;
mod summary;
mod suppression;
mod toml;
mod verdict;

pub use comparison::comparison_html;
pub use federation::federation_html;
pub use learning::{Study, arm_words, learning_html, overview};
pub use markup::{Attributes, Markup};
pub use number::{count, number};
pub use page::html;
pub use summary::summary;

#[cfg(doc)]
use moretta::pipeline::Report;
