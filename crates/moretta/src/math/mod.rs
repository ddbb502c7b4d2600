//! Plain mathematics that several modules share.

pub mod adwin;
pub mod cholesky;
pub mod distance;
pub mod fdlibm;
pub mod java_random;
pub mod moments;
pub mod optimize;
pub mod uniform;
