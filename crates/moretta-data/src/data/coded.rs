//! Columns as codes that are equal where the values are, and classes of rows by them.

use super::{Batch, Categories, Column, MISSING, Role, plain_text};
use arrow_array::ArrayRef;
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// A column as codes; plain columns have none.
pub struct Coded {
    /// What it is called.
    pub name: String,
    /// What it is.
    pub role: Role,
    /// The code of each row.
    pub codes: Vec<u32>,
    /// How many values there are.
    pub distinct: u64,
}

impl Coded {
    /// The column at place `i`.
    pub fn new(batch: &Batch, i: usize) -> Self {
        let field = &batch.schema().fields()[i];
        let (codes, distinct) = match batch.column(i) {
            Column::Category(categories) => (
                categories.codes().to_vec(),
                categories.compact().levels().len(),
            ),
            Column::Number(numbers) => {
                let mut known: HashMap<u64, u32, FixedState> = HashMap::default();
                let codes = numbers
                    .iter()
                    .map(|slot| {
                        let next = known.len() as u32;
                        slot.map_or(MISSING, |n| *known.entry(n.to_bits()).or_insert(next))
                    })
                    .collect();
                (codes, known.len())
            }
            Column::Plain(array) => plain_codes(array),
        };
        Coded {
            name: field.name.to_string(),
            role: field.role,
            codes,
            distinct: distinct as u64,
        }
    }
}

/// Codes of a plain column's texts; none when it has no text form.
fn plain_codes(array: &ArrayRef) -> (Vec<u32>, usize) {
    let Ok(texts) = plain_text::shown(array) else {
        return (Vec::new(), 0);
    };
    let categories: Categories = texts.iter().collect();
    (categories.codes().to_vec(), categories.levels().len())
}

/// The class of each row, of rows with equal codes.
pub fn classes(columns: &[&[u32]], rows: usize) -> Vec<u32> {
    let mut class_of = vec![0u32; rows];
    for column in columns {
        refine(&mut class_of, column);
    }
    class_of
}

fn refine(class_of: &mut [u32], column: &[u32]) {
    let mut known: HashMap<(u32, u32), u32, FixedState> = HashMap::default();
    for (class, &code) in class_of.iter_mut().zip(column) {
        let next = known.len() as u32;
        *class = *known.entry((*class, code)).or_insert(next);
    }
}
