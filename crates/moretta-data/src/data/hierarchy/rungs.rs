//! The labels of one value, most specific first, in memory that is used again.

/// The labels of one value, most specific first; reused from value to value, so
/// that climbing allocates nothing once the longest value has been seen.
///
/// Labels that follow each other differ. It has no `Debug`, since it holds values
/// of the data.
#[derive(Clone, Default)]
pub struct Rungs {
    text: String,
    /// Where each label begins and ends; labels may share their text.
    spans: Vec<(usize, usize)>,
}

impl Rungs {
    /// How many labels there are.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Label `i`; 0 is the most specific one.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn get(&self, i: usize) -> &str {
        let (start, end) = self.spans[i];
        &self.text[start..end]
    }

    /// The labels, most specific first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator + '_ {
        (0..self.len()).map(|i| self.get(i))
    }

    /// Forgets the labels and keeps the memory.
    pub fn clear(&mut self) {
        self.text.clear();
        self.spans.clear();
    }

    /// Adds a label, unless it repeats the one before.
    pub(crate) fn push(&mut self, label: &str) {
        self.write(|text| text.push_str(label));
    }

    /// Adds the label that `write` appends, unless it repeats the one before.
    pub(crate) fn write(&mut self, write: impl FnOnce(&mut String)) {
        let start = self.text.len();
        write(&mut self.text);
        match self.spans.last() {
            Some(&(from, to)) if self.text[from..to] == self.text[start..] => {
                self.text.truncate(start);
            }
            _ => self.spans.push((start, self.text.len())),
        }
    }

    /// Adds `text` and its beginnings that end at `ends`, which ascend; all share
    /// one text, so that a very deep path costs no more than its length.
    pub(super) fn beginnings(&mut self, text: &str, ends: impl Iterator<Item = usize>) {
        let (start, first) = (self.text.len(), self.spans.len());
        self.text.push_str(text);
        self.spans.extend(ends.map(|end| (start, start + end)));
        self.spans.push((start, self.text.len()));
        self.spans[first..].reverse();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(rungs: &Rungs) -> Vec<&str> {
        rungs.iter().collect()
    }

    #[test]
    fn a_label_that_repeats_the_one_before_is_left_out() {
        let mut rungs = Rungs::default();
        assert!(rungs.is_empty());
        for label in ["", "", "é", "a", "a", "é"] {
            rungs.push(label);
        }
        assert_eq!(labels(&rungs), ["", "é", "a", "é"]);
        assert_eq!((rungs.len(), rungs.get(2)), (4, "a"));
        rungs.clear();
        assert!(rungs.is_empty() && rungs.iter().next().is_none());
    }

    #[test]
    fn beginnings_go_from_the_whole_to_the_shortest() {
        let mut rungs = Rungs::default();
        rungs.beginnings("a/é//", [1, 4, 5].into_iter());
        assert_eq!(labels(&rungs), ["a/é//", "a/é/", "a/é", "a"]);
    }
}
