//! Sites that keep their columns learn together from one stream.
//!
//! Hospitals, meters or banks hold different columns of the same records. Each site classifies
//! and learns its own; what troubles several of them in the same records goes to trouble nodes,
//! which are made where sources agree more than chance would explain, stand on one another, and go
//! when they do not help. An aggregator makes the final answers.
//!
//! Every party is a plain state machine ([`Party`]): events in, frames out, without transport,
//! clock or thread. In lockstep the result depends on the records and the [`Terms`] alone; batches
//! of one record and labels at once are the published algorithm, bit for bit.
//!
//! **Protects against** parties that would read columns of others: attribute values, column
//! names, models, windows and ranks never leave a site, and a trouble node sees sums of masked
//! projections by default.
//!
//! **Does not protect against** what answers tell: classes and coarse confidences of every site
//! reach the aggregator, labels reach every site, and a projection is as safe as `moretta attack`
//! finds it to be.
//!
//! **Costs** a learner a site and a node; an answer of 8 bits is about 1.4 bytes a record and site.
//!
//! **From** hierarchical distributed stream mining with trouble nodes; masks after secure
//! aggregation as in Bonawitz et al. 2017, all or nothing.

mod aggregator;
mod agreement;
mod answer;
pub mod audit;
mod bit_window;
mod classify;
mod consent;
mod consumer;
pub mod count;
mod course;
mod forward;
pub mod frame;
mod give;
mod host;
mod journal;
mod label_book;
mod label_holder;
mod links;
pub mod mask;
mod monitor;
mod nodes;
mod party;
mod party_id;
pub mod project;
mod quantile;
mod rank_span;
mod ratio;
mod room;
mod run;
mod score;
pub mod simulate;
mod site;
mod state;
mod terms;
mod topology;
mod trouble;
mod trust;

pub use aggregator::{Aggregator, AggregatorOptions, Settled};
pub(crate) use consent::widest;
pub use consumer::Consumer;
pub use give::{Giver, Range, Sharing};
pub use host::Host;
pub use journal::{Durable, Journal, MemoryJournal, Stored};
pub use label_holder::LabelHolder;
pub use links::Delivery;
pub use monitor::{Asked, Candidate, Candidates, candidates_at_first};
pub use party::{Event, Note, Outbox, Party, PartyId, Rows, Time};
pub use rank_span::RankSpans;
pub use ratio::{Rank, Ratio};
pub use room::own_numbers;
pub(crate) use room::{most_values, values_of};
pub use run::Mark;
pub use site::{Site, SiteOptions};
pub use terms::{
    AnswerTerms, Mode, MonitorTerms, Phases, RankBy, Rule, ScoreForm, ScoreTerms, Terms,
    TroubleTerms,
};
pub(crate) use topology::COMMON;
pub use topology::{
    Column, FragmentKind, MOST_COLUMNS, MOST_NODES, Node, SiteColumns, Topology, common_number,
};
pub use trust::Trust;

use frame::{Labels, Refusal};

/// Why labels cannot be taken.
fn label_fault(labels: &Labels, terms: &Terms) -> Option<Refusal> {
    let count = labels.present.len();
    if labels.class_count != terms.classes || count == 0 || count > terms.batch as usize {
        return Some(Refusal::Width);
    }
    let beyond = labels.classes.iter().any(|&class| class >= terms.classes);
    beyond.then_some(Refusal::Class)
}
