//! True classes of a batch, as the label holder tells them to all.

use super::bits::{Bits, pack, read_count, unpack, width_of};
use crate::error::Result;
use crate::federate::state::{Reader, Writer};

/// The labels of a batch.
#[derive(Clone, Debug, PartialEq)]
pub struct Labels {
    /// How many classes there are.
    pub class_count: u32,
    /// Which records have a label.
    pub present: Bits,
    /// The class of each record, 0 where there is no label.
    pub classes: Vec<u32>,
    /// A keyed sum of the keys of the batch.
    pub keys: u64,
}

impl Labels {
    /// The label of a record, if it has one.
    pub fn label(&self, at: usize) -> Option<u32> {
        self.present.get(at).then(|| self.classes[at])
    }

    pub(in crate::federate) fn write(&self, out: &mut Writer) {
        out.u16(self.present.len() as u16);
        out.u32(self.class_count);
        out.u64(self.keys);
        self.present.write(out);
        let classes = self.present.places().map(|at| self.classes[at]);
        pack(classes, width_of(self.class_count), out);
    }

    pub(in crate::federate) fn read(from: &mut Reader<'_>) -> Result<Self> {
        let count = read_count(from)?;
        let class_count = from.u32()?;
        let keys = from.u64()?;
        let present = Bits::read(count, from)?;
        let mut known = unpack(present.ones(), width_of(class_count), from)?.into_iter();
        let mut classes = vec![0; count];
        for at in present.places() {
            classes[at] = known.next().unwrap_or(0);
        }
        Ok(Labels {
            class_count,
            present,
            classes,
            keys,
        })
    }
}
