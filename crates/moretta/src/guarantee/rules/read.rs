//! What the cells of a column can be, read from their texts.

use super::bind::{Codes, ColumnKind};
use super::cell::{Cell, Values};
use crate::data::hierarchy::{Hierarchy, HierarchySpec, TOP};
use crate::data::{DateFormat, Region};
use crate::guarantee::same::unescaped;
use std::sync::Arc;

/// How the cells of a column are read.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The column.
    pub name: String,
    /// What its values are.
    pub kind: ColumnKind,
    /// What its texts are.
    pub labels: Labels,
}

/// What the texts of a column are.
#[derive(Clone, Debug)]
pub enum Labels {
    /// Each is a value.
    Values,
    /// Each is a value, or what several values are released as.
    Regions {
        /// The rule by which values generalise.
        rule: Option<HierarchySpec>,
        /// The tree of the rule, when it is declared in a file.
        tree: Option<Arc<Hierarchy>>,
        /// An empty cell can be any value.
        empty_is_any: bool,
    },
}

/// Reads the texts of one column.
pub(super) struct Reader {
    pub(super) reading: Reading,
    /// Values are compared with those of other columns, not with constants alone.
    pub(super) compared: bool,
    /// The constants that it is compared with, ascending.
    pub(super) constants: Vec<f64>,
}

/// The code of all texts that no constant equals, where nobody compares them with each other.
const OTHER: f64 = -1.0;

impl Reader {
    /// Whether numbers of a batch are its values.
    pub(super) fn has_numbers(&self) -> bool {
        let kind = &self.reading.kind;
        matches!(kind, ColumnKind::Number { .. } | ColumnKind::Date(_))
    }

    /// What an empty cell can be.
    pub(super) fn empty(&self) -> Cell {
        match self.reading.labels {
            Labels::Regions {
                empty_is_any: true, ..
            } => Cell::anything(self.reading.kind.is_whole()),
            _ => Cell::missing(),
        }
    }

    /// What a cell with this text can be. A text that says nothing is impossible where it should
    /// be a value, and any value where it could be a label that nobody knows.
    pub(super) fn read(&self, text: &str, codes: &mut Codes) -> Cell {
        // Columns that pass through may hold empty texts for missing cells.
        if text.is_empty() {
            return self.empty();
        }
        let plain = unescaped(text);
        let found = self.found(text, codes);
        let found = found.or_else(|| self.found(plain?, codes));
        let values = found.unwrap_or_else(|| match self.reading.labels {
            Labels::Values => Values::OneOf(Vec::new()),
            Labels::Regions { .. } => self.everything(),
        });
        let missing = text == TOP && !matches!(self.reading.labels, Labels::Values);
        Cell { missing, values }
    }

    fn everything(&self) -> Values {
        match &self.reading.kind {
            ColumnKind::Ordered(order) => {
                Values::one_of((0..order.len()).map(|place| place as f64).collect())
            }
            // Texts are codes, and there is always another one.
            ColumnKind::Text => Values::everything(false),
            kind => Values::everything(kind.is_whole()),
        }
    }

    fn found(&self, text: &str, codes: &mut Codes) -> Option<Values> {
        let Labels::Regions { rule, tree, .. } = &self.reading.labels else {
            return self.value(text, codes).map(one);
        };
        if text == TOP {
            return Some(self.everything());
        }
        if let Some(tree) = tree {
            let Some((level, node)) = tree.find(text) else {
                return self.region(text, codes);
            };
            let leaves = tree.leaves_under(level, node);
            let values = leaves.filter_map(|leaf| self.value(tree.label(0, leaf), codes));
            return Some(self.few(values.collect()));
        }
        match rule {
            Some(rule @ (HierarchySpec::Intervals(_) | HierarchySpec::Dates(_))) => {
                let numbers = rule.numbers_called(text);
                let called = numbers.map(|(low, high)| self.within(low, high));
                called.or_else(|| self.region(text, codes))
            }
            Some(HierarchySpec::Mask(_)) if !text.contains('*') => self.value(text, codes).map(one),
            Some(_) => None,
            None => self.region(text, codes),
        }
    }

    /// A text of a column without a hierarchy.
    fn region(&self, text: &str, codes: &mut Codes) -> Option<Values> {
        if let Some(value) = self.value(text, codes).filter(|_| !self.is_set(text)) {
            return Some(one(value));
        }
        if let Some(listed) = Region::listed(text) {
            let values = listed.iter().map(|text| self.value(text, codes));
            return Some(self.few(values.collect::<Option<Vec<f64>>>()?));
        }
        let (low, high) = text.split_once("..")?;
        let mut end = |text: &str, open: f64| match text {
            "" => Some(open),
            text => self.value(text, codes),
        };
        match self.reading.kind {
            ColumnKind::Text => None,
            _ => {
                let low = end(low, f64::NEG_INFINITY)?;
                Some(self.within(low, end(high, f64::INFINITY)?))
            }
        }
    }

    /// Whether any text is a value, and this one lists several.
    fn is_set(&self, text: &str) -> bool {
        self.reading.kind == ColumnKind::Text && Region::listed(text).is_some()
    }

    fn within(&self, low: f64, high: f64) -> Values {
        match &self.reading.kind {
            ColumnKind::Ordered(order) => {
                let places = (0..order.len()).map(|place| place as f64);
                Values::one_of(places.filter(|&n| low <= n && n <= high).collect())
            }
            kind => Values::within(low, high, kind.is_whole()),
        }
    }

    /// These values; where nobody compares them with other columns, one of all that lie between
    /// the same two constants is enough.
    fn few(&self, values: Vec<f64>) -> Values {
        if self.compared {
            return Values::one_of(values);
        }
        let Values::OneOf(mut values) = Values::one_of(values) else {
            return Values::OneOf(Vec::new());
        };
        let gap = |value: &f64| match self.constants.binary_search_by(|c| c.total_cmp(value)) {
            Ok(place) => 2 * place + 1,
            Err(place) => 2 * place,
        };
        values.dedup_by_key(|value| gap(value));
        Values::OneOf(values)
    }

    /// The number of a value.
    fn value(&self, text: &str, codes: &mut Codes) -> Option<f64> {
        match &self.reading.kind {
            ColumnKind::Number { .. } => {
                let number = text.trim().parse::<f64>().ok();
                number.filter(|n| n.is_finite()).map(|n| n + 0.0)
            }
            // Typed formats hold days and no form, so their text is that of ISO 8601.
            ColumnKind::Date(format) => {
                let day = format.parse(text).or_else(|| DateFormat::ISO.parse(text));
                day.map(f64::from)
            }
            ColumnKind::Ordered(order) => {
                let place = order.iter().position(|known| known == text);
                place.map(|place| place as f64)
            }
            ColumnKind::Text if self.compared => Some(codes.intern(text)),
            ColumnKind::Text => {
                let known = codes.find(text);
                let known = known.or_else(|| codes.find(unescaped(text)?));
                Some(known.unwrap_or(OTHER))
            }
        }
    }
}

fn one(value: f64) -> Values {
    Values::Within {
        low: value,
        high: value,
        whole: false,
    }
}
