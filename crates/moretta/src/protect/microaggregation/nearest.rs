//! The streaming filter: a record that must leave takes its nearest with it.
//!
//! Records wait in a window of b. When the window is full its oldest record, the
//! head, leaves. If it is in no group yet it makes one with the k - 1 nearest of
//! those that are in none; all of a group get its centroid, and each leaves in its
//! turn, less than b rows after it came.
//!
//! Whenever a head makes a group, 2k records or more are in none. So groups are
//! always full, and k or more are left to be grouped at the end, whenever that
//! comes: nothing is suppressed unless the whole stream has fewer than k records.
//! To see that, let u ≥ 2k be in no group. The next group is made when the oldest of
//! those left, j places behind the head, is the head itself; j records came in the
//! meantime, and u - k + j are in no group. That is at least 2k if j ≥ 3k - u, so
//! the records in the first 3k - u places, the head among them and at most k, must
//! be in the group; only the rest of it is chosen. With u ≥ 3k all are free but the
//! head, so this matters only where b is hardly larger than 3k.

use super::axes::Axes;
use super::centroid::Centroid;
use super::mdav::mdav;
use super::pool::Pool;
use super::scale::{Scale, Spread};
use super::sum::mdav_by_sum;
use super::sum_scale::Ends;
use crate::cancel::Cancel;
use crate::data::{Attribute, Records};
use crate::error::Result;
use crate::protect::{Among, Filter, Masked};

pub(super) struct Nearest {
    k: usize,
    buffer: usize,
    spread: Spread,
    /// Where distances are sums of differences.
    ends: Option<Ends>,
    centroid: Centroid,
    /// Those in no group.
    pool: Pool,
    /// The records of the window by number modulo `buffer`: original ones, and
    /// centroids of those in a group.
    window: Vec<f64>,
    /// The groups that they are in.
    grouped: Vec<Option<Among>>,
    /// Groups that were made so far.
    groups: u64,
    /// The numbers of the oldest record and of the next to come.
    head: usize,
    next: usize,
    group: Vec<usize>,
    centre: Vec<f64>,
}

impl Nearest {
    /// `buffer` is at least 2k.
    pub(super) fn new(k: usize, buffer: usize, scale: Scale, attributes: &[Attribute]) -> Self {
        let axes = Axes::new(attributes);
        Nearest {
            k,
            buffer,
            spread: Spread::new(scale, &axes),
            ends: None,
            centroid: Centroid::new(attributes),
            pool: Pool::new(&axes),
            window: vec![0.0; buffer * attributes.len()],
            grouped: vec![None; buffer],
            groups: 0,
            head: 0,
            next: 0,
            group: Vec::new(),
            centre: vec![0.0; attributes.len()],
        }
    }

    /// The same with distances that are sums of differences.
    pub(super) fn by_sum(self) -> Self {
        let ends = Some(Ends::new(self.centroid.attributes()));
        Nearest { ends, ..self }
    }

    fn record(&self, number: usize) -> &[f64] {
        let width = self.centre.len();
        &self.window[number % self.buffer * width..][..width]
    }

    fn let_head_leave(&mut self, out: &mut Masked) {
        if self.grouped[self.head % self.buffer].is_none() {
            self.group_head();
        }
        self.decide(self.head, out);
        self.head += 1;
    }

    fn decide(&self, number: usize, out: &mut Masked) {
        match self.grouped[number % self.buffer] {
            Some(group) => out.release_among(self.record(number), group),
            None => out.suppress(),
        }
    }

    fn group_head(&mut self) {
        let width = self.centre.len();
        let place = self.head % self.buffer * width;
        let head = &self.window[place..][..width];
        match &self.ends {
            Some(ends) => self.pool.measure_sum(head, &ends.scale()),
            None => {
                self.pool.weigh(self.spread.weights());
                self.pool.measure(head);
            }
        }
        let bound = (3 * self.k).saturating_sub(self.pool.len()).max(1);
        self.group.clear();
        for number in self.head..self.head + bound {
            self.group.extend(self.pool.take_id(number));
        }
        let wanted = self.k - self.group.len();
        self.pool.take_nearest(wanted, &mut self.group);
        self.aggregate();
    }

    /// Gives the records of the group their centroid.
    fn aggregate(&mut self) {
        let width = self.centre.len();
        let places = self.group.iter().map(|number| number % self.buffer);
        let rows = places
            .clone()
            .map(|place| &self.window[place * width..][..width]);
        self.centroid.of(rows, &mut self.centre);
        for place in places {
            self.window[place * width..][..width].copy_from_slice(&self.centre);
            self.grouped[place] = Some(Among {
                group: Some(self.groups),
                records: self.group.len() as u64,
            });
        }
        self.groups += 1;
    }
}

impl Nearest {
    /// Groups those that are in no group, which are at least k, as a table.
    fn group_rest(&mut self, cancel: &Cancel) -> Vec<Vec<usize>> {
        let Some(ends) = &self.ends else {
            self.pool.weigh(self.spread.weights());
            return mdav(&mut self.pool, self.k, cancel);
        };
        let scale = ends.scale();
        let numbers = self.pool.take_all();
        let mut records = Records::new(self.centre.len());
        for &number in &numbers {
            records.push(self.record(number));
        }
        let groups = mdav_by_sum(&scale, &records, self.k, cancel).into_iter();
        let numbered = groups.map(|group| group.iter().map(|&row| numbers[row]).collect());
        numbered.collect()
    }
}

impl Filter for Nearest {
    fn know(&mut self, attributes: &[Attribute]) {
        if let Some(ends) = &mut self.ends {
            ends.know(attributes);
        }
    }

    fn push(&mut self, record: &[f64], out: &mut Masked) -> Result<()> {
        let width = self.centre.len();
        let place = self.next % self.buffer;
        self.window[place * width..][..width].copy_from_slice(record);
        self.grouped[place] = None;
        match &mut self.ends {
            Some(ends) => ends.observe(record),
            None => self.spread.observe(record),
        }
        self.pool.push(self.next, record);
        self.next += 1;
        if self.next - self.head == self.buffer {
            self.let_head_leave(out);
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Masked) -> Result<()> {
        if self.pool.len() >= self.k {
            for group in self.group_rest(&out.cancel) {
                self.group = group;
                self.aggregate();
            }
        }
        for number in self.head..self.next {
            self.decide(number, out);
        }
        self.pool.take_all();
        self.head = self.next;
        Ok(())
    }
}
