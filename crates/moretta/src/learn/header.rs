//! What the records of a stream hold, as a learner needs to know it.

use crate::error::{Error, Result};

/// Codes and classes beyond this are no categories, and would need memory without bound.
const MOST: usize = 1 << 20;

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
    /// Fails without a class, or with more values or classes than a learner can count.
    pub fn new(attributes: Vec<Input>, classes: usize) -> Result<Self> {
        let values = attributes.iter().map(|input| match input {
            Input::Number => 0,
            Input::Nominal { values } => *values,
        });
        let most = values.max().unwrap_or(0).max(classes);
        if classes == 0 || most > MOST {
            let what = format!("a learner cannot tell {most} values or classes apart");
            return Err(Error::usage(what).help(format!(
                "have from 1 to {MOST} classes and at most {MOST} values of an attribute"
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
        assert!(Header::new(vec![], MOST + 1).is_err());
        let error = Header::new(vec![Input::Nominal { values: MOST + 1 }], 2).expect_err("many");
        assert_eq!(error.exit_code(), 2);
    }
}
