//! Released rows while they are put together.

use super::paths::Paths;
use crate::data::Levels;

/// What a cell that may not be released shows, when others of its row are.
const HIDDEN: &str = "*";

/// Rows that go out.
pub(super) struct Draft {
    /// The row of the batch that each is made from.
    pub(super) rows: Vec<u32>,
    pub(super) ids: Vec<u64>,
    /// For each attribute the codes of the rows and the labels they stand for.
    pub(super) columns: Vec<(Vec<u32>, Levels)>,
    /// Places of made-up rows, and their users.
    pub(super) fakes: Vec<(usize, u32)>,
}

impl Draft {
    pub(super) fn new(rows: usize, columns: usize) -> Self {
        Draft {
            rows: Vec::with_capacity(rows),
            ids: Vec::with_capacity(rows),
            columns: (0..columns)
                .map(|_| (Vec::with_capacity(rows), Levels::default()))
                .collect(),
            fakes: Vec::new(),
        }
    }
}

/// The code of each path among the labels of the batch that is going out.
#[derive(Clone, Debug, Default)]
pub(super) struct Codes {
    batch: u32,
    of_path: Vec<(u32, u32)>,
}

impl Codes {
    pub(super) fn start(&mut self, paths: usize) {
        if self.batch == u32::MAX {
            self.of_path.clear();
            self.batch = 0;
        }
        self.batch += 1;
        self.of_path.resize(paths, (0, 0));
    }

    #[inline]
    pub(super) fn code(&mut self, path: u32, labels: &mut Levels, paths: &Paths) -> u32 {
        let (batch, code) = &mut self.of_path[path as usize];
        if *batch != self.batch {
            (*batch, *code) = (self.batch, labels.len() as u32);
            labels.push(paths.label(path));
        }
        *code
    }

    /// The code of a cell that shows nothing.
    pub(super) fn hidden(&self, labels: &mut Levels) -> u32 {
        match labels.find(HIDDEN) {
            Some(code) => code,
            None => {
                labels.push(HIDDEN);
                labels.len() as u32 - 1
            }
        }
    }

    pub(super) fn memory(&self) -> usize {
        self.of_path.capacity() * size_of::<(u32, u32)>()
    }
}
