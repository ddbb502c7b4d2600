//! Plain mathematics that several modules share.

pub mod adwin;
pub mod assignment;
pub mod cholesky;
pub mod digamma;
pub mod distance;
pub mod eigen;
pub mod equation;
pub mod fdlibm;
pub mod independent_components;
pub mod java_random;
pub mod kd_tree;
pub mod matrix;
pub mod moments;
pub mod optimize;
pub mod uniform;
