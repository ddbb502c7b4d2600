//! Recoding as a step of a stream: what it makes of each batch is held against the batch.

use crate::data::hierarchy::{Ladder, Rungs, TOP, Texts};
use crate::data::{Batch, Column, Domain, Field, Kind, ReadAs, Role, RowIds, Schema};
use crate::engine::plan::Plan;
use crate::error::{Error, Result};
use crate::guarantee::{Treatment, Truth};
use crate::protect::recoding::{Declared, Recoded, Recoding};
use crate::protect::{Among, Method, Operator};
use std::sync::Arc;

/// The rows as the recodings of a stream alone would show them: of columns that nothing else
/// changes, as they leave. Columns that a method makes are not among the rows.
pub(crate) fn recoded(plan: &Plan, rows: &Batch) -> Result<Batch> {
    let mut rows = rows.clone();
    let streams = plan.protect.iter().filter(|method| method.recodes_stream());
    for recoding in streams.filter_map(Method::as_recoding) {
        let levels = recoding.levels.keys().map(String::as_str);
        let mut names = levels.chain(recoding.coded().map(|(_, name)| name));
        if names.all(|name| rows.schema().index_of(name).is_some()) {
            rows = Recodes::new(plan, recoding, &Arc::clone(rows.schema()))?.push(rows)?;
        }
    }
    Ok(rows)
}

/// Recodes rows and checks that what leaves is true of them.
pub(super) struct Recodes {
    recoding: Recoding,
    recoded: Recoded,
    /// The columns that come; `None` with `audit = false`.
    given: Option<Arc<Schema>>,
    /// The hierarchies of columns that go to a level.
    ladders: Vec<(String, Ladder)>,
    /// The rows that have left, where somebody wants to know.
    left: Option<Vec<(u64, Option<Among>)>>,
}

impl Recodes {
    /// For rows of this schema.
    pub(super) fn new(plan: &Plan, recoding: &Recoding, schema: &Arc<Schema>) -> Result<Self> {
        let mut ladders = Vec::new();
        for name in recoding.levels.keys() {
            let field = schema.index_of(name).map(|place| &schema.fields()[place]);
            let rule = plan.column(name).and_then(|c| c.hierarchy.as_ref());
            if let (Some(field), Some(rule)) = (field, rule) {
                ladders.push((name.clone(), rule.ladder(name, texts(&field.kind))?));
            }
        }
        let declared = |field: &Field| {
            let ladder = ladders.iter().find(|(name, _)| **name == *field.name);
            let column = plan.column(&field.name);
            Ok(Declared {
                // What was masked before is not whole any more.
                whole: field.kind == Kind::Number { integer: true }
                    && column.is_some_and(|column| column.read == ReadAs::Integer),
                ladder: ladder.map(|(_, ladder)| ladder.clone()),
            })
        };
        Ok(Recodes {
            recoded: recoding.stream(schema, declared)?,
            recoding: recoding.clone(),
            given: plan.audit.then(|| Arc::clone(schema)),
            ladders,
            left: None,
        })
    }

    /// Fails where a released cell is not true of the one that was given.
    fn check(&self, schema: &Schema, given: &Batch, released: &Batch) -> Result<()> {
        let mut treatments = Vec::new();
        for (field, column) in schema.fields().iter().zip(given.columns()) {
            let treatment = match self.recoding.coding(field)? {
                _ if self.recoding.levels.contains_key(&*field.name) => Treatment::Masked,
                None => Treatment::Kept,
                Some(_) if field.role == Role::Quasi => {
                    Treatment::Generalised(Domain::of(field, column, None)?)
                }
                Some(coding) => Treatment::Coded(coding),
            };
            treatments.push((field.name.to_string(), treatment));
        }
        // Ids of a stream are far apart, and rows that were seen are no concern of a batch.
        let numbered = |rows: &Batch| {
            let ids = RowIds::Range {
                start: 0,
                len: rows.len(),
            };
            Batch::new(Arc::clone(rows.schema()), ids, rows.columns().to_vec())
        };
        let mut truth = Truth::new(schema, &treatments, false)?;
        truth.observe(&numbered(given)?, &numbered(released)?)?;
        if let Some(fault) = truth.findings(None).first() {
            return Err(untrue(fault.to_string()));
        }
        for (name, ladder) in &self.ladders {
            let level = self.recoding.levels.get(name).copied().unwrap_or(0);
            let place = schema.index_of(name);
            let (Some(place), Some(after)) = (place, released.column_named(name)) else {
                continue;
            };
            let kind = &schema.fields()[place].kind;
            let (before, after) = (shown(given.column(place), kind), shown(after, kind));
            if !are_labels(ladder, level, &before, &after) {
                return Err(untrue(format!("column `{name}` shows other labels")));
            }
        }
        Ok(())
    }
}

impl Operator for Recodes {
    fn schema(&self) -> &Arc<Schema> {
        self.recoded.schema()
    }

    fn push(&mut self, batch: Batch) -> Result<Batch> {
        let released = self.recoded.push(batch.clone())?;
        if let Some(schema) = &self.given {
            self.check(schema, &batch, &released)?;
        }
        if let Some(left) = &mut self.left {
            left.extend(released.rows().iter().map(|id| (id, None)));
        }
        Ok(released)
    }

    fn finish(&mut self) -> Result<Batch> {
        self.recoded.finish()
    }

    fn among(&mut self) -> Vec<Vec<(u64, Option<Among>)>> {
        vec![std::mem::take(self.left.get_or_insert_default())]
    }
}

fn untrue(what: String) -> Error {
    Error::guarantee(format!("the release is at fault: {what}"))
        .help("the rows that came last do not leave. Does the policy declare whole numbers of a column that has others? If not, please report this")
}

/// What the values of a column are to a hierarchy.
fn texts(kind: &Kind) -> Texts {
    match kind {
        Kind::Number { .. } => Texts::Number,
        Kind::Date(format) => Texts::Date(*format),
        _ => Texts::Category,
    }
}

/// The text of each cell.
fn shown(column: &Column, kind: &Kind) -> Vec<Option<String>> {
    let text = |row: usize| match (column, kind) {
        (Column::Number(numbers), Kind::Date(format)) => {
            numbers.get(row).map(|day| format.format(day as i32))
        }
        (Column::Number(numbers), _) => numbers.get(row).map(|n| (n + 0.0).to_string()),
        (Column::Category(categories), _) => categories.get(row).map(str::to_owned),
        (Column::Plain(_), _) => None,
    };
    (0..column.len()).map(text).collect()
}

/// Whether each released text is a label of its original, on this level or above it.
fn are_labels(
    ladder: &Ladder,
    level: usize,
    before: &[Option<String>],
    after: &[Option<String>],
) -> bool {
    let mut rungs = Rungs::default();
    let mut pairs = before.iter().zip(after);
    pairs.all(|pair| match pair {
        (None, None) => true,
        (Some(_), Some(label)) if label == TOP => true,
        (Some(value), Some(label)) => {
            ladder.climb(value, &mut rungs) && rungs.iter().skip(level).any(|rung| rung == label)
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Categories, Numbers};

    const PLAN: &str = "[columns]\nage = { role = \"quasi\", type = \"integer\" }\n\
        shop = { role = \"quasi\", type = \"category\", hierarchy = { path = \"/\" } }\n\
        load = { role = \"plain\", type = \"number\" }\nkind = { role = \"class\" }\n\
        [[protect]]\nmethod = \"recoding\"\nbuffer = 1\nlevels = { shop = 1 }\n\
        round = { age = 5, load = 0.5 }\ntop = { age = 80 }\n";

    /// The step, ready for rows, and four of them.
    fn recoding(ages: [f64; 4]) -> (Recodes, Batch) {
        let plan = Plan::parse(PLAN).expect("a plan");
        let number = |integer| Kind::Number { integer };
        let category = || Kind::Category { ordered: false };
        let fields = vec![
            Field::new("age", Role::Quasi, number(true)),
            Field::new("shop", Role::Quasi, category()),
            Field::new("load", Role::Plain, number(false)),
            Field::new("kind", Role::Class, category()),
        ];
        let schema = Arc::new(Schema::new(fields).expect("names"));
        let texts =
            |texts: [Option<&str>; 4]| Column::Category(texts.into_iter().collect::<Categories>());
        let columns = vec![
            Column::Number(ages.into_iter().map(Some).collect::<Numbers>()),
            texts([
                Some("food/bread/white"),
                Some("food/milk"),
                None,
                Some("wine"),
            ]),
            Column::Number(
                [Some(0.4), Some(1.0), None, Some(7.7)]
                    .into_iter()
                    .collect(),
            ),
            texts([Some("a"), Some("b"), Some("a"), None]),
        ];
        // Ids of the second source of a stream.
        let ids = RowIds::Range {
            start: 1 << 56,
            len: 4,
        };
        let rows = Batch::new(Arc::clone(&schema), ids, columns).expect("fits");
        let recoding = plan.protect[0].as_recoding().expect("recoding");
        (Recodes::new(&plan, recoding, &schema).expect("fits"), rows)
    }

    const AGES: [f64; 4] = [31.0, 34.0, 99.0, 80.0];

    #[test]
    fn what_is_recoded_right_passes() {
        let (mut recodes, rows) = recoding(AGES);
        let released = recodes.push(rows).expect("true");
        let kinds = |place: usize| released.schema().fields()[place].kind.clone();
        assert_eq!(
            shown(released.column(0), &kinds(0))[2].as_deref(),
            Some("80..")
        );
        let shops = shown(released.column(1), &kinds(1));
        let shops: Vec<_> = shops.iter().map(Option::as_deref).collect();
        assert_eq!(shops, [Some("food/bread"), Some("food"), None, Some("*")]);
        let loads = shown(released.column(2), &kinds(2));
        let loads: Vec<_> = loads.iter().map(Option::as_deref).collect();
        assert_eq!(loads, [Some("0"), Some("1"), None, Some("7.5")]);
    }

    #[test]
    fn every_planted_fault_is_caught() {
        let (mut recodes, rows) = recoding(AGES);
        let released = recodes.push(rows.clone()).expect("true");
        for place in 0..4 {
            let mut columns = released.columns().to_vec();
            // The cells of a column change places: 31 and 34 have one region, the others not.
            columns[place] = columns[place].take(&[1, 3, 2, 0]).expect("four rows");
            let schema = Arc::clone(released.schema());
            let wrong = Batch::new(schema, released.rows().clone(), columns).expect("fits");
            let error = recodes.check(rows.schema(), &rows, &wrong);
            assert_eq!(error.expect_err("wrong").exit_code(), 1, "column {place}");
        }
        // A finer label is true, and not what the policy says.
        let mut columns = released.columns().to_vec();
        columns[1] = rows.column(1).clone();
        let schema = Arc::clone(released.schema());
        let finer = Batch::new(schema, released.rows().clone(), columns).expect("fits");
        assert!(recodes.check(rows.schema(), &rows, &finer).is_err());
    }

    #[test]
    fn fractions_among_declared_whole_numbers_do_not_leave() {
        let (mut recodes, rows) = recoding([31.0, 34.5, 99.0, 80.0]);
        let refused = recodes.push(rows).expect_err("not covered");
        assert_eq!(refused.exit_code(), 1, "{refused}");
        assert!(!refused.to_string().contains("34"), "{refused}");
    }
}
