//! A column of numbers in which missing ones are marked.

use arrow_buffer::{NullBuffer, ScalarBuffer};

/// Numbers; a missing one is marked and its slot holds 0. Cheap to clone.
#[derive(Clone, Debug, PartialEq)]
pub struct Numbers {
    values: ScalarBuffer<f64>,
    present: Option<NullBuffer>,
}

impl Numbers {
    /// All present.
    pub fn new(values: Vec<f64>) -> Self {
        Numbers {
            values: values.into(),
            present: None,
        }
    }

    /// `present` marks the slots that hold a value; the others should hold 0.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn with_missing(values: Vec<f64>, present: Option<NullBuffer>) -> Self {
        if let Some(present) = &present {
            assert_eq!(values.len(), present.len(), "one mark for each value");
        }
        Numbers {
            values: values.into(),
            present: present.filter(|p| p.null_count() > 0),
        }
    }

    /// How many slots there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The slots; a missing one holds 0.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The marks of the slots that hold a value; none when all do.
    pub fn present(&self) -> Option<&NullBuffer> {
        self.present.as_ref()
    }

    /// Whether slot `row` holds no value.
    #[inline]
    pub fn is_missing(&self, row: usize) -> bool {
        self.present.as_ref().is_some_and(|p| p.is_null(row))
    }

    /// The number in slot `row`.
    #[inline]
    pub fn get(&self, row: usize) -> Option<f64> {
        (!self.is_missing(row)).then(|| self.values[row])
    }

    /// The slots in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<f64>> + '_ {
        (0..self.len()).map(|row| self.get(row))
    }

    /// How many are missing.
    pub fn missing_count(&self) -> usize {
        self.present.as_ref().map_or(0, |p| p.null_count())
    }

    /// The slots at `rows`, in that order.
    pub fn take(&self, rows: &[u32]) -> Self {
        let values = rows.iter().map(|&r| self.values[r as usize]).collect();
        let present = self
            .present
            .as_ref()
            .map(|p| NullBuffer::from_iter(rows.iter().map(|&r| p.is_valid(r as usize))));
        Numbers::with_missing(values, present)
    }

    /// A run of slots, shared with this column.
    pub fn slice(&self, start: usize, len: usize) -> Self {
        Numbers {
            values: self.values.slice(start, len),
            present: self
                .present
                .as_ref()
                .map(|p| p.slice(start, len))
                .filter(|p| p.null_count() > 0),
        }
    }
}

impl FromIterator<Option<f64>> for Numbers {
    fn from_iter<I: IntoIterator<Item = Option<f64>>>(slots: I) -> Self {
        let slots: Vec<Option<f64>> = slots.into_iter().collect();
        let present = NullBuffer::from_iter(slots.iter().map(Option::is_some));
        let values = slots.iter().map(|v| v.unwrap_or(0.0)).collect();
        Numbers::with_missing(values, Some(present))
    }
}

impl FromIterator<f64> for Numbers {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        Numbers::new(values.into_iter().collect())
    }
}
