//! What all parties of a federation have agreed on: the same at each of them.
//!
//! A party tells the sum of its terms when it joins a run; others are strangers. The defaults are
//! those of the study in every experiment, but for what protects: coarse confidences and masked
//! fragments.

use super::frame::Coarse;
use super::mask::FEWEST_MEMBERS;
use super::party::Time;
use super::ratio::Ratio;
use super::state::Writer;
use super::topology::FragmentKind;
use sha2::{Digest, Sha256};

/// When records count and what is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Every party waits for all that a batch needs: the result depends on nothing but the
    /// records and these terms.
    Lockstep,
    /// Deadlines decide what counts.
    Flow {
        /// Milliseconds from the first answer to a batch until it is answered.
        after: Time,
        /// Milliseconds from then until monitors go on without what is missing.
        patience: Time,
        /// Batches that a site may be ahead of the last that is settled.
        ahead: u64,
    },
}

/// How the answers of sites become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The most confident.
    MaxConfidence,
    /// That of most sites.
    Vote,
    /// That of most sites, each weighed by how often it was right of late.
    WeightedVote,
    /// That of a learner over the classes that sites answer.
    Stack,
}

/// The answer to a record.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerTerms {
    /// How the answers of sites become one.
    pub rule: Rule,
    /// The learner of [`Rule::Stack`].
    pub stacker: String,
    /// The highest order that the consumer waits for.
    pub max_order: Option<u8>,
    /// Whether a confidence counts for no more than the accuracy that was observed.
    pub calibrate: bool,
    /// Whether sites leave out answers to records that they forward.
    pub omit_forwarded: bool,
}

/// How records reach trouble nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phases {
    /// Keys and values at once.
    One,
    /// Keys first, then values of agreed records.
    Two,
    /// Whichever is shorter for a node in an epoch, by how much its sources agreed before; keys
    /// first where that is not known.
    Auto,
}

/// What candidates for trouble nodes are ranked by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankBy {
    /// Their agreement.
    Agreement,
    /// By how much it exceeds what chance would explain, T_a.
    Excess,
}

/// What a source's T of a record is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreForm {
    /// Σ C² over the sources of the node.
    Sum,
    /// The greatest C².
    Maximum,
    /// Σ w·C², each source weighed by the variance of its confidence.
    VarianceWeighted,
}

/// T in place of the confidence of one source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoreTerms {
    /// What T is.
    pub form: ScoreForm,
    /// Every how many-th record's T is told; 1 for all.
    pub every: u32,
    /// Whether a record is ranked by the mean T of its schema instead of its own.
    pub by_mean: bool,
}

/// Trouble nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct TroubleTerms {
    /// Their learner.
    pub learner: String,
    /// The seed of learners.
    pub seed: u64,
    /// TF.
    pub factor: Ratio,
    /// t2, where there are two.
    pub second_factor: Option<Ratio>,
    /// Sources of a node.
    pub group: u8,
    /// How records reach them.
    pub fragments: FragmentKind,
    /// Coordinates of a projection; as many as there are columns if none is said.
    pub projected_width: Option<u16>,
    /// σ of the noise that a node sees on each coordinate, on average over `noise_records`.
    pub noise: f64,
    /// Records over which the noise, which accumulates, is σ on average.
    pub noise_records: u64,
    /// Colluding sites that the noise must still hide from.
    pub colluders: u16,
    /// How keys and values travel.
    pub phases: Phases,
    /// Whether what a removed node knew is kept for another one over the same sources.
    pub keeps_models: bool,
    /// What candidates are ranked by.
    pub rank_by: RankBy,
    /// One node over all sites from the beginning, and no monitors: Park's baseline.
    pub fixed: bool,
    /// T in place of confidences.
    pub score: Option<ScoreTerms>,
}

/// What makes and removes trouble nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MonitorTerms {
    /// Records in the windows of monitors.
    pub window: usize,
    /// Records for which a test must hold until a node is made.
    pub creation_time: u32,
    /// Records for which a test must hold until a node is removed.
    pub removal_time: u32,
    /// δ of Hoeffding's bounds.
    pub delta: f64,
    /// θ, the sharpness of the smoothed bound.
    pub sharpness: i32,
    /// The share of records that a node must answer.
    pub usage: f64,
    /// δ of the ADWINs that free a pair again.
    pub drift: f64,
}

impl TroubleTerms {
    /// Sites that a masked sum needs: of fewer, two that do not collude are not left.
    pub(super) fn fewest_sites(&self) -> usize {
        FEWEST_MEMBERS.max(usize::from(self.colluders) + 2)
    }

    /// Whether the sources of a node may tell keys first, or not. Masked sums always need it.
    pub(super) fn allows_phases(&self, two: bool) -> bool {
        match (self.fragments, self.phases) {
            (FragmentKind::Masked, _) | (_, Phases::Two) => two,
            (_, Phases::One) => !two,
            (_, Phases::Auto) => true,
        }
    }
}

impl Default for MonitorTerms {
    fn default() -> Self {
        MonitorTerms {
            window: 1000,
            creation_time: 500,
            removal_time: 500,
            delta: 0.001,
            sharpness: 5,
            usage: 0.05,
            drift: 0.002,
        }
    }
}

/// All of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Terms {
    /// The federation's id, drawn when it was founded.
    pub federation: [u8; 32],
    /// How many classes there are.
    pub classes: u32,
    /// The sum of their names, in their order: frames have numbers of classes only.
    pub class_names: [u8; 32],
    /// The sites, rising.
    pub sites: Vec<u16>,
    /// Where trouble nodes run: at these hosts in turn, or at the aggregator if there are none.
    pub hosts: Vec<u16>,
    /// The number of the first record, which seeds guesses.
    pub first_record: u64,
    /// Records of a batch.
    pub batch: u32,
    /// Records that must be classified after one until its label is used.
    pub label_delay: u64,
    /// When records count.
    pub mode: Mode,
    /// How coarse confidences are.
    pub coarse: Coarse,
    /// Records in the windows of sources.
    pub window: usize,
    /// The answer to a record.
    pub answer: AnswerTerms,
    /// Trouble nodes; none where sites answer alone.
    pub trouble: Option<TroubleTerms>,
    /// What makes and removes them.
    pub monitors: MonitorTerms,
}

impl Terms {
    /// The study's constants, with sites that answer alone.
    pub fn of_study(sites: u16, classes: u32, rule: Rule) -> Self {
        Terms {
            federation: [0; 32],
            classes,
            class_names: [0; 32],
            sites: (0..sites).collect(),
            hosts: Vec::new(),
            first_record: 1,
            batch: 1,
            label_delay: 0,
            mode: Mode::Lockstep,
            coarse: Coarse::Exact,
            window: 1000,
            answer: AnswerTerms {
                rule,
                stacker: "arf(preset=2017, leaf=nb)".to_owned(),
                max_order: None,
                calibrate: false,
                omit_forwarded: false,
            },
            trouble: None,
            monitors: MonitorTerms::default(),
        }
    }

    /// The study's trouble nodes: a forest on records as they are.
    pub fn with_trouble(mut self, factor: Ratio) -> Self {
        self.trouble = Some(TroubleTerms {
            learner: "arf(preset=2017, leaf=nb)".to_owned(),
            seed: 1,
            factor,
            second_factor: None,
            group: 2,
            fragments: FragmentKind::Raw,
            projected_width: None,
            noise: 0.0,
            noise_records: 10_000,
            colluders: 0,
            phases: Phases::One,
            keeps_models: false,
            rank_by: RankBy::Agreement,
            fixed: false,
            score: None,
        });
        self
    }

    /// The first bytes of the federation's id, which frames carry.
    pub fn federation_number(&self) -> u64 {
        let first: [u8; 8] = self.federation[..8].try_into().expect("32 bytes");
        u64::from_le_bytes(first)
    }

    /// Whether the hierarchy changes with the stream.
    pub fn has_monitors(&self) -> bool {
        self.trouble.as_ref().is_some_and(|trouble| !trouble.fixed)
    }

    /// The sum of all terms.
    pub fn sum(&self) -> [u8; 32] {
        let mut out = Writer::default();
        out.text("moretta/terms/1");
        // The derived text names each field and is the same for equal terms; doubles are
        // written so that they are read back to the bit.
        out.text(&format!("{self:?}"));
        Sha256::digest(out.into_bytes()).into()
    }
}
