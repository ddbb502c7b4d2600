//! Whether two files are nested, from what they show alone.
//!
//! What a class of the finer file shows must lie inside of what exactly one class of the coarser
//! file shows, and the rows of a coarser class must be those of its finer ones: as many, and
//! with the same cells in all columns that both files release as they are. Where a finer class
//! fits several coarser ones, as it may where `*` stands for missing cells too, those that do not
//! hold its rows are taken away, and the rest is tried: one way in which all fits is enough, since
//! nobody can tell it from others. What cannot be tried in so many steps is left open.
//!
//! Cost: a word for every 64 coarser classes, for each finer class and column.

use super::classes_of;
use crate::data::{Batch, Column, Domains, MISSING, Region, plain_text};
use crate::error::{Error, Result};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::hash::BuildHasher;

/// What two files of different levels show of each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileNesting {
    /// Classes of the finer file that lie in no class of the coarser one.
    pub nowhere: u64,
    /// Classes of the finer file that may lie in several, too many to try.
    pub open: u64,
    /// Classes of the coarser file whose rows are not those of finer classes.
    pub unequal: u64,
}

impl FileNesting {
    /// Whether the files cannot be nested.
    pub fn is_refuted(&self) -> bool {
        self.nowhere > 0 || self.unequal > 0
    }

    /// Whether the files prove that they are nested.
    pub fn is_proven(&self) -> bool {
        *self == FileNesting::default()
    }
}

/// Holds the finer file against the coarser one: what classes show in `columns`, which hold
/// texts, and what all other columns hold that are in both.
///
/// # Errors
/// When a column is missing or shows no texts.
pub fn nested_files(
    finer: &Batch,
    coarser: &Batch,
    columns: &[&str],
    domains: &Domains,
) -> Result<FileNesting> {
    let (fine, fine_of, fine_rows) = summed(finer, columns)?;
    let (coarse, coarse_of, coarse_rows) = summed(coarser, columns)?;
    let mut places = Vec::new();
    for name in columns {
        places.push(Inside::new(
            name,
            (finer, &fine_of),
            (coarser, &coarse_of),
            domains,
        )?);
    }
    let classes = coarse.len();
    let words = classes.div_ceil(64);
    let fits = |class: usize| -> Vec<usize> {
        let bits = (0..words).map(|word| {
            let all = places.iter().map(|place| place.row(class)[word]);
            all.fold(u64::MAX, |bits, more| bits & more)
        });
        let set = bits.enumerate().flat_map(|(word, bits)| {
            (0..64)
                .filter(move |bit| bits >> bit & 1 == 1)
                .map(move |bit| 64 * word + bit)
        });
        set.filter(|&class| class < classes).collect()
    };
    let mut found = FileNesting::default();
    let mut left: Vec<Sum> = coarse;
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    for (class, sum) in fine.iter().enumerate() {
        match &fits(class)[..] {
            [] => found.nowhere += 1,
            [one] => left[*one].take(sum),
            several => open.push((class, several.to_vec())),
        }
    }
    if !open.is_empty() {
        let held = Held::new(&fine_rows, &fine_of);
        let coarser = Held::new(&coarse_rows, &coarse_of);
        for (class, fits) in &mut open {
            fits.retain(|&coarse| coarser.holds(coarse, &held, *class));
        }
    }
    // Those with the fewest ways first.
    open.sort_by_key(|(_, fits)| fits.len());
    let mut steps = STEPS;
    match fitted(&open, &fine, &mut left, &mut steps) {
        Some(true) => {}
        Some(false) => found.unequal = left.iter().filter(|sum| !sum.is_nothing()).count() as u64,
        None => found.open = open.len() as u64,
    }
    Ok(found)
}

/// Ways that are tried.
const STEPS: usize = 1 << 16;

/// Open classes of which ways are tried.
const DEEPEST: usize = 1 << 10;

/// Whether every open class can be put into one that it fits so that nothing is left; none when
/// there were too many ways to try.
fn fitted(
    open: &[(usize, Vec<usize>)],
    fine: &[Sum],
    left: &mut [Sum],
    steps: &mut usize,
) -> Option<bool> {
    let Some(((class, fits), rest)) = open.split_first() else {
        return Some(left.iter().all(Sum::is_nothing));
    };
    if rest.len() > DEEPEST {
        return None;
    }
    for &coarse in fits {
        if left[coarse].rows < fine[*class].rows {
            continue;
        }
        *steps = steps.checked_sub(1)?;
        let before = left[coarse];
        left[coarse].take(&fine[*class]);
        match fitted(rest, fine, left, steps) {
            Some(false) => left[coarse] = before,
            found => return found,
        }
    }
    Some(false)
}

/// What the rows of each class hold, as sums, ascending.
struct Held {
    of_class: Vec<Vec<u64>>,
}

impl Held {
    fn new(of_row: &[u64], class_of: &[u32]) -> Self {
        let classes = class_of.iter().max().map_or(0, |&most| most as usize + 1);
        let mut of_class = vec![Vec::new(); classes];
        for (&class, &held) in class_of.iter().zip(of_row) {
            of_class[class as usize].push(held);
        }
        of_class.iter_mut().for_each(|held| held.sort_unstable());
        Held { of_class }
    }

    /// Whether a class holds all rows that a class of another file holds.
    fn holds(&self, class: usize, other: &Held, others: usize) -> bool {
        let mut mine = self.of_class[class].iter();
        other.of_class[others]
            .iter()
            .all(|row| mine.any(|held| held == row))
    }
}

/// The rows of a class: how many, and a sum of what they hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sum {
    rows: i64,
    held: u64,
}

impl Sum {
    fn take(&mut self, other: &Sum) {
        self.rows -= other.rows;
        self.held = self.held.wrapping_sub(other.held);
    }

    fn is_nothing(&self) -> bool {
        *self == Sum::default()
    }
}

/// The sum of each class, the class of each row, and what each row holds.
fn summed(release: &Batch, columns: &[&str]) -> Result<(Vec<Sum>, Vec<u32>, Vec<u64>)> {
    let (classes, of_row) = classes_of(release, columns)?;
    let mut rows = vec![0_u64; release.len()];
    for (field, column) in release.schema().fields().iter().zip(release.columns()) {
        if !columns.contains(&&*field.name) {
            mix(&field.name, column, &mut rows)?;
        }
    }
    let mut sums = vec![Sum::default(); classes.len()];
    for (&class, held) in of_row.iter().zip(&mut rows) {
        // So that a row is more than the sum of its cells.
        *held = hash(&held.to_le_bytes());
        let sum = &mut sums[class as usize];
        sum.rows += 1;
        sum.held = sum.held.wrapping_add(*held);
    }
    Ok((sums, of_row, rows))
}

/// Adds the cells of a column to what rows hold.
fn mix(name: &str, column: &Column, rows: &mut [u64]) -> Result<()> {
    let name = hash(name.as_bytes());
    let mut add = |row: usize, cell: u64| rows[row] = rows[row].wrapping_add(cell ^ name);
    match column {
        Column::Category(cells) => {
            let levels: Vec<u64> = cells.levels().iter().map(|t| hash(t.as_bytes())).collect();
            for (row, &code) in cells.codes().iter().enumerate() {
                add(row, levels.get(code as usize).copied().unwrap_or(0));
            }
        }
        Column::Number(numbers) => {
            for (row, number) in numbers.iter().enumerate() {
                add(row, number.map_or(0, |n| hash(&n.to_bits().to_le_bytes())));
            }
        }
        Column::Plain(array) => {
            for (row, text) in plain_text::shown(array)?.iter().enumerate() {
                add(row, text.map_or(0, |text| hash(text.as_bytes())));
            }
        }
    }
    Ok(())
}

fn hash(bytes: &[u8]) -> u64 {
    FixedState::with_seed(0x6e65_7374).hash_one(bytes)
}

/// The coarser classes inside which each finer class lies, by one column.
struct Inside {
    words: usize,
    /// A row of bits for each text of the finer file.
    bits: Vec<u64>,
    /// The text of each finer class.
    text_of: Vec<u32>,
}

impl Inside {
    fn new(
        name: &str,
        (finer, fine_of): (&Batch, &[u32]),
        (coarser, coarse_of): (&Batch, &[u32]),
        domains: &Domains,
    ) -> Result<Self> {
        let domain = domains.require(name)?;
        let (fine, coarse) = (
            texts(name, finer, fine_of)?,
            texts(name, coarser, coarse_of)?,
        );
        let region = |text: &Option<String>| Region::parse(text.as_deref(), domain);
        let outer: Vec<Option<Region>> = coarse.texts.iter().map(region).collect();
        let words = coarse.of_class.len().div_ceil(64);
        let mut bits = vec![0; words * fine.texts.len()];
        for (text, row) in fine.texts.iter().zip(bits.chunks_mut(words.max(1))) {
            let inner = region(text);
            let holds = |(outer, shown): (&Option<Region>, &Option<String>)| match (outer, &inner) {
                _ if shown == text => true,
                (Some(outer), Some(inner)) => outer.contains(inner, domain),
                _ => false,
            };
            let holds: Vec<bool> = outer.iter().zip(&coarse.texts).map(holds).collect();
            for (class, &shown) in coarse.of_class.iter().enumerate() {
                row[class / 64] |= u64::from(holds[shown as usize]) << (class % 64);
            }
        }
        Ok(Inside {
            words,
            bits,
            text_of: fine.of_class,
        })
    }

    fn row(&self, class: usize) -> &[u64] {
        let text = self.text_of[class] as usize;
        &self.bits[text * self.words..][..self.words]
    }
}

/// The distinct texts of a column, and that of each class.
struct Shown {
    texts: Vec<Option<String>>,
    of_class: Vec<u32>,
}

fn texts(name: &str, release: &Batch, class_of: &[u32]) -> Result<Shown> {
    let column = release.column_named(name).and_then(|c| c.as_categories());
    let column = column.ok_or_else(|| Error::bug(format!("`{name}` shows no texts")))?;
    let classes = class_of.iter().max().map_or(0, |&most| most as usize + 1);
    let mut shown = Shown {
        texts: Vec::new(),
        of_class: vec![MISSING; classes],
    };
    let mut known: HashMap<u32, u32, FixedState> = HashMap::default();
    for (row, &class) in class_of.iter().enumerate() {
        let of_class = &mut shown.of_class[class as usize];
        if *of_class == MISSING {
            let next = shown.texts.len() as u32;
            *of_class = *known.entry(column.codes()[row]).or_insert(next);
            if *of_class == next {
                shown.texts.push(column.get(row).map(str::to_owned));
            }
        }
    }
    Ok(shown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Categories, Domain, Field, Kind, Role, RowIds, Schema};
    use std::sync::Arc;

    /// A file of rows that show an interval of ages and hold an illness.
    fn file(rows: &[(&str, &str)]) -> Batch {
        let kind = Kind::Category { ordered: false };
        let fields = vec![
            Field::new("age", Role::Quasi, kind.clone()),
            Field::new("ill", Role::Sensitive, kind),
        ];
        let ages: Categories = rows.iter().map(|(age, _)| Some(*age)).collect();
        let ills: Categories = rows.iter().map(|(_, ill)| Some(*ill)).collect();
        let columns = vec![Column::Category(ages), Column::Category(ills)];
        let schema = Arc::new(Schema::new(fields).expect("two names"));
        let len = rows.len();
        Batch::new(schema, RowIds::Range { start: 0, len }, columns).expect("fits")
    }

    fn check(finer: &[(&str, &str)], coarser: &[(&str, &str)]) -> FileNesting {
        let ages = Column::Number((20..60).map(|age| Some(f64::from(age))).collect());
        let field = Field::new("age", Role::Quasi, Kind::Number { integer: true });
        let domain = Domain::of(&field, &ages, None).expect("numbers");
        let domains = Domains::new(vec![("age".to_owned(), domain)]);
        nested_files(&file(finer), &file(coarser), &["age"], &domains).expect("texts")
    }

    const FINE: [(&str, &str); 6] = [
        ("20..24", "flu"),
        ("20..24", "hiv"),
        ("25..29", "flu"),
        ("25..29", "flu"),
        ("40..59", "hiv"),
        ("40..59", "flu"),
    ];
    const COARSE: [(&str, &str); 6] = [
        ("40..59", "flu"),
        ("40..59", "hiv"),
        ("20..29", "flu"),
        ("20..29", "hiv"),
        ("20..29", "flu"),
        ("20..29", "flu"),
    ];

    #[test]
    fn files_of_nested_levels_prove_it_in_any_order_of_rows() {
        assert!(check(&FINE, &COARSE).is_proven());
        assert!(check(&FINE, &FINE).is_proven());
    }

    #[test]
    fn a_class_that_crosses_a_coarser_one_lies_nowhere() {
        let mut fine = FINE;
        (fine[2].0, fine[3].0) = ("25..30", "25..30");
        let found = check(&fine, &COARSE);
        assert_eq!((found.nowhere, found.unequal), (1, 1));
    }

    #[test]
    fn a_row_that_is_missing_or_holds_something_else_is_found() {
        let found = check(&FINE[..5], &COARSE);
        assert_eq!((found.nowhere, found.unequal), (0, 1));
        let mut fine = FINE;
        fine[0].1 = "hiv";
        assert_eq!(check(&fine, &COARSE).unequal, 1);
        // Illnesses that change places between coarser classes.
        let mut fine = FINE;
        (fine[0].1, fine[4].1) = ("hiv", "flu");
        assert_eq!(check(&fine, &COARSE).unequal, 2);
    }

    #[test]
    fn classes_that_fit_several_are_put_where_everything_fits() {
        let coarse = [
            ("20..29", "a"),
            ("20..29", "a"),
            ("29..40", "a"),
            ("29..40", "a"),
        ];
        let fine = [("20..25", "a"), ("20..25", "a"), ("29", "a"), ("29", "a")];
        assert!(check(&fine, &coarse).is_proven());
        let open = [("29", "a"), ("29", "a"), ("20..29", "a"), ("29..40", "a")];
        assert!(!check(&open, &coarse).is_proven());
    }
}
