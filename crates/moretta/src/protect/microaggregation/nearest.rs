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
use crate::data::Attribute;
use crate::error::Result;
use crate::protect::{Among, Filter, Masked};

pub(super) struct Nearest {
    k: usize,
    buffer: usize,
    spread: Spread,
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
        self.pool.weigh(self.spread.weights());
        let place = self.head % self.buffer * width;
        self.pool.measure(&self.window[place..][..width]);
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

impl Filter for Nearest {
    fn push(&mut self, record: &[f64], out: &mut Masked) -> Result<()> {
        let width = self.centre.len();
        let place = self.next % self.buffer;
        self.window[place * width..][..width].copy_from_slice(record);
        self.grouped[place] = None;
        self.spread.observe(record);
        self.pool.push(self.next, record);
        self.next += 1;
        if self.next - self.head == self.buffer {
            self.let_head_leave(out);
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Masked) -> Result<()> {
        if self.pool.len() >= self.k {
            self.pool.weigh(self.spread.weights());
            for group in mdav(&mut self.pool, self.k, &out.cancel) {
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
