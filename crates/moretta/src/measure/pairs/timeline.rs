//! Measures of pairs over the number of records, and columns before and after.
//!
//! Every step-th record all measures are asked, and the mean and deviation of each
//! number or ordinal are taken of the records since then, on both sides. When there
//! are [`MOST`] points, every other one is dropped, neighbouring pieces of columns
//! become one, and the step doubles: points depend on the records alone, and a long
//! stream has no more of them than a short one. A table has one point, its end: its
//! records have no course, and what some of them would tell is not told.
//!
//! What is told must not give a record away: the difference of two points, or of the
//! last point and the end, is of more than [`SMALL_CELL`] records, and a piece of a
//! column with no more values than that is not told.

use super::PairSettings;
use super::facts::{PairColumn, PairColumnPoint, PairFacts, PairPoint, PairValue};
use crate::data::{Batch, Records};
use crate::error::Result;
use crate::math::moments::Moments;
use crate::measure::categorical::Categorical;
use crate::measure::histogram::SMALL_CELL;
use crate::measure::{Info, Measure, Of};

/// Points that are kept; even, so that the last one stays when every other is dropped.
const MOST: usize = 200;

/// Records between the first points.
const STEP: u64 = 50;

/// Some measures of one stream of pairs, and how they went.
pub struct PairMeasures {
    measures: Vec<Watched>,
    /// What measures of categories are functions of, if there are such.
    categorical: Option<Categorical>,
    columns: Vec<Column>,
    seen: u64,
    table: bool,
    step: u64,
    buffer: u64,
    interval: f64,
}

/// A measure and its value after each step.
struct Watched {
    info: &'static Info,
    of: Source,
    points: Vec<Option<f64>>,
}

/// Where a value comes from.
enum Source {
    Own(Box<dyn Measure>),
    /// Counts that all measures of categories share.
    Shared(fn(&Categorical) -> Option<f64>),
}

impl Source {
    fn value(&self, categorical: Option<&Categorical>) -> Option<f64> {
        match self {
            Source::Own(measure) => measure.value(),
            Source::Shared(measure) => measure(categorical?).filter(|value| value.is_finite()),
        }
    }
}

/// A number or ordinal in each piece of the stream, and in the one that is open.
struct Column {
    name: String,
    place: usize,
    points: Vec<Piece>,
    open: Piece,
}

/// Both sides of a column in a piece of the stream.
#[derive(Clone, Copy, Default)]
struct Piece {
    before: Moments,
    after: Moments,
}

impl Piece {
    fn push(&mut self, before: f64, after: f64) {
        self.before.push(before);
        self.after.push(after);
    }

    fn merged(mut self, later: &Piece) -> Self {
        self.before.merge(&later.before);
        self.after.merge(&later.after);
        self
    }
}

impl PairMeasures {
    /// These measures, of records whose attributes are called `columns`; a measure of categories, which
    /// share their counts, has none of its own.
    pub fn new(
        settings: &PairSettings,
        columns: &[&str],
        measures: Vec<(&'static Info, Option<Box<dyn Measure>>)>,
    ) -> Self {
        let column = |place: usize| Column {
            name: columns.get(place).copied().unwrap_or_default().to_owned(),
            place,
            points: Vec::new(),
            open: Piece::default(),
        };
        let watched = |(info, measure): (&'static Info, Option<Box<dyn Measure>>)| {
            let of = match (measure, info.of) {
                (Some(measure), _) => Source::Own(measure),
                (None, Of::Categories(measure)) => Source::Shared(measure),
                (None, _) => return None,
            };
            Some(Watched {
                info,
                of,
                points: Vec::new(),
            })
        };
        let measures: Vec<Watched> = measures.into_iter().filter_map(watched).collect();
        let is_shared = |watched: &Watched| matches!(watched.of, Source::Shared(_));
        let categorical = measures.iter().any(is_shared);
        let categorical =
            categorical.then(|| Categorical::new(&settings.attributes, settings.categories));
        PairMeasures {
            measures,
            categorical: categorical.flatten(),
            columns: settings.scalars().into_iter().map(column).collect(),
            seen: 0,
            table: false,
            step: STEP,
            buffer: settings.buffer as u64,
            interval: settings.interval,
        }
    }

    /// Of a table: all originals, before the first pair.
    pub fn prepare(&mut self, originals: &Records) {
        self.table = true;
        self.step = u64::MAX;
        for measure in self.own() {
            measure.prepare(originals);
        }
    }

    /// More rows, as they were and as they leave, and their masked columns as records;
    /// none where what is masked has no originals to be held against.
    ///
    /// # Errors
    /// When a measure cannot make sense of the rows.
    pub fn observe(
        &mut self,
        original: &Batch,
        released: &Batch,
        records: Option<(&Records, &Records)>,
    ) -> Result<()> {
        let mut start = 0;
        while start < original.len() {
            let left = self.step - self.seen % self.step;
            let len = left.min((original.len() - start) as u64) as usize;
            let (before, after) = (original.slice(start, len), released.slice(start, len));
            for measure in self.own() {
                measure.observe(&before, &after)?;
            }
            if let Some((originals, protected)) = records {
                for row in start..start + len {
                    self.observe_record(originals.record(row), protected.record(row));
                }
            }
            self.count(len as u64);
            start += len;
        }
        Ok(())
    }

    /// More pairs of records, in order.
    pub fn observe_records(&mut self, originals: &Records, protected: &Records) {
        for (original, protected) in originals.iter().zip(protected.iter()) {
            self.observe_record(original, protected);
            self.count(1);
        }
    }

    fn own(&mut self) -> impl Iterator<Item = &mut Box<dyn Measure>> {
        self.measures
            .iter_mut()
            .filter_map(|watched| match &mut watched.of {
                Source::Own(measure) => Some(measure),
                Source::Shared(_) => None,
            })
    }

    fn observe_record(&mut self, original: &[f64], protected: &[f64]) {
        for measure in self.own() {
            measure.observe_record(original, protected);
        }
        if let Some(categorical) = &mut self.categorical {
            categorical.observe(original, protected);
        }
        for column in &mut self.columns {
            let (before, after) = (original[column.place], protected[column.place]);
            column.open.push(before, after);
        }
    }

    /// So many pairs were shown, none of them beyond the next point.
    fn count(&mut self, pairs: u64) {
        self.seen += pairs;
        if self.seen.is_multiple_of(self.step) {
            self.take_point();
        }
    }

    /// Pairs so far.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// What the measure called `name` says now.
    pub fn value(&self, name: &str) -> Option<(&'static Info, f64)> {
        let mut measures = self.measures.iter();
        let watched = measures.find(|watched| watched.info.name == name)?;
        Some((watched.info, watched.of.value(self.categorical.as_ref())?))
    }

    /// The measures and what they say now.
    pub fn values(&self) -> impl Iterator<Item = (&'static Info, Option<f64>)> + '_ {
        let (measures, categorical) = (self.measures.iter(), self.categorical.as_ref());
        measures.map(move |watched| (watched.info, watched.of.value(categorical)))
    }

    /// The places of attributes in which records that belong together agree less often than others, as
    /// probabilistic linkage of categories sees them; nothing is said of few records.
    pub fn inverted(&self) -> Vec<usize> {
        let enough = self.seen > SMALL_CELL;
        let categorical = self.categorical.as_ref().filter(|_| enough);
        categorical.map_or_else(Vec::new, Categorical::inverted)
    }

    fn take_point(&mut self) {
        for watched in &mut self.measures {
            // Measures of categories compare all records with all, and are told of the end alone.
            watched.points.push(watched.of.value(None));
        }
        for column in &mut self.columns {
            column.points.push(std::mem::take(&mut column.open));
        }
        if self.seen / self.step == MOST as u64 {
            self.thin();
        }
    }

    /// Drops every other point.
    fn thin(&mut self) {
        self.step *= 2;
        for watched in &mut self.measures {
            watched.points = watched.points.iter().copied().skip(1).step_by(2).collect();
        }
        for column in &mut self.columns {
            let pieces = column.points.chunks_exact(2);
            column.points = pieces.map(|two| two[0].merged(&two[1])).collect();
        }
    }

    /// What can be told of the pairs so far.
    pub fn facts(&self) -> PairFacts {
        let ends = self.ends();
        PairFacts {
            records: self.seen,
            table: self.table,
            buffer: self.buffer,
            interval: self.interval,
            measures: self
                .measures
                .iter()
                .map(|watched| watched.fact(&ends, self.categorical.as_ref()))
                .collect(),
            columns: self
                .columns
                .iter()
                .map(|column| column.fact(&ends))
                .collect(),
        }
    }

    /// Where the pieces end that are told: after each step, and at the end of the
    /// stream, which takes the place of the last step when few records follow that.
    fn ends(&self) -> Vec<u64> {
        let steps = self.seen / self.step;
        let mut ends: Vec<u64> = (1..=steps).map(|n| n * self.step).collect();
        let left = self.seen % self.step;
        if left > SMALL_CELL {
            ends.push(self.seen);
        } else if let Some(last) = ends.last_mut() {
            *last = self.seen;
        }
        ends
    }
}

impl Watched {
    fn fact(&self, ends: &[u64], categorical: Option<&Categorical>) -> PairValue {
        let value = match ends {
            [] => None,
            _ => self.of.value(categorical),
        };
        let (last, steps) = match ends.split_last() {
            Some((&records, steps)) => (Some(PairPoint { records, value }), steps),
            None => (None, ends),
        };
        let points = steps.iter().zip(&self.points);
        let points = points.map(|(&records, &value)| PairPoint { records, value });
        PairValue {
            name: self.info.name.to_owned(),
            family: self.info.family.word().to_owned(),
            meaning: self.info.meaning.to_owned(),
            goal: self.info.goal.word().to_owned(),
            percent: self.info.percent,
            value,
            points: points.chain(last).collect(),
        }
    }
}

impl Column {
    fn fact(&self, ends: &[u64]) -> PairColumn {
        let mut pieces = self.points.clone();
        match pieces.last_mut() {
            // The open piece has no end of its own.
            Some(last) if ends.len() == self.points.len() => *last = last.merged(&self.open),
            _ => pieces.push(self.open),
        }
        let points = ends
            .iter()
            .zip(&pieces)
            .map(|(&records, piece)| PairColumnPoint {
                records,
                before: told(&piece.before),
                after: told(&piece.after),
            });
        PairColumn {
            name: self.name.clone(),
            points: points.collect(),
        }
    }
}

/// Mean and deviation, of enough values.
fn told(moments: &Moments) -> Option<(f64, f64)> {
    (moments.count() > SMALL_CELL).then(|| (moments.mean(), moments.deviation()))
}

#[cfg(test)]
mod tests {
    use super::super::reference::settings;
    use super::*;
    use crate::measure::{LIST, build, find};

    const NAMES: [&str; 2] = ["sse", "record_linkage"];

    fn pair(n: u64) -> (Vec<f64>, Vec<f64>) {
        let x = (n * 37 % 101) as f64;
        let rare = if n.is_multiple_of(97) { x } else { f64::NAN };
        (vec![x, rare, 1.0, 0.0], vec![x + 1.0, rare, 2.0, 0.0])
    }

    fn measures(names: &[&str]) -> PairMeasures {
        let named = |name: &&str| {
            let info = find(name).expect("listed");
            let own = matches!(info.of, Of::Records(_));
            let measure = own.then(|| build(name, &settings()).expect("a measure of records"));
            (info, measure)
        };
        let measures = names.iter().map(named).collect();
        PairMeasures::new(&settings(), &["a", "b", "c", "d"], measures)
    }

    fn show(measures: &mut PairMeasures, pairs: impl Iterator<Item = (Vec<f64>, Vec<f64>)>) {
        let (mut originals, mut protected) = (Records::new(4), Records::new(4));
        for (original, masked) in pairs {
            originals.push(&original);
            protected.push(&masked);
        }
        measures.observe_records(&originals, &protected);
    }

    fn after(records: u64) -> PairMeasures {
        let mut measures = measures(&NAMES);
        show(&mut measures, (0..records).map(pair));
        measures
    }

    #[test]
    fn points_are_few_and_never_tell_few_records() {
        for records in [
            0, 10, 11, 49, 50, 51, 60, 61, 100, 9_999, 10_000, 10_007, 33_333,
        ] {
            let facts = after(records).facts();
            assert_eq!(facts.records, records);
            for measure in &facts.measures {
                let ends: Vec<u64> = measure.points.iter().map(|point| point.records).collect();
                assert_eq!(ends.last().copied(), (records > 10).then_some(records));
                assert!(ends.len() <= MOST + 1, "{} points", ends.len());
                assert!(
                    records < 10_000 || ends.len() >= MOST / 2,
                    "{} points",
                    ends.len()
                );
                let starts = [0].into_iter().chain(ends.iter().copied());
                assert!(starts.zip(&ends).all(|(from, to)| to - from > SMALL_CELL));
            }
        }
    }

    #[test]
    fn of_a_table_nothing_is_told_but_the_whole() {
        let mut measures = measures(&NAMES);
        let mut originals = Records::new(4);
        (0..1_000).for_each(|n| originals.push(&pair(n).0));
        measures.prepare(&originals);
        show(&mut measures, (0..1_000).map(pair));
        let facts = measures.facts();
        assert!(facts.table);
        for measure in &facts.measures {
            assert_eq!(
                (measure.points.len(), measure.points[0].records),
                (1, 1_000)
            );
            assert_eq!(measure.points[0].value, measure.value);
        }
        assert!(facts.columns.iter().all(|column| column.points.len() == 1));
    }

    #[test]
    fn measures_of_categories_are_told_of_the_end_alone() {
        let mut measures = measures(&["dbil", "sse"]);
        show(&mut measures, (0..300).map(pair));
        let facts = measures.facts();
        let [dbil, sse] = &facts.measures[..] else {
            panic!("two measures");
        };
        // One of the two categories always moves by one of four steps.
        assert_eq!(dbil.value, Some(0.125));
        let (last, points) = dbil.points.split_last().expect("points");
        assert_eq!(last.value, dbil.value);
        assert!(!points.is_empty() && points.iter().all(|point| point.value.is_none()));
        assert!(sse.points.iter().all(|point| point.value.is_some()));
    }

    #[test]
    fn a_point_is_the_value_of_the_records_up_to_it() {
        for records in [70, 1_000, 10_049, 41_005] {
            let facts = after(records).facts();
            let values: Vec<(u64, Option<f64>)> = [0, 3, 7, 150]
                .into_iter()
                .filter_map(|n| facts.measures[0].points.get(n))
                .map(|point| (point.records, point.value))
                .collect();
            assert!(!values.is_empty());
            for (records, value) in values {
                // Each record has two differences of 1.
                assert_eq!(value, Some(2.0 * records as f64));
            }
        }
    }

    #[test]
    fn a_piece_of_a_column_is_that_of_its_records() {
        for records in [64, 1_000, 10_049, 41_005] {
            let facts = after(records).facts();
            assert_eq!(facts.columns.len(), 3);
            let column = &facts.columns[0];
            let mut from = 0;
            for point in &column.points {
                let originals = (from..point.records).map(|n| pair(n).0[0]);
                let moments: Moments = originals.collect();
                let (mean, deviation) = point.before.expect("enough records");
                assert!((mean - moments.mean()).abs() < 1e-9);
                assert!((deviation - moments.deviation()).abs() < 1e-9);
                let (after, _) = point.after.expect("enough records");
                assert!((after - mean - 1.0).abs() < 1e-9);
                from = point.records;
            }
            assert_eq!(from, records);
        }
    }

    #[test]
    fn a_column_with_few_values_is_not_told() {
        let facts = after(1_000).facts();
        assert!(
            facts.columns[1]
                .points
                .iter()
                .all(|point| point.before.is_none())
        );
    }

    #[test]
    fn batches_do_not_matter_and_every_measure_can_be_watched() {
        let is_watched = |info: &&Info| matches!(info.of, Of::Records(_) | Of::Categories(_));
        let names: Vec<&str> = LIST
            .iter()
            .filter(is_watched)
            .map(|info| info.name)
            .collect();
        let pairs: Vec<_> = (0..700).map(pair).collect();
        let facts = |size: usize| {
            let mut measures = measures(&names);
            for chunk in pairs.chunks(size) {
                show(&mut measures, chunk.iter().cloned());
            }
            assert_eq!(
                (measures.seen(), measures.values().count()),
                (700, names.len())
            );
            measures.facts()
        };
        assert_eq!(facts(1), facts(700));
        assert_eq!(facts(64), facts(700));
        let told = facts(64).measures;
        assert!(
            told.iter()
                .all(|measure| measure.value.is_none_or(f64::is_finite))
        );
    }
}
