//! k-map and delta-presence in a policy: promises that look at the population.

use super::k::LARGEST;
use super::{Around, Model};
use crate::config::{Absent, Accepts, POSITIVE, Parameter, Placed, Section};
use crate::error::Result;
use crate::guarantee::{Guarantee, KMap, Population, Presence};
use std::path::PathBuf;

pub(super) const K_MAP: Model = Model {
    key: MAP,
    read: read_map,
    write: write_map,
};

pub(super) const PRESENCE: Model = Model {
    key: PRESENT,
    read: read_presence,
    write: write_presence,
};

const MAP: Parameter = Parameter::new(
    "k_map",
    Accepts::Table(&[K, PEOPLE, FRACTION, ALPHA, TRUNCATED]),
    Absent::Means("not promised"),
    "every class could be so many persons of the population from which the rows are a sample",
)
.examples(&[
    "{ k = 5, population = \"people.csv\" }",
    "{ k = 20, fraction = 0.1 }",
]);
const PRESENT: Parameter = Parameter::new(
    "presence",
    Accepts::Table(&[MIN, MAX, ALL_PEOPLE]),
    Absent::Means("not promised"),
    "how probable it may become that a person of the population is in the release",
)
.examples(&["{ min = 0, max = 0.2, population = \"people.csv\" }"]);
const K: Parameter = Parameter::new(
    "k",
    Accepts::Whole(1, LARGEST),
    Absent::Refused,
    "how many persons of the population at least",
)
.examples(&["5"]);
const PEOPLE: Parameter = Parameter::new(
    "population",
    Accepts::Text,
    Absent::Means("not known; k_map then needs `fraction`"),
    "the file of the population, written like the source: a row a person, with the quasi-identifiers; other columns are not read",
)
.examples(&["\"people.csv\""]);
const ALL_PEOPLE: Parameter = Parameter {
    absent: Absent::Refused,
    ..PEOPLE
};
const FRACTION: Parameter = Parameter::new(
    "fraction",
    Accepts::Number(POSITIVE, 1.0),
    Absent::Means("not known; k_map then needs `population`"),
    "which share of the population the rows are",
)
.examples(&["0.1"]);
const ALPHA: Parameter = Parameter::new(
    "alpha",
    Accepts::Number(POSITIVE, 0.5),
    Absent::Means("0.05; goes with `fraction`"),
    "how often a class may be fewer persons of the population after all; a smaller one makes classes larger",
)
.examples(&["0.05"]);
const TRUNCATED: Parameter = Parameter::new(
    "truncated",
    Accepts::Flag,
    Absent::Means("false; goes with `fraction`"),
    "whether the number of rows of a class is held to be Poisson distributed above 0, which makes classes a little larger",
);
const MIN: Parameter = Parameter::new(
    "min",
    Accepts::Number(0.0, 1.0),
    Absent::Number(0.0),
    "the least share of the persons who fit a class that is in the release; above 0 every person of the population must fit one",
);
const MAX: Parameter = Parameter::new(
    "max",
    Accepts::Number(0.0, 1.0),
    Absent::Refused,
    "the largest share of the persons who fit a class that is in the release",
)
.examples(&["0.2"]);

fn read_map(section: &mut Section, around: &Around<'_>, guarantee: &mut Guarantee) -> Result<()> {
    let Some(mut table) = section.optional_table(&MAP)? else {
        return Ok(());
    };
    let k = table.whole(&K)?;
    let path = table.optional(&PEOPLE, |placed, name| path(placed, name, around))?;
    let fraction = table.optional(&FRACTION, Placed::number)?;
    let alpha = table.optional(&ALPHA, Placed::number)?;
    let truncated = table.optional(&TRUNCATED, Placed::flag)?;
    let population = match (path, fraction) {
        (Some(path), None) if alpha.is_none() && truncated.is_none() => Population::Table(path),
        (None, Some(fraction)) => Population::Estimated {
            fraction,
            alpha: alpha.unwrap_or(0.05),
            truncated: truncated.unwrap_or(false),
        },
        (None, None) => {
            return Err(table
                .error("`k_map` does not say what the population is")
                .help("add population = \"people.csv\", or its size: fraction = 0.1"));
        }
        _ => {
            return Err(table
                .error("`k_map` counts in a population or estimates from a fraction, not both")
                .help("keep `population` alone, or `fraction`, `alpha` and `truncated`"));
        }
    };
    table.finish()?;
    guarantee.k_map = Some(KMap { k, population });
    Ok(())
}

fn write_map(guarantee: &Guarantee, section: &mut Section) {
    let Some(map) = &guarantee.k_map else {
        return;
    };
    let mut table = Section::default();
    table.set(&K, map.k);
    match &map.population {
        Population::Table(path) => table.set(&PEOPLE, path.display().to_string()),
        Population::Estimated {
            fraction,
            alpha,
            truncated,
        } => {
            table.set(&FRACTION, *fraction);
            table.set(&ALPHA, *alpha);
            table.set(&TRUNCATED, *truncated);
        }
    }
    section.set(&MAP, table);
}

fn read_presence(
    section: &mut Section,
    around: &Around<'_>,
    guarantee: &mut Guarantee,
) -> Result<()> {
    let Some(mut table) = section.optional_table(&PRESENT)? else {
        return Ok(());
    };
    let (min, max) = (table.number(&MIN)?, table.number(&MAX)?);
    if min > max {
        return Err(table.error("`min` of presence is above its `max`"));
    }
    let population = table.read(&ALL_PEOPLE, |placed, name| path(placed, name, around))?;
    table.finish()?;
    guarantee.presence = Some(Presence {
        min,
        max,
        population,
    });
    Ok(())
}

fn write_presence(guarantee: &Guarantee, section: &mut Section) {
    let Some(presence) = &guarantee.presence else {
        return;
    };
    let mut table = Section::default();
    table.set(&MIN, presence.min);
    table.set(&MAX, presence.max);
    table.set(&ALL_PEOPLE, presence.population.display().to_string());
    section.set(&PRESENT, table);
}

fn path(placed: &Placed, name: &str, around: &Around<'_>) -> Result<PathBuf> {
    let path = around.root.resolve(placed, &placed.text(name)?)?;
    match path.as_os_str() == "-" {
        true => Err(placed.error("a population is a file, not standard input")),
        false => Ok(path),
    }
}
