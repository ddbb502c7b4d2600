//! Measures of masked categories: what is lost, what is disclosed, and the score of both.
//!
//! Of the literature on categorical microdata (Domingo-Ferrer and Torra 2001; Marés 2013). Every
//! measure is a function of counts that a pair of records is added to, and in which one value can
//! be replaced: by code in the order of attributes, whatever became of the file before. Memory is
//! in the different records and in the categories, not in the rows.

mod agreement;
mod bivariate;
mod cells;
mod contingency;
mod ctbil;
mod dbil;
mod ebil;
mod em;
mod fellegi_sunter;
mod interval;
mod joint;
mod linkage;
mod measured;
mod nearest;
mod partitions;
mod score;
#[cfg(test)]
mod tests;

pub use bivariate::Bivariate;
pub use ebil::entropy_given_masked;
pub use fellegi_sunter::{FellegiSunter, LinkageMode};
pub use measured::{Categorical, CategoricalSettings};
pub use partitions::PartitionPairs;
pub use score::{Combination, Figures, ScoreSettings, Scored, Scorer};
