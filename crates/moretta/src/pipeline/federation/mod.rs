//! A party of a federation from its policy: its rows, its answers, and the party itself.

mod answers;
mod journal_file;
mod parties;
mod rows;
mod simulated;

pub use answers::AnswerWriter;
pub use journal_file::FileJournal;
pub use parties::{aggregator_of, consumer_of, host_of, label_holder_of, site_of};
pub use rows::PartyRows;
pub use simulated::{Simulated, made_up_seed, open_simulated};
