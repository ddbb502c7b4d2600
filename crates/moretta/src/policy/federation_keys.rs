//! The keys of `[federation]`, declared once.

use crate::config::{Absent, Accepts, Form, Length, NAMES, POSITIVE_DURATION, Parameter, words};
use crate::federate::frame::MOST_RECORDS;
use crate::federate::{FragmentKind, Phases, RankBy, Rule, ScoreForm};

/// What a party of a federation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FederationRole {
    /// Holds columns.
    Site,
    /// Makes the final answers.
    Aggregator,
    /// Runs trouble nodes at a place of its own.
    Trouble,
    /// Tells true classes.
    Labels,
    /// Takes answers.
    Consumer,
}

impl FederationRole {
    /// Its word in a policy.
    pub fn word(self) -> &'static str {
        let found = ROLES.iter().find(|(_, role)| *role == self);
        found.map_or("", |(word, _)| *word)
    }

    /// Whether all others need it, so that none of them alone should stop it.
    pub fn serves_all(self) -> bool {
        matches!(self, FederationRole::Aggregator | FederationRole::Labels)
    }
}

/// The keys of the section.
pub(in crate::policy) const KEYS: &[Parameter] = &[
    NAME,
    ROLE,
    ID,
    AGGREGATOR,
    LABELS,
    HOSTS,
    LISTEN,
    IDENTITY,
    PARTIES,
    PINS,
    CLASSES,
    LEARNER,
    TROUBLE,
    ANSWER,
    MODE,
    BATCH,
    LABEL_DELAY,
    CONFIDENCE_BITS,
    WINDOW,
    FRAGMENTS,
    MONITORS,
    STALL,
    STATE,
    CHECKPOINT,
];

/// How records count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ModeWord {
    Lockstep,
    Flow,
}

pub(super) const ROLES: &[(&str, FederationRole)] = &[
    ("site", FederationRole::Site),
    ("aggregator", FederationRole::Aggregator),
    ("trouble", FederationRole::Trouble),
    ("labels", FederationRole::Labels),
    ("consumer", FederationRole::Consumer),
];
pub(super) const MODES: &[(&str, ModeWord)] =
    &[("lockstep", ModeWord::Lockstep), ("flow", ModeWord::Flow)];
pub(super) const RULES: &[(&str, Rule)] = &[
    ("vote", Rule::Vote),
    ("max-confidence", Rule::MaxConfidence),
    ("weighted-vote", Rule::WeightedVote),
    ("stack", Rule::Stack),
];
pub(super) const KINDS: &[(&str, FragmentKind)] = &[
    ("none", FragmentKind::None),
    ("masked", FragmentKind::Masked),
    ("projected", FragmentKind::Projected),
    ("raw", FragmentKind::Raw),
];
pub(super) const PHASES_WORDS: &[(&str, Phases)] = &[
    ("one", Phases::One),
    ("two", Phases::Two),
    ("auto", Phases::Auto),
];
pub(super) const FORMS: &[(&str, ScoreForm)] = &[
    ("sum", ScoreForm::Sum),
    ("maximum", ScoreForm::Maximum),
    ("variance-weighted", ScoreForm::VarianceWeighted),
];
pub(super) const RANKS: &[(&str, RankBy)] =
    &[("agreement", RankBy::Agreement), ("excess", RankBy::Excess)];

const ADDRESS: Accepts = Accepts::Form(&Form {
    what: "a host and a port",
    example: "agg.example.org:7443",
    pattern: "^.+:[0-9]+$",
    fits: |text| {
        let parts = text.rsplit_once(':');
        parts.is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok())
    },
});

/// The name of a federation or party.
const PARTY: Accepts = Accepts::Form(&Form {
    what: "1 to 64 letters, digits, dots, hyphens and underscores",
    example: "ward-7",
    pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
    fits: is_name,
});

/// Whether a text can name a federation or party.
pub(super) fn is_name(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let begins = text
        .bytes()
        .next()
        .is_some_and(|b| b.is_ascii_alphanumeric());
    begins && text.len() <= 64 && text.bytes().all(fits)
}

const FILE: Accepts = Accepts::Form(&Form {
    what: "the place of a file",
    example: "file:lab.pem",
    pattern: "^file:",
    fits: |text| {
        text.strip_prefix("file:")
            .is_some_and(|path| !path.is_empty())
    },
});

pub(super) const NAME: Parameter = Parameter::new(
    "name",
    PARTY,
    Absent::Refused,
    "the federation; the same at all parties",
);
pub(super) const ROLE: Parameter = Parameter::new(
    "role",
    Accepts::Word(|| words(ROLES)),
    Absent::Refused,
    "what this party does: holds columns, makes the final answers, runs trouble nodes at a place of its own, tells true classes, or takes answers",
);
pub(super) const ID: Parameter =
    Parameter::new("id", PARTY, Absent::Refused, "this party among `parties`")
        .examples(&["\"lab\""]);
pub(super) const AGGREGATOR: Parameter = Parameter::new(
    "aggregator",
    ADDRESS,
    Absent::Means("must be given, except to simulate"),
    "where the aggregator listens",
);
pub(super) const LABELS: Parameter = Parameter::new(
    "labels",
    ADDRESS,
    Absent::Means("must be given, except to simulate"),
    "where the label holder listens; sites dial it, so that nobody on the way can change a label",
)
.examples(&["\"labels.example.org:7444\""]);
pub(super) const HOSTS: Parameter = Parameter::new(
    "hosts",
    Accepts::By("party", &ADDRESS),
    Absent::Means("the aggregator runs trouble nodes"),
    "where each party with the role trouble listens",
)
.examples(&["{ node = \"node.example.org:7445\" }"]);
pub(super) const LISTEN: Parameter = Parameter::new(
    "listen",
    ADDRESS,
    Absent::Means("all addresses of the machine, at the port that others dial"),
    "of a party that others dial: the address that it listens on",
)
.examples(&["\"127.0.0.1:7443\""]);
pub(super) const IDENTITY: Parameter = Parameter::new(
    "identity",
    Accepts::Table(&[CERTIFICATE, KEY, AUTHORITY, RECORDS]),
    Absent::Means("must be given, except to simulate"),
    "the files of this party that `moretta federation keys` makes",
);
pub(super) const CERTIFICATE: Parameter =
    Parameter::new("certificate", FILE, Absent::Refused, "its certificate");
pub(super) const KEY: Parameter = Parameter::new("key", FILE, Absent::Refused, "its private key");
pub(super) const AUTHORITY: Parameter = Parameter::new(
    "authority",
    FILE,
    Absent::Refused,
    "the certificate of the federation's authority",
);
pub(super) const RECORDS: Parameter = Parameter::new(
    "records",
    FILE,
    Absent::Means("records.key beside the private key"),
    "of a site or the label holder: the secret that they alone share, under which sums of record keys are made",
);
pub(super) const PARTIES: Parameter = Parameter::new(
    "parties",
    Accepts::By("party", &Accepts::Word(|| words(ROLES))),
    Absent::Refused,
    "all parties and what each does; sites are numbered in the order of their ids",
)
.examples(&["{ hub = \"aggregator\", lab = \"site\", icu = \"site\", desk = \"labels\" }"]);
pub(super) const PINS: Parameter = Parameter::new(
    "pins",
    Accepts::Text,
    Absent::Means("must be given, except to simulate"),
    "a file with the public key of each party, which `moretta federation keys` makes; nobody else is believed",
)
.examples(&["\"keys/pins.toml\""]);
pub(super) const CLASSES: Parameter = Parameter::new(
    "classes",
    Accepts::List(
        &Accepts::Text,
        Length {
            least: 2,
            most: 4096,
            distinct: true,
        },
    ),
    Absent::Refused,
    "all classes; the same at all parties",
)
.examples(&["[\"stable\", \"critical\"]"]);
pub(super) const LEARNER: Parameter = Parameter::new(
    "learner",
    Accepts::Text,
    Absent::Text("nb"),
    "of a site: what learns its columns; `naive-bayes` and `adaptive-random-forest` are other names of nb and arf",
)
.examples(&["\"nb\"", "\"ht\""]);

pub(super) const TROUBLE: Parameter = Parameter::new(
    "trouble",
    Accepts::Table(&[
        TROUBLE_LEARNER,
        SEED_NUMBER,
        FACTOR,
        SECOND_FACTOR,
        GROUP,
        PHASES,
        KEEP_MODELS,
        RANK_BY,
        SCORE,
    ]),
    Absent::Means("sites answer alone"),
    "trouble nodes, which learn records that trouble several sites at once; the same at all parties",
)
.examples(&["{ factor = 4, group = 3 }"]);
pub(super) const TROUBLE_LEARNER: Parameter = Parameter::new(
    "learner",
    Accepts::Text,
    Absent::Text("arf(preset=2017, leaf=nb)"),
    "what learns at a trouble node",
);
pub(super) const SEED_NUMBER: Parameter = Parameter::new(
    "seed",
    Accepts::Whole(0, i64::MAX),
    Absent::Whole(1),
    "the seed of learners that draw",
);
pub(super) const FACTOR: Parameter = Parameter::new(
    "factor",
    Accepts::Number(0.000_001, 1_000_000.0),
    Absent::Refused,
    "how many values a record a trouble node takes on average, or how much where columns have a `size`; larger ones see more records and cost more",
);
pub(super) const SECOND_FACTOR: Parameter = Parameter::new(
    "second_factor",
    Accepts::Number(0.000_001, 1_000_000.0),
    Absent::Means("one factor"),
    "values a record that are sent once sources have agreed, with two phases",
);
pub(super) const GROUP: Parameter = Parameter::new(
    "group",
    Accepts::Whole(2, 4),
    Absent::Means("3 with masked fragments, else 2"),
    "sources of a trouble node",
);
pub(super) const PHASES: Parameter = Parameter::new(
    "phases",
    Accepts::Word(|| words(PHASES_WORDS)),
    Absent::Text("auto"),
    "whether keys and values are sent at once, keys first, or what is shorter for a node by how much its sources agree; masked fragments always need two",
);
pub(super) const KEEP_MODELS: Parameter = Parameter::new(
    "keep_models",
    Accepts::Flag,
    Absent::Flag(false),
    "whether what a removed node knew is kept for the next one over the same sources",
);
pub(super) const RANK_BY: Parameter = Parameter::new(
    "rank_by",
    Accepts::Word(|| words(RANKS)),
    Absent::Text("agreement"),
    "which candidates become nodes first: those that agree most, or most above what chance explains",
);
pub(super) const SCORE: Parameter = Parameter::new(
    "score",
    Accepts::Table(&[FORM, EVERY, BY_MEAN]),
    Absent::Means("records are ranked by the confidence of their own site"),
    "T: sites rank records by how sure all sources of a node were of records like them, which the aggregator tells them; with two sources T - C² is the other's confidence",
);
pub(super) const FORM: Parameter = Parameter::new(
    "form",
    Accepts::Word(|| words(FORMS)),
    Absent::Text("sum"),
    "T of a record: the sum of C² over the sources, the greatest, or a sum weighed by the variance of each source's confidence",
);
pub(super) const EVERY: Parameter = Parameter::new(
    "every",
    Accepts::Whole(1, 1_000_000),
    Absent::Whole(1),
    "T is told of every so many-th record",
);
pub(super) const BY_MEAN: Parameter = Parameter::new(
    "by_mean",
    Accepts::Flag,
    Absent::Flag(false),
    "whether records are ranked by the mean T of records like them, instead of their own C² plus the others' mean",
);

pub(super) const ANSWER: Parameter = Parameter::new(
    "answer",
    Accepts::Table(&[
        RULE,
        STACKER,
        AFTER,
        PATIENCE,
        MAX_ORDER,
        CALIBRATE,
        OMIT_FORWARDED,
    ]),
    Absent::Means("as each says"),
    "how the final answer is made; the same at all parties",
);
pub(super) const RULE: Parameter = Parameter::new(
    "rule",
    Accepts::Word(|| words(RULES)),
    Absent::Text("vote"),
    "how answers of sites become one",
);
pub(super) const STACKER: Parameter = Parameter::new(
    "stacker",
    Accepts::Text,
    Absent::Text("arf(preset=2017, leaf=nb)"),
    "with stack: what learns from the classes that sites answer",
);
pub(super) const AFTER: Parameter = Parameter::new(
    "after",
    POSITIVE_DURATION,
    Absent::Text("200ms"),
    "with flow: the time from the first answer to a batch until it is answered with what is there",
);
pub(super) const PATIENCE: Parameter = Parameter::new(
    "patience",
    POSITIVE_DURATION,
    Absent::Text("3s"),
    "with flow: the time from then until monitors go on without what is missing",
);
pub(super) const MAX_ORDER: Parameter = Parameter::new(
    "max_order",
    Accepts::Whole(0, 63),
    Absent::Means("all are waited for"),
    "the highest order of trouble nodes that the consumer waits for",
);
pub(super) const CALIBRATE: Parameter = Parameter::new(
    "calibrate",
    Accepts::Flag,
    Absent::Flag(false),
    "whether a confidence counts for no more than the accuracy that was observed",
);
pub(super) const OMIT_FORWARDED: Parameter = Parameter::new(
    "omit_forwarded",
    Accepts::Flag,
    Absent::Flag(false),
    "whether sites leave out answers to records that they forward; cheaper and less accurate",
);

pub(super) const MODE: Parameter = Parameter::new(
    "mode",
    Accepts::Word(|| words(MODES)),
    Absent::Text("lockstep"),
    "whether every batch waits for all that it needs, so that the result depends on the records alone (lockstep), or deadlines decide (flow)",
);
pub(super) const BATCH: Parameter = Parameter::new(
    "batch",
    Accepts::Whole(1, MOST_RECORDS as i64),
    Absent::Whole(256),
    "records that travel together; larger batches cost less and let trouble nodes come later",
);
pub(super) const LABEL_DELAY: Parameter = Parameter::new(
    "label_delay",
    Accepts::Whole(0, 1 << 40),
    Absent::Whole(0),
    "records that are classified after one until its label is used",
);
pub(super) const CONFIDENCE_BITS: Parameter = Parameter::new(
    "confidence_bits",
    Accepts::Whole(8, 64),
    Absent::Whole(8),
    "bits of a confidence: 8, 16 or 64; more tell more of the values that it was made from",
);
pub(super) const WINDOW: Parameter = Parameter::new(
    "window",
    Accepts::Whole(1, 1_000_000),
    Absent::Whole(1000),
    "records in the windows by which a source ranks its confidence",
);

pub(super) const FRAGMENTS: Parameter = Parameter::new(
    "fragments",
    Accepts::Table(&[
        KIND,
        ALLOW,
        SHARE,
        MIN_SOURCES,
        COLLUDERS,
        NOISE,
        NOISE_RECORDS,
        K,
    ]),
    Absent::Means("masked"),
    "what trouble nodes get of forwarded records",
);
pub(super) const KIND: Parameter = Parameter::new(
    "kind",
    Accepts::Word(|| words(KINDS)),
    Absent::Text("masked"),
    "nothing, shares of a sum of projections, projections of each site, or values as they are; the same at all parties",
);
pub(super) const ALLOW: Parameter = Parameter::new(
    "allow",
    Accepts::Word(|| words(KINDS)),
    Absent::Means("`kind`"),
    "of a site: the most telling kind that it sends; a hierarchy that asks for more is refused",
);
pub(super) const SHARE: Parameter = Parameter::new(
    "share",
    NAMES,
    Absent::Means("all of its columns"),
    "of a site: the columns that projections are made of, each a category with `order` or a number with `range`",
)
.examples(&["[\"pulse\", \"spo2\"]"]);
pub(super) const MIN_SOURCES: Parameter = Parameter::new(
    "min_sources",
    Accepts::Whole(2, 64),
    Absent::Means("3 with masked fragments, else 2"),
    "of a site: sources that a trouble node must have to get anything",
);
pub(super) const COLLUDERS: Parameter = Parameter::new(
    "colluders",
    Accepts::Whole(0, 1023),
    Absent::Whole(0),
    "sites of a node that may work with it and still face all of the noise; the same at all parties",
);
pub(super) const NOISE: Parameter = Parameter::new(
    "noise",
    Accepts::Number(0.0, 1000.0),
    Absent::Number(0.0),
    "σ of the noise on each coordinate of a projection; the same at all parties",
);
pub(super) const NOISE_RECORDS: Parameter = Parameter::new(
    "noise_records",
    Accepts::Whole(1, 1 << 40),
    Absent::Whole(10_000),
    "records over which the noise, which accumulates, is σ on average; the same at all parties",
);
pub(super) const K: Parameter = Parameter::new(
    "k",
    Accepts::Whole(1, 4096),
    Absent::Means("the columns of the node"),
    "coordinates of a projection; fewer tell less; the same at all parties",
);

pub(super) const MONITORS: Parameter = Parameter::new(
    "monitors",
    Accepts::Table(&[
        MONITOR_WINDOW,
        CREATION_TIME,
        REMOVAL_TIME,
        DELTA,
        SHARPNESS,
        USAGE,
        DRIFT,
    ]),
    Absent::Means("as each says"),
    "what makes and removes trouble nodes; the same at all parties",
);
pub(super) const MONITOR_WINDOW: Parameter = Parameter::new(
    "window",
    Accepts::Whole(1, 1_000_000),
    Absent::Whole(1000),
    "records in the windows of monitors",
);
pub(super) const CREATION_TIME: Parameter = Parameter::new(
    "creation_time",
    Accepts::Whole(1, 1_000_000),
    Absent::Whole(500),
    "records for which sources must agree until a node is made",
);
pub(super) const REMOVAL_TIME: Parameter = Parameter::new(
    "removal_time",
    Accepts::Whole(1, 1_000_000),
    Absent::Whole(500),
    "records for which a node must be of no use until it is removed",
);
pub(super) const DELTA: Parameter = Parameter::new(
    "delta",
    Accepts::Number(1e-12, 0.5),
    Absent::Number(0.001),
    "δ of the bounds; smaller ones make nodes later",
);
pub(super) const SHARPNESS: Parameter = Parameter::new(
    "sharpness",
    Accepts::Whole(1, 100),
    Absent::Whole(5),
    "θ, by which the bound is smoothed",
);
pub(super) const USAGE: Parameter = Parameter::new(
    "usage",
    Accepts::Number(0.0, 1.0),
    Absent::Number(0.05),
    "the share of records that a node must answer",
);
pub(super) const DRIFT: Parameter = Parameter::new(
    "drift",
    Accepts::Number(1e-12, 0.5),
    Absent::Number(0.002),
    "δ of the detectors that free the sources of a removed node again",
);
pub(super) const STATE: Parameter = Parameter::new(
    "state",
    Accepts::Text,
    Absent::Means("a folder beside the policy with the party's id and the ending .state"),
    "the private folder of a run of this party: its journal, from which it goes on after a kill, and the secret that masks and noise are made from",
)
.examples(&["\"lab.state\""]);
pub(super) const CHECKPOINT: Parameter = Parameter::new(
    "checkpoint",
    Accepts::Whole(1, 1_000_000_000),
    Absent::Whole(4096),
    "events after which a party writes all that it knows and empties its journal; fewer make a restart faster and the run slower",
);
pub(super) const STALL: Parameter = Parameter::new(
    "stall",
    POSITIVE_DURATION,
    Absent::Means("it waits for ever"),
    "of the aggregator: with lockstep, the time without progress after which it ends and names who is waited for",
)
.examples(&["\"5m\""]);
