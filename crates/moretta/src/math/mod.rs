//! Numbers: what the other modules compute with. It knows nothing of tables.

pub mod fdlibm;
pub mod java_random;
