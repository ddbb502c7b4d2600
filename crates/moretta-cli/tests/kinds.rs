//! What each method does with numbers, ordered categories and nominal categories: the table of the
//! manual, which every method must be in, against the program.
//!
//! A cell that begins with "no:" or "no;" is refused before a row is read, with a way out; every other one
//! releases rows.

mod support;

use moretta::protect::METHODS;
use std::collections::BTreeMap;
use support::Folder;

const PAGE: &str = "docs/src/how-to/choose-a-method.md";

const KINDS: [&str; 3] = ["numbers", "ordered categories", "nominal categories"];

/// How a method is set up for a column `x` of each kind, and what else its policy needs.
struct Case {
    method: &'static str,
    settings: [&'static str; 3],
    /// Whether it makes values coarser until `[guarantee]` holds.
    promises: bool,
    /// Whether the column has a hierarchy.
    hierarchy: bool,
    role: &'static str,
}

const fn coarser(method: &'static str, settings: [&'static str; 3]) -> Case {
    Case {
        method,
        settings,
        promises: true,
        hierarchy: true,
        role: "quasi",
    }
}

const fn masking(method: &'static str, settings: [&'static str; 3]) -> Case {
    Case {
        method,
        settings,
        promises: false,
        hierarchy: false,
        role: "quasi",
    }
}

/// The same for all kinds.
const fn all(settings: &'static str) -> [&'static str; 3] {
    [settings; 3]
}

const CASES: &[Case] = &[
    Case {
        hierarchy: false,
        ..coarser("mondrian", all("output = \"median-or-mode\""))
    },
    coarser("generalization", all("levels = { x = 1 }\nsuppress = 1")),
    coarser("lattice", all("suppress = 0.5")),
    coarser("datafly", all("suppress = 0.5")),
    coarser("semantic-grouping", all("")),
    coarser("mu-argus", all("k = 2")),
    Case {
        hierarchy: false,
        ..coarser("suppression", all(""))
    },
    coarser(
        "recoding",
        [
            "round = { x = 4 }\nbottom = { x = 8 }",
            "top = { x = \"middle\" }",
            "levels = { x = 1 }",
        ],
    ),
    Case {
        promises: false,
        hierarchy: true,
        role: "items",
        ..coarser("km-anonymity", all(""))
    },
    masking("sampling", all("fraction = 0.5")),
    masking(
        "massc",
        all("substitute = 0.5\nfraction = 0.9\nweight = \"w\""),
    ),
    masking("z-anonymity", all("z = 2\nwindow = \"1d\"")),
    masking("noise", all("amount = 0.5")),
    masking("microaggregation", all("k = 3\ndistance = \"sum\"")),
    masking("rank-swapping", all("")),
    masking(
        "merging",
        ["top = { x = 2 }", "top = { x = 2 }", "rare = { x = 2 }"],
    ),
    masking("pram", all("")),
    masking(
        "random-projection",
        [
            "",
            "categories = { x = [\"low\", \"middle\", \"high\"] }",
            "categories = { x = [\"ash\", \"elm\", \"oak\"] }",
        ],
    ),
    masking("resampling", all("")),
    masking("shuffling", all("")),
    masking(
        "dp-microaggregation",
        all("k = 3\nepsilon = 1\nbounds = { x = [0, 12] }"),
    ),
    masking(
        "local-dp",
        [
            "columns = { x = { mechanism = \"laplace\", epsilon = 1, bounds = [0, 12] } }",
            "columns = { x = { mechanism = \"exponential\", epsilon = 1, categories = [\"low\", \"middle\", \"high\"] } }",
            "columns = { x = { mechanism = \"k-ary\", epsilon = 1, categories = [\"ash\", \"elm\", \"oak\"] } }",
        ],
    ),
];

const VALUES: [[&str; 3]; 3] = [
    ["2", "5", "11"],
    ["low", "middle", "high"],
    ["ash", "elm", "oak"],
];

const TREES: [&str; 3] = [
    "hierarchy = { intervals = [4, 12] }",
    "hierarchy = { file = \"tree.csv\" }",
    "hierarchy = { file = \"tree.csv\" }",
];

const TREE: &str =
    "low,little,*\nmiddle,little,*\nhigh,much,*\nash,a..m,*\nelm,a..m,*\noak,n..z,*\n";

impl Case {
    fn policy(&self, kind: usize) -> String {
        let mut column = vec![format!("role = \"{}\"", self.role)];
        column.push(
            [
                "type = \"number\"",
                "order = [\"low\", \"middle\", \"high\"]",
                "type = \"category\"",
            ][kind]
                .to_owned(),
        );
        // A column with a hierarchy is recoded to a level of it, and to nothing else.
        if self.hierarchy && (self.method != "recoding" || self.settings[kind].contains("levels")) {
            column.push(TREES[kind].to_owned());
        }
        let mut others = String::new();
        if matches!(self.method, "km-anonymity" | "z-anonymity") {
            others.push_str("who = { role = \"subject\" }\n");
        } else {
            others.push_str("who = { role = \"identifier\" }\n");
        }
        if self.method == "z-anonymity" {
            others.push_str("t = { role = \"time\" }\n");
        } else {
            others.push_str("t = { role = \"drop\" }\n");
        }
        let guarantee = match self.method {
            "km-anonymity" => "[guarantee]\nkm = { k = 2, m = 1 }\n",
            "mu-argus" => "",
            _ if self.promises => "[guarantee]\nk = 2\n",
            _ => "",
        };
        format!(
            "version = 1\n[source]\npath = \"rows.csv\"\n[columns]\nx = {{ {} }}\n{others}\
             w = {{ role = \"plain\", type = \"number\" }}\n{guarantee}[[protect]]\n\
             method = \"{}\"\n{}\n[sink]\npath = \"released.csv\"\n",
            column.join(", "),
            self.method,
            self.settings[kind],
        )
    }

    fn folder(&self, kind: usize, rows: &str) -> Folder {
        let text = format!("x,who,t,w\n{rows}");
        Folder::new()
            .policy(&self.policy(kind))
            .file("rows.csv", text)
            .file("tree.csv", TREE)
    }
}

/// Sixty rows, of which each value has many.
fn rows(kind: usize) -> String {
    let row = |n: usize| {
        let value = VALUES[kind][n * 7 % 11 % 3];
        format!("{value},p{n},{},{}\n", 1_700_000_000 + n, 1 + n % 3)
    };
    (0..60).map(row).collect()
}

/// What the manual says of each method and kind.
fn manual() -> BTreeMap<String, [String; 3]> {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
    let text = std::fs::read_to_string(format!("{page}{PAGE}")).expect("the page");
    let lines = text
        .lines()
        .skip_while(|line| !line.starts_with("| method | numbers |"));
    let mut told = BTreeMap::new();
    for line in lines.skip(2).take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let [names, cells @ ..] = &cells[..] else {
            continue;
        };
        for name in names.split('`').skip(1).step_by(2) {
            let cells = cells.iter().map(|cell| (*cell).to_owned());
            let cells: Vec<String> = cells.collect();
            let cells = cells.try_into().expect("three kinds");
            assert!(
                told.insert(name.to_owned(), cells).is_none(),
                "{name} twice"
            );
        }
    }
    told
}

#[test]
fn the_table_of_the_manual_has_every_method_once() {
    let told = manual();
    let mut listed: Vec<&str> = METHODS.iter().map(|info| info.name).collect();
    listed.sort_unstable();
    assert!(told.keys().eq(&listed), "{:?}", told.keys());
    let mut tried: Vec<&str> = CASES.iter().map(|case| case.method).collect();
    tried.sort_unstable();
    assert_eq!(tried, listed);
}

#[test]
fn every_method_does_with_every_kind_of_column_what_the_manual_says() {
    let told = manual();
    let mut faults = Vec::new();
    for case in CASES {
        for (kind, name) in KINDS.iter().enumerate() {
            let cell = &told[case.method][kind];
            let found = match cell.starts_with("no;") || cell.starts_with("no:") {
                true => refused(case, kind),
                false => released(case, kind),
            };
            if let Err(fault) = found {
                faults.push(format!("{} of {name}, \"{cell}\": {fault}", case.method));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

/// Rows leave, and categories leave as such.
fn released(case: &Case, kind: usize) -> Result<(), String> {
    let folder = case.folder(kind, &rows(kind));
    let ran = folder.moretta(&["run", "policy.toml"]);
    if ran.code != Some(0) {
        return Err(format!("ends with {:?}\n{}", ran.code, ran.stderr));
    }
    let text = folder.text("released.csv");
    let mut lines = text.lines();
    let head = lines.next().unwrap_or_default();
    let known = |cell: &str| {
        let tree = TREE.split([',', '\n']);
        cell.is_empty() || tree.into_iter().any(|label| label == cell) || cell.contains("..")
    };
    let cells: Vec<&str> = lines.filter_map(|line| line.split(',').next()).collect();
    if cells.len() < 20 {
        return Err(format!("releases {} of 60 rows", cells.len()));
    }
    let named = head.split(',').next() == Some("x");
    if kind > 0
        && named
        && !cells
            .iter()
            .all(|cell| known(cell.trim_matches(['"', '{', '}'])))
    {
        return Err("releases other categories".to_owned());
    }
    Ok(())
}

/// It is refused although no row could be read, with a way out, and nothing is written.
fn refused(case: &Case, kind: usize) -> Result<(), String> {
    for rows in [rows(kind), "a row with too few cells\n".to_owned()] {
        let folder = case.folder(kind, &rows);
        for command in ["run", "plan"] {
            let ran = folder.moretta(&[command, "policy.toml"]);
            let told = &ran.stderr;
            if ran.code != Some(3) || !told.contains("help: ") {
                let code = ran.code;
                return Err(format!(
                    "`{command}` ends with {code:?}\n{}{told}",
                    ran.stdout
                ));
            }
            if folder.path("released.csv").exists() {
                return Err("something was written".to_owned());
            }
        }
    }
    Ok(())
}
