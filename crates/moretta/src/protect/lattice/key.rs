//! The nodes that cover a row, packed into a few words.
//!
//! Each column has a field of as many bits as its values need; no field crosses the end of a
//! word. A row is raised to a higher level by turning over the bits in which both nodes differ,
//! one lookup and one operation for each column that rises.

use super::attribute::Attribute;

/// The packed nodes of a row.
pub(super) type Key<const W: usize> = [u64; W];

/// Where the node of a column is in a key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    pub(super) word: usize,
    shift: u32,
    mask: u64,
}

impl Field {
    /// Places fields for columns of so many values; the second is how many words they take.
    pub(super) fn layout(values: impl IntoIterator<Item = usize>) -> (Vec<Field>, usize) {
        let (mut word, mut used) = (0, 0);
        let mut fields = Vec::new();
        for values in values {
            let bits = usize::BITS - values.saturating_sub(1).leading_zeros();
            if used + bits > u64::BITS {
                (word, used) = (word + 1, 0);
            }
            fields.push(Field {
                word,
                shift: used,
                mask: (1u64 << bits) - 1,
            });
            used += bits;
        }
        (fields, word + 1)
    }

    /// The node in a key.
    pub(super) fn get<const W: usize>(&self, key: &Key<W>) -> usize {
        (key[self.word] >> self.shift & self.mask) as usize
    }

    /// Sets all bits of the field.
    pub(super) fn cover<const W: usize>(&self, key: &mut Key<W>) {
        key[self.word] |= self.mask << self.shift;
    }

    /// Puts a node where none is yet.
    pub(super) fn put<const W: usize>(&self, key: &mut Key<W>, node: u32) {
        key[self.word] |= u64::from(node) << self.shift;
    }
}

/// Raises one column of keys from one level to another.
#[derive(Debug)]
pub(super) struct Rise {
    field: Field,
    /// The bits in which the node of the higher level differs, by the node of the lower one.
    turned: Vec<u64>,
}

impl Rise {
    pub(super) fn new(field: Field, attribute: &Attribute, from: usize, to: usize) -> Self {
        let above = attribute.rise(from, to).into_iter();
        let turned = (0u64..).zip(above);
        Rise {
            field,
            turned: turned
                .map(|(below, above)| (below ^ u64::from(above)) << field.shift)
                .collect(),
        }
    }

    pub(super) fn apply<const W: usize>(&self, keys: &mut [Key<W>]) {
        let Field { word, shift, mask } = self.field;
        for key in keys {
            key[word] ^= self.turned[(key[word] >> shift & mask) as usize];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_keep_what_is_put_into_them_and_cross_no_word() {
        let values = [2, 1, 1 << 31, 1 << 30, 5, 1 << 31, 3];
        let (fields, words) = Field::layout(values);
        assert_eq!(words, 2);
        let mut key = [0; 2];
        for (field, values) in fields.iter().zip(values) {
            field.put(&mut key, values as u32 - 1);
        }
        for (field, values) in fields.iter().zip(values) {
            assert_eq!(field.get(&key), values - 1);
        }
    }
}
