//! Reads `[evolve]`: how a search over protected files goes, in place of `[[protect]]`.

use crate::config::{
    Absent, Accepts, DURATION, NAMES, POSITIVE_DURATION, Parameter, Placed, Section, words,
};
use crate::error::Result;
use crate::optimize::evolution::{
    Count, Crossover, Fitness, Mutation, Selection, Settings, Stop, Variations,
};
use crate::protect::Method;
use crate::protect::prepared::Prepared;
use std::ops::Range;

/// How protected files are searched.
#[derive(Clone, Debug, PartialEq)]
pub struct Evolve {
    /// The columns whose cells are genes; none for all quasi-identifiers.
    pub columns: Option<Vec<String>>,
    /// How the search goes.
    pub settings: Settings,
    /// Whether a mutation takes an ordered category to a neighbour.
    pub near: bool,
    /// Bits of a number.
    pub bits: u32,
    /// Members at most; none for all that the methods make.
    pub population: Option<usize>,
    /// The share of the start, its best, that is left out.
    pub leave_out_best: f64,
    /// Milliseconds after which it ends.
    pub time: Option<i64>,
    /// Milliseconds between notes of how far it is.
    pub save_every: i64,
    /// Its place in the text of the policy.
    pub span: Range<usize>,
}

/// The keys of `[evolve]`.
pub(super) const KEYS: &[Parameter] = &[
    COLUMNS,
    FITNESS,
    STEPS,
    GENERATIONS,
    EVALUATIONS,
    TIME,
    SCORE,
    DIVERSITY,
    STAGNATION,
    SELECTION,
    ENTRANTS,
    LEADERS,
    CROSSOVER,
    POINTS,
    CROSSOVER_RATE,
    ADAPTIVE,
    OPERATORS,
    MUTATION,
    GENES,
    COUNT,
    BITS,
    GENERATION_GAP,
    NO_DUPLICATES,
    POPULATION,
    LEAVE_OUT_BEST,
    SAVE_EVERY,
];

const FITNESSES: &[(&str, Fitness)] = &[
    ("mean", Fitness::Mean),
    ("max", Fitness::Max),
    ("front", Fitness::Front),
];
const OPERATOR_WORDS: &[(&str, Variations)] = &[
    ("either", Variations::Either),
    ("together", Variations::Together),
];
const COUNTS: &[(&str, Count)] = &[
    ("fixed", Count::Fixed),
    ("poisson", Count::Poisson),
    ("adaptive", Count::Adaptive),
];
const SELECTIONS: &[(&str, Selection)] = &[
    ("roulette", Selection::Roulette),
    ("tournament", Selection::Tournament(2)),
    ("rank", Selection::Rank),
];
const CROSSOVERS: &[(&str, Crossover)] = &[
    ("points", Crossover::Points(2)),
    ("uniform", Crossover::Uniform),
];
const MUTATIONS: &[(&str, bool)] = &[("any", false), ("near", true)];

/// Steps where nothing else says when to end.
const USUAL_STEPS: u64 = 100_000;

/// More are a mistake.
const MOST: i64 = 1_000_000_000_000;

const COLUMNS: Parameter = Parameter::new(
    "columns",
    NAMES,
    Absent::Means("all quasi-identifiers"),
    "the columns that are protected: all categories, or all numbers",
)
.examples(&["[\"savings\", \"employment\"]"]);
const FITNESS: Parameter = Parameter::new(
    "fitness",
    Accepts::Word(|| words(FITNESSES)),
    Absent::Text("mean"),
    "what is to be small: the mean of information loss and disclosure risk, the larger one of both (max), or each of many trade-offs between them, of which one is picked (front)",
);
const STEPS: Parameter = Parameter::new(
    "steps",
    Accepts::Whole(1, MOST),
    Absent::Means("100000 where nothing else ends the search"),
    "ends after so many mutations and crossings",
);
const GENERATIONS: Parameter = Parameter::new(
    "generations",
    Accepts::Whole(1, MOST),
    Absent::Means("no limit"),
    "ends after so many times as many steps as there are members",
);
const EVALUATIONS: Parameter = Parameter::new(
    "evaluations",
    Accepts::Whole(1, MOST),
    Absent::Means("no limit"),
    "ends after so many mutants and children; a crossing has two",
);
const TIME: Parameter = Parameter::new(
    "time",
    POSITIVE_DURATION,
    Absent::Means("no limit"),
    "ends after this time; then two runs do not find the same",
);
const SCORE: Parameter = Parameter::new(
    "score",
    Accepts::Number(0.0, 100.0),
    Absent::Means("no limit"),
    "ends when the best score is at most this",
);
const DIVERSITY: Parameter = Parameter::new(
    "diversity",
    Accepts::Number(0.0, 1.0),
    Absent::Means("no limit"),
    "ends when members differ from their neighbours in a smaller share of their cells",
);
const STAGNATION: Parameter = Parameter::new(
    "stagnation",
    Accepts::Whole(1, MOST),
    Absent::Means("no limit"),
    "ends when the best score has not become better for so many generations",
);
const SELECTION: Parameter = Parameter::new(
    "selection",
    Accepts::Word(|| words(SELECTIONS)),
    Absent::Text("roulette"),
    "how parents are chosen: by the inverse of their score, as the best of some that are drawn, or by their rank",
);
const ENTRANTS: Parameter = Parameter::new(
    "entrants",
    Accepts::Whole(1, 1000),
    Absent::Means("2"),
    "with tournament: how many are drawn; more choose better ones",
);
const LEADERS: Parameter = Parameter::new(
    "leaders",
    Accepts::Number(0.0, 1.0),
    Absent::Number(0.1),
    "the share of the population, its best, of which the first parent of a crossing is one",
);
const CROSSOVER: Parameter = Parameter::new(
    "crossover",
    Accepts::Word(|| words(CROSSOVERS)),
    Absent::Text("points"),
    "how two members exchange cells: pieces between points, or each cell by lot (uniform)",
);
const POINTS: Parameter = Parameter::new(
    "points",
    Accepts::Whole(1, 1000),
    Absent::Means("2"),
    "with points: how many there are; 1 exchanges the rows behind one point",
);
const CROSSOVER_RATE: Parameter = Parameter::new(
    "crossover_rate",
    Accepts::Number(0.0, 1.0),
    Absent::Number(0.5),
    "the share of steps that cross; the others mutate",
);
const ADAPTIVE: Parameter = Parameter::new(
    "adaptive",
    Accepts::Flag,
    Absent::Flag(false),
    "whether that share follows what has succeeded",
);
const OPERATORS: Parameter = Parameter::new(
    "operators",
    Accepts::Word(|| words(OPERATOR_WORDS)),
    Absent::Text("either"),
    "whether a step that crosses also mutates both children (together)",
);
const MUTATION: Parameter = Parameter::new(
    "mutation",
    Accepts::Word(|| words(MUTATIONS)),
    Absent::Text("any"),
    "whether an ordered category becomes any other one, or a neighbour (near); of a number one bit of its Gray code is flipped",
);
const GENES: Parameter = Parameter::new(
    "genes",
    Accepts::Number(1.0, 1e6),
    Absent::Number(1.0),
    "how many cells a mutation changes, or on average",
);
const COUNT: Parameter = Parameter::new(
    "count",
    Accepts::Word(|| words(COUNTS)),
    Absent::Text("fixed"),
    "whether that number is always the same, drawn (poisson), or drawn with a mean that grows while mutants succeed (adaptive)",
);
const BITS: Parameter = Parameter::new(
    "bits",
    Accepts::Whole(2, 40),
    Absent::Whole(12),
    "bits of a number between the least and the greatest of its column; fewer make it coarser",
);
const GENERATION_GAP: Parameter = Parameter::new(
    "generation_gap",
    Accepts::Number(0.0, 1.0),
    Absent::Means("one step at a time"),
    "the share of the population that competes at a time, in parallel",
);
const NO_DUPLICATES: Parameter = Parameter::new(
    "no_duplicates",
    Accepts::Flag,
    Absent::Flag(false),
    "whether children that equal a member are turned away",
);
const POPULATION: Parameter = Parameter::new(
    "population",
    Accepts::Whole(2, 100_000),
    Absent::Means("all that the methods make"),
    "members at most: the best of the start",
);
const LEAVE_OUT_BEST: Parameter = Parameter::new(
    "leave_out_best",
    Accepts::Number(0.0, 0.9),
    Absent::Number(0.0),
    "the share of the start, its best, that is left out: to see how robust the search is",
);
const SAVE_EVERY: Parameter = Parameter::new(
    "save_every",
    DURATION,
    Absent::Text("10s"),
    "how often it notes beside the release how far it is, so that the same command goes on after it was stopped",
);

/// Reads the section.
pub(super) fn read(mut section: Section, span: Range<usize>) -> Result<Evolve> {
    let entrants = section.optional(&ENTRANTS, Placed::whole)?;
    let selection = match section.word(&SELECTION, SELECTIONS)? {
        Selection::Tournament(usual) => Selection::Tournament(entrants.unwrap_or(usual)),
        _ if entrants.is_some() => {
            return Err(section
                .error("`entrants` is only for selection = \"tournament\"")
                .help("take it out, or choose parents by a tournament"));
        }
        other => other,
    };
    let points = section.optional(&POINTS, Placed::whole)?;
    let crossover = match section.word(&CROSSOVER, CROSSOVERS)? {
        Crossover::Points(usual) => Crossover::Points(points.unwrap_or(usual)),
        Crossover::Uniform if points.is_some() => {
            return Err(section
                .error("`points` is only for crossover = \"points\"")
                .help("take it out, or cross at points"));
        }
        Crossover::Uniform => Crossover::Uniform,
    };
    let time = section.optional(&TIME, Placed::duration)?;
    let stop = Stop {
        steps: section.optional(&STEPS, Placed::whole)?,
        generations: section.optional(&GENERATIONS, Placed::whole)?,
        evaluations: section.optional(&EVALUATIONS, Placed::whole)?,
        score: section.optional(&SCORE, Placed::number)?,
        diversity: section.optional(&DIVERSITY, Placed::number)?,
        stagnation: section.optional(&STAGNATION, Placed::whole)?,
    };
    // A score or a diversity may never be reached.
    let ends = stop.steps.is_some()
        || stop.generations.is_some()
        || stop.evaluations.is_some()
        || stop.stagnation.is_some()
        || time.is_some();
    let steps = stop.steps.or((!ends).then_some(USUAL_STEPS));
    let evolve = Evolve {
        columns: section.optional(&COLUMNS, Placed::texts)?,
        settings: Settings {
            fitness: section.word(&FITNESS, FITNESSES)?,
            selection,
            crossover,
            mutation: Mutation {
                genes: section.number(&GENES)?,
                count: section.word(&COUNT, COUNTS)?,
            },
            operators: section.word(&OPERATORS, OPERATOR_WORDS)?,
            crossover_rate: section.number(&CROSSOVER_RATE)?,
            adaptive: section.flag(&ADAPTIVE)?,
            leaders: section.number(&LEADERS)?,
            generation_gap: section.optional(&GENERATION_GAP, Placed::number)?,
            no_duplicates: section.flag(&NO_DUPLICATES)?,
            stop: Stop { steps, ..stop },
        },
        near: section.word(&MUTATION, MUTATIONS)?,
        bits: section.whole(&BITS)?,
        population: section.optional(&POPULATION, Placed::whole)?,
        leave_out_best: section.number(&LEAVE_OUT_BEST)?,
        time,
        save_every: section.duration(&SAVE_EVERY)?,
        span,
    };
    section.finish()?;
    Ok(evolve)
}

impl Evolve {
    /// The method that stands in until the search has found what it puts in place.
    pub(super) fn stand_in(&self) -> Method {
        Method::own("evolve", Prepared::open(self.columns.clone()))
    }
}
