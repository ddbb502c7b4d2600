//! Children of the server.

pub mod stream;
