//! Known input-output attacks on random projections: an attacker who knows some
//! records, and which released ones they became, wants the original of another.
//!
//! The matrix of a projection to k numbers has independent normal entries, so each
//! of the k released columns of some records is one draw of N(0, XᵀX/k + C), where
//! XᵀX are the scalar products of the originals and C is the covariance of the noise
//! between rows. Given the known originals this is a density of the unknown one, and
//! the attacker takes the most probable. The covariance of all k·p numbers is k copies
//! of one block of p × p, and only one line of the block is unknown: with p known
//! records a look at a guess costs p·(m + k + p), after p³ once.
//!
//! - *A-RP* knows nothing of noise. All records are taken relative to the first, so
//!   that a translation does not matter.
//! - *A-RPIN*, *A-RPCN* first estimate the noise of the known records (which has a
//!   closed form), take it off, and then search for original and noise of the unknown
//!   one together; cumulative noise is interpolated between the known rows, also where
//!   it started anew between them, which the published attacks do not know.
//! - *…-1* use only the known record that is nearest in the stream, and *MAX(…)*
//!   takes whichever of both has the higher score.
//! - *marginal* is stronger than those: noise is not estimated but integrated out,
//!   it is known where cumulative noise started anew (released numbers jump there),
//!   nothing is taken relative to a first record unless there is a translation, and
//!   features are expected where the known ones are.
//! - *known matrix*, with as many known records as features: least squares gives the
//!   matrix, and the most probable original follows.
//!
//! **Costs** well below a millisecond an attack with p = 9 and m = k = 10.
//!
//! **From** Liu, Giannella and Kargupta 2006; Giannella, Liu and Kargupta 2013 (MAP
//! attack on random projections); Denham, Pears and Naeem 2020 (with noise; Nelder
//! and Mead's simplex as there). The marginal attack is ours.

mod blur;
mod evidence;
mod expected;
mod known_matrix;
mod known_noise;
mod likelihood;
mod maximum;
mod posterior;
mod study;

pub use super::success::{AtDistance, Success, magnitude};
pub use blur::{Blur, Restarts};
pub use evidence::Evidence;
pub use expected::Reconstruction;
pub use maximum::{Attack, Optimizer, Search, reconstruct};
pub use study::{SoFar, Stream, Study, StudySettings, study, study_by_parts};

#[cfg(test)]
mod naive;
