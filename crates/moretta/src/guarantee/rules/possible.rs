//! Whether a row keeps a rule, breaks it, or leaves it open, whatever its cells stand for.
//!
//! The truth of a formula lies between bounds that follow from those of its comparisons. These
//! bounds are exact where no column stands in two comparisons, since cells are independent then.
//! A column that does is given its values one by one, after which the bounds are exact again. Of
//! endlessly many values those are enough that differ to the formula: the constants, the ends of
//! all cells, and between two neighbours of these as many more as there are columns, so that
//! columns which are compared with each other can have any order there.

use super::bind::Bound;
use super::cell::{Cell, Span, Truth, Values};
use super::formula::Comparison;

/// What a row does to a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It is never false.
    Kept,
    /// It can be false, and need not.
    Open,
    /// It is false, whatever the cells stand for.
    Broken,
}

/// A formula that is asked about many rows.
pub(super) struct Question {
    formula: Bound,
    /// The columns that stand in two comparisons or more.
    repeated: Vec<usize>,
    /// All constants, ascending.
    constants: Vec<f64>,
    columns: usize,
}

impl Question {
    pub(super) fn new(formula: Bound, columns: usize) -> Self {
        let mut uses = vec![0; columns];
        let mut constants = Vec::new();
        count(&formula, &mut uses, &mut constants);
        constants.sort_by(f64::total_cmp);
        constants.dedup();
        let repeated = (0..columns).filter(|&column| uses[column] > 1).collect();
        Question {
            formula,
            repeated,
            constants,
            columns,
        }
    }

    /// What a row with these cells, one for each column, does.
    pub(super) fn outcome(&self, cells: &[&Cell]) -> Outcome {
        if cells.iter().any(|cell| cell.is_impossible()) {
            return Outcome::Broken;
        }
        let span = truth(&self.formula, cells);
        if let Some(outcome) = decided(span) {
            return outcome;
        }
        if self.repeated.iter().all(|&column| is_one(cells[column])) {
            return Outcome::Open;
        }
        let mut found = Found::default();
        self.search(&self.repeated, &self.points(cells), cells, &mut found);
        match found {
            Found { kept: false, .. } => Outcome::Broken,
            Found { broken: false, .. } => Outcome::Kept,
            _ => Outcome::Open,
        }
    }

    /// Tries the values of the columns `left`, until it was kept and broken.
    fn search(&self, left: &[usize], points: &[Cell], cells: &[&Cell], found: &mut Found) {
        let span = truth(&self.formula, cells);
        let Some((&column, rest)) = left.split_first().filter(|_| decided(span).is_none()) else {
            found.kept |= span.high > Truth::False;
            found.broken |= span.low == Truth::False;
            return;
        };
        let own = cells[column];
        let missing = own.missing.then(Cell::missing);
        let values = points.iter().filter(|point| has(own, point));
        let listed = listed(own);
        let mut now = cells.to_vec();
        for cell in values.chain(&listed).chain(&missing) {
            now[column] = cell;
            self.search(rest, points, &now, found);
            if found.kept && found.broken {
                return;
            }
        }
    }

    /// Values that differ to the formula, as cells.
    fn points(&self, cells: &[&Cell]) -> Vec<Cell> {
        let mut ends = self.constants.clone();
        for cell in cells {
            ends.extend([cell.values.low(), cell.values.high()]);
            if let Values::OneOf(numbers) = &cell.values {
                ends.extend(numbers);
            }
        }
        ends.retain(|end| end.is_finite());
        ends.sort_by(f64::total_cmp);
        ends.dedup();
        // Whole numbers first, then others between them and the ends.
        let wholes = between(&ends, self.columns, whole_between);
        let all = between(&wholes, self.columns, some_between);
        all.into_iter().map(Cell::one).collect()
    }
}

/// What was found among the values that were tried.
#[derive(Default)]
struct Found {
    kept: bool,
    broken: bool,
}

fn decided(span: Span) -> Option<Outcome> {
    match (span.low, span.high) {
        (Truth::False, Truth::False) => Some(Outcome::Broken),
        (Truth::False, _) => None,
        _ => Some(Outcome::Kept),
    }
}

fn is_one(cell: &Cell) -> bool {
    match cell.values.is_empty() {
        true => true,
        false => !cell.missing && cell.values.low() == cell.values.high(),
    }
}

/// Whether a point is a value of an interval.
fn has(cell: &Cell, point: &Cell) -> bool {
    matches!(cell.values, Values::Within { .. }) && cell.values.has(point.values.low())
}

/// The values of a cell that lists them.
fn listed(cell: &Cell) -> Vec<Cell> {
    match &cell.values {
        Values::OneOf(numbers) => numbers.iter().map(|&number| Cell::one(number)).collect(),
        Values::Within { .. } => Vec::new(),
    }
}

/// The points and, before, between and behind them, up to `each` that `more` finds.
fn between(points: &[f64], each: usize, more: fn(f64, f64, usize) -> Vec<f64>) -> Vec<f64> {
    let mut all = Vec::new();
    let mut low = f64::NEG_INFINITY;
    for &point in points.iter().chain(&[f64::INFINITY]) {
        all.extend(more(low, point, each));
        all.extend(point.is_finite().then_some(point));
        low = point;
    }
    all
}

/// Up to `most` whole numbers strictly between two.
fn whole_between(low: f64, high: f64, most: usize) -> Vec<f64> {
    let number = |step: usize| match (low.is_finite(), high.is_finite()) {
        (false, false) => step as f64,
        (false, true) => high.ceil() - step as f64 * stride(high),
        (true, _) => low.floor() + step as f64 * stride(low),
    };
    inside(low, high, (1..=most).map(number))
}

/// Up to `most` numbers strictly between two.
fn some_between(low: f64, high: f64, most: usize) -> Vec<f64> {
    let part = |step: usize| step as f64 / (most + 1) as f64;
    let number = |step: usize| match (low.is_finite(), high.is_finite()) {
        (false, false) => part(step),
        (false, true) => high - part(step) * stride(high),
        (true, false) => low + part(step) * stride(low),
        (true, true) => low + (high - low) * part(step),
    };
    inside(low, high, (1..=most).map(number))
}

fn inside(low: f64, high: f64, numbers: impl Iterator<Item = f64>) -> Vec<f64> {
    let inside = |number: &f64| low < *number && *number < high && number.is_finite();
    numbers.filter(inside).collect()
}

/// A whole number that changes `number` when it is added: 1, unless that is very large.
fn stride(number: f64) -> f64 {
    (number.abs() * 1e-12).ceil().max(1.0)
}

/// The truths that a formula can have, as far as its comparisons tell by themselves.
fn truth(formula: &Bound, cells: &[&Cell]) -> Span {
    match formula {
        Bound::Constant(column, comparison, constant) => {
            against(cells[*column], *comparison, *constant)
        }
        Bound::Columns(a, comparison, b) if a == b => {
            // A column equals itself.
            let equal = matches!(
                comparison,
                Comparison::Equal | Comparison::AtMost | Comparison::AtLeast
            );
            let cell = cells[*a];
            let truth = if equal { Truth::True } else { Truth::False };
            match (cell.values.is_empty(), cell.missing) {
                (true, _) => Span::OF_ONE(Truth::Unknown),
                (false, false) => Span::OF_ONE(truth),
                (false, true) => Span {
                    low: truth.min(Truth::Unknown),
                    high: truth.max(Truth::Unknown),
                },
            }
        }
        Bound::Columns(a, comparison, b) => cells[*a].compare(*comparison, cells[*b]),
        Bound::In(column, numbers) => cells[*column].is_in(numbers),
        Bound::Missing(column) => cells[*column].is_missing(),
        Bound::Not(inner) => truth(inner, cells).not(),
        Bound::And(parts) => joined(parts, cells, Truth::min, Truth::True),
        Bound::Or(parts) => joined(parts, cells, Truth::max, Truth::False),
    }
}

fn against(cell: &Cell, comparison: Comparison, constant: f64) -> Span {
    cell.compare(comparison, &Cell::one(constant))
}

fn joined(parts: &[Bound], cells: &[&Cell], join: fn(Truth, Truth) -> Truth, none: Truth) -> Span {
    let spans = parts.iter().map(|part| truth(part, cells));
    spans.fold(Span::OF_ONE(none), |a, b| Span {
        low: join(a.low, b.low),
        high: join(a.high, b.high),
    })
}

/// How often each column is compared, and all constants.
fn count(formula: &Bound, uses: &mut [usize], constants: &mut Vec<f64>) {
    match formula {
        Bound::Constant(column, _, constant) => {
            uses[*column] += 1;
            constants.push(*constant);
        }
        Bound::Columns(a, _, b) => {
            uses[*a] += 1;
            uses[*b] += usize::from(a != b);
        }
        Bound::In(column, numbers) => {
            uses[*column] += 1;
            constants.extend(numbers);
        }
        Bound::Missing(column) => uses[*column] += 1,
        Bound::Not(inner) => count(inner, uses, constants),
        Bound::And(parts) | Bound::Or(parts) => {
            parts.iter().for_each(|part| count(part, uses, constants));
        }
    }
}
