//! Reads `[evolve]`: what a search is over and how it goes, in place of `[[protect]]`.

use crate::config::{
    Absent, Accepts, DURATION, NAMES, POSITIVE_DURATION, Parameter, Placed, Section, words,
};
use crate::error::Result;
use crate::optimize::evolution::{
    Count, Crossover, Fitness, Mutation, Selection, Settings, Stop, Variations,
};
use crate::optimize::programming::Initial;
use crate::optimize::{EquationRules, MatrixRules, PramForm};
use crate::protect::Method;
use crate::protect::prepared::Prepared;
use std::ops::Range;

/// How protected files are searched.
#[derive(Clone, Debug, PartialEq)]
pub struct Evolve {
    /// What is searched over.
    pub over: SearchOver,
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

/// What a search is over.
#[derive(Clone, Debug, PartialEq)]
pub enum SearchOver {
    /// The cells of the protected file.
    Cells,
    /// Transition matrices of PRAM, or equations that make them.
    Pram {
        /// Which of both.
        form: PramForm,
        /// Files that each is judged by.
        applications: usize,
    },
}

impl SearchOver {
    /// Its word in a policy.
    pub fn word(&self) -> &'static str {
        let word = match self {
            SearchOver::Cells => Word::Cells,
            SearchOver::Pram { form, .. } => match form {
                PramForm::Matrices(_) => Word::Matrices,
                PramForm::Equations(_) => Word::Equations,
            },
        };
        let found = SEARCHES.iter().find(|(_, other)| *other == word);
        found.map_or("", |(text, _)| *text)
    }

    /// Files that each matrix is judged by; none of cells.
    pub fn applications(&self) -> Option<usize> {
        match self {
            SearchOver::Cells => None,
            SearchOver::Pram { applications, .. } => Some(*applications),
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Word {
    Cells,
    Matrices,
    Equations,
}

const SEARCHES: &[(&str, Word)] = &[
    ("cells", Word::Cells),
    ("matrices", Word::Matrices),
    ("equations", Word::Equations),
];
const INITIALS: &[(&str, Initial)] = &[
    ("grow", Initial::Grow),
    ("full", Initial::Full),
    ("half-and-half", Initial::HalfAndHalf),
];

/// The keys of `[evolve]`.
pub(super) const KEYS: &[Parameter] = &[
    SEARCH,
    APPLICATIONS,
    DENOMINATOR,
    DELTA_MAX,
    INVARIANT,
    DIAGONAL,
    DEPTH,
    INITIAL,
    DIAGONAL_TREE,
    P,
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

const SEARCH: Parameter = Parameter::new(
    "search",
    Accepts::Word(|| words(SEARCHES)),
    Absent::Text("cells"),
    "what is searched over: the cells of the protected file, the transition matrices of pram, or equations that make such matrices",
);
const APPLICATIONS: Parameter = Parameter::new(
    "applications",
    Accepts::Whole(1, 100),
    Absent::Means("3"),
    "with matrices and equations: files that pram makes with each, whose mean loss and risk count; more leave less to chance and cost more",
);
const DENOMINATOR: Parameter = Parameter::new(
    "denominator",
    Accepts::Whole(100, 1000),
    Absent::Means("100"),
    "with matrices: probabilities are whole parts of it, 100 or 1000",
);
const DELTA_MAX: Parameter = Parameter::new(
    "delta_max",
    Accepts::Whole(1, 1000),
    Absent::Means("a tenth of `denominator`"),
    "with matrices: parts that a mutation moves from one probability of a row to another at most",
);
const INVARIANT: Parameter = Parameter::new(
    "invariant",
    Accepts::Flag,
    Absent::Means("false"),
    "with matrices: whether each is made invariant, so that frequencies are expected to stay",
);
const DIAGONAL: Parameter = Parameter::new(
    "diagonal",
    Accepts::Number(0.0, 1.0),
    Absent::Means("no limit"),
    "with invariant matrices: the share of all values that is expected to stay, at least",
)
.examples(&["0.8"]);
const DEPTH: Parameter = Parameter::new(
    "depth",
    Accepts::Whole(1, 8),
    Absent::Means("4"),
    "with equations: operations above any part of one at most; deeper ones can be longer",
);
const INITIAL: Parameter = Parameter::new(
    "initial",
    Accepts::Word(|| words(INITIALS)),
    Absent::Means("half-and-half"),
    "with equations: how the first are made: parts may end early (grow), all end at the depth (full), or both for each depth in turn",
);
const DIAGONAL_TREE: Parameter = Parameter::new(
    "diagonal_tree",
    Accepts::Flag,
    Absent::Means("false"),
    "with equations: whether a second one says how likely a category stays, rather than one probability for all",
);
const P: Parameter = Parameter::new(
    "p",
    Accepts::Number(0.0, 1.0),
    Absent::Means("it evolves"),
    "with equations: the probability that a category stays, the same for all equations",
)
.examples(&["0.7"]);
const COLUMNS: Parameter = Parameter::new(
    "columns",
    NAMES,
    Absent::Means("all quasi-identifiers"),
    "the columns that are protected: all categories, or with cells all numbers",
)
.examples(&["[\"savings\", \"employment\"]"]);
const FITNESS: Parameter = Parameter::new(
    "fitness",
    Accepts::Word(|| words(FITNESSES)),
    Absent::Text("max"),
    "what is to be small: the larger one of information loss and disclosure risk (max), their mean, by which a file that is hardly changed looks good, or each of many trade-offs between them, of which one is picked (front)",
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
    Absent::Means("2; with matrices 1"),
    "with points: how many there are; 1 exchanges all rows behind one point",
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
    "how many cells a mutation changes, rows of matrices or parts of equations, or on average",
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
    Absent::Means("all that the methods make; with equations 54"),
    "members at most: the best of the start; with equations: how many are made",
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
    let population = section.optional(&POPULATION, Placed::whole)?;
    let over = read_over(&mut section, population)?;
    let points = section.optional(&POINTS, Placed::whole)?;
    let points = points.or(match &over {
        SearchOver::Pram {
            form: PramForm::Matrices(_),
            ..
        } => (!section.has(CROSSOVER.name)).then_some(1),
        _ => None,
    });
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
        over,
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
        population,
        leave_out_best: section.number(&LEAVE_OUT_BEST)?,
        time,
        save_every: section.duration(&SAVE_EVERY)?,
        span,
    };
    section.finish()?;
    Ok(evolve)
}

/// Reads what is searched over. A key that means nothing for it is refused.
fn read_over(section: &mut Section, population: Option<usize>) -> Result<SearchOver> {
    let word = section.word(&SEARCH, SEARCHES)?;
    let of_matrices: &[&Parameter] = &[&DENOMINATOR, &DELTA_MAX, &INVARIANT, &DIAGONAL];
    let of_equations: &[&Parameter] = &[&DEPTH, &INITIAL, &DIAGONAL_TREE, &P];
    let (refused, of): (Vec<&[&Parameter]>, &str) = match word {
        Word::Cells => (vec![&[&APPLICATIONS], of_matrices, of_equations], "cells"),
        Word::Matrices => (vec![&[&MUTATION, &BITS], of_equations], "matrices"),
        Word::Equations => (
            vec![&[&MUTATION, &BITS, &CROSSOVER, &POINTS], of_matrices],
            "equations",
        ),
    };
    if let Some(key) = refused.concat().iter().find(|key| section.has(key.name)) {
        let what = format!("`{}` means nothing for search = \"{of}\"", key.name);
        return Err(section
            .error(what)
            .help("take it out, or search over something else"));
    }
    let applications = section.optional(&APPLICATIONS, Placed::whole)?.unwrap_or(3);
    let form = match word {
        Word::Cells => return Ok(SearchOver::Cells),
        Word::Matrices => PramForm::Matrices(read_matrices(section)?),
        Word::Equations => PramForm::Equations(read_equations(section, population)?),
    };
    Ok(SearchOver::Pram { form, applications })
}

fn read_matrices(section: &mut Section) -> Result<MatrixRules> {
    let usual = MatrixRules::default();
    let denominator = section.optional(&DENOMINATOR, Placed::whole)?;
    let denominator: u32 = denominator.unwrap_or(usual.denominator);
    if ![100, 1000].contains(&denominator) {
        return Err(section
            .error("`denominator` is 100 or 1000")
            .help("choose one of them"));
    }
    let invariant = section.optional(&INVARIANT, Placed::flag)?.unwrap_or(false);
    let diagonal = section.optional(&DIAGONAL, Placed::number)?;
    if diagonal.is_some() && !invariant {
        return Err(section
            .error("`diagonal` is only for invariant matrices")
            .help("add invariant = true, or take `diagonal` out"));
    }
    let delta_max = section.optional(&DELTA_MAX, Placed::whole)?;
    Ok(MatrixRules {
        denominator,
        delta_max: delta_max.unwrap_or(denominator / 10),
        invariant,
        diagonal,
    })
}

fn read_equations(section: &mut Section, population: Option<usize>) -> Result<EquationRules> {
    let usual = EquationRules::default();
    let initial = match section.has(INITIAL.name) {
        true => section.word(&INITIAL, INITIALS)?,
        false => usual.initial,
    };
    let diagonal_tree = section.optional(&DIAGONAL_TREE, Placed::flag)?;
    let p = section.optional(&P, Placed::number)?;
    let diagonal_tree = diagonal_tree.unwrap_or(false);
    if diagonal_tree && p.is_some() {
        return Err(section
            .error("with `diagonal_tree` an equation says what stays, and not `p`")
            .help("take one of them out"));
    }
    Ok(EquationRules {
        depth: section
            .optional(&DEPTH, Placed::whole)?
            .unwrap_or(usual.depth),
        initial,
        members: population.unwrap_or(usual.members),
        diagonal_tree,
        p,
    })
}

impl Evolve {
    /// The method that stands in until the search has found what it puts in place.
    pub(super) fn stand_in(&self) -> Method {
        Method::own("evolve", Prepared::open(self.columns.clone()))
    }
}
