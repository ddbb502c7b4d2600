//! The models: what can be promised of a release.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What is promised of a release. Empty promises nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Guarantee {
    /// Every class of equal quasi-identifiers holds at least so many persons.
    pub k: Option<u32>,
    /// The sensitive values in a class are diverse.
    pub l: Vec<LDiversity>,
    /// The sensitive values in a class are distributed as in the whole table.
    pub t: Vec<TCloseness>,
    /// Every class holds enough sensitive values, or each of them often enough.
    pub p: Vec<PSensitivity>,
    /// No sensitive value is much more frequent in a class than in the whole release.
    pub beta: Vec<BetaLikeness>,
    /// No sensitive value is much more or less frequent in a class than in the whole release.
    pub delta: Vec<DeltaDisclosure>,
    /// 1 / persons of every class is at most this, above 0 and at most 1.
    pub maximum_risk: Option<f64>,
    /// Classes / persons of the whole release is at most this, above 0 and at most 1.
    pub average_risk: Option<f64>,
    /// Every class could be so many persons of the population.
    pub k_map: Option<KMap>,
    /// How probable it is that a person of the population is in the release.
    pub presence: Option<Presence>,
    /// Every few items of a person are those of enough persons.
    pub km: Option<KmAnonymous>,
}

/// What is promised of the values of one sensitive column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ColumnPromise<'a> {
    /// l-diversity.
    L(&'a LDiversity),
    /// t-closeness.
    T(&'a TCloseness),
    /// p-sensitivity.
    P(&'a PSensitivity),
    /// Beta-likeness.
    Beta(&'a BetaLikeness),
    /// Delta-disclosure.
    Delta(&'a DeltaDisclosure),
}

impl<'a> ColumnPromise<'a> {
    /// The sensitive column that it is about.
    pub fn column(self) -> &'a str {
        match self {
            ColumnPromise::L(l) => &l.column,
            ColumnPromise::T(t) => &t.column,
            ColumnPromise::P(p) => &p.column,
            ColumnPromise::Beta(beta) => &beta.column,
            ColumnPromise::Delta(delta) => &delta.column,
        }
    }

    /// Whether it is about how many values there are, as a reader sees them; others compare
    /// a class with the whole release, text by text.
    pub fn is_diversity(self) -> bool {
        matches!(self, ColumnPromise::L(_) | ColumnPromise::P(_))
    }
}

impl Guarantee {
    /// What is promised of sensitive columns: l, t, p, beta, delta.
    pub fn of_columns(&self) -> impl Iterator<Item = ColumnPromise<'_>> {
        (self.l.iter().map(ColumnPromise::L))
            .chain(self.t.iter().map(ColumnPromise::T))
            .chain(self.p.iter().map(ColumnPromise::P))
            .chain(self.beta.iter().map(ColumnPromise::Beta))
            .chain(self.delta.iter().map(ColumnPromise::Delta))
    }

    /// The least number of persons of a class that is promised in so many words: by k, or by the
    /// maximum risk, which is one in so many.
    pub fn class_size(&self) -> Option<u32> {
        let of_risk = self.maximum_risk.map(persons_of_risk);
        self.k.max(of_risk)
    }

    /// Whether a person is hidden among others at all: by the size of classes, in the table or in
    /// the population.
    pub fn hides_persons(&self) -> bool {
        self.class_size().or(self.hides_among()).is_some() || self.average_risk.is_some()
    }

    /// Among how many persons each one is hidden who is not by the size of classes: in the population,
    /// or before who knows few items. An average promises nothing to anybody.
    pub fn hides_among(&self) -> Option<u32> {
        let of_map = self.k_map.as_ref().map(|map| map.k);
        let of_presence = self.presence.as_ref().map(|of| persons_of_risk(of.max));
        let of_items = self.km.map(|km| km.k);
        of_map.max(of_presence).max(of_items)
    }

    /// The file of the population that k-map or presence is about.
    pub fn population(&self) -> Option<&Path> {
        let of_map = self.k_map.as_ref().and_then(|map| match &map.population {
            Population::Table(path) => Some(path.as_path()),
            Population::Estimated { .. } => None,
        });
        let of_presence = self.presence.as_ref().map(|p| p.population.as_path());
        of_map.or(of_presence)
    }
}

/// The least number of persons among whom one is found with at most this probability.
pub(crate) fn persons_of_risk(risk: f64) -> u32 {
    let persons = (1.0 / risk).ceil();
    // 1 / 0.07 and the like may be rounded up just above a whole number.
    let fewer = persons - 1.0;
    let enough = if fewer * risk >= 1.0 - 1e-12 {
        fewer
    } else {
        persons
    };
    enough.clamp(1.0, f64::from(u32::MAX)) as u32
}

/// l-diversity of one sensitive column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LDiversity {
    /// The sensitive column.
    pub column: String,
    /// How many well-represented values a class must have; at least 1.
    pub l: f64,
    /// What well-represented means.
    pub kind: Diversity,
}

/// What well-represented means.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Diversity {
    /// At least l distinct values.
    Distinct,
    /// The entropy of the values is at least ln l.
    Entropy,
    /// r1 < c (r_l + … + r_m), where r_i is the i-th largest count.
    Recursive {
        /// The factor c, above 0.
        c: f64,
    },
}

/// t-closeness of one sensitive column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TCloseness {
    /// The sensitive column.
    pub column: String,
    /// The largest distance allowed between a class and the whole release, 0 to 1.
    pub t: f64,
    /// The distance between values that the earth mover pays.
    pub distance: Ground,
}

/// The ground distance of t-closeness, at most 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ground {
    /// Any two values are at distance 1.
    Equal,
    /// The i-th and j-th of m ordered values are at distance |i − j|/(m − 1).
    Ordered,
    /// Two values are as far as their lowest common ancestor is high, over the height of the tree.
    Hierarchical,
}

/// p-sensitive k-anonymity of one sensitive column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PSensitivity {
    /// The sensitive column.
    pub column: String,
    /// How many values a class must have, or how often each of them.
    pub p: u32,
    /// Which of the two definitions in use is meant.
    pub kind: Sensitivity,
}

/// The two definitions of p-sensitivity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sensitivity {
    /// A class has at least p distinct values: Truta and Vinay (2006).
    #[default]
    Distinct,
    /// Each value that is in a class is there at least p times; a class without a present value
    /// has none that is too rare.
    Each,
}

/// Beta-likeness of one sensitive column: Cao and Karras (2012).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BetaLikeness {
    /// The sensitive column.
    pub column: String,
    /// The largest relative gain (q − p)/p of a value with share q in a class and p in the whole
    /// release; above 0.
    pub beta: f64,
    /// Whether frequent values are bounded more tightly.
    pub kind: Likeness,
}

/// How beta-likeness bounds the gain of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Likeness {
    /// By beta.
    #[default]
    Basic,
    /// By the lesser of beta and −ln p, where p is the share of the value in the whole release.
    Enhanced,
}

/// Delta-disclosure privacy of one sensitive column: Brickell and Shmatikov (2008).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeltaDisclosure {
    /// The sensitive column.
    pub column: String,
    /// |log2(q/p)| of every value stays below this; above 0.
    pub delta: f64,
    /// What a value says that a class does not hold.
    pub absent: Absence,
}

/// What a value of the release says that a class does not hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Absence {
    /// That nobody of the class has it: infinitely much, as the definition has it.
    #[default]
    Infinite,
    /// Nothing: only values that a class holds are compared, as in ARX.
    Ignore,
}

/// k-map: every class could be at least k persons of the population.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KMap {
    /// How many persons of the population.
    pub k: u32,
    /// What is known of the population.
    pub population: Population,
}

/// What is known of the population from which the rows are a sample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Population {
    /// Its rows, one a person, in a table with the quasi-identifiers.
    Table(PathBuf),
    /// Which share of it the rows are. Among k persons of the population, the number that is in
    /// the sample is held to be Poisson distributed; a class must be larger than that number
    /// almost always is.
    Estimated {
        /// Rows of the sample over persons of the population, above 0 and at most 1.
        fraction: f64,
        /// How often the number may be larger after all, above 0 and below 1.
        alpha: f64,
        /// Whether only classes with at least one row are looked at.
        truncated: bool,
    },
}

/// Delta-presence: Nergiz, Atzori and Clifton (2007).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Presence {
    /// The least share of a population class that may be in the release.
    pub min: f64,
    /// The largest share.
    pub max: f64,
    /// Where the rows of the population are, one a person.
    pub population: PathBuf,
}

/// k^m-anonymity: Terrovitis, Mamoulis and Kalnis (2008).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KmAnonymous {
    /// The least number of persons who show a set of items.
    pub k: u32,
    /// The largest sets that are counted, from 1 to 4.
    pub m: u32,
}
