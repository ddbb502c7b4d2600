//! The parameters of z-anonymity in a policy.

use super::{Mode, Search, Tune, ZAnonymity};
use crate::config::{Placed, Section};
use crate::data::parse_duration;
use crate::error::{Error, Result};

/// How fake rows help a value over z.
#[derive(Clone, Debug, PartialEq)]
pub struct Fakes {
    /// At most z times this over that many users may be missing.
    pub at_most: (u32, u32),
    /// In which order and at what times they are released.
    pub order: FakesOrder,
    /// Milliseconds that rows wait where fakes are hidden; a fake is at most half of it away from its row.
    pub spread: i64,
    /// The environment variable that holds the key from which they are drawn.
    pub key: Option<String>,
}

/// In which order and at what times fakes are released.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FakesOrder {
    /// Before their row and at its time, as published; they can be recognised.
    Thesis,
    /// Mixed with all rows, at times of their own; rows are delayed by `spread`.
    Hidden,
}

/// How many users of a group count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The column that tells the group of a row's user.
    pub column: String,
    /// At most so many users of it count for an attribute.
    pub at_most: u32,
}

/// The largest z, k and so on: more users than any window holds.
const LARGEST: i64 = 100_000_000;

/// The longest window and lateness together: times are kept as 32 bits of milliseconds.
const LONGEST: i64 = 40 * 24 * 3_600_000;

impl ZAnonymity {
    /// Reads the parameters.
    pub(in crate::protect) fn read(section: &mut Section) -> Result<Self> {
        let k = whole(section, "k", 2)?.unwrap_or(2);
        let tune = section
            .table("tune")?
            .map(|table| read_tune(table, k))
            .transpose()?;
        let z = match (whole(section, "z", 1)?, tune) {
            (Some(z), _) => z,
            (None, Some(_)) => 10,
            (None, None) => {
                return Err(section
                    .error("z-anonymity needs `z`")
                    .help("for example z = 10, or tune = { goal = 0.8, every = \"30m\" }"));
            }
        };
        let placed = section.required("window")?;
        let window = duration(&placed, "window")?;
        if window == 0 {
            return Err(placed.error("a window of no length holds nobody"));
        }
        let lateness = optional_duration(section, "lateness")?.unwrap_or(0);
        if window + lateness > LONGEST {
            return Err(placed.error("window and lateness may be 40 days together"));
        }
        let modes = [("zero-delay", Mode::ZeroDelay), ("exact", Mode::Exact)];
        let config = ZAnonymity {
            z,
            window,
            generalize: section.flag("generalize")?.unwrap_or(true),
            mode: section.word("mode", &modes)?.unwrap_or(Mode::ZeroDelay),
            lateness,
            skew: optional_duration(section, "skew")?.unwrap_or(300_000),
            k,
            tune,
            fakes: section
                .table("fakes")?
                .map(|table| read_fakes(table, window))
                .transpose()?,
            hold_unique: section
                .word("unique_sets", &[("hold", true), ("allow", false)])?
                .unwrap_or(false),
            group: section.table("group")?.map(read_group).transpose()?,
        };
        if config.fakes.is_some() && config.hold_unique {
            return Err(section
                .error("fakes make sets that nobody has, so unique_sets = \"hold\" cannot be kept")
                .help("take one of them out"));
        }
        Ok(config)
    }
}

fn read_tune(mut section: Section, k: u32) -> Result<Tune> {
    let searches = [
        ("minz", Search::MinZ),
        ("incremental", Search::Incremental),
        ("compat", Search::Compat),
    ];
    let goal = section.number("goal", 0.0..=1.0)?.ok_or_else(|| {
        section
            .error("`tune` needs `goal`")
            .help("the share of users that are to be alike, for example 0.8")
    })?;
    let placed = section.required("every")?;
    let every = duration(&placed, "every")?;
    if every == 0 {
        return Err(placed.error("`every` must be longer than nothing"));
    }
    let k = whole(&mut section, "k", 2)?.unwrap_or(k);
    let tune = Tune {
        goal,
        k,
        at_least: whole(&mut section, "at_least", 1)?.unwrap_or(k),
        every,
        search: section.word("search", &searches)?.unwrap_or(Search::MinZ),
    };
    section.finish()?;
    Ok(tune)
}

fn read_fakes(mut section: Section, window: i64) -> Result<Fakes> {
    let placed = section.required("at_most")?;
    let at_most = fraction(&placed.text("at_most")?).ok_or_else(|| {
        placed
            .error("`at_most` is a part of z")
            .help("for example \"z/4\" or \"2z/5\"")
    })?;
    let orders = [
        ("hidden", FakesOrder::Hidden),
        ("thesis", FakesOrder::Thesis),
    ];
    let key = match section.text("key")? {
        None => None,
        Some((place, span)) => match place.strip_prefix("env:") {
            Some(name) => Some(name.to_owned()),
            None => {
                return Err(Error::policy("the key of fakes comes from the environment")
                    .at(span)
                    .help("write key = \"env:MORETTA_KEY\""));
            }
        },
    };
    let spread = match section.take("spread") {
        None => (window / 60).max(1000).min(window),
        Some(placed) => {
            let spread = duration(&placed, "spread")?;
            if spread > window {
                return Err(placed.error("`spread` may be as long as the window"));
            }
            spread
        }
    };
    let fakes = Fakes {
        at_most,
        order: section
            .word("order", &orders)?
            .unwrap_or(FakesOrder::Hidden),
        spread,
        key,
    };
    section.finish()?;
    Ok(fakes)
}

/// `z/4`, `2z/5` or `z*2/5` as 1/4, 2/5 and 2/5.
fn fraction(text: &str) -> Option<(u32, u32)> {
    let (top, bottom) = text.split_once('/')?;
    let top = top.trim();
    let top = match (top.strip_prefix('z'), top.strip_suffix('z')) {
        (Some(""), _) => 1,
        (Some(rest), _) => rest.trim().strip_prefix('*')?.trim().parse().ok()?,
        (_, Some(rest)) => rest.trim().trim_end_matches('*').trim().parse().ok()?,
        _ => return None,
    };
    let bottom: u32 = bottom.trim().parse().ok()?;
    (bottom > 0).then_some((top, bottom))
}

fn read_group(mut section: Section) -> Result<Group> {
    let group = Group {
        column: section.required("column")?.text("column")?,
        at_most: whole(&mut section, "at_most", 1)?.unwrap_or(1),
    };
    section.finish()?;
    Ok(group)
}

fn whole(section: &mut Section, key: &'static str, least: i64) -> Result<Option<u32>> {
    let found = section.whole(key, least..=LARGEST)?;
    Ok(found.map(|n| n as u32))
}

fn duration(placed: &Placed, key: &str) -> Result<i64> {
    parse_duration(&placed.text(key)?)
        .filter(|&ms| ms >= 0)
        .ok_or_else(|| {
            placed
                .error(format!("`{key}` is a duration"))
                .help("for example \"90s\", \"30m\", \"1h\" or \"7d\"")
        })
}

fn optional_duration(section: &mut Section, key: &'static str) -> Result<Option<i64>> {
    section
        .take(key)
        .map(|placed| duration(&placed, key))
        .transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_z_are_fractions() {
        for (text, expected) in [
            ("z/4", Some((1, 4))),
            ("2z/5", Some((2, 5))),
            ("z*2/5", Some((2, 5))),
            ("z * 1 / 6", Some((1, 6))),
            ("z/0", None),
            ("4", None),
            ("1/4", None),
            ("z", None),
        ] {
            assert_eq!(fraction(text), expected, "{text}");
        }
    }
}
