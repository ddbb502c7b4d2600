//! Lifts a method on whole tables to a filter: the whole table, or a window of b rows.
//!
//! Whenever b rows are held, all but the newest `least` of them are masked as a
//! table of their own and leave; the newest stay. So a row waits for less than b
//! others, and whenever the stream may end, `least` rows or more are left to be
//! masked together. Only a stream of fewer rows than that is suppressed. Or windows of b rows
//! come one after the other, and of the last one fewer than `least` rows are suppressed.

use super::Among;
use super::filter::{Filter, Masked};
use crate::cancel::Cancel;
use crate::data::{Attribute, Records};
use crate::error::Result;

/// A method that masks a table at once.
pub trait Mask: Send {
    /// Masks the first `rows` of the records, in their places; gives the groups that it has made
    /// of them, if it makes groups.
    ///
    /// # Errors
    /// When it is cancelled.
    fn mask(
        &mut self,
        records: &mut Records,
        rows: usize,
        cancel: &Cancel,
    ) -> Result<Vec<Vec<usize>>>;
    /// Takes note of what the attributes of records are by now; see [`Filter::know`].
    fn know(&mut self, _attributes: &[Attribute]) {}
}

/// A method on tables at work in a window.
pub struct Window {
    mask: Box<dyn Mask>,
    buffer: Option<usize>,
    least: usize,
    /// Rows of a full buffer that stay for the next window.
    stay: usize,
    held: Records,
    /// Groups that were made so far.
    groups: u64,
}

impl Window {
    /// `mask` gets `least` records or more at a time; it gets all at once, or, with a
    /// `buffer`, which is at least twice `least`, never more than so many.
    pub fn new(mask: Box<dyn Mask>, width: usize, buffer: Option<usize>, least: usize) -> Self {
        debug_assert!(buffer.is_none_or(|rows| rows >= 2 * least));
        Window {
            mask,
            buffer,
            least,
            stay: least,
            held: Records::new(width),
            groups: 0,
        }
    }

    /// `mask` gets all records at once, or, with a `buffer`, so many at a time; fewer at the end,
    /// but at least `least`.
    pub fn one_by_one(
        mask: Box<dyn Mask>,
        width: usize,
        buffer: Option<usize>,
        least: usize,
    ) -> Self {
        debug_assert!(buffer.is_none_or(|rows| rows >= least));
        Window {
            mask,
            buffer,
            least,
            stay: 0,
            held: Records::new(width),
            groups: 0,
        }
    }

    fn leave(&mut self, rows: usize, out: &mut Masked) -> Result<()> {
        let groups = self.mask.mask(&mut self.held, rows, &out.cancel)?;
        // Without groups, all were masked together; windows that do not overlap have numbers.
        let window = (self.stay == 0).then_some(self.groups);
        let mut among = vec![(window, rows); rows];
        for (group, number) in groups.iter().zip(self.groups..) {
            for &row in group {
                among[row] = (Some(number), group.len());
            }
        }
        self.groups += groups.len() as u64 + u64::from(window.is_some());
        for (record, (group, records)) in self.held.iter().zip(among) {
            let records = records as u64;
            out.release_among(record, Among { group, records });
        }
        self.held.drop_front(rows);
        Ok(())
    }
}

impl Filter for Window {
    fn know(&mut self, attributes: &[Attribute]) {
        self.mask.know(attributes);
    }

    fn push(&mut self, record: &[f64], out: &mut Masked) -> Result<()> {
        self.held.push(record);
        match self.buffer {
            Some(buffer) if self.held.len() == buffer => self.leave(buffer - self.stay, out),
            _ => Ok(()),
        }
    }

    fn finish(&mut self, out: &mut Masked) -> Result<()> {
        let rows = self.held.len();
        if rows >= self.least {
            return self.leave(rows, out);
        }
        self.held.clear();
        for _ in 0..rows {
            out.suppress();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows how many were masked together.
    struct Count;

    impl Mask for Count {
        fn mask(
            &mut self,
            records: &mut Records,
            rows: usize,
            _: &Cancel,
        ) -> Result<Vec<Vec<usize>>> {
            for row in 0..rows {
                records.record_mut(row)[0] = rows as f64;
            }
            Ok(Vec::new())
        }
    }

    #[test]
    fn whenever_the_stream_ends_enough_rows_are_left() {
        for (least, buffer) in [(1, 2), (2, 4), (2, 7), (3, 6), (3, 20)] {
            for total in 0..50 {
                let mut window = Window::new(Box::new(Count), 1, Some(buffer), least);
                let mut out = Masked::new(1);
                for pushed in 1..=total {
                    window.push(&[0.0], &mut out).expect("taken");
                    assert!(
                        pushed - out.decided().len() < buffer,
                        "a row waits too long"
                    );
                }
                window.finish(&mut out).expect("done");
                assert_eq!(out.decided().len(), total);
                assert_eq!(out.decided().contains(&false), (1..least).contains(&total));
                let together = |record: &[f64]| record[0] >= least as f64;
                assert!(
                    out.records().iter().all(together),
                    "{least} {buffer} {total}"
                );
            }
        }
    }

    #[test]
    fn windows_one_by_one_are_full_but_for_the_last() {
        for (least, buffer) in [(1, 1), (2, 3), (3, 3), (3, 20)] {
            for total in 0..50 {
                let mut window = Window::one_by_one(Box::new(Count), 1, Some(buffer), least);
                let mut out = Masked::new(1);
                for _ in 0..total {
                    window.push(&[0.0], &mut out).expect("taken");
                }
                assert_eq!(out.decided().len(), total / buffer * buffer);
                window.finish(&mut out).expect("done");
                let (full, last) = (total / buffer * buffer, total % buffer);
                let kept = if last < least { 0 } else { last };
                let together: Vec<f64> = out.records().column(0).collect();
                let expected = std::iter::repeat_n(buffer as f64, full);
                let expected = expected.chain(std::iter::repeat_n(last as f64, kept));
                assert!(
                    together.into_iter().eq(expected),
                    "{least} {buffer} {total}"
                );
            }
        }
    }

    #[test]
    fn without_a_buffer_all_rows_are_masked_at_once() {
        let mut window = Window::new(Box::new(Count), 1, None, 3);
        let mut out = Masked::new(1);
        for _ in 0..1000 {
            window.push(&[0.0], &mut out).expect("taken");
        }
        assert!(out.decided().is_empty());
        window.finish(&mut out).expect("done");
        assert!(out.records().column(0).eq([1000.0; 1000]));
    }
}
