//! Numbers shown by name: a category column whose levels are those of the batch.

use moretta_data::data::{Categories, Levels, MISSING};
use std::sync::Arc;

/// Gives the numbers of a batch their levels; each name is written once a batch.
#[derive(Clone, Debug)]
pub(super) struct Names {
    /// The level of each number in this batch.
    level: Vec<u32>,
    used: Vec<u32>,
}

impl Names {
    pub(super) fn new(numbers: u32) -> Self {
        Names {
            level: vec![MISSING; numbers as usize],
            used: Vec::new(),
        }
    }

    pub(super) fn column(
        &mut self,
        numbers: impl Iterator<Item = u32>,
        write: impl Fn(u32, &mut String),
    ) -> Categories {
        let codes = numbers.map(|number| self.level_of(number)).collect();
        let mut levels = Levels::default();
        let mut text = String::new();
        for number in self.used.drain(..) {
            self.level[number as usize] = MISSING;
            text.clear();
            write(number, &mut text);
            levels.push(&text);
        }
        Categories::new(codes, Arc::new(levels))
    }

    fn level_of(&mut self, number: u32) -> u32 {
        let level = &mut self.level[number as usize];
        if *level == MISSING {
            *level = self.used.len() as u32;
            self.used.push(number);
        }
        *level
    }
}
