//! The parameters of z-anonymity in a policy.

use super::{Mode, Search, Tune, ZAnonymity};
use crate::config::{
    Absent, Accepts, DURATION, Form, POSITIVE_DURATION, Parameter, Placed, Section, words,
};
use crate::error::{Error, Result};
use crate::protect::config::MethodConfig;

/// How fake rows help a value over z.
#[derive(Clone, Debug, PartialEq)]
pub struct Fakes {
    /// At most z times this over that many users may be missing.
    pub at_most: (u32, u32),
    /// In which order and at what times they are released.
    pub order: FakesOrder,
    /// Milliseconds that rows wait where fakes are hidden; a fake is at most half of it away from its row.
    pub spread: i64,
    /// Where the key is from which they are drawn, as `env:NAME` or `secret:NAME`.
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

const Z: Parameter = Parameter::new(
    "z",
    Accepts::Whole(1, LARGEST),
    Absent::Means("10 where z is tuned, else it must be given"),
    "users that must share an attribute; a larger z releases less and less specific attributes; where z is tuned, the z to start with, or `at_least` if that is more",
)
.examples(&["10"]);
const WINDOW: Parameter = Parameter::new(
    "window",
    POSITIVE_DURATION,
    Absent::Refused,
    "how far back users count; a longer window releases more; with `lateness` 40 days at most",
)
.examples(&["\"1h\""]);
const GENERALIZE: Parameter = Parameter::new(
    "generalize",
    Accepts::Flag,
    Absent::Flag(true),
    "whether a rare attribute climbs its hierarchy or is suppressed",
);
const MODE: Parameter = Parameter::new(
    "mode",
    Accepts::Word(|| words(MODES)),
    Absent::Text("zero-delay"),
    "decide rows as they arrive, or in the order of their times after waiting for `lateness`",
);
const LATENESS: Parameter = Parameter::new(
    "lateness",
    DURATION,
    Absent::Text("0s"),
    "how far behind the latest time that two users have reached a row may be and still be released",
);
const SKEW: Parameter = Parameter::new(
    "skew",
    DURATION,
    Absent::Text("5m"),
    "rows whose time is further ahead of the clock are rejected",
);
const K: Parameter = Parameter::new(
    "k",
    Accepts::Whole(2, LARGEST),
    Absent::Whole(2),
    "users with the same released set that make them alike, for p_k and unique_sets",
);
const TUNE: Parameter = Parameter::new(
    "tune",
    Accepts::Table(&[GOAL, TUNE_K, EVERY, AT_LEAST, SEARCH]),
    Absent::Means("z is fixed"),
    "choose z again and again so that a share `goal` of the users is alike",
)
.examples(&["{ goal = 0.8, every = \"30m\" }"]);
const GOAL: Parameter = Parameter::new(
    "goal",
    Accepts::Number(0.0, 1.0),
    Absent::Refused,
    "the share of users that are to be alike",
)
.examples(&["0.8"]);
const TUNE_K: Parameter = Parameter {
    absent: Absent::Means("the k of the method"),
    meaning: "users with the same released set that make them alike",
    ..K
};
const EVERY: Parameter = Parameter::new(
    "every",
    POSITIVE_DURATION,
    Absent::Refused,
    "how often z is chosen again",
)
.examples(&["\"30m\""]);
const AT_LEAST: Parameter = Parameter::new(
    "at_least",
    Accepts::Whole(1, LARGEST),
    Absent::Means("k"),
    "z is never below",
);
const SEARCH: Parameter = Parameter::new(
    "search",
    Accepts::Word(|| words(SEARCHES)),
    Absent::Text("minz"),
    "how z is found: the least that reaches the goal (minz), one step up or down at a time (incremental), or as a published package does it (compat), for comparison",
);
const FAKES: Parameter = Parameter::new(
    "fakes",
    Accepts::Table(&[AT_MOST, ORDER, SPREAD, KEY]),
    Absent::Means("none"),
    "when a value lacks few users, release it with rows of users who did not show it",
)
.examples(&["{ at_most = \"z/4\" }"]);
const AT_MOST: Parameter = Parameter::new(
    "at_most",
    Accepts::Form(&Form {
        what: "a part of z",
        example: "z/4",
        pattern: "^.*z.*/ *[0-9]+ *$",
        fits: |text| fraction(text).is_some(),
    }),
    Absent::Refused,
    "how many users may be missing",
)
.examples(&["\"z/4\""]);
const ORDER: Parameter = Parameter::new(
    "order",
    Accepts::Word(|| words(ORDERS)),
    Absent::Text("hidden"),
    "hidden: mixed with all rows, at times of their own; thesis: before their row, where they can be recognised",
);
const SPREAD: Parameter = Parameter::new(
    "spread",
    DURATION,
    Absent::Means("a 60th of the window, one second at least"),
    "how long rows wait where fakes are hidden, at most the window; a longer one hides better",
)
.examples(&["\"10s\""]);
const KEY: Parameter = Parameter::new(
    "key",
    Accepts::Form(&Form {
        what: "the name of an environment variable, or of a key that a server keeps",
        example: "env:MORETTA_KEY",
        pattern: "^(env|secret):",
        fits: |text| text.starts_with("env:") || text.starts_with("secret:"),
    }),
    Absent::Means("fakes are drawn from the operating system"),
    "where the key is from which fakes are drawn",
);
const UNIQUE_SETS: Parameter = Parameter::new(
    "unique_sets",
    Accepts::Word(|| words(UNIQUE_WORDS)),
    Absent::Text("allow"),
    "hold back what would leave fewer than k users that showed, within the window, all that was released of a user within it",
);
const GROUP: Parameter = Parameter::new(
    "group",
    Accepts::Table(&[COLUMN, GROUP_AT_MOST]),
    Absent::Means("none"),
    "at most so many users of one group count for an attribute",
)
.examples(&["{ column = \"account\", at_most = 1 }"]);
const COLUMN: Parameter = Parameter::new(
    "column",
    Accepts::Text,
    Absent::Refused,
    "the column that tells the group of a row's user",
)
.examples(&["\"account\""]);
const GROUP_AT_MOST: Parameter = Parameter::new(
    "at_most",
    Accepts::Whole(1, LARGEST),
    Absent::Whole(1),
    "how many users of a group count",
);

const MODES: &[(&str, Mode)] = &[("zero-delay", Mode::ZeroDelay), ("exact", Mode::Exact)];

const SEARCHES: &[(&str, Search)] = &[
    ("minz", Search::MinZ),
    ("incremental", Search::Incremental),
    ("compat", Search::Compat),
];

const ORDERS: &[(&str, FakesOrder)] = &[
    ("hidden", FakesOrder::Hidden),
    ("thesis", FakesOrder::Thesis),
];

/// Whether what makes a set rare is held back.
const UNIQUE_WORDS: &[(&str, bool)] = &[("hold", true), ("allow", false)];

impl ZAnonymity {
    /// Its parameters in a policy.
    pub const PARAMETERS: &'static [Parameter] = &[
        Z,
        WINDOW,
        GENERALIZE,
        MODE,
        LATENESS,
        SKEW,
        K,
        TUNE,
        FAKES,
        UNIQUE_SETS,
        GROUP,
    ];

    /// Reads the parameters.
    pub(in crate::protect) fn read(section: &mut Section) -> Result<Self> {
        let k = section.whole(&K)?;
        let tune = section.optional_table(&TUNE)?;
        let tune = tune.map(|table| read_tune(table, k)).transpose()?;
        let z = match (section.optional(&Z, Placed::whole)?, tune) {
            (Some(z), _) => z,
            (None, Some(_)) => 10,
            (None, None) => {
                return Err(section
                    .error("z-anonymity needs `z`")
                    .help("for example z = 10, or tune = { goal = 0.8, every = \"30m\" }"));
            }
        };
        let placed = section.read(&WINDOW, |placed, _| Ok(placed.clone()))?;
        let window = placed.duration(WINDOW.name)?;
        let lateness = section.duration(&LATENESS)?;
        if window.saturating_add(lateness) > LONGEST {
            return Err(placed.error("window and lateness may be 40 days together"));
        }
        let fakes = section.optional_table(&FAKES)?;
        let config = ZAnonymity {
            z,
            window,
            generalize: section.flag(&GENERALIZE)?,
            mode: section.word(&MODE, MODES)?,
            lateness,
            skew: section.duration(&SKEW)?,
            k,
            tune,
            fakes: fakes.map(|table| read_fakes(table, window)).transpose()?,
            hold_unique: section.word(&UNIQUE_SETS, UNIQUE_WORDS)?,
            group: section
                .optional_table(&GROUP)?
                .map(read_group)
                .transpose()?,
        };
        if config.fakes.is_some() && config.hold_unique {
            return Err(section
                .error("fakes make sets that nobody has, so unique_sets = \"hold\" cannot be kept")
                .help("take one of them out"));
        }
        Ok(config)
    }

    /// Writes the parameters as they are read.
    pub(in crate::protect) fn write(&self, section: &mut Section) {
        section.set(&Z, self.z);
        section.set_duration(&WINDOW, self.window);
        section.set(&GENERALIZE, self.generalize);
        section.set_word(&MODE, MODES, self.mode);
        section.set_duration(&LATENESS, self.lateness);
        section.set_duration(&SKEW, self.skew);
        section.set(&K, self.k);
        section.set_optional(&TUNE, self.tune.as_ref().map(written_tune));
        section.set_optional(&FAKES, self.fakes.as_ref().map(written_fakes));
        section.set_word(&UNIQUE_SETS, UNIQUE_WORDS, self.hold_unique);
        section.set_optional(&GROUP, self.group.as_ref().map(written_group));
    }
}

impl MethodConfig for ZAnonymity {
    fn is_random(&self) -> bool {
        self.fakes.is_some()
    }
}

fn read_tune(mut section: Section, k: u32) -> Result<Tune> {
    let k = section.optional(&TUNE_K, Placed::whole)?.unwrap_or(k);
    let tune = Tune {
        goal: section.number(&GOAL)?,
        k,
        at_least: section.optional(&AT_LEAST, Placed::whole)?.unwrap_or(k),
        every: section.duration(&EVERY)?,
        search: section.word(&SEARCH, SEARCHES)?,
    };
    section.finish()?;
    Ok(tune)
}

fn written_tune(tune: &Tune) -> Section {
    let mut section = Section::default();
    section.set(&GOAL, tune.goal);
    section.put(TUNE_K.name, tune.k);
    section.set(&AT_LEAST, tune.at_least);
    section.set_duration(&EVERY, tune.every);
    section.set_word(&SEARCH, SEARCHES, tune.search);
    section
}

fn read_fakes(mut section: Section, window: i64) -> Result<Fakes> {
    let at_most = fraction(&section.text(&AT_MOST)?);
    let key = section.optional(&KEY, Placed::text)?;
    let spread = section.optional(&SPREAD, |placed, name| match placed.duration(name)? {
        spread if spread > window => Err(placed.error("`spread` may be as long as the window")),
        spread => Ok(spread),
    })?;
    let fakes = Fakes {
        at_most: at_most.ok_or_else(|| Error::bug("a part of z is not checked"))?,
        order: section.word(&ORDER, ORDERS)?,
        spread: spread.unwrap_or((window / 60).max(1000).min(window)),
        key,
    };
    section.finish()?;
    Ok(fakes)
}

fn written_fakes(fakes: &Fakes) -> Section {
    let (top, bottom) = fakes.at_most;
    let mut section = Section::default();
    section.set(&AT_MOST, format!("{top}z/{bottom}"));
    section.set_word(&ORDER, ORDERS, fakes.order);
    section.set_duration(&SPREAD, fakes.spread);
    section.set_optional(&KEY, fakes.key.clone());
    section
}

fn read_group(mut section: Section) -> Result<Group> {
    let group = Group {
        column: section.text(&COLUMN)?,
        at_most: section.whole(&GROUP_AT_MOST)?,
    };
    section.finish()?;
    Ok(group)
}

fn written_group(group: &Group) -> Section {
    let mut section = Section::default();
    section.set(&COLUMN, &group.column);
    section.set(&GROUP_AT_MOST, group.at_most);
    section
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
