//! What the records of a stream hold, as a learner needs to know it.

use crate::error::{Error, Result};

/// Counts that one leaf of a tree may keep: more need memory without bound.
pub(crate) const MOST_COUNTS: usize = 1 << 22;

/// What the numbers of one attribute mean to a learner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// Any number.
    Number,
    /// A code below `values`; any other counts as missing.
    Nominal {
        /// How many codes there are.
        values: usize,
    },
}

/// The attributes of a record and the number of classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    attributes: Vec<Input>,
    classes: usize,
}

impl Header {
    /// Fails without a class, or when a learner would count more values in more classes
    /// than it can hold.
    pub fn new(attributes: Vec<Input>, classes: usize) -> Result<Self> {
        if classes == 0 {
            return Err(Error::usage("there is no class").help("have one class at least"));
        }
        let counts = attributes.iter().map(|input| match input {
            Input::Number => 1,
            Input::Nominal { values } => *values,
        });
        let counts = counts.fold(1, usize::saturating_add);
        if counts.saturating_mul(classes) > MOST_COUNTS {
            let what = format!("{counts} values in {classes} classes are too many to count");
            return Err(Error::usage(what).help(format!(
                "group values or classes until their product is at most {MOST_COUNTS}"
            )));
        }
        Ok(Header {
            attributes,
            classes,
        })
    }

    /// What each number of a record means.
    pub fn attributes(&self) -> &[Input] {
        &self.attributes
    }

    /// How many classes there are.
    pub fn classes(&self) -> usize {
        self.classes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_that_no_learner_can_hold_are_refused() {
        assert!(Header::new(vec![], 1).is_ok());
        assert!(Header::new(vec![Input::Number], 0).is_err());
        assert!(Header::new(vec![Input::Number; 1000], 4000).is_ok());
        assert!(Header::new(vec![Input::Number; 1000], 5000).is_err());
        let nominal = Input::Nominal { values: usize::MAX };
        let error = Header::new(vec![nominal, nominal], 2).expect_err("too many");
        assert_eq!(error.exit_code(), 2);
    }
}
