//! How many persons of the population are alone with their quasi-identifiers, estimated from
//! a sample of it.
//!
//! A person who is alone in a release need not be alone in the population. Three models of the
//! population say how many are: Zayatz, Pitman and the
//! slide negative binomial. Dankar and others (2012) found which to trust: Pitman's where at
//! most a tenth of the population is in the sample, else the smaller of the other two.
//! Without a person who is alone in the sample all of them say 0.

mod pitman;
mod snb;
mod zayatz;

use serde::{Deserialize, Serialize};

/// Up to this sampling fraction Pitman's model is chosen.
const SMALL_FRACTION: f64 = 0.1;

/// How many classes of a sample hold one person, two, and so on.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Sizes that occur, ascending, with the number of classes.
    classes: Vec<(f64, f64)>,
    /// Persons of the sample.
    persons: f64,
    /// Persons of the population.
    population: f64,
}

impl Sample {
    /// From the sizes of all classes; the population is at least the sample.
    pub fn new(sizes: impl IntoIterator<Item = u32>, population: u64) -> Self {
        let mut sizes: Vec<u32> = sizes.into_iter().collect();
        sizes.sort_unstable();
        let runs = sizes.chunk_by(|a, b| a == b);
        let classes: Vec<(f64, f64)> = runs
            .map(|run| (f64::from(run[0]), run.len() as f64))
            .collect();
        let persons = classes.iter().map(|(size, count)| size * count).sum();
        Sample {
            classes,
            persons,
            population: f64::max(population as f64, persons),
        }
    }

    /// Classes of this size.
    fn of_size(&self, wanted: f64) -> f64 {
        let mut classes = self.classes.iter();
        let found = classes.find(|(size, _)| *size == wanted);
        found.map_or(0.0, |(_, count)| *count)
    }

    /// All classes.
    fn count(&self) -> f64 {
        self.classes.iter().map(|(_, count)| count).sum()
    }

    /// The share of the population that is in the sample.
    fn fraction(&self) -> f64 {
        self.persons / self.population
    }
}

/// A model of the population.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Model {
    /// Pitman's sampling formula.
    Pitman,
    /// Zayatz 1991.
    Zayatz,
    /// The slide negative binomial model of Chen and McNulty 1998.
    Snb,
}

impl Model {
    /// What a reader calls it.
    pub fn word(self) -> &'static str {
        match self {
            Model::Pitman => "Pitman",
            Model::Zayatz => "Zayatz",
            Model::Snb => "SNB",
        }
    }
}

/// How many persons are estimated to be unique in the population.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Uniques {
    /// By Pitman's model, where it fits.
    pub pitman: Option<f64>,
    /// By Zayatz's model.
    pub zayatz: f64,
    /// By the slide negative binomial model, where it fits.
    pub snb: Option<f64>,
    /// The model to trust.
    pub chosen: Model,
    /// Persons of the population.
    pub population: f64,
}

impl Uniques {
    /// Estimates by all models.
    pub fn estimate(sample: &Sample) -> Self {
        let zayatz = zayatz::uniques(sample);
        let some = sample.of_size(1.0) > 0.0;
        let pitman = if some {
            pitman::uniques(sample)
        } else {
            Some(0.0)
        };
        let snb = if some {
            snb::uniques(sample)
        } else {
            Some(0.0)
        };
        let chosen = match (pitman, snb) {
            (Some(_), _) if sample.fraction() <= SMALL_FRACTION => Model::Pitman,
            (_, Some(snb)) if sample.fraction() > SMALL_FRACTION && snb < zayatz => Model::Snb,
            _ => Model::Zayatz,
        };
        Uniques {
            pitman,
            zayatz,
            snb,
            chosen,
            population: sample.population,
        }
    }

    /// By the chosen model.
    pub fn chosen(&self) -> f64 {
        let chosen = match self.chosen {
            Model::Pitman => self.pitman,
            Model::Snb => self.snb,
            Model::Zayatz => None,
        };
        chosen.unwrap_or(self.zayatz)
    }

    /// A number of persons as a share of the population.
    pub fn rate(&self, uniques: f64) -> f64 {
        uniques / self.population.max(1.0)
    }
}

#[cfg(test)]
mod tests;
