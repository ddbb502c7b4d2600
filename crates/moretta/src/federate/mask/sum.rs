//! The node's side: frames of all sources become one sum, or none.

use super::{Member, check_members, fixed_point};
use crate::error::{Error, Result};

/// Adds up the frames of one batch.
///
/// There is no way to read it before every member has sent its frame, and a partial sum would be
/// uniform in any case. **Sees** an impossible sum; **does not see** a wrong one that is possible.
#[derive(Clone, Debug)]
pub struct MaskedSum {
    /// Ids of members, and whether their frames are in.
    members: Vec<(u16, bool)>,
    words: Vec<u64>,
}

impl MaskedSum {
    /// Of frames that have this number of words each.
    ///
    /// # Errors
    /// When the group is too small or too large, or does not rise by id.
    pub fn new(members: &[Member], words: usize) -> Result<Self> {
        check_members(members)?;
        Ok(MaskedSum {
            members: members.iter().map(|member| (member.id, false)).collect(),
            words: vec![0; words],
        })
    }

    /// Adds the frame of a source. A frame that is refused changes nothing.
    ///
    /// # Errors
    /// When it comes from no member, for the second time, or in another size.
    pub fn add(&mut self, id: u16, frame: &[u64]) -> Result<()> {
        let place = self.members.binary_search_by_key(&id, |member| member.0);
        let Ok(place) = place else {
            return Err(Error::input(format!("site {id} is not in the group")));
        };
        if self.members[place].1 {
            return Err(Error::input(format!("site {id} sent two frames")));
        }
        if frame.len() != self.words.len() {
            let what = format!("the frame of site {id} has another size than the batch");
            return Err(Error::input(what));
        }
        self.members[place].1 = true;
        for (word, masked) in self.words.iter_mut().zip(frame) {
            *word = word.wrapping_add(*masked);
        }
        Ok(())
    }

    /// Ids of members whose frames are missing.
    pub fn missing(&self) -> impl Iterator<Item = u16> {
        let missing = self.members.iter().filter(|member| !member.1);
        missing.map(|member| member.0)
    }

    /// The sum, number by number.
    ///
    /// # Errors
    /// When a frame is missing, or the sum is none that the members can have sent.
    pub fn finish(self) -> Result<Vec<f64>> {
        let missing = self.missing().count();
        if missing > 0 {
            let what = format!(
                "{missing} of {} masked frames are missing",
                self.members.len()
            );
            return Err(Error::input(what));
        }
        let numbers = self.words.iter();
        let numbers = numbers.map(|&word| fixed_point::decode(word, self.members.len()));
        let numbers: Option<Vec<f64>> = numbers.collect();
        numbers.ok_or_else(|| Error::input("a masked sum is out of range"))
    }
}
