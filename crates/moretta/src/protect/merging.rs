//! Merging: the last, first or least frequent categories of a column become one of them.
//!
//! Top coding (`top`) merges the last p categories of a declared `order` and shows the first of
//! them, bottom coding (`bottom`) the first p and shows the last of them; global recoding (`rare`)
//! merges the p categories that fewest rows have, of those equally frequent the first, and shows
//! the most frequent of the merged. So released values are values that the column had before, and
//! all that works on it still does: distances, measures, other methods. Where a reader should see
//! that values were merged (`90..`), take `recoding` instead. Missing values stay missing.
//!
//! With a `buffer` the rows are a stream, and each is recoded as it comes; which categories are
//! rare is known of tables only.
//!
//! **Protects against** being found by an outstanding category: the highest degree, a rare
//! nationality.
//! **Does not protect against** much by itself: nothing is promised, other columns are as they
//! were, and the category that is shown for others was true of some. Which categories are rare
//! follows from the rows, so that the release tells it.
//!
//! **Costs** one look at each value; for `rare` a table is held and counted first.
//!
//! **From** global recoding, top and bottom coding of statistical offices: Hundepool et al.,
//! Statistical disclosure control, Wiley 2012, chapter 3; by the number of merged categories as in
//! Domingo-Ferrer and Torra's comparisons of methods for categorical data, 2001.

use super::config::MethodConfig;
use super::filter::{Filter, Masked, MaskedColumn, Masking};
use super::parameters::buffer;
use crate::config::{Absent, Accepts, Parameter, Placed, Section};
use crate::data::{Attribute, Records};
use crate::error::{Error, Result};
use std::collections::BTreeMap;

/// Merging with its parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Merging {
    /// By column, how many of the last categories are merged.
    pub top: BTreeMap<String, usize>,
    /// By column, how many of the first categories are merged.
    pub bottom: BTreeMap<String, usize>,
    /// By column, how many of the least frequent categories are merged.
    pub rare: BTreeMap<String, usize>,
    /// Rows of a stream leave at once; none for a whole table.
    pub buffer: Option<usize>,
}

/// More categories than this are no categories.
const MOST: i64 = 1 << 20;

const COUNTS: Accepts = Accepts::By("column", &Accepts::Whole(2, MOST));
const TOP: Parameter = Parameter::new(
    "top",
    COUNTS,
    Absent::Means("none"),
    "how many of the last categories of an ordered column become the first of them",
)
.examples(&["{ education = 2 }"]);
const BOTTOM: Parameter = Parameter::new(
    "bottom",
    COUNTS,
    Absent::Means("none"),
    "how many of the first categories of an ordered column become the last of them",
)
.examples(&["{ education = 2 }"]);
const RARE: Parameter = Parameter::new(
    "rare",
    COUNTS,
    Absent::Means("none"),
    "how many of the least frequent categories become the most frequent of them; of tables only",
)
.examples(&["{ country = 10 }"]);
const BUFFER: Parameter = Parameter {
    meaning: "1 makes the rows a stream of which each leaves at once",
    examples: &["1"],
    ..buffer(1)
};

impl Merging {
    /// Its parameters in a policy.
    pub const PARAMETERS: &'static [Parameter] = &[TOP, BOTTOM, RARE, BUFFER];

    /// Reads its parameters.
    pub fn read(section: &mut Section) -> Result<Self> {
        let mut counts = |parameter: &Parameter| {
            let counts = section.by_name(parameter, Placed::whole)?;
            Ok::<BTreeMap<String, usize>, Error>(counts.into_iter().flatten().collect())
        };
        let (top, bottom, rare) = (counts(&TOP)?, counts(&BOTTOM)?, counts(&RARE)?);
        let merging = Merging {
            top,
            bottom,
            rare,
            buffer: section.optional(&BUFFER, Placed::whole)?,
        };
        if merging.names().is_empty() {
            return Err(section
                .error("merging needs a column")
                .help("name one under `top`, `bottom` or `rare`"));
        }
        if let Some(name) = merging.rare.keys().find(|name| merging.has_end(name)) {
            let what = format!("`{name}` has merged ends and merged rare categories");
            return Err(section.error(what).help("keep one of them"));
        }
        if merging.buffer.is_some() && !merging.rare.is_empty() {
            return Err(section
                .error("`rare` is for tables: nobody has counted the rows of a stream")
                .help("take `rare` or `buffer` out"));
        }
        Ok(merging)
    }

    /// Writes its parameters as [`Merging::read`] reads them.
    pub fn write(&self, section: &mut Section) {
        section.set(&TOP, self.top.clone());
        section.set(&BOTTOM, self.bottom.clone());
        section.set(&RARE, self.rare.clone());
        section.set_optional(&BUFFER, self.buffer);
    }

    fn has_end(&self, name: &str) -> bool {
        self.top.contains_key(name) || self.bottom.contains_key(name)
    }

    fn names(&self) -> Vec<&str> {
        let names = self.top.keys().chain(self.bottom.keys());
        let mut names: Vec<&str> = names.chain(self.rare.keys()).map(String::as_str).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

impl MethodConfig for Merging {
    fn is_random(&self) -> bool {
        false
    }

    fn depends_on_order(&self) -> bool {
        false
    }

    fn works_in_clusters(&self) -> bool {
        false
    }

    fn masking(&self) -> Option<&dyn Masking> {
        Some(self)
    }
}

impl Masking for Merging {
    fn buffer(&self) -> Option<usize> {
        self.buffer
    }

    fn columns(&self) -> Option<Vec<&str>> {
        Some(self.names())
    }

    fn is_row_local(&self) -> bool {
        self.buffer.is_some()
    }

    fn filter(&self, columns: &[MaskedColumn<'_>], _seed: u64) -> Result<Box<dyn Filter>> {
        let rule = |column: &MaskedColumn<'_>| {
            let name = column.name;
            let of = |counts: &BTreeMap<String, usize>| counts.get(name).copied();
            let (what, help) = match column.attribute {
                Attribute::Number => (
                    "is a number",
                    "use recoding, which has a `top` and `bottom`",
                ),
                Attribute::Nominal if self.has_end(name) => (
                    "has categories without an order",
                    "give it an `order` under [columns], or use `rare`",
                ),
                _ => {
                    return Ok(match of(&self.rare) {
                        Some(count) => Rule::Rare(count),
                        None => Rule::Ends(of(&self.bottom), of(&self.top)),
                    });
                }
            };
            let what = format!("categories of `{name}` cannot be merged: it {what}");
            Err(Error::policy(what).help(help))
        };
        Ok(Box::new(Merge {
            rules: columns.iter().map(rule).collect::<Result<_>>()?,
            maps: Vec::new(),
            attributes: Vec::new(),
            held: (!self.rare.is_empty()).then(|| Records::new(columns.len())),
            record: Vec::new(),
        }))
    }
}

/// What is merged of a column.
enum Rule {
    /// So many of the first, and of the last.
    Ends(Option<usize>, Option<usize>),
    /// So many of the least frequent.
    Rare(usize),
}

impl Rule {
    /// What each category becomes.
    fn map(&self, levels: usize, counts: &[usize]) -> Vec<f64> {
        let mut map: Vec<f64> = (0..levels).map(|code| code as f64).collect();
        match *self {
            Rule::Ends(bottom, top) => {
                let last = bottom
                    .map_or(0, |count| count.min(levels))
                    .saturating_sub(1);
                map[..last].fill(last as f64);
                let first = levels - top.map_or(0, |count| count.min(levels));
                map[first..].fill(first as f64);
            }
            Rule::Rare(count) => {
                let mut order: Vec<usize> = (0..levels).collect();
                order.sort_by_key(|&code| counts.get(code).copied().unwrap_or(0));
                order.truncate(count);
                order.sort_unstable();
                let most = order
                    .iter()
                    .map(|&code| counts.get(code).copied().unwrap_or(0));
                let label = most.enumerate().rev().max_by_key(|&(_, count)| count);
                if let Some(label) = label.map(|(place, _)| order[place] as f64) {
                    order.iter().for_each(|&code| map[code] = label);
                }
            }
        }
        map
    }
}

/// Merges categories of records.
struct Merge {
    rules: Vec<Rule>,
    /// What each category of a column becomes, once that is known.
    maps: Vec<Vec<f64>>,
    attributes: Vec<Attribute>,
    /// The records of a table that must be counted.
    held: Option<Records>,
    record: Vec<f64>,
}

impl Merge {
    /// Makes the maps; of nominal columns there are as many categories as rows have.
    fn map(&mut self, records: &Records) {
        let column = |(place, rule): (usize, &Rule)| {
            let mut counts = Vec::new();
            for code in records.column(place).filter(|code| !code.is_nan()) {
                let code = code as usize;
                if counts.len() <= code {
                    counts.resize(code + 1, 0);
                }
                counts[code] += 1;
            }
            match self.attributes.get(place) {
                Some(&Attribute::Ordinal { levels }) => rule.map(levels.max(counts.len()), &counts),
                _ => present_only(rule, &counts),
            }
        };
        self.maps = self.rules.iter().enumerate().map(column).collect();
    }

    fn merge(&mut self, record: &[f64], out: &mut Masked) {
        self.record.clear();
        let merged = record.iter().zip(&self.maps).map(|(&code, map)| {
            let merged = (!code.is_nan()).then(|| map.get(code as usize).copied());
            merged.flatten().unwrap_or(code)
        });
        self.record.extend(merged);
        out.release(&self.record);
    }
}

/// Categories that no row has are none: that of a row that does not leave must not decide.
fn present_only(rule: &Rule, counts: &[usize]) -> Vec<f64> {
    let present: Vec<usize> = (0..counts.len()).filter(|&code| counts[code] > 0).collect();
    let of: Vec<usize> = present.iter().map(|&code| counts[code]).collect();
    let mut map: Vec<f64> = (0..counts.len()).map(|code| code as f64).collect();
    for (&code, &to) in present.iter().zip(&rule.map(present.len(), &of)) {
        map[code] = present[to as usize] as f64;
    }
    map
}

impl Filter for Merge {
    fn know(&mut self, attributes: &[Attribute]) {
        if self.attributes != attributes {
            self.attributes = attributes.to_vec();
            self.map(&Records::new(attributes.len()));
        }
    }

    fn push(&mut self, record: &[f64], out: &mut Masked) -> Result<()> {
        match &mut self.held {
            Some(held) => held.push(record),
            None => self.merge(record, out),
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Masked) -> Result<()> {
        if let Some(held) = self.held.take() {
            self.map(&held);
            for record in held.iter() {
                self.merge(record, out);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Role;

    fn merged(rule: Rule, levels: usize, codes: &[u32], attribute: Attribute) -> Vec<f64> {
        let mut config = Merging::default();
        let of = [("x".to_owned(), 0)];
        let put = |count: usize| of.iter().map(|(name, _)| (name.clone(), count)).collect();
        match rule {
            Rule::Ends(bottom, top) => {
                config.bottom = bottom.map_or_else(BTreeMap::new, put);
                config.top = top.map_or_else(BTreeMap::new, put);
            }
            Rule::Rare(count) => config.rare = put(count),
        }
        let column = MaskedColumn {
            name: "x",
            role: Role::Quasi,
            attribute,
        };
        let mut filter = config.filter(&[column], 0).expect("built");
        let known = match attribute {
            Attribute::Ordinal { .. } => Attribute::Ordinal { levels },
            other => other,
        };
        filter.know(&[known]);
        let mut out = Masked::new(1);
        for &code in codes {
            filter.push(&[f64::from(code)], &mut out).expect("taken");
        }
        filter.finish(&mut out).expect("done");
        out.records().column(0).collect()
    }

    const ORDERED: Attribute = Attribute::Ordinal { levels: 0 };

    #[test]
    fn ends_are_merged_however_many_categories_there_are() {
        let codes = [0, 1, 2, 3, 4];
        for (bottom, top, expected) in [
            (Some(2), Some(2), [1.0, 1.0, 2.0, 3.0, 3.0]),
            (Some(5), None, [4.0; 5]),
            (None, Some(9), [0.0; 5]),
            (Some(3), Some(2), [2.0, 2.0, 2.0, 3.0, 3.0]),
        ] {
            let found = merged(Rule::Ends(bottom, top), 5, &codes, ORDERED);
            assert_eq!(found, expected, "{bottom:?} {top:?}");
        }
    }

    #[test]
    fn of_categories_without_order_only_those_of_rows_are_rare() {
        // Code 1 is in no row: it was one of a row that did not come.
        let found = merged(Rule::Rare(2), 0, &[0, 0, 0, 2, 3, 3], Attribute::Nominal);
        assert_eq!(found, [0.0, 0.0, 0.0, 3.0, 3.0, 3.0]);
        // A declared category without rows is the rarest of all.
        let found = merged(Rule::Rare(2), 4, &[0, 0, 0, 2, 3, 3], ORDERED);
        assert_eq!(found, [0.0, 0.0, 0.0, 2.0, 3.0, 3.0]);
    }

    #[test]
    fn missing_values_stay_and_all_may_be_merged() {
        let found = merged(Rule::Rare(9), 0, &[2, 2, 1], Attribute::Nominal);
        assert_eq!(found, [2.0; 3]);
        assert!(merged(Rule::Rare(2), 0, &[], Attribute::Nominal).is_empty());
    }
}
