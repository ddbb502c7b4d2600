//! Samplers of noise on whole numbers, made of random bits and integer arithmetic.
//!
//! Floating-point noise gives the value away by its last bits (Mironov 2012);
//! here no floating-point number is drawn or compared. Two kinds of sampler:
//!
//! - *Exact*, from coins of rational probability (Canonne, Kamath and Steinke,
//!   The discrete Gaussian for differential privacy, 2020): [`bernoulli`],
//!   [`exponential`], the acceptance step of [`DiscreteGaussian`], and
//!   [`KaryResponse`], whose probabilities are whole multiples of 2⁻⁶⁴ rounded
//!   to the private side.
//! - *Exact to 2⁻¹¹⁰ and fast*, from thresholds computed once to 118 bits and
//!   compared with uniform bits as far as needed: [`Geometric`] and
//!   [`DiscreteLaplace`]. ε-differential privacy is then (ε, 2⁻¹¹⁰) a sample.
//!
//! None of them hides how long it took.

pub mod bernoulli;
mod exponential;
mod fixed_point;
mod gaussian;
mod geometric;
mod laplace;
mod ratio;
mod response;

pub use exponential::exponential;
pub use gaussian::DiscreteGaussian;
pub use geometric::Geometric;
pub use laplace::DiscreteLaplace;
pub use ratio::Ratio;
pub use response::KaryResponse;
