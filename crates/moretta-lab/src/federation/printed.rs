//! What the study prints: accuracies of tables 4.3 and 4.7 from files, others as they are known.

use crate::delimited::read_columns;
use moretta::{Error, Result};
use std::path::Path;

/// Tables 4.3 and 4.7, of all eleven streams.
#[derive(Default)]
pub(super) struct Printed {
    accuracies: Vec<(String, String, f64, f64)>,
    central: Vec<(String, f64, f64)>,
}

/// The columns of table 4.3, as its file calls them.
pub(super) const METHODS: [&str; 7] = [
    "DMaxConf",
    "DVote",
    "DStack",
    "Park_TF2",
    "HDSM_MaxConf_TF1",
    "HDSM_Voting_TF1",
    "HDSM_Stacking_TF1",
];

impl Printed {
    pub(super) fn read(data: &Path) -> Result<Self> {
        let path = data.join("published/hdsm-table-4.3-accuracy.csv");
        let mut accuracies = Vec::new();
        for (line, row) in (2..).zip(read_columns(
            &path,
            ',',
            &["dataset", "method", "accuracy", "sd"],
        )?) {
            let [set, method, accuracy, deviation] = cells(row, &path, line)?;
            let number = |cell: &str| number(cell, &path, line);
            let (accuracy, deviation) = (number(&accuracy)?, number(&deviation)?);
            accuracies.push((set, method, accuracy, deviation));
        }
        let path = data.join("published/centralised-arf-table-4.7.csv");
        let mut central = Vec::new();
        for (line, row) in (2..).zip(read_columns(
            &path,
            ',',
            &["dataset", "best_hdsm", "centralised_arf"],
        )?) {
            let [set, best, whole] = cells(row, &path, line)?;
            let number = |cell: &str| number(cell, &path, line);
            central.push((set, number(&best)?, number(&whole)?));
        }
        Ok(Printed {
            accuracies,
            central,
        })
    }

    /// Accuracy and deviation of table 4.3.
    pub(super) fn accuracy(&self, set: &str, method: &str) -> Option<[f64; 2]> {
        let mut all = self.accuracies.iter();
        let found = all.find(|(of, by, _, _)| of == set && by == method);
        found.map(|(_, _, accuracy, deviation)| [*accuracy, *deviation])
    }

    /// The best of HDSM and a forest that sees all columns, table 4.7.
    pub(super) fn central(&self, set: &str) -> Option<[f64; 2]> {
        let found = self.central.iter().find(|(of, _, _)| of == set);
        found.map(|(_, best, whole)| [*best, *whole])
    }

    /// The streams of table 4.3.
    pub(super) fn sets(&self) -> Vec<&str> {
        let first = self.accuracies.iter();
        let first = first.filter(|(_, method, _, _)| method == METHODS[0]);
        first.map(|(set, _, _, _)| &**set).collect()
    }
}

fn cells<const N: usize>(row: Vec<String>, path: &Path, line: u64) -> Result<[String; N]> {
    let fault = |_| {
        Error::input("a cell is missing")
            .in_file(path)
            .on_line(line)
    };
    row.try_into().map_err(fault)
}

fn number(cell: &str, path: &Path, line: u64) -> Result<f64> {
    let fault = |_| Error::input("not a number").in_file(path).on_line(line);
    cell.parse().map_err(fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_found_by_set_and_method() {
        let folder = tempfile::tempdir().expect("a folder");
        let published = folder.path().join("published");
        std::fs::create_dir(&published).expect("a folder");
        let write = |name: &str, text: &str| {
            std::fs::write(published.join(name), text).expect("written");
        };
        let accuracies = "dataset,method,accuracy,sd\nA,DMaxConf,48.20,6.82\nB,DMaxConf,1,2\n";
        write("hdsm-table-4.3-accuracy.csv", accuracies);
        let central = "dataset,best_hdsm,centralised_arf\nA,66.99,82.07\n";
        write("centralised-arf-table-4.7.csv", central);
        let printed = Printed::read(folder.path()).expect("both files");
        assert_eq!(printed.accuracy("A", "DMaxConf"), Some([48.20, 6.82]));
        assert_eq!(printed.accuracy("A", "DVote"), None);
        assert_eq!(printed.central("A"), Some([66.99, 82.07]));
        assert_eq!(printed.sets(), ["A", "B"]);
    }
}
