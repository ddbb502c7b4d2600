//! Several methods on several data sets: are they different at all, and which?
//!
//! Methods are ranked on each data set. The Friedman test asks whether the average
//! ranks could be chance; where they are not, methods whose average ranks lie a
//! critical difference apart differ after Nemenyi. Ranks do not tell how large a
//! difference is, and with few data sets only large ones are found.
//! J. Demšar, "Statistical comparisons of classifiers over multiple data sets",
//! Journal of Machine Learning Research 2006.

mod beta;
mod friedman;
mod gamma;
mod nemenyi;
mod ranks;
mod studentized_range;

pub(crate) use friedman::Friedman;
pub(crate) use nemenyi::{critical_difference, groups};
pub(crate) use ranks::average_ranks;
