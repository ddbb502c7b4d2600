//! Rank swapping in a window of a stream.
//!
//! When the window is full its oldest record, the head, leaves. Each of its values
//! that was not swapped yet changes places with one of those in the window that were
//! not swapped either, at most p ranks away among them; each such partner is equally
//! likely. A value is swapped once, so of the values of a column each is released
//! once. What finds no partner in its direction stays.

use super::order::Order;
use super::{Direction, Within};
use crate::error::Result;
use crate::math::uniform::{Uniform, step};
use crate::protect::{Among, Filter, Masked};

pub(super) struct Sliding<U> {
    within: Within,
    direction: Direction,
    buffer: usize,
    uniform: U,
    /// By attribute, the values that were not swapped, with their rows in the window.
    orders: Vec<Order>,
    /// The records by number modulo `buffer`, and which of their values are not to
    /// be swapped (again).
    window: Vec<f64>,
    swapped: Vec<bool>,
    /// The numbers of the oldest record and of the next to come.
    head: usize,
    next: usize,
}

impl<U: Uniform> Sliding<U> {
    pub(super) fn new(
        (within, direction): (Within, Direction),
        buffer: usize,
        width: usize,
        uniform: U,
    ) -> Self {
        Sliding {
            within,
            direction,
            buffer,
            uniform,
            orders: (0..width).map(|_| Order::new()).collect(),
            window: vec![0.0; buffer * width],
            swapped: vec![false; buffer * width],
            head: 0,
            next: 0,
        }
    }

    /// Lets the head leave; values swap with those at most `ranks` away.
    fn leave(&mut self, ranks: usize, out: &mut Masked) {
        let width = self.orders.len();
        let row = self.head % self.buffer * width;
        for attribute in 0..width {
            if !self.swapped[row + attribute] {
                self.swap(row, attribute, ranks);
            }
        }
        // Who has changed places with whom is a secret.
        let among = Among {
            group: None,
            records: (self.next - self.head) as u64,
        };
        out.release_among(&self.window[row..row + width], among);
        self.head += 1;
    }

    fn swap(&mut self, row: usize, attribute: usize, ranks: usize) {
        let order = &mut self.orders[attribute];
        // The head came before all that are equal to it.
        let rank = order.rank(self.direction.key(self.window[row + attribute]));
        let behind = ranks.min(order.len() - 1 - rank);
        let before = match self.direction {
            Direction::Both => ranks.min(rank),
            _ => 0,
        };
        if behind + before == 0 {
            order.take(rank);
            return;
        }
        let step = step(self.uniform.draw(), behind + before);
        let partner = match step <= behind {
            true => {
                let partner = order.take(rank + step);
                order.take(rank);
                partner
            }
            false => {
                order.take(rank);
                order.take(rank - (step - behind))
            }
        };
        let partner = partner as usize * self.orders.len() + attribute;
        self.window.swap(row + attribute, partner);
        self.swapped[partner] = true;
    }
}

impl<U: Uniform> Filter for Sliding<U> {
    fn push(&mut self, record: &[f64], out: &mut Masked) -> Result<()> {
        let width = self.orders.len();
        let place = self.next % self.buffer;
        let row = place * width;
        self.window[row..row + width].copy_from_slice(record);
        for (attribute, (order, &value)) in self.orders.iter_mut().zip(record).enumerate() {
            let missing = value.is_nan();
            self.swapped[row + attribute] = missing;
            if !missing {
                order.insert(self.direction.key(value), place as u32);
            }
        }
        self.next += 1;
        if self.next - self.head == self.buffer {
            self.leave(self.within.ranks(self.buffer), out);
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Masked) -> Result<()> {
        if self.next == 1 {
            // Alone it would leave as it is.
            out.suppress();
            self.head = 1;
        }
        let ranks = self.within.ranks(self.next.min(self.buffer));
        while self.head < self.next {
            self.leave(ranks, out);
        }
        Ok(())
    }
}
