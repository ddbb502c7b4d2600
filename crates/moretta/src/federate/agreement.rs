//! How often the sources of a trouble node found the same records troublesome.
//!
//! Of each record that some source forwarded the window holds how many did, n of s. The
//! agreement is a = s·#(n = s)/Σn: 1 where all always agree, 0 where nothing was forwarded. A
//! record that nobody forwarded tells nothing and is not pushed.

use super::ratio::Ratio;
use super::state::{Reader, Writer, odd};
use crate::error::Result;
use std::collections::VecDeque;

/// The window.
#[derive(Clone, Debug)]
pub(super) struct Agreement {
    sources: u16,
    most: usize,
    window: VecDeque<u16>,
    sum: u32,
    full: u32,
}

impl Agreement {
    /// An empty window of at most so many records.
    pub(super) fn new(sources: u16, most: usize) -> Self {
        Agreement {
            sources,
            most: most.clamp(1, 1 << 20),
            window: VecDeque::new(),
            sum: 0,
            full: 0,
        }
    }

    /// Pushes how many sources forwarded a record, unless none did.
    pub(super) fn push(&mut self, forwarded: u16) {
        if forwarded == 0 {
            return;
        }
        if self.window.len() == self.most
            && let Some(oldest) = self.window.pop_front()
        {
            self.sum -= u32::from(oldest);
            self.full -= u32::from(oldest == self.sources);
        }
        self.window.push_back(forwarded);
        self.sum += u32::from(forwarded);
        self.full += u32::from(forwarded == self.sources);
    }

    /// s·#(n = s)/Σn.
    pub(super) fn ratio(&self) -> Ratio {
        match self.sum {
            0 => Ratio::new(0, 1),
            sum => Ratio::new(u32::from(self.sources) * self.full, sum),
        }
    }

    /// Σn and #(n = s).
    pub(super) fn counts(&self) -> (u32, u32) {
        (self.sum, self.full)
    }

    pub(super) fn save(&self, out: &mut Writer) {
        out.size(self.window.len());
        self.window.iter().for_each(|&n| out.u32(u32::from(n)));
    }

    pub(super) fn load(sources: u16, most: usize, from: &mut Reader<'_>) -> Result<Self> {
        let mut agreement = Agreement::new(sources, most);
        for _ in 0..from.length()? {
            match from.u32()? {
                n @ 1.. if n <= u32::from(sources) => agreement.push(n as u16),
                _ => return Err(odd("more sources than a node has")),
            }
        }
        Ok(agreement)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreement_is_worked_out_by_hand() {
        let check = |pushed: &[u16], most, expected: f64| {
            let mut agreement = Agreement::new(2, most);
            pushed.iter().for_each(|&n| agreement.push(n));
            assert_eq!(agreement.ratio().value(), expected, "{pushed:?}");
        };
        check(&[], 10, 0.0);
        check(&[0, 0], 10, 0.0);
        check(&[2], 10, 1.0);
        check(&[2, 1, 1], 10, 0.5);
        check(&[1, 1], 10, 0.0);
        check(&[2, 2, 1, 1], 2, 0.0);
        check(&[1, 2, 0, 2], 2, 1.0);
    }
}
