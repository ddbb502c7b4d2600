//! The manual is true: its commands run, its policies are read, its tables are the program's
//! lists, its links lead somewhere.
//!
//! The manual is `README.md` and the book in `docs/src`. CONTRIBUTING says how blocks of code
//! are marked. What can be made is made by
//!
//! ```sh
//! MORETTA_REFRESH=1 cargo test --workspace --test manual
//! ```

mod commands;
mod contributing;
mod links;
mod pages;
mod policies;
mod reference;
mod words;
