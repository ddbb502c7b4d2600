//! The flow from source to sink: read, protect, write aside, read back, check, measure, put in place.

mod attack;
mod check;
mod coarse;
mod compare;
mod distributions;
mod domains;
mod facts;
mod interrupted;
mod judge;
mod learn;
mod leftovers;
mod masked;
mod memory;
mod order;
mod place;
mod places;
mod plan;
mod progress;
mod published;
mod read;
mod read_back;
mod release_columns;
mod release_values;
pub mod report;
mod run;
mod sha256;
mod shown;
mod steps;
mod stream;
mod telling;
mod tune;
mod verify;
mod warnings;

pub use attack::{AttackSettings, Attacked, Strongest, attack};
pub use check::{check, check_warnings};
pub use compare::{Standing, compare};
pub use interrupted::{Interrupted, interrupted};
pub use learn::{
    Arm, LearnSettings, Learned, Lessons, SavedModel, Side, Trained, learn, lessons,
    lessons_of_file, train,
};
pub use place::{Outputs, abandon};
pub use places::check_outputs;
pub use plan::{Plan, PlannedColumn, plan, privacy};
pub use progress::{Live, Progress, Records, Stage};
pub use read::{Original, read};
pub use report::Report;
pub use run::{Options, Outcome, run};
pub use stream::StreamVerification;
pub use telling::TellingSet;
pub use tune::{Attempt, Figure, TuneSettings, Tuned, tune};
pub use verify::{Verification, verify, verify_stream};
pub use warnings::warnings;
