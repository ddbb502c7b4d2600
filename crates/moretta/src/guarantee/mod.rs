//! What is promised of a release, and independent checkers of it.
//!
//! Counting is in *subjects* (distinct persons) when a subject column is given,
//! in rows otherwise. A missing quasi-identifier is a value of its own, equal
//! only to missing. A missing sensitive value never adds to diversity: it is
//! left out of the l and p counts and of the class distribution's diversity,
//! and is a value of its own for beta-likeness, delta-disclosure and t-closeness
//! with equal distance; where values have an order or a tree, closeness is that
//! of the present values.

mod check;
mod claims;
mod classes;
mod closeness;
mod coded;
mod combinations;
mod cover;
mod crowd;
mod degrees;
mod digest;
mod diversity;
mod exchanged;
mod findings;
mod itemsets;
mod likeness;
mod listed;
mod models;
mod nesting;
mod population;
mod rules;
mod same;
mod sample;
mod sizes;
mod sorted;
mod stream;
mod truth;
mod wild;
mod worst;

pub use check::{Checker, plain_check};
pub use claims::Declared;
pub use coded::{Coding, End};
pub use combinations::{Combination, CombinationChecker};
pub use crowd::CrowdChecker;
pub use degrees::DegreeChecker;
pub use digest::Digest;
pub use findings::{ClaimFinding, Fault, Findings, Rule, Unit};
pub use itemsets::{ItemColumn, ItemsetChecker};
pub use listed::items_lost;
pub(crate) use models::persons_of_risk;
pub use models::{
    Absence, BetaLikeness, ColumnPromise, DeltaDisclosure, Diversity, Ground, Guarantee, KMap,
    KmAnonymous, LDiversity, Likeness, PSensitivity, Population, Presence, Sensitivity, TCloseness,
};
pub use nesting::{FileNesting, Nesting, nested_files, nesting};
pub use population::PopulationRows;
pub use rules::{
    Breach, ColumnKind, ColumnRule, Comparison, Condition, Constant, Formula, Labels, Mismatch,
    Misread, Operand, Reading, RuleChecker, RuleCount, check_kinds,
};
pub use sample::torn_persons;
pub use stream::{Decided, StreamChecker, StreamFindings};
pub use truth::{Treatment, Truth};
pub use wild::{Missing, wild_claims};
