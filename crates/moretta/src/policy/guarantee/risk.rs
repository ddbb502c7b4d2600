//! Maximum and average risk in a policy.

use super::Model;
use crate::config::{Absent, Accepts, Parameter, Placed};

pub(super) const MAXIMUM: Model = Model {
    key: MAXIMUM_RISK,
    read: |section, _, guarantee| {
        guarantee.maximum_risk = section.optional(&MAXIMUM_RISK, Placed::number)?;
        Ok(())
    },
    write: |guarantee, section| section.set_optional(&MAXIMUM_RISK, guarantee.maximum_risk),
};

pub(super) const AVERAGE: Model = Model {
    key: AVERAGE_RISK,
    read: |section, _, guarantee| {
        guarantee.average_risk = section.optional(&AVERAGE_RISK, Placed::number)?;
        Ok(())
    },
    write: |guarantee, section| section.set_optional(&AVERAGE_RISK, guarantee.average_risk),
};

/// The smallest risk that can be promised: one in as many persons as k can be.
const LEAST_RISK: f64 = 1e-9;

const MAXIMUM_RISK: Parameter = Parameter::new(
    "maximum_risk",
    Accepts::Number(LEAST_RISK, 1.0),
    Absent::Means("not promised"),
    "nobody is found in their class with more than this probability: k of one over it, rounded up",
)
.examples(&["0.2"]);
const AVERAGE_RISK: Parameter = Parameter::new(
    "average_risk",
    Accepts::Number(LEAST_RISK, 1.0),
    Absent::Means("not promised"),
    "classes over persons of the whole release: with what probability somebody is found on average",
)
.examples(&["0.01"]);
