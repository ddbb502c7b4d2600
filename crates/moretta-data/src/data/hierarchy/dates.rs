//! Dates become months (`2024-03`), quarters (`2024-Q1`), years (`2024`) and decades (`2020s`).
//!
//! The leaves are dates in the format of the column, in ascending order. Costs
//! one pass over the values a level.

use super::coverage::place_of;
use super::labels::Labels;
use super::{Hierarchy, Rungs, Texts};
use crate::data::DateFormat;
use crate::data::date::from_day;
use crate::data::levels::Levels;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// A unit that dates generalise to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DateUnit {
    /// 2024-03
    Month,
    /// 2024-Q1
    Quarter,
    /// 2024
    Year,
    /// 2020s
    Decade,
}

pub(super) fn build(
    units: &[DateUnit],
    column: &str,
    values: &Levels,
    texts: Texts,
) -> Result<Hierarchy> {
    let days = Dates::new(units, column, texts)?.days(column, values)?;
    let mut order: Vec<u32> = (0..days.len() as u32).collect();
    order.sort_by_key(|&row| days[row as usize]);
    let text = |&row: &u32| values.get(row);
    let mut levels: Vec<Labels> = vec![order.iter().map(text).collect()];
    for &unit in units {
        let keys = order.iter().map(|&row| unit.key(days[row as usize]));
        levels.push(Labels::by_key(keys, |&key, label| unit.write(key, label)));
    }
    Ok(Hierarchy::under_top(levels))
}

/// Units that grow, and how the dates are written.
#[derive(Clone, Debug)]
pub(super) struct Dates {
    units: Vec<DateUnit>,
    format: DateFormat,
}

impl Dates {
    pub(super) fn new(units: &[DateUnit], column: &str, texts: Texts) -> Result<Self> {
        if units.is_empty() || !units.is_sorted_by(|a, b| a < b) {
            return Err(
                Error::policy(format!("column `{column}`: the units of dates must grow"))
                    .help("for example dates = [\"month\", \"quarter\", \"year\", \"decade\"]"),
            );
        }
        let Texts::Date(format) = texts else {
            return Err(Error::policy(format!(
                "column `{column}` has a hierarchy of dates and is not a column of dates"
            ))
            .help("declare the format of its dates, for example \"%d.%m.%Y\""));
        };
        Ok(Dates {
            units: units.to_vec(),
            format,
        })
    }

    fn days(&self, column: &str, values: &Levels) -> Result<Vec<i32>> {
        let parse = |text| self.format.parse(text);
        let days: Vec<Option<i32>> = values.iter().map(parse).collect();
        match days.iter().position(Option::is_none) {
            None => Ok(days.into_iter().flatten().collect()),
            Some(first) => Err(Error::policy(format!(
                "column `{column}`: {} of {} values are no dates of the format {}, {}",
                days.iter().filter(|day| day.is_none()).count(),
                values.len(),
                self.format.pattern(),
                place_of(first + 1)
            ))),
        }
    }

    /// The date as it is written and then its units; false when it is no date.
    pub(super) fn climb(&self, text: &str, rungs: &mut Rungs) -> bool {
        let Some(day) = self.format.parse(text) else {
            return false;
        };
        rungs.push(text);
        for unit in &self.units {
            rungs.write(|label| unit.write(unit.key(day), label));
        }
        true
    }
}

impl DateUnit {
    /// The unit in which a day lies, counted so that equal keys are equal units.
    pub(super) fn key(self, day: i32) -> i32 {
        let (year, month, _) = from_day(day);
        match self {
            DateUnit::Month => year * 12 + month - 1,
            DateUnit::Quarter => year * 4 + (month - 1) / 3,
            DateUnit::Year => year,
            DateUnit::Decade => year.div_euclid(10),
        }
    }

    /// What the unit in which a day lies is called.
    pub(super) fn label(self, day: i32) -> String {
        let mut label = String::new();
        self.write(self.key(day), &mut label);
        label
    }

    fn write(self, key: i32, label: &mut String) {
        let _ = match self {
            DateUnit::Month => {
                let (year, month) = (key.div_euclid(12), key.rem_euclid(12) + 1);
                write!(label, "{year:04}-{month:02}")
            }
            DateUnit::Quarter => {
                let (year, quarter) = (key.div_euclid(4), key.rem_euclid(4) + 1);
                write!(label, "{year:04}-Q{quarter}")
            }
            DateUnit::Year => write!(label, "{key:04}"),
            DateUnit::Decade => write!(label, "{:04}s", key * 10),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::DateFormat;
    use DateUnit::{Decade, Month, Quarter, Year};

    #[test]
    fn dates_become_ever_longer_spans() {
        let format = DateFormat::from_pattern("%d.%m.%Y").expect("a pattern");
        let values: Levels = ["31.12.2029", "01.01.2020", "29.02.2020", "01.04.2020"]
            .iter()
            .collect();
        let units = [Month, Quarter, Year, Decade];
        let h = build(&units, "day", &values, Texts::Date(format)).expect("dates");
        let chain = |leaf| h.chain(leaf).collect::<Vec<_>>().join(" ");
        assert_eq!(
            (0..4).map(chain).collect::<Vec<_>>(),
            [
                "01.01.2020 2020-01 2020-Q1 2020 2020s *",
                "29.02.2020 2020-02 2020-Q1 2020 2020s *",
                "01.04.2020 2020-04 2020-Q2 2020 2020s *",
                "31.12.2029 2029-12 2029-Q4 2029 2020s *"
            ]
        );
    }

    #[test]
    fn units_nest_on_every_day_of_four_centuries() {
        let units = [Month, Quarter, Year, Decade];
        for day in -80_000..80_000 {
            for pair in units.windows(2) {
                // A new coarse unit begins only where a fine one does.
                if pair[1].key(day) != pair[1].key(day - 1) {
                    assert_ne!(pair[0].key(day), pair[0].key(day - 1), "{day}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_rule_or_no_date_is_refused() {
        let values: Levels = ["2024-01-01", "2024-02-30"].iter().collect();
        let iso = Texts::Date(DateFormat::ISO);
        for (units, texts, message) in [
            (&[][..], iso, "must grow"),
            (&[Year, Month], iso, "must grow"),
            (&[Year, Year], iso, "must grow"),
            (&[Year], Texts::Category, "is not a column of dates"),
            (
                &[Year],
                iso,
                "1 of 2 values are no dates of the format %Y-%m-%d, the first of them is no. 2 of its distinct values, sorted",
            ),
        ] {
            let error = build(units, "day", &values, texts).expect_err("refused");
            assert!(error.to_string().ends_with(message), "{error}");
            assert_eq!(error.exit_code(), 3);
        }
    }
}
