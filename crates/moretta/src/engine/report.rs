//! What a run found out: everything the HTML and the JSON report show.
//!
//! The report never carries a cell of the data that fewer than
//! [`SMALL_CELL`] + 1 rows share: counts from 1 to [`SMALL_CELL`] are hidden,
//! and enough of their neighbours that they cannot be had by subtraction.
//! What it tells follows from released rows and the policy. Of suppressed rows it
//! tells bounds alone, and counts with them whatever would depend on their number.
//!
//! Three things are told however small they are: what the release itself shows to anyone
//! who counts it, such as the number of its rows and the sizes of its classes; what a
//! promise was found to be, such as k; and figures over all rows, such as a mean or a rate.
//! The page, its tooltips and what is read aloud tell no more than this structure.

use super::plan::{Level, Plan};
use crate::measure::RiskByColumn;
use crate::measure::pairs::PairFacts;
use crate::measure::risk::uniqueness::Model;
use serde::{Deserialize, Serialize};

/// Counts from 1 to this are hidden.
pub const SMALL_CELL: u64 = 10;

/// The report of one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Version of this layout.
    pub version: u32,
    /// The program and its version.
    pub program: String,
    /// The policy's name.
    pub name: String,
    /// What the release is for, when the policy says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// The day of the run, "2026-03-01"; none of a run that nobody dated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The policy as it was read, secrets excluded by construction.
    pub policy: String,
    /// SHA-256 of the policy.
    pub policy_sha256: String,
    /// The command that makes the same release again in place of what it has made.
    pub command: String,
    /// The file that was read.
    pub source: FileFacts,
    /// The file that was written; none when the run only planned or verified.
    pub sink: Option<FileFacts>,
    /// What was promised and what the checker found.
    pub verdict: Verdict,
    /// How rows fared.
    pub rows: RowFacts,
    /// Sizes of the classes: how many classes have each size.
    pub class_sizes: Vec<SizeCount>,
    /// Measures of loss and risk, before and after.
    pub measures: Vec<MeasureFact>,
    /// Every column: role, loss, histograms.
    pub columns: Vec<ColumnFact>,
    /// Share of released rows by risk of re-identification (prosecutor): ascending risk.
    pub risk: Vec<RiskBand>,
    /// What each quasi-identifier adds to the risk of released rows, counted in the release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk_by_column: Option<RiskByColumn>,
    /// What a search over recodings has found in the rows that are released.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchFacts>,
    /// Columns that single rows of the release out together: of each number of columns those that
    /// do it most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub column_sets: Vec<ColumnSet>,
    /// Rules between columns, and how rows fare with them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RuleFact>,
    /// How the population was estimated; none when its size is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub population: Option<PopulationFact>,
    /// Why this method was chosen, where a search has chosen it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<String>,
    /// What an evolutionary search has found, where it made the release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evolution: Option<EvolutionFacts>,
    /// Which of several nested releases it is about; none of a single one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub levels: Option<LevelFacts>,
    /// What is told of the edges between the rows; none of a table that is no node table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graph: Option<GraphFacts>,
    /// Things a steward should know, worst first.
    pub warnings: Vec<String>,
    /// What is told of a stream; none of a table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<StreamFacts>,
    /// What is told of pairs of original and protected records; none when they were not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs: Option<PairFacts>,
    /// Seconds spent by stage; not in a report that is written, as they tell how much was read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<StageFact>,
}

/// What an evolutionary search over protected files has found. Losses, risks and scores are
/// percentages of all rows, told to one digit behind the point.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EvolutionFacts {
    /// What was to be small, as a policy calls it.
    pub fitness: String,
    /// What was searched over, as a policy calls it.
    #[serde(default)]
    pub search: String,
    /// Files that each matrix was judged by; none of a search over cells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applications: Option<usize>,
    /// The equation that was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equation: Option<EquationFact>,
    /// How well each column is guessed by somebody who knows its matrix; none of a search over
    /// cells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guessed: Vec<GuessFact>,
    /// Designs of the literature, judged by the same draws; none of a search over cells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub designs: Vec<StartFact>,
    /// The protected columns.
    pub columns: Vec<String>,
    /// Mutations and crossings.
    pub steps: u64,
    /// Files that were evaluated, those of the start aside.
    pub evaluations: u64,
    /// Why it has ended.
    pub ended: String,
    /// The files that it began with.
    pub start: Vec<StartFact>,
    /// Losses and risks of the last population.
    pub last: Vec<TradeOffFact>,
    /// Losses and risks that no other file beats, from little loss to little risk.
    pub front: Vec<TradeOffFact>,
    /// The place on the front of what was released, from 1; none where the best score was.
    pub picked: Option<usize>,
    /// What was released.
    pub released: TradeOffFact,
    /// The best and the mean score over the steps.
    pub curve: Vec<CurveFact>,
}

/// An equation that makes transition matrices, as people write it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EquationFact {
    /// How likely a category becomes another one, compared with others.
    pub weights: String,
    /// How likely it stays: a number, or an equation cut off at 0 and 1.
    pub diagonal: String,
}

/// How well the categories of a column are guessed from a release by its transition matrix, in
/// percent of all rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GuessFact {
    /// The column.
    pub column: String,
    /// Guessed right by somebody who knows the matrix and how frequent categories are.
    pub guessed: f64,
    /// Released as they were.
    pub stays: f64,
}

/// A file of the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StartFact {
    /// The method that made it, and its parameters.
    pub method: String,
    /// Its loss and risk.
    pub of: TradeOffFact,
}

/// Information loss and disclosure risk of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TradeOffFact {
    /// Information loss.
    pub loss: f64,
    /// Disclosure risk.
    pub risk: f64,
}

/// The population after some steps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurveFact {
    /// The steps.
    pub step: u64,
    /// The best score.
    pub best: f64,
    /// The mean score.
    pub mean: f64,
}

/// Nested releases of one table, of which the report is about one. Each class of a stricter level
/// is a union of classes of the finer ones, and all have the same rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LevelFacts {
    /// The level of this release.
    pub level: String,
    /// All levels, from the least to the most protected.
    pub levels: Vec<LevelFact>,
}

/// One level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LevelFact {
    /// What the policy calls it.
    pub name: String,
    /// The least number of persons in each of its classes.
    pub k: u32,
}

impl LevelFacts {
    /// The facts of one level of a plan.
    pub(crate) fn new(plan: &Plan, level: &Level) -> Self {
        let fact = |level: &Level| LevelFact {
            name: level.name.clone(),
            k: level.k,
        };
        LevelFacts {
            level: level.name.clone(),
            levels: plan.levels.iter().map(fact).collect(),
        }
    }

    /// Whether no other level protects more.
    pub fn is_strictest(&self) -> bool {
        self.levels
            .last()
            .is_some_and(|last| last.name == self.level)
    }

    /// The k that somebody keeps of whom all levels are known: that of the finest.
    pub fn together(&self) -> u32 {
        self.levels.first().map_or(0, |level| level.k)
    }
}

/// What is told of a social graph. Figures before are about edges between released nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GraphFacts {
    /// The edge list that was written.
    pub file: FileFacts,
    /// Whether edges have directions.
    pub directed: bool,
    /// Released nodes.
    pub nodes: u64,
    /// Edges that are new.
    pub added: u64,
    /// Edges that are gone.
    pub removed: u64,
    /// How many nodes have degrees in each band.
    pub degrees: Vec<DegreeBand>,
    /// What the graph looks like.
    pub figures: Vec<GraphFigure>,
    /// What was lost by meaning; none where the release shows no labels of hierarchies.
    pub semantic: Option<SemanticFacts>,
    /// Intruders who know degrees.
    pub risks: Vec<DegreeRisk>,
}

/// Nodes with a number of neighbours in a range.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DegreeBand {
    /// The least degree.
    pub from: u32,
    /// The largest degree.
    pub to: u32,
    /// Nodes before; none when hidden.
    pub before: Option<u64>,
    /// Nodes after, as the release shows them.
    pub after: u64,
}

/// A figure of a graph before and after.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GraphFigure {
    /// What it is.
    pub name: String,
    /// Before; none where it compares both.
    pub before: Option<f64>,
    /// After.
    pub after: f64,
}

/// What nodes have lost of their meaning, in percent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SemanticFacts {
    /// Attribute by attribute.
    pub attributes: Vec<SemanticAttribute>,
    /// Of the links between categories.
    pub aamil: f64,
    /// Of the frequencies of categories.
    pub cdil: f64,
    /// By the distance of each node to what is released of it.
    pub dbil: f64,
    /// The mean of the three.
    pub average: f64,
    /// How probable it is that the nearest node is the right one.
    pub risk: Option<f64>,
    /// What k allows at most.
    pub bound: Option<f64>,
}

/// What one attribute has lost, in percent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SemanticAttribute {
    /// Its name.
    pub name: String,
    /// Of the links between its categories.
    pub aamil: f64,
    /// Of their frequencies.
    pub cdil: f64,
}

/// An intruder who knows degrees.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DegreeRisk {
    /// What the intruder knows.
    pub knows: String,
    /// The mean chance to find a person with the edges as they were.
    pub before: f64,
    /// The mean chance to find a person.
    pub mean: f64,
    /// The chance to find the person who is found most easily.
    pub largest: f64,
}

/// What a search over recodings has found. It is that of released rows alone: where some are
/// suppressed, the others are searched once more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchFacts {
    /// What was to be small, as a policy calls it.
    pub metric: String,
    /// The quasi-identifiers, in the order of levels.
    pub columns: Vec<String>,
    /// The top level of each, or the places where it can be cut.
    pub heights: Vec<usize>,
    /// Recodings are sets of cuts, not levels of hierarchies.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_cuts: bool,
    /// How many recodings there are.
    pub nodes: f64,
    /// How many were looked at.
    pub looked_at: u64,
    /// By which share less than the best one another could lose; 0 is proven.
    pub gap: f64,
    /// The one that was released, then others that keep the promises, in the order of loss.
    pub best: Vec<NodeFact>,
    /// Recodings just below these that do not keep the promises.
    pub below: Vec<NodeFact>,
}

/// One recoding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeFact {
    /// The level of each quasi-identifier, or how often it is cut.
    pub levels: Vec<usize>,
    /// What is lost by it, with four digits; none where it does not keep the promises.
    pub loss: Option<f64>,
}

/// Columns that single persons out together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnSet {
    /// Their names.
    pub columns: Vec<String>,
    /// Persons, or rows where no subject is known, who are alone by them: more than
    /// [`SMALL_CELL`].
    pub singled_out: u64,
}

/// A rule between columns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleFact {
    /// Its name.
    pub name: String,
    /// What it says.
    pub says: String,
    /// At most so many released rows broke it as they were; none where nothing is told of them.
    pub broken_in_source: Option<u64>,
    /// Released rows that keep it, whatever their cells stand for.
    pub kept: u64,
    /// Released rows that keep it for some of the values that their cells stand for.
    pub open: u64,
    /// Released rows that break it, whatever their cells stand for.
    pub broken: u64,
}

/// The population that a table is a sample of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PopulationFact {
    /// Persons of it.
    pub persons: u64,
    /// The model by which persons who are unique in it are estimated, before and after.
    pub models: [Model; 2],
}

/// What is told of a stream. Counts from 1 to [`SMALL_CELL`] are hidden.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StreamFacts {
    /// Milliseconds back that count.
    pub window: i64,
    /// "zero-delay" or "exact".
    pub mode: String,
    /// z at the end.
    pub z: u32,
    /// Users with the same released set that make them alike.
    pub k: u32,
    /// The goal of tuning, when z tunes itself.
    pub goal: Option<f64>,
    /// Attributes released at each level (0 is the value itself); none when hidden.
    pub levels: Vec<Option<u64>>,
    /// Made-up rows; none when hidden.
    pub fakes: Option<u64>,
    /// Share of users alike in their released sets in the window, mean over the intervals; none when not measured.
    pub p_window: Option<f64>,
    /// Share of users alike in their released sets over all time.
    pub p_all: Option<f64>,
    /// Share of users whose released set in the window nobody else has, mean over the intervals.
    pub unique_window: Option<f64>,
    /// Share of users whose released set over all time nobody else has.
    pub unique_all: Option<f64>,
    /// Rows that the figures over all time are about, when memory did not allow for all.
    pub all_time_rows: Option<u64>,
    /// Bits of the distribution of attributes before.
    pub entropy_before: Option<f64>,
    /// Bits of the distribution of released labels; suppressed is one of them.
    pub entropy_after: Option<f64>,
    /// Share of the information about the attribute that is left: I(before; after) / H(before).
    pub residual_information: Option<f64>,
    /// How long released rows waited; none when not measured.
    pub delay: Option<Delay>,
    /// What happened interval by interval.
    pub timeline: Vec<StreamPoint>,
}

/// How long released rows waited, in milliseconds by how far two users of their source came
/// meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Delay {
    /// On average.
    pub mean: f64,
    /// At most.
    pub max: i64,
}

/// One interval of a stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StreamPoint {
    /// When it ended, in milliseconds since 1970.
    pub time: i64,
    /// The z in use at its end.
    pub z: u32,
    /// Share of users of the window alike in their released sets, at its end; none when nobody shows anything.
    pub p: Option<f64>,
    /// Share of users of the window whose released set nobody else has.
    pub unique: Option<f64>,
    /// Attributes read in it; none when hidden.
    pub read: Option<u64>,
    /// Attributes released at each level in it; none when hidden.
    pub levels: Vec<Option<u64>>,
    /// Attributes not released in it; none when hidden.
    pub suppressed: Option<u64>,
}

/// A file and what it held.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileFacts {
    /// As the policy names it.
    pub path: String,
    /// Its format.
    pub format: String,
    /// Rows in it; of the source, as [`RowFacts::read`].
    pub rows: u64,
    /// Its bytes; of the source they are not told.
    pub bytes: Option<u64>,
    /// SHA-256 of its bytes, when it was computed; never of the source, as it would
    /// confirm a guess at it.
    pub sha256: Option<String>,
    /// HMAC-SHA-256 of the source, which its owner can check, when the policy names a key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hmac_sha256: Option<String>,
}

/// What the checker says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Everything promised holds.
    pub passed: bool,
    /// One line a promise.
    pub claims: Vec<Claim>,
    /// "persons" when a subject column counts them, else "rows".
    pub unit: String,
    /// Released rows were compared with their originals and every one is covered.
    pub truthful: Option<bool>,
}

/// One promise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// For example "k-anonymity" or "entropy l-diversity of `diagnosis`".
    pub name: String,
    /// What was promised, for example "at least 5".
    pub promised: String,
    /// The figure in it, where there is one.
    #[serde(default)]
    pub promised_value: Option<f64>,
    /// What the release really has, for example "5".
    pub found: String,
    /// The figure in it, where there is one.
    #[serde(default)]
    pub found_value: Option<f64>,
    /// Whether it holds.
    pub holds: bool,
}

/// How rows fared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowFacts {
    /// Rows read: those released, and as many as were suppressed or not drawn at most.
    pub read: u64,
    /// `read` is that upper bound.
    pub read_is_bound: bool,
    /// Rows released.
    pub released: u64,
    /// Rows suppressed, by reason.
    pub suppressed: Vec<Reason>,
    /// Rows that are not in the sample that was drawn, or that would repeat what their person
    /// shows, at most; 0 where there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u64,
    /// Rows were left out because their person shows the same label in another one, not because
    /// they were not drawn into a sample.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub merged: bool,
    /// Classes of equal quasi-identifiers of the released rows before.
    pub classes_before: u64,
    /// Classes of equal quasi-identifiers after.
    pub classes_after: u64,
    /// Cells escaped against formula injection.
    pub escaped: u64,
}

fn is_zero(rows: &u64) -> bool {
    *rows == 0
}

/// Why rows were suppressed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    /// The reason.
    pub why: String,
    /// At most so many; rounded up, as the number itself could give a person away.
    pub at_most: u64,
}

/// How many classes have a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SizeCount {
    /// Persons (or rows) in the class.
    pub size: u64,
    /// How many classes have it.
    pub classes: u64,
}

/// One measure before and after.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasureFact {
    /// The name used in a policy, for example "gcp".
    pub name: String,
    /// What it says, in one sentence.
    pub meaning: String,
    /// "risk" or "loss".
    pub family: String,
    /// Of the originals of released rows; none when it makes no sense there.
    pub before: Option<f64>,
    /// Of the release; where rows were suppressed, the most it can be.
    pub after: f64,
    /// Shown as a percentage.
    pub percent: bool,
    /// The limit of `fail_above`.
    pub limit: Option<f64>,
}

/// One column of the input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnFact {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: String,
    /// What was done: "generalised", "recoded", "representative", "kept", "dropped", "pseudonym".
    pub treatment: String,
    /// Mean NCP of a released row; none when it does not show regions.
    pub loss: Option<f64>,
    /// Share of cells that were missing in the released rows before; 1 to
    /// [`SMALL_CELL`] cells are told as one more than that.
    pub missing_before: f64,
    /// Share of missing cells after, told likewise; none when it is not released.
    pub missing_after: Option<f64>,
    /// The distribution before and after over the same bins.
    pub histogram: Option<Histogram>,
}

/// Counts of the released rows over bins that follow from the release, before and after.
/// The after counts spread a generalised row evenly over the bins that its region covers.
/// Suppressed rows are in neither, or the difference would tell what they held.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Histogram {
    /// The bins, in order.
    pub bins: Vec<Bin>,
    /// Bins of which nothing is told because a count in them was small, or would give a
    /// small one away: intervals without counts, and names that are left out.
    pub hidden_bins: u64,
}

/// One bin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    /// "30 to 40", or the category.
    pub label: String,
    /// Released rows whose original is in it; none when hidden.
    pub before: Option<f64>,
    /// Released rows as they are shown; none when hidden.
    pub after: Option<f64>,
}

/// Share of rows in a band of risk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RiskBand {
    /// Risk above this…
    pub from: f64,
    /// …and at most this.
    pub to: f64,
    /// Share of the released persons as they were; bands of few are counted in the largest one.
    pub before: f64,
    /// Share of the released rows.
    pub after: f64,
}

/// Seconds of a stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageFact {
    /// "read", "protect", "measure", "write", "check".
    pub name: String,
    /// Wall seconds.
    pub seconds: f64,
}
