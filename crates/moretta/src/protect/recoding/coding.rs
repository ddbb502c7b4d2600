//! The rule of one column as its values are held: numbers, days or ordered categories.

use super::{Bound, Recoding};
use crate::data::{Field, Kind, Role};
use crate::error::{Error, Result};
use crate::guarantee::{Coding, End};

impl Recoding {
    /// The rule by which the values of a column are coded; none where there is none.
    ///
    /// # Errors
    /// When it does not fit what the column holds.
    pub fn coding(&self, field: &Field) -> Result<Option<Coding>> {
        let name = &*field.name;
        let step = self.round.get(name).copied();
        let (bottom, top) = (self.bottom.get(name), self.top.get(name));
        if step.is_none() && bottom.is_none() && top.is_none() {
            return Ok(None);
        }
        if !matches!(field.role, Role::Quasi | Role::Sensitive | Role::Plain) {
            return Err(unfit(name, "is neither quasi, sensitive nor plain")
                .help("recode columns that are released as data"));
        }
        if matches!(field.kind, Kind::Plain(_)) {
            return Err(unfit(name, "passes through unread")
                .help(format!("give `{name}` a `type` under [columns]")));
        }
        if step.is_some() && !matches!(field.kind, Kind::Number { .. }) {
            return Err(unfit(name, "has no numbers to round")
                .help("dates and categories have hierarchies: use `levels`"));
        }
        let end = |bound: Option<&Bound>| bound.map(|bound| end(bound, field)).transpose();
        let coding = Coding {
            step,
            bottom: end(bottom)?,
            top: end(top)?,
        };
        check(&coding, name)?;
        Ok(Some(coding))
    }
}

/// Ends begin a step and lie apart.
fn check(coding: &Coding, name: &str) -> Result<()> {
    let number = |end: &Option<End>| end.as_ref().and_then(End::number);
    let (bottom, top) = (number(&coding.bottom), number(&coding.top));
    if let Some(step) = coding.step {
        let between = |end: &f64| {
            let steps = end / step;
            // Decimal steps are no binary numbers: a few last digits of the quotient.
            (steps - steps.round()).abs() > 1e-15 * steps.abs().max(1.0)
        };
        if let Some(end) = [bottom, top].into_iter().flatten().find(between) {
            let near = (end / step).round() * step;
            return Err(unfit(
                name,
                &format!("ends at {end}, no multiple of its step {step}"),
            )
            .help(format!("for example {near}")));
        }
    }
    match (bottom, top) {
        (Some(bottom), Some(top)) if bottom >= top => {
            Err(unfit(name, "has a `bottom` that is not below its `top`")
                .help("swap them, or leave one out"))
        }
        _ => Ok(()),
    }
}

/// The bound as the values of the column are held.
fn end(bound: &Bound, field: &Field) -> Result<End> {
    let name = &*field.name;
    match (bound, &field.kind) {
        (Bound::Number(number), Kind::Number { .. }) => Ok(End::Number(*number)),
        (Bound::Text(text), Kind::Date(format)) => match format.parse(text) {
            Some(day) => Ok(End::Number(f64::from(day))),
            None => Err(unfit(
                name,
                "has a `top` or `bottom` that is no date of its format",
            )
            .help("write it as the column does")),
        },
        (Bound::Text(text), Kind::Category { ordered: true }) => Ok(End::Category(text.clone())),
        (_, Kind::Category { ordered: false }) => Err(unfit(
            name,
            "has categories without an order, so that none lies beyond others",
        )
        .help(format!(
            "give `{name}` an `order` under [columns], or use `levels`"
        ))),
        _ => Err(unfit(
            name,
            "has a `top` or `bottom` of another kind than its values",
        )
        .help("numbers are written as numbers, dates and categories as texts")),
    }
}

fn unfit(name: &str, why: &str) -> Error {
    Error::policy(format!("column `{name}` cannot be recoded: it {why}"))
}
