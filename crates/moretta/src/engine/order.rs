//! The one place that decides the order of rows: that in which a table leaves, and that
//! in which methods get it.
//!
//! Released rows are sorted by a hash of their released content. The place of a row is
//! then a function of the release alone: neither the order of the input nor an original
//! that was masked can leak through it, no seed has to be kept secret, and the same
//! release always has the same bytes. Rows with equal content are interchangeable. Two
//! different rows share a 64-bit hash with probability below 10⁻⁵ at ten million rows,
//! and then keep their order.
//!
//! Methods whose result depends on the order of rows get them sorted by a hash of what they
//! are given, so that the result does not depend on the order of the input. That order
//! never leaves: anybody can compute the hash, and a reader who knows some columns of a row
//! would read the others off its place.

use super::columns::without_dropped;
use super::original::in_order_of_ids;
use crate::data::push_number;
use crate::data::{Batch, Column, Kind, MISSING, plain_text};
use crate::engine::plan::{Order, Plan};
use crate::error::Result;
use crate::protect::Method;
use arrow_array::{Array, ArrayRef, StringArray};
use foldhash::fast::FixedState;
use rayon::prelude::*;
use std::hash::BuildHasher;

const HASHER: FixedState = FixedState::with_seed(0x6d6f_7265_7474_6121);

/// The rows of a table in the order in which they leave, once they are all that will be
/// released of them.
pub(crate) fn released(plan: &Plan, rows: Batch) -> Result<Batch> {
    if is_shuffled(plan) {
        let shown = without_dropped(plan, &rows)?;
        return rows.take(&by_content(&shown)?);
    }
    match rows.rows().iter().is_sorted() {
        true => Ok(rows),
        false => in_order_of_ids(&rows),
    }
}

/// The rows of a table in the order in which a method gets them. A private method gets them
/// in the order of the input: one that follows from the values of others, or from its own,
/// would make one record matter to all.
pub(crate) fn for_method(plan: &Plan, method: &Method, rows: Batch) -> Result<Batch> {
    if method.as_masking().is_some_and(|m| m.loss().is_some()) {
        return in_order_of_ids(&rows);
    }
    // Which rows clusters begin with depends on their order, whatever the method.
    let depends = method.depends_on_order() || plan.clusters.is_some();
    match depends && is_shuffled(plan) {
        true => rows.take(&by_content(&rows)?),
        false => Ok(rows),
    }
}

fn is_shuffled(plan: &Plan) -> bool {
    plan.order == Order::Shuffled
}

/// The rows of the batch in the order of their content's hash.
fn by_content(batch: &Batch) -> Result<Vec<u32>> {
    let mut hashes = hashes(batch)?;
    hashes.par_sort_unstable();
    Ok(hashes.into_iter().map(|(_, row)| row).collect())
}

/// The hash of each row's content, and the row.
fn hashes(batch: &Batch) -> Result<Vec<(u64, u32)>> {
    let mut hashes: Vec<(u64, u32)> = (0..batch.len() as u32).map(|row| (0, row)).collect();
    for (column, field) in batch.columns().iter().zip(batch.schema().fields()) {
        mix(&mut hashes, column, &field.kind)?;
    }
    Ok(hashes)
}

/// Mixes in a hash of each cell's text, whatever the column holds it as: whether a file
/// was read as numbers or as words may depend on a row that is not released.
fn mix(hashes: &mut [(u64, u32)], column: &Column, kind: &Kind) -> Result<()> {
    match (column, kind) {
        (Column::Category(categories), _) => {
            let levels: Vec<u64> = categories.levels().iter().map(of_text).collect();
            let codes = categories.codes();
            mix_each(hashes, |_, row| match codes[row] {
                MISSING => OF_MISSING,
                code => levels[code as usize],
            });
        }
        (Column::Number(numbers), Kind::Date(format)) => mix_each(hashes, |_, row| {
            let day = numbers.get(row).map(|day| format.format(day as i32));
            day.map_or(OF_MISSING, |text| of_text(&text))
        }),
        (Column::Number(numbers), _) => mix_each(hashes, |text, row| match numbers.get(row) {
            None => OF_MISSING,
            Some(number) => {
                text.clear();
                push_number(text, number);
                of_text(std::str::from_utf8(text).unwrap_or_default())
            }
        }),
        (Column::Plain(array), _) => mix_plain(hashes, array)?,
    }
    Ok(())
}

fn mix_plain(hashes: &mut [(u64, u32)], array: &ArrayRef) -> Result<()> {
    hashes
        .par_chunks_mut(SHOWN)
        .enumerate()
        .try_for_each(|(part, hashes)| {
            let texts = plain_text::shown(&array.slice(part * SHOWN, hashes.len()))?;
            mix_texts(hashes, &texts);
            Ok(())
        })
}

/// Cells that are shown as texts at a time.
const SHOWN: usize = 1 << 12;

fn mix_texts(hashes: &mut [(u64, u32)], texts: &StringArray) {
    let cells = hashes.iter_mut().zip(texts);
    cells.for_each(|((hash, _), text)| {
        let value = text.map_or(OF_MISSING, of_text);
        *hash = HASHER.hash_one((*hash, value));
    });
}

/// Mixes in what `of` gives for each row, which gets memory for a text.
fn mix_each(hashes: &mut [(u64, u32)], of: impl Fn(&mut Vec<u8>, usize) -> u64 + Sync) {
    let rows = hashes.par_iter_mut().enumerate().with_min_len(1 << 12);
    rows.for_each_init(Vec::new, |text, (row, (hash, _))| {
        *hash = HASHER.hash_one((*hash, of(text, row)));
    });
}

/// Stands for the hash of a missing value.
const OF_MISSING: u64 = 0;

fn of_text(text: &str) -> u64 {
    HASHER.hash_one(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Categories, DateFormat, Field, Numbers, Role, RowIds, Schema};
    use crate::engine::progress::Progress;
    use crate::pipeline::read;
    use crate::pipeline::{Options, run};
    use crate::policy::{Policy, Root};
    use arrow_array::{BinaryArray, Date32Array, Decimal128Array, LargeStringArray};
    use arrow_schema::DataType;
    use std::fmt::Write;
    use std::path::Path;
    use std::sync::Arc;

    fn batch(rows: &[(f64, &str)]) -> Batch {
        let fields = vec![
            Field::new("n", Role::Plain, Kind::Number { integer: true }),
            Field::new("c", Role::Plain, Kind::Category { ordered: false }),
        ];
        let columns = vec![
            Column::Number(Numbers::from_iter(rows.iter().map(|r| r.0))),
            Column::Category(Categories::from_iter(rows.iter().map(|r| Some(r.1)))),
        ];
        let ids = RowIds::Range {
            start: 0,
            len: rows.len(),
        };
        Batch::new(
            Arc::new(Schema::new(fields).expect("names differ")),
            ids,
            columns,
        )
        .expect("fits")
    }

    #[test]
    fn the_order_of_the_input_leaves_no_trace() {
        let rows: Vec<(f64, &str)> = (0..200)
            .map(|i| (f64::from(i % 37), ["a", "b", "c"][i as usize % 3]))
            .collect();
        let mut reversed = rows.clone();
        reversed.reverse();
        let show = |rows: &[(f64, &str)]| -> Vec<(f64, String)> {
            let batch = batch(rows);
            let order = by_content(&batch).expect("hashes");
            order
                .iter()
                .map(|&i| (rows[i as usize].0, rows[i as usize].1.to_owned()))
                .collect()
        };
        assert_eq!(show(&rows), show(&reversed));
        assert_ne!(
            by_content(&batch(&rows)).expect("hashes"),
            (0..200).collect::<Vec<u32>>()
        );
    }

    #[test]
    fn typed_columns_that_pass_through_count_and_missing_is_not_empty() {
        let arrays: [ArrayRef; 4] = [
            Arc::new(LargeStringArray::from_iter(
                (0..40).map(|n| (n % 2 == 0).then_some("")),
            )),
            Arc::new(BinaryArray::from_iter(
                (0..40).map(|n| (n % 2 == 0).then_some(b"")),
            )),
            Arc::new((0..40).map(|n| Some(n % 7)).collect::<Date32Array>()),
            Arc::new((0..40).map(|n| Some(n % 7)).collect::<Decimal128Array>()),
        ];
        for array in arrays {
            let fields = vec![Field::new(
                "p",
                Role::Plain,
                Kind::Plain(array.data_type().clone()),
            )];
            let schema = Arc::new(Schema::new(fields).expect("one name"));
            let ids = RowIds::Range { start: 0, len: 40 };
            let straight = Batch::new(schema, ids, vec![Column::Plain(array)]).expect("fits");
            let turned = straight
                .take(&(0..40).rev().collect::<Vec<_>>())
                .expect("rows");
            let shown = |batch: &Batch| {
                let order = by_content(batch).expect("hashes");
                format!("{:?}", batch.take(&order).expect("rows").columns())
            };
            assert_eq!(shown(&straight), shown(&turned));
        }
    }

    #[test]
    fn neither_the_sign_of_zero_nor_what_holds_a_cell_counts() {
        let [plus, minus] = [0.0, -0.0].map(|zero| hashes(&batch(&[(zero, "a")])).expect("hashes"));
        assert_eq!(plus, minus);
        let words = Categories::from_iter([Some("2.5"), Some("1970-01-02"), None]);
        let texts = StringArray::from(vec![Some("2.5"), Some("1970-01-02"), None]);
        let of = |column: &Column, kind: &Kind| {
            let mut hashes: Vec<(u64, u32)> = (0..3).map(|row| (0, row)).collect();
            mix(&mut hashes, column, kind).expect("hashes");
            hashes
        };
        let expected = of(&Column::Category(words), &Kind::Category { ordered: false });
        let plain = Kind::Plain(DataType::Utf8);
        assert_eq!(of(&Column::Plain(Arc::new(texts)), &plain), expected);
        let numbers = Column::Number([Some(2.5), Some(1.0), None].into_iter().collect());
        let number = of(&numbers, &Kind::Number { integer: false });
        assert_eq!((number[0], number[2]), (expected[0], expected[2]));
        let date = of(&numbers, &Kind::Date(DateFormat::ISO));
        assert_eq!(date[1], expected[1]);
    }

    /// 2,000 rows with a column that everybody knows and one of two secrets.
    const ROWS: u32 = 2_000;
    const SECRETS: [u32; 2] = [2, 7];

    fn secret(row: u32) -> u32 {
        SECRETS[(row.wrapping_mul(2_654_435_761) >> 13) as usize % 2]
    }

    fn policy(folder: &Path, method: &str) -> Policy {
        let root = Root::of_policy(&folder.join("policy.toml"), None).expect("a root");
        let text = format!(
            "version = 1\n[source]\npath = \"in.csv\"\n[columns]\nknown = {{ role = \"plain\" }}\n\
             pay = {{ role = \"quasi\", type = \"number\" }}\n[[protect]]\n{method}\n\
             [sink]\npath = \"out.csv\"\n"
        );
        Policy::parse(&text, &root).expect("a policy")
    }

    fn write_rows(folder: &Path, rows: impl Iterator<Item = (u32, u32)>) {
        let mut text = "known,pay\n".to_owned();
        for (known, secret) in rows {
            writeln!(text, "{known},{secret}").expect("text");
        }
        std::fs::write(folder.join("in.csv"), text).expect("written");
    }

    /// The share of secrets that an attacker reads off the places of the rows, of which
    /// the known column is given in their order: of each row one would have been at that
    /// place by the hash of known column and secret.
    fn read_off(policy: &Policy, folder: &Path, known: &[u32]) -> f64 {
        let guesses = SECRETS.map(|secret| {
            write_rows(folder, known.iter().map(|&known| (known, secret)));
            let rows = read(policy, &Progress::default()).expect("rows");
            hashes(&rows.batch).expect("hashes")
        });
        let right = (0..known.len()).filter(|&place| {
            let distance = |guess: &[(u64, u32)]| {
                let share = guess[place].0 as f64 / u64::MAX as f64;
                (share - (place as f64 + 0.5) / known.len() as f64).abs()
            };
            let first = distance(&guesses[0]) < distance(&guesses[1]);
            secret(known[place]) == SECRETS[usize::from(!first)]
        });
        right.count() as f64 / known.len() as f64
    }

    #[test]
    fn a_private_method_gets_the_order_of_the_input_whatever_the_values() {
        let folder = tempfile::tempdir().expect("a folder");
        let method = "method = \"local-dp\"\ncolumns.pay = { mechanism = \"laplace\", epsilon = 0.5, bounds = [0, 9] }";
        let policy = policy(folder.path(), method);
        let rows = batch(&[(3.0, "c"), (1.0, "a"), (2.0, "b")]);
        let turned = rows.take(&[2, 0, 1]).expect("turned");
        let given = for_method(&policy.plan, &policy.plan.protect[0], turned).expect("ordered");
        assert_eq!(given.rows().iter().collect::<Vec<u64>>(), [0, 1, 2]);
    }

    #[test]
    fn an_attacker_who_knows_a_column_reads_nothing_off_the_order() {
        let bounds = "bounds = { pay = [0, 9] }";
        for method in [
            "method = \"local-dp\"\ncolumns.pay = { mechanism = \"laplace\", epsilon = 0.5, bounds = [0, 9] }",
            &format!("method = \"random-projection\"\n{bounds}"),
            &format!("method = \"random-projection\"\nnoise = \"cumulative\"\n{bounds}"),
            "method = \"noise\"",
        ] {
            let folder = tempfile::tempdir().expect("a folder");
            let folder = folder.path();
            let policy = policy(folder, method);
            write_rows(folder, (0..ROWS).map(|row| (row, secret(row))));
            let original = read(&policy, &Progress::default()).expect("rows");
            let options = Options {
                command: String::new(),
                date: None,
                force: false,
                strict: false,
                render: &|_| String::new(),
                progress: &Progress::default(),
            };
            run(&policy, &options).expect("released");
            let released = std::fs::read_to_string(folder.join("out.csv")).expect("a release");
            let lines = released.lines().skip(1);
            let known = lines.map(|line| line.split(',').next().expect("a cell"));
            let known: Vec<u32> = known.map(|cell| cell.parse().expect("a number")).collect();
            assert_eq!(known.len(), ROWS as usize);
            let found = read_off(&policy, folder, &known);
            assert!((0.44..0.56).contains(&found), "{method}: {found}");
            // In the order in which the method got them, the same attacker finds them all.
            let order = by_content(&original.batch).expect("hashed");
            let order = original.batch.take(&order).expect("ordered");
            let known: Vec<u32> = order.rows().iter().map(|id| id as u32).collect();
            let found = read_off(&policy, folder, &known);
            assert!(found > 0.95, "{method}: {found}");
        }
    }
}
