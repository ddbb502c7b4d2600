//! The flow from source to sink: read, protect, write aside, read back, check, measure, put in place.

mod ahead;
mod attack;
mod bound;
mod certificate;
mod check;
mod checkpoint;
mod compare;
mod compare_masked;
mod compare_methods;
mod estimates;
mod evolve;
mod federation;
mod files;
mod goal;
mod graph;
mod inputs;
mod interrupted;
mod ledger;
mod leftovers;
mod lessons;
mod levels;
mod manifest;
mod matrices;
mod memory;
mod model_file;
mod no_rows;
mod options;
mod output;
mod place;
mod places;
mod plan;
mod preview;
mod profile;
mod read_back;
mod release_columns;
mod release_values;
mod reports;
mod rounded;
mod run;
mod sealed;
mod sha256;
mod standing;
mod stream;
mod trial;
mod trials;
mod tune;
mod verify;

pub use crate::engine::report::{self, Report};
pub use crate::engine::{
    Arm, LearnSettings, Learned, Learning, Lessons, Live, Original, Outcome, Progress, Records,
    SavedModel, Searched, Side, Stage, TellingSet, Trained, learn, train, warnings,
};
pub use attack::{
    AttackSettings, Attacked, AttackedFederation, AttackedNode, AttackedRelease, AttackedTables,
    Coalition, ConfidenceLeak, MaskedKinds, Strongest, Tried, attack, attack_federation,
    attack_files, attack_policies, attack_table,
};
pub use check::{check, check_warnings};
pub use compare::{Compared, compare};
pub use compare_methods::{Comparison, ComparisonSettings, TriedMethod, compare_methods};
pub use estimates::{Counted, EstimatedRow, EstimatedTable};
pub use evolve::{
    CategoryFile, CategoryFiles, Evolved, MeasuredNumbers, NumberFile, NumberFiles, PramFound,
    PramSearch, PramSolution, SearchTable, Wish, evolve,
};
pub use federation::{
    AgreementFact, AnswerPosition, AnswerWriter, Chronicle, FederationFacts, FileJournal,
    FrameFact, IncidentFact, LinkFact, MomentFact, NoNodes, NodeFact, PartyFact, PartyRows,
    PartyState, Simulated, SiteFact, aggregator_of, agreed, check_common_columns, check_room,
    consumer_of, federation_sees, host_of, label_holder_of, made_up_seed, open_simulated,
    secret_of_run, site_of,
};
pub use goal::{Found, Point, reach};
pub use graph::{
    AttackedGraph, ExtractSettings, Extracted, GraphAttack, Microdata, TopicSettings, attack_graph,
    extract, microdata, verify_graph,
};
pub use interrupted::{Interrupted, interrupted};
pub use ledger::{Listed, Listing, list_ledger, revoke};
pub use lessons::{lessons, lessons_of_file, lessons_to_keep};
pub use levels::run_levels;
pub use manifest::{PrivateKey, PublicKey, Signed, SignedFile, verify_manifest};
pub use options::Options;
pub use place::{Outputs, abandon};
pub use places::check_outputs;
pub use plan::{Plan, PlannedColumn, plan, privacy};
pub use preview::{Preview, preview};
pub use profile::{Profile, ProfiledColumn, ProfiledValue, profile};
pub use rounded::{rounded_count, rounded_json, rounded_share, rounded_size, rounded_text};
pub use run::run;
pub use standing::Standing;
pub use stream::StreamVerification;
pub use trial::read;
pub use tune::{Attempt, Figure, TuneSettings, Tuned, tune};
pub use verify::{LevelsVerification, Verification, verify, verify_levels, verify_stream};
