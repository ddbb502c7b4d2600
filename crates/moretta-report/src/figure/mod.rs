//! Drawings that stand by themselves, for studies.
//!
//! A [`Drawing`] takes shapes and text, and carries its own light and dark colours. A
//! [`Panel`] is a part of it with two axes, on which lines and marks are placed by
//! their values. What is not finite is not drawn.

mod drawing;
mod panel;
mod scale;

pub use drawing::{Align, Drawing, Tone};
pub use panel::{Area, Axis, Mark, Panel, Stroke};
pub use scale::{Scale, brief};
