//! The distribution of a column whose values are released as regions or representatives.

use super::bins::{Ends, NumberBins};
use super::cells::Cells;
use super::span::span;
use super::{Cell, Hidden, Histogram, hide, hide_names};
use crate::data::{Column, Domain, MISSING, Region, Scale};
use crate::measure::column::Codes;
use foldhash::HashMap;

/// Counts the released values of one column.
pub struct HistogramBuilder {
    domain: Domain,
    /// Each released value covers its original.
    covers: bool,
    texts: Codes,
    counts: Vec<u64>,
}

/// The bins of a column, as its release has them.
enum Frame {
    Numbers(NumberBins),
    Cells(Cells),
}

impl HistogramBuilder {
    /// For a column of this domain whose released values cover their originals.
    pub fn new(domain: &Domain) -> Self {
        HistogramBuilder {
            domain: domain.clone(),
            covers: true,
            texts: Codes::default(),
            counts: Vec::new(),
        }
    }

    /// For a column whose released values stand for others, such as means.
    pub fn of_representatives(domain: &Domain) -> Self {
        HistogramBuilder {
            covers: false,
            ..HistogramBuilder::new(&domain.clone().without_hierarchy())
        }
    }

    /// Takes released values.
    pub fn observe_released(&mut self, column: &Column) {
        let HistogramBuilder { texts, counts, .. } = self;
        let count = |code: u32| {
            if code == MISSING {
                return;
            }
            let code = code as usize;
            if code >= counts.len() {
                counts.resize(code + 1, 0);
            }
            counts[code] += 1;
        };
        match column {
            Column::Number(numbers) => texts.each_number(numbers, count),
            Column::Category(categories) => texts.each(categories, count),
            Column::Plain(_) => {}
        }
    }

    /// The distribution, with the originals of the rows `released`; none when nothing may
    /// be shown of it.
    pub fn finish(&self, original: &Column, released: &[u64]) -> Option<Histogram> {
        let texts = self.texts.texts().iter().zip(self.counts.iter().copied());
        let regions: Vec<(Region, u64)> = texts
            .filter_map(|(text, rows)| Some((Region::parse(Some(text), &self.domain)?, rows)))
            .collect();
        let frame = self.frame(&regions)?;
        let mut cells = frame.empty();
        for (region, rows) in &regions {
            for (cell, share) in self.covered(&frame, region) {
                cells[cell].after += *rows as f64 * share;
                cells[cell].empty = false;
            }
        }
        let elsewhere = self.count_originals(&frame, &mut cells, original, released);
        let open = !self.covers || regions.iter().any(|(region, _)| *region == Region::Any);
        if !self.covers {
            cells.iter_mut().for_each(|cell| cell.empty = false);
        }
        let elsewhere = Some(elsewhere).filter(|&count| open || count > 0);
        // Where each region is in one cell, the release tells how many originals are.
        let tells = |(region, _): &(Region, u64)| self.covered(&frame, region).len() == 1;
        let exact = self.covers && regions.iter().all(tells);
        let histogram = match (&frame, &self.domain.scale) {
            (Frame::Numbers(_), _) => hide(cells, elsewhere, Hidden::InPlace),
            (Frame::Cells(_), scale) => {
                let ordered = !matches!(scale, Scale::Category { ordered: false, .. });
                hide_names(cells, ordered, elsewhere)
            }
        };
        histogram.map(|histogram| match exact {
            true => histogram,
            false => histogram.rounded(),
        })
    }

    /// Numbers fall into bins over all released intervals, if every released text is one; none
    /// where open ends of them overlap.
    fn frame(&self, regions: &[(Region, u64)]) -> Option<Frame> {
        if let Scale::Number { date, .. } = &self.domain.scale
            && let Some(spans) = self.spans(regions)
        {
            let ends = Ends::of(&spans)?;
            return Some(Frame::Numbers(NumberBins::of(&spans, ends, *date)));
        }
        Some(Frame::Cells(Cells::new(regions, &self.domain)))
    }

    /// What each region stands for, but those that say nothing; none where one is no interval.
    fn spans(&self, regions: &[(Region, u64)]) -> Option<Vec<(f64, f64)>> {
        let plain = self.domain.clone().without_hierarchy();
        let told = regions.iter().filter(|(region, _)| *region != Region::Any);
        let spans = told.map(|(region, _)| self.span(region, &plain));
        let spans: Vec<(f64, f64)> = spans.collect::<Option<_>>()?;
        (!spans.is_empty()).then_some(spans)
    }

    /// The numbers that a region stands for. Labels from a file may say anything.
    fn span(&self, region: &Region, plain: &Domain) -> Option<(f64, f64)> {
        match (region, &self.domain.hierarchy) {
            (Region::Interval(low, high), _) => Some((*low, *high)),
            (Region::Node(level, node), Some(tree)) if !tree.is_declared() => {
                span(tree.label(*level, *node), plain)
            }
            _ => None,
        }
    }

    /// The cells of a region and the share of its values in each.
    fn covered(&self, frame: &Frame, region: &Region) -> Vec<(usize, f64)> {
        let cells = match (frame, region) {
            (Frame::Numbers(bins), Region::Any) => (0..bins.len()).collect(),
            (Frame::Numbers(bins), _) => {
                let plain = self.domain.clone().without_hierarchy();
                return match self.span(region, &plain) {
                    Some((low, high)) => bins.between(low, high),
                    None => Vec::new(),
                };
            }
            (Frame::Cells(cells), _) => cells.covered(region),
        };
        let share = 1.0 / cells.len() as f64;
        cells.into_iter().map(|cell| (cell, share)).collect()
    }

    /// Counts the originals of released rows; gives back how many are in no cell.
    fn count_originals(
        &self,
        frame: &Frame,
        cells: &mut [Cell],
        original: &Column,
        released: &[u64],
    ) -> u64 {
        let mut elsewhere = 0;
        let mut count = |cell: Option<usize>| match cell {
            Some(cell) => cells[cell].before += 1,
            None => elsewhere += 1,
        };
        let rows = released.iter().map(|&id| id as usize);
        match (original, frame) {
            (Column::Number(numbers), Frame::Numbers(bins)) => {
                let present = rows.filter_map(|row| numbers.get(row));
                present.for_each(|number| count(bins.place(number)));
            }
            (Column::Number(numbers), Frame::Cells(cells)) => {
                let mut known: HashMap<u64, Option<usize>> = HashMap::default();
                for number in rows.filter_map(|row| numbers.get(row)) {
                    let number = number + 0.0;
                    let place = known.entry(number.to_bits());
                    count(*place.or_insert_with(|| {
                        let text = Region::Interval(number, number).text(&self.domain)?;
                        cells.place(&text, &self.domain)
                    }));
                }
            }
            (Column::Category(categories), Frame::Cells(cells)) => {
                let texts = categories.levels().iter();
                let places: Vec<Option<usize>> =
                    texts.map(|text| cells.place(text, &self.domain)).collect();
                for code in rows.map(|row| categories.codes()[row]) {
                    if code != MISSING {
                        count(places[code as usize]);
                    }
                }
            }
            _ => {}
        }
        elsewhere
    }
}

impl Frame {
    /// Its cells, with nobody in them.
    fn empty(&self) -> Vec<Cell> {
        let labels: Vec<String> = match self {
            Frame::Numbers(bins) => (0..bins.len()).map(|bin| bins.label(bin)).collect(),
            Frame::Cells(cells) => cells.labels().to_vec(),
        };
        let cell = |label| Cell {
            label,
            before: 0,
            after: 0.0,
            empty: true,
        };
        labels.into_iter().map(cell).collect()
    }
}
