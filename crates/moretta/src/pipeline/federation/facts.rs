//! What happened in a federation, as reports tell it: names, counts and shares, never a value.

use super::no_nodes::NoNodes;
use serde::Serialize;

/// What happened so far.
#[derive(Clone, Debug, Serialize)]
pub struct FederationFacts {
    /// The federation.
    pub federation: String,
    /// Whose links were counted: those of all parties, or those of the aggregator.
    pub counted: &'static str,
    /// The batch from which on all figures are, where the aggregator was restarted; else they are
    /// of the whole run.
    pub restarted_at: Option<u64>,
    /// Records that were answered.
    pub records: u64,
    /// Records whose class became known, over which accuracies are.
    pub labelled: u64,
    /// Share of those that were answered right.
    pub accuracy: Option<f64>,
    /// The same over the newest moments, of a thousand records at least.
    pub recent_accuracy: Option<f64>,
    /// Records of a batch.
    pub batch: u32,
    /// Batches of a moment.
    pub moment: u64,
    /// Answers without those of some site.
    pub partial: u64,
    /// Answers that did not wait for a trouble node.
    pub early: u64,
    /// Bytes of all frames.
    pub bytes: u64,
    /// Bytes for each record that was answered.
    pub bytes_a_record: f64,
    /// The sites.
    pub sites: Vec<SiteFact>,
    /// Trouble nodes, the oldest first.
    pub nodes: Vec<NodeFact>,
    /// Why there was none, where there was none.
    pub no_nodes: Option<NoNodes>,
    /// Trouble nodes that are not listed any more, since there were too many.
    pub forgotten_nodes: u64,
    /// How it went over time.
    pub moments: Vec<MomentFact>,
    /// How much the sources agreed that agreed most.
    pub agreements: Vec<AgreementFact>,
    /// Bytes by the kind of frames.
    pub frames: Vec<FrameFact>,
    /// Bytes by link.
    pub links: Vec<LinkFact>,
    /// What went wrong, and how often.
    pub incidents: Vec<IncidentFact>,
    /// What each party saw.
    pub parties: Vec<PartyFact>,
}

impl FederationFacts {
    /// "No trouble node was made: …", where none was.
    pub fn without_nodes(&self) -> Option<String> {
        let why = self.no_nodes.map(NoNodes::sentence);
        why.map(|why| format!("no trouble node was made: {why}"))
    }

    /// Of which part of the run the figures are, where it is not the whole.
    pub fn span(&self) -> Option<String> {
        let batch = self.restarted_at?;
        Some(format!(
            "all figures are from the restart of the aggregator on, from batch {batch}"
        ))
    }
}

/// A site.
#[derive(Clone, Debug, Serialize)]
pub struct SiteFact {
    /// Its id.
    pub site: String,
    /// Share of its answers that were right.
    pub accuracy: Option<f64>,
    /// Its mean confidence, as it told it.
    pub confidence: Option<f64>,
    /// Share of the labelled records that it had answered.
    pub presence: f64,
    /// The newest batch that it answered a labelled record of.
    pub last_batch: Option<u64>,
}

/// A trouble node.
#[derive(Clone, Debug, Serialize)]
pub struct NodeFact {
    /// Its number.
    pub node: u16,
    /// Sites by id, and nodes by number.
    pub sources: Vec<String>,
    /// 1 over sites, 1 more than its highest source over nodes.
    pub order: u8,
    /// The first batch that it saw.
    pub from_batch: u64,
    /// The first batch that it did not see any more.
    pub to_batch: Option<u64>,
    /// Times that a source forwarded a record to it.
    pub forwarded: u64,
    /// Records that all of its sources forwarded.
    pub joined: u64,
    /// Records to which it gave the final answer.
    pub answered: u64,
    /// Share of these that were right.
    pub accuracy: Option<f64>,
}

/// A part of the stream.
#[derive(Clone, Debug, Serialize)]
pub struct MomentFact {
    /// The first batch of it.
    pub from_batch: u64,
    /// Records whose class is known.
    pub labelled: u64,
    /// Share of them that were answered right.
    pub accuracy: Option<f64>,
    /// Share of them that each site had answered.
    pub presence: Vec<f64>,
    /// Share of those that it answered right.
    pub site_accuracies: Vec<Option<f64>>,
}

/// Agreement of sources that might share a trouble node.
#[derive(Clone, Debug, Serialize)]
pub struct AgreementFact {
    /// Sites by id, and nodes by number.
    pub sources: Vec<String>,
    /// Batches and what was seen last of the moment from there on.
    pub points: Vec<(u64, f64)>,
}

/// Frames of a kind.
#[derive(Clone, Debug, Serialize)]
pub struct FrameFact {
    /// What they are.
    pub kind: String,
    /// How many.
    pub frames: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Frames from one party to another.
#[derive(Clone, Debug, Serialize)]
pub struct LinkFact {
    /// Who sent them.
    pub from: String,
    /// Who got them.
    pub to: String,
    /// How many.
    pub frames: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// What went wrong.
#[derive(Clone, Debug, Serialize)]
pub struct IncidentFact {
    /// What.
    pub what: &'static str,
    /// With whom.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub party: Option<String>,
    /// How often.
    pub count: u64,
}

/// A party, and what it saw.
#[derive(Clone, Debug, Serialize)]
pub struct PartyFact {
    /// Its id.
    pub party: String,
    /// What it does.
    pub role: &'static str,
    /// What it sees of the others, and they of it.
    pub sees: Vec<String>,
    /// What was sent to it, by kinds of frames.
    pub received: Vec<FrameFact>,
}
