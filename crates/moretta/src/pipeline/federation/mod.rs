//! A party of a federation from its policy: its rows, its answers, and the party itself; and what
//! happens between parties, added up for people.

mod answer_position;
mod answers;
mod chronicle;
mod common_columns;
mod facts;
mod journal_file;
mod no_nodes;
mod parties;
mod private_file;
mod room;
mod rows;
mod sees;
mod simulated;
mod state;
mod timeline;

pub use answer_position::AnswerPosition;
pub use answers::AnswerWriter;
pub use chronicle::Chronicle;
pub use common_columns::check_common_columns;
pub use facts::{
    AgreementFact, FederationFacts, FrameFact, IncidentFact, LinkFact, MomentFact, NodeFact,
    PartyFact, SiteFact,
};
pub use journal_file::FileJournal;
pub use no_nodes::NoNodes;
pub use parties::{aggregator_of, consumer_of, host_of, label_holder_of, site_of};
pub use room::check_room;
pub use rows::PartyRows;
pub use sees::federation_sees;
pub(in crate::pipeline) use simulated::{Gathering, gather};
pub use simulated::{Simulated, agreed, made_up_seed, open_simulated};
pub use state::{PartyState, secret_of_run};
