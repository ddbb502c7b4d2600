//! Tables that were worked out by hand, released by the product itself.
//!
//! The worked tables of the source study are not among the public data; these are the worked
//! examples of our own specification of the same methods, and of recoding, each run from a
//! policy to a checked file. No printed error is known of them.

use crate::output::write;
use moretta::pipeline::{Options, Progress, run};
use moretta::policy::{Policy, Root};
use moretta::{Error, Result};

/// A table, its policy, and what must be released.
pub(super) struct Worked {
    pub(super) name: &'static str,
    columns: &'static str,
    method: &'static str,
    table: &'static str,
    hierarchy: &'static str,
    expected: &'static str,
}

/// A worked table, and whether the product releases it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Checked {
    pub(super) name: &'static str,
    /// Cells that are not as worked out; none where rows or columns are missing.
    pub(super) wrong: Option<usize>,
}

const AGES_AND_SEX: &str = "age = { role = \"quasi\", range = [20, 39], hierarchy = { intervals = [5, 10] } }\nsex = { role = \"quasi\" }\n";
const THREE: &str =
    "region = { role = \"quasi\" }\nage = { role = \"quasi\" }\nsex = { role = \"quasi\" }\n";
const TWO: &str = "a = { role = \"quasi\" }\nb = { role = \"quasi\" }\n";
/// The column that is recoded is plain, so that it stays a number; k is counted over the other.
const CODES: &str = "x = { role = \"plain\", type = \"integer\" }\nall = { role = \"quasi\" }\n";
const TWELVE: &str = "x,all\n0,a\n0,a\n1,a\n1,a\n1,a\n2,a\n3,a\n3,a\n4,a\n5,a\n5,a\n5,a\n";

pub(super) const WORKED: &[Worked] = &[
    Worked {
        name: "Datafly: age goes up twice, nothing is suppressed",
        columns: AGES_AND_SEX,
        method: "[guarantee]\nk = 2\n[[protect]]\nmethod = \"datafly\"\nsuppress = 0.25\n",
        table: "age,sex\n21,F\n23,F\n25,M\n28,M\n32,F\n34,M\n36,M\n39,F\n",
        hierarchy: "",
        expected: "age,sex\n20..29,F\n20..29,F\n20..29,M\n20..29,M\n30..39,F\n30..39,M\n30..39,M\n30..39,F\n",
    },
    Worked {
        name: "mu-Argus: four cells of pairs are emptied",
        columns: THREE,
        method: "[[protect]]\nmethod = \"mu-argus\"\nk = 2\n",
        table: "region,age,sex\nN,20s,F\nN,20s,F\nN,30s,F\nN,30s,M\nS,30s,M\nS,30s,M\nS,20s,M\nS,20s,F\n",
        hierarchy: "",
        expected: "region,age,sex\nN,20s,F\nN,20s,F\nN,*,F\n*,30s,M\nS,30s,M\nS,30s,M\nS,*,M\n*,20s,F\n",
    },
    Worked {
        name: "mu-Argus: pairs are safe and every row is unique",
        columns: THREE,
        method: "[[protect]]\nmethod = \"mu-argus\"\nk = 2\n",
        table: EIGHT,
        hierarchy: "",
        expected: EIGHT,
    },
    Worked {
        name: "local suppression, missing as any value: two cells",
        columns: TWO,
        method: "[guarantee]\nk = 3\n[[protect]]\nmethod = \"suppression\"\nmissing = \"wild\"\nattacker = \"ignore\"\n",
        table: "a,b\na,x\na,x\na,y\nb,y\nb,y\nb,z\n",
        hierarchy: "",
        expected: "a,b\na,x\na,x\na,*\nb,y\nb,y\nb,*\n",
    },
    Worked {
        name: "recoding: top coding of two categories",
        columns: CODES,
        method: "[guarantee]\nk = 2\n[[protect]]\nmethod = \"recoding\"\ntop = { x = 4 }\n",
        table: TWELVE,
        hierarchy: "",
        expected: "x,all\n0,a\n0,a\n1,a\n1,a\n1,a\n2,a\n3,a\n3,a\n4,a\n4,a\n4,a\n4,a\n",
    },
    Worked {
        name: "recoding: top coding of three categories",
        columns: CODES,
        method: "[guarantee]\nk = 2\n[[protect]]\nmethod = \"recoding\"\ntop = { x = 3 }\n",
        table: TWELVE,
        hierarchy: "",
        expected: "x,all\n0,a\n0,a\n1,a\n1,a\n1,a\n2,a\n3,a\n3,a\n3,a\n3,a\n3,a\n3,a\n",
    },
    Worked {
        name: "recoding: bottom coding of two categories",
        columns: CODES,
        method: "[guarantee]\nk = 2\n[[protect]]\nmethod = \"recoding\"\nbottom = { x = 1 }\n",
        table: TWELVE,
        hierarchy: "",
        expected: "x,all\n1,a\n1,a\n1,a\n1,a\n1,a\n2,a\n3,a\n3,a\n4,a\n5,a\n5,a\n5,a\n",
    },
    Worked {
        name: "recoding: bottom coding of three categories",
        columns: CODES,
        method: "[guarantee]\nk = 2\n[[protect]]\nmethod = \"recoding\"\nbottom = { x = 2 }\n",
        table: TWELVE,
        hierarchy: "",
        expected: "x,all\n2,a\n2,a\n2,a\n2,a\n2,a\n2,a\n3,a\n3,a\n4,a\n5,a\n5,a\n5,a\n",
    },
    Worked {
        name: "recoding: the two least frequent categories become one",
        columns: "x = { role = \"quasi\", type = \"category\", hierarchy = { file = \"hierarchy.csv\" } }\nall = { role = \"drop\" }\n",
        method: "[guarantee]\nk = 2\n[[protect]]\nmethod = \"recoding\"\nlevels = { x = 1 }\n",
        table: TWELVE,
        hierarchy: "0;0;*\n1;1;*\n2;2 or 4;*\n3;3;*\n4;2 or 4;*\n5;5;*\n",
        expected: "x\n0\n0\n1\n1\n1\n2 or 4\n3\n3\n2 or 4\n5\n5\n5\n",
    },
];

const EIGHT: &str = "region,age,sex\n0,0,0\n0,0,1\n0,1,0\n0,1,1\n1,0,0\n1,0,1\n1,1,0\n1,1,1\n";

/// Releases every table and compares it with what was worked out.
pub(super) fn compute() -> Result<Vec<Checked>> {
    WORKED.iter().map(check).collect()
}

fn check(worked: &Worked) -> Result<Checked> {
    let released = release(worked)?;
    let wrong = match released.lines().count() == worked.expected.lines().count() {
        false => None,
        true => Some(
            released
                .split([',', '\n'])
                .zip(worked.expected.split([',', '\n']))
                .filter(|(found, expected)| found != expected)
                .count(),
        ),
    };
    Ok(Checked {
        name: worked.name,
        wrong,
    })
}

fn release(worked: &Worked) -> Result<String> {
    let folder = tempfile::tempdir().map_err(|e| Error::io("create", "a folder", e))?;
    let path = |name: &str| folder.path().join(name);
    write(&path("rows.csv"), worked.table)?;
    write(&path("hierarchy.csv"), worked.hierarchy)?;
    let text = format!(
        "version = 1\n[source]\npath = \"rows.csv\"\n[columns]\n{}{}[sink]\npath = \"out.csv\"\norder = \"input\"\n",
        worked.columns, worked.method
    );
    let root = Root::of_policy(&path("policy.toml"), None)?;
    let policy = Policy::parse(&text, &root)?;
    let progress = Progress::default();
    let options = Options {
        command: String::new(),
        date: None,
        force: false,
        strict: false,
        render: &|_| String::new(),
        progress: &progress,
    };
    run(&policy, &options)?;
    std::fs::read_to_string(path("out.csv")).map_err(|e| Error::io("read", "out.csv", e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_product_releases_every_worked_table() {
        for worked in WORKED {
            let released = release(worked).expect(worked.name);
            assert_eq!(released, worked.expected, "{}", worked.name);
        }
    }

    #[test]
    fn a_cell_that_differs_is_counted() {
        let wrong = Worked {
            expected: "x,all\n0,a\n0,a\n1,a\n1,a\n1,a\n2,a\n3,a\n3,a\n3,a\n4,a\n4,a\n4,a\n",
            ..WORKED_TOP
        };
        assert_eq!(check(&wrong).expect("released").wrong, Some(1));
        let short = Worked {
            expected: "x,all\n0,a\n",
            ..WORKED_TOP
        };
        assert_eq!(check(&short).expect("released").wrong, None);
    }

    const WORKED_TOP: Worked = Worked {
        name: "top",
        columns: CODES,
        method: "[guarantee]\nk = 2\n[[protect]]\nmethod = \"recoding\"\ntop = { x = 4 }\n",
        table: TWELVE,
        hierarchy: "",
        expected: "",
    };
}
