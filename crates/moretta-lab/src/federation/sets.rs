//! The streams of the study, each with the columns of its sites.
//!
//! Four more streams were published: gas sensors (GAS), Higgs (HIG), flights (FLT) and drives
//! (SDD). Not all of their records are at hand, so they are missing here.

use super::streams::{Stream, eye_states, moving_rbf, occupancy, sea, wall_following_robot};
use moretta::{Error, Result};
use moretta_generate::CrossTerms;
use std::path::Path;

/// A forest as the study's program grows it.
pub(super) const FOREST: &str = "arf(preset=2017, leaf=nb, resplit=yes)";
const TREE: &str = "ht(leaf=nb, resplit=yes)";

/// A stream and how it is split.
#[derive(Debug)]
pub(super) struct Set {
    /// Its name in the study.
    pub(super) name: &'static str,
    pub(super) columns: u16,
    /// Columns of each site, which are consecutive.
    pub(super) width: u16,
    pub(super) classes: u32,
    /// The learner of sites, and that of trouble nodes.
    pub(super) learners: [&'static str; 2],
    /// The number of the first record, by which guesses are drawn.
    pub(super) first_record: u64,
    make: fn(&Path) -> Result<Stream>,
}

const fn set(
    name: &'static str,
    [columns, width]: [u16; 2],
    classes: u32,
    make: fn(&Path) -> Result<Stream>,
) -> Set {
    Set {
        name,
        columns,
        width,
        classes,
        learners: ["nb", FOREST],
        first_record: 1,
        make,
    }
}

pub(super) static EEG: Set = set("EEG", [14, 1], 2, eye_states);
pub(super) static OCC: Set = set("OCC", [3, 1], 2, occupancy);
pub(super) static WFR: Set = set("WFR", [24, 4], 4, wall_following_robot);
static RBF_F: Set = set("RBF-F", [10, 1], 5, |_| Ok(moving_rbf(0.001)?.rounded()));
static RBF_M: Set = set("RBF-M", [10, 1], 5, |_| Ok(moving_rbf(0.0001)?.rounded()));
static SEA_A: Set = set("SEA-A", [3, 1], 2, |_| Ok(sea(1.0)?.rounded()));
static SEA_G: Set = set("SEA-G", [3, 1], 2, |_| Ok(sea(10_000.0)?.rounded()));

/// The demonstration of table 4.1.
pub(super) static COINS: Set = Set {
    name: "coins",
    columns: 6,
    width: 1,
    classes: 2,
    learners: [TREE, TREE],
    first_record: 0,
    make: |_| Stream::generated(CrossTerms::default().generator()?, 30_000),
};

/// The streams of table 4.3, in its order.
pub(super) static ALL: [&Set; 7] = [&EEG, &OCC, &WFR, &RBF_F, &RBF_M, &SEA_A, &SEA_G];

impl Set {
    pub(super) fn sites(&self) -> u16 {
        self.columns / self.width
    }

    /// Its first records, at most so many.
    pub(super) fn read(&self, data: &Path, most: usize) -> Result<Stream> {
        let stream = (self.make)(data)?;
        if stream.records.len() <= most {
            return Ok(stream);
        }
        let mut records = moretta::data::Records::new(stream.records.width());
        (0..most).for_each(|row| records.push(stream.records.record(row)));
        Ok(Stream {
            header: stream.header,
            records,
            classes: stream.classes[..most].to_vec(),
        })
    }
}

/// The sets of these names, or all of table 4.3.
pub(super) fn chosen(names: &[String]) -> Result<Vec<&'static Set>> {
    let is_known = |name: &&String| ALL.iter().any(|set| set.name.eq_ignore_ascii_case(name));
    if let Some(unknown) = names.iter().find(|name| !is_known(name)) {
        let known: Vec<&str> = ALL.iter().map(|set| set.name).collect();
        return Err(Error::usage(format!("there is no set {unknown}"))
            .help(format!("choose from {}", known.join(", "))));
    }
    let wanted = |set: &&&Set| {
        let mut names_of = names.iter();
        names.is_empty() || names_of.any(|name| set.name.eq_ignore_ascii_case(name))
    };
    Ok(ALL.iter().filter(wanted).copied().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_as_they_say() {
        for set in [&RBF_F, &SEA_A, &COINS] {
            let stream = set.read(Path::new("nowhere"), 500).expect("generated");
            assert_eq!(stream.records.len(), 500);
            assert_eq!(stream.records.width(), usize::from(set.columns));
            assert!(stream.header.classes() <= set.classes as usize);
            assert_eq!(set.sites() * set.width, set.columns);
        }
    }

    #[test]
    fn sets_are_chosen_by_name() {
        let names = |wanted: &[&str]| {
            let wanted: Vec<String> = wanted.iter().map(|name| (*name).to_owned()).collect();
            let sets = chosen(&wanted).map_err(|error| error.to_string())?;
            Ok::<_, String>(sets.iter().map(|set| set.name).collect::<Vec<_>>())
        };
        assert_eq!(names(&[]).map(|all| all.len()), Ok(7));
        assert_eq!(names(&["wfr", "OCC"]), Ok(vec!["OCC", "WFR"]));
        assert!(names(&["GAS"]).is_err_and(|told| told.contains("GAS")));
    }
}
