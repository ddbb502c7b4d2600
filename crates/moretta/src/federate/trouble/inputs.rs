//! What the sources of a trouble node have told of a batch.

use crate::error::Result;
use crate::federate::frame::{Bits, Refusal};
use crate::federate::mask::{MaskedSum, Member};
use crate::federate::topology::Column;

/// Values of a source: of all records that it forwards, or of those that were agreed on.
pub(in crate::federate) enum Values {
    /// Values row by row.
    Plain(Vec<f64>),
    /// Words of masked sums.
    Masked(Vec<u64>),
}

/// What values of a source can be.
pub(in crate::federate) enum Possible {
    /// Those of these columns, row by row.
    Of(Vec<Column>),
    /// Numbers of this size at most.
    UpTo(f64),
}

impl Possible {
    fn can_be(&self, values: &[f64]) -> bool {
        match self {
            Possible::Of(columns) => {
                let columns = columns.iter().cycle();
                columns
                    .zip(values)
                    .all(|(column, &value)| column.can_hold(value))
            }
            Possible::UpTo(most) => values.iter().all(|value| value.abs() <= *most),
        }
    }
}

/// A batch.
pub(in crate::federate) struct Inputs {
    /// Of each source, the records that it forwards.
    pub(super) keys: Vec<Option<Bits>>,
    pub(super) values: Vec<Option<Values>>,
    /// The records that all forward, where values are of those alone.
    pub(super) agreed: Option<Bits>,
    /// The sum of masked values, once all are there.
    sum: Option<Vec<f64>>,
    /// Whether something that a source sent was refused.
    pub(in crate::federate) is_spoilt: bool,
    pub(in crate::federate) epoch: u32,
}

/// Where values go in a joined record.
#[derive(Clone, Copy)]
pub(super) enum Place<'a> {
    Each(&'a [usize]),
    Added(usize),
}

impl Inputs {
    pub(in crate::federate) fn new(sources: usize, epoch: u32) -> Self {
        Inputs {
            keys: vec![None; sources],
            values: (0..sources).map(|_| None).collect(),
            agreed: None,
            sum: None,
            is_spoilt: false,
            epoch,
        }
    }

    /// Takes which records a source forwards. `labelled` is how many there are, once the label holder
    /// has said so; before that nobody can say which of two sources is wrong, and the batch is lost.
    pub(in crate::federate) fn set_keys(
        &mut self,
        source: usize,
        keys: Bits,
        labelled: Option<usize>,
    ) -> Option<Refusal> {
        if labelled.is_some_and(|count| count != keys.len()) {
            return Some(Refusal::Width);
        }
        let mut known = self.keys.iter().flatten();
        if known.any(|known| known.len() != keys.len()) {
            self.is_spoilt = true;
            return None;
        }
        self.keys[source] = Some(keys);
        None
    }

    /// Takes values; those of a source that has not said its keys cannot be told apart.
    pub(in crate::federate) fn set_values(
        &mut self,
        source: usize,
        width: usize,
        values: Values,
        possible: &Possible,
    ) -> Option<Refusal> {
        let of = self.agreed.as_ref().or(self.keys[source].as_ref());
        let Some(rows) = of.map(Bits::ones) else {
            return (!self.is_spoilt).then_some(Refusal::Unexpected);
        };
        let length = match &values {
            Values::Plain(values) => values.len(),
            Values::Masked(words) => words.len(),
        };
        if length != rows * width {
            return Some(Refusal::Width);
        }
        // What masked words add up to is held against its bounds once all are there.
        if let Values::Plain(values) = &values
            && !possible.can_be(values)
        {
            return Some(Refusal::Value);
        }
        self.values[source] = Some(values);
        None
    }

    /// The records that all sources forward, once all have told theirs.
    pub(in crate::federate) fn agree(&mut self) -> Option<Bits> {
        let keys: Vec<&Bits> = self
            .keys
            .iter()
            .map(Option::as_ref)
            .collect::<Option<_>>()?;
        let count = keys.first()?.len();
        let mut agreed = Bits::new(count);
        let all = |at: &usize| keys.iter().all(|keys| keys.get(*at));
        (0..count).filter(all).for_each(|at| agreed.set(at));
        self.agreed = Some(agreed.clone());
        Some(agreed)
    }

    pub(in crate::federate) fn is_agreed(&self) -> bool {
        self.agreed.is_some()
    }

    pub(in crate::federate) fn has_all_keys(&self) -> bool {
        self.keys.iter().all(Option::is_some)
    }

    /// Whether all values are there; adds up masked ones.
    pub(in crate::federate) fn is_complete(&mut self) -> std::result::Result<bool, Refusal> {
        if !self.has_all_keys() || self.values.iter().any(Option::is_none) {
            return Ok(false);
        }
        if self.sum.is_none() {
            self.sum = self.add_up().map_err(|_| Refusal::Sum)?;
        }
        Ok(true)
    }

    /// The sum of all masked values, if there are any.
    fn add_up(&self) -> Result<Option<Vec<f64>>> {
        let masked = self
            .values
            .iter()
            .zip(0..)
            .filter_map(|(values, id)| match values {
                Some(Values::Masked(words)) => Some((id, words)),
                _ => None,
            });
        let masked: Vec<(u16, &Vec<u64>)> = masked.collect();
        let Some((_, first)) = masked.first() else {
            return Ok(None);
        };
        // A sum asks for no keys: those are between the sites.
        let member = |&(id, _): &(u16, &Vec<u64>)| Member {
            id,
            public: [0; 32],
        };
        let members: Vec<Member> = masked.iter().map(member).collect();
        let mut sum = MaskedSum::new(&members, first.len())?;
        for (id, words) in masked {
            sum.add(id, words)?;
        }
        sum.finish().map(Some)
    }

    /// Whether a source has sent all that is known to be missing of it.
    pub(in crate::federate) fn has(&self, source: usize) -> bool {
        match self.agreed {
            Some(_) => self.values[source].is_some(),
            None => self.keys[source].is_some(),
        }
    }

    /// Records of the batch, once a source has told.
    pub(in crate::federate) fn count(&self) -> Option<usize> {
        self.keys.iter().flatten().next().map(Bits::len)
    }

    /// How many sources forward a record.
    pub(super) fn forwarded(&self, at: usize) -> u16 {
        self.keys
            .iter()
            .flatten()
            .filter(|keys| keys.get(at))
            .count() as u16
    }

    /// Puts the row of a source into a joined record.
    pub(super) fn join(&self, source: usize, row: usize, place: Place<'_>, joined: &mut [f64]) {
        let masked = matches!(self.values[source], Some(Values::Masked(_)));
        let values = match (&self.values[source], &self.sum) {
            (Some(Values::Plain(values)), _) => values,
            // The sum is of all masked sources; only the first of them brings it.
            (Some(Values::Masked(_)), Some(sum)) if self.first_masked() == Some(source) => sum,
            _ => return,
        };
        match place {
            Place::Each(places) => {
                let values = &values[row * places.len()..];
                places
                    .iter()
                    .zip(values)
                    .for_each(|(&place, &value)| joined[place] = value);
            }
            Place::Added(width) => {
                let values = &values[row * width..][..width];
                let slots = joined.iter_mut().zip(values);
                slots.for_each(|(slot, value)| match masked {
                    true => *slot = *value,
                    false => *slot += value,
                });
            }
        }
    }

    fn first_masked(&self) -> Option<usize> {
        let masked = |values: &Option<Values>| matches!(values, Some(Values::Masked(_)));
        self.values.iter().position(masked)
    }

    /// Goes on from a record to the next row of each source that has it.
    pub(super) fn step(&self, at: usize, rows: &mut [usize]) {
        for (row, keys) in rows.iter_mut().zip(&self.keys) {
            let of = self.agreed.as_ref().or(keys.as_ref());
            *row += usize::from(of.is_some_and(|keys| keys.get(at)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::federate::mask::LARGEST;

    /// Before labels are there nobody can say which source has other rows than it should.
    #[test]
    fn numbers_of_records_that_differ_spoil_a_batch_and_blame_who_the_labels_say() {
        let check = |labelled, first: Option<Refusal>, second: Option<Refusal>| {
            let mut inputs = Inputs::new(2, 0);
            assert_eq!(inputs.set_keys(0, Bits::all(7), labelled), first);
            inputs.is_spoilt |= first.is_some();
            assert_eq!(inputs.set_keys(1, Bits::all(8), labelled), second);
            assert!(inputs.is_spoilt || second.is_some());
            let any = Possible::UpTo(1.0);
            let values = inputs.set_values(1, 1, Values::Plain(vec![0.0; 8]), &any);
            assert!(values.is_none() || second.is_some());
        };
        check(None, None, None);
        check(Some(8), Some(Refusal::Width), None);
        check(Some(7), None, Some(Refusal::Width));
    }

    #[test]
    fn values_out_of_bounds_are_refused_whole() {
        let column = |id, values| Column {
            id,
            size: 1,
            values,
        };
        let raw = Possible::Of(vec![column(0, 0), column(1, 3)]);
        let check = |possible: &Possible, values: [f64; 4], expected: Option<Refusal>| {
            let mut inputs = Inputs::new(1, 0);
            inputs.set_keys(0, Bits::all(2), None);
            let found = inputs.set_values(0, 2, Values::Plain(values.to_vec()), possible);
            assert_eq!(found, expected, "{values:?}");
            assert_eq!(inputs.values[0].is_some(), expected.is_none());
        };
        let refused = Some(Refusal::Value);
        check(&raw, [-1e300, 2.0, f64::NAN, f64::NAN], None);
        check(&raw, [5.0, 0.0, 5.0, 3.0], refused);
        check(&raw, [5.0, -1.0, 5.0, 1.0], refused);
        check(&raw, [5.0, 0.5, 5.0, 1.0], refused);
        check(&raw, [5.0, 1.0, f64::INFINITY, 1.0], refused);
        let projected = Possible::UpTo(LARGEST);
        check(&projected, [LARGEST, -LARGEST, 0.0, 1.0], None);
        check(&projected, [0.0, 1.0, LARGEST + 1.0, 0.0], refused);
        check(&projected, [0.0, 1.0, 2.0, f64::NAN], refused);
    }
}
