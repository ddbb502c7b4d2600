//! From rows to rows that may leave: one plan, one session, nothing released unchecked.
//!
//! Not done here: no file is read or written, nothing is printed, and neither the
//! environment nor any global is looked at. Who embeds the library pushes rows and gets
//! rows; `pipeline` does it with files.

pub(crate) mod arrival;
pub(crate) mod attacks;
pub(crate) mod coarse;
pub(crate) mod column_sets;
pub(crate) mod columns;
mod context;
pub(crate) mod copies;
pub(crate) mod distributions;
pub(crate) mod domains;
pub(crate) mod events;
pub(crate) mod facts;
mod faults;
pub(crate) mod items;
pub(crate) mod judge;
mod learn;
pub mod ledger;
pub(crate) mod masked;
pub(crate) mod order;
pub(crate) mod original;
mod plan;
pub(crate) mod population;
mod progress;
pub(crate) mod published;
mod pump;
pub mod report;
pub(crate) mod rules;
mod session;
pub(crate) mod shown;
mod sink;
mod source;
pub(crate) mod telling;
pub(crate) mod warnings;

pub use crate::cancel::Cancel;
pub use crate::measure::Measure;
pub(crate) use context::Wanted;
pub use context::{Clock, Context, Keys};
pub use learn::{
    Arm, LearnSettings, Learned, Learning, Lessons, SavedModel, Side, Trained, learn, train,
};
pub(crate) use learn::{
    Classroom, Pupil, Strange, accuracy_of_release, class_of, lessons_of_release,
};
pub use original::Original;
pub(crate) use plan::check_kinds;
pub use plan::{
    Action, ColumnPolicy, Conflict, KeyPlace, LedgerPlan, Level, Order, PairPolicy, Plan,
};
pub use progress::{Live, Progress, Records, Searched, Stage};
pub use pump::{Every, Pump, run, run_from};
pub(crate) use session::{Candidate, Purpose, THE_SOURCE, Why, check_plan, source_name};
pub use session::{Checked, Outcome, Resume, Session};
pub use sink::Sink;
pub use source::{Place, Source};
pub use telling::TellingSet;
pub use warnings::warnings;
