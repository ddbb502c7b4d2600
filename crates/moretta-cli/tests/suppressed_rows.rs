//! A release tells nothing of suppressed rows by how it is written: neither the bounds of an
//! interval, nor a label, nor a notation follows from a row that is not released.
//!
//! Every method that suppresses gets a crowd with generated rows that nobody resembles. The
//! release must be, to the byte, that of the released rows alone, without suppression: so
//! tables that differ in suppressed rows only have one release.

mod support;

use moretta::protect::Family;
use std::collections::BTreeSet;
use support::{Folder, replaced};

const POLICY: &str = r#"version = 1
[source]
path = "admissions.csv"
[columns]
age   = { role = "quasi", type = "number" }
stay  = { role = "quasi", type = "number", hierarchy = { intervals = [10, 50] } }
dose  = { role = "quasi", type = "number" }
zip   = { role = "quasi", type = "category", hierarchy = { mask = "right" } }
place = { role = "quasi", hierarchy = { path = "/" } }
team  = { role = "quasi" }
born  = { role = "quasi", type = "date" }
day   = { role = "quasi", hierarchy = { dates = ["month", "year"] } }
row   = { role = "plain" }
[guarantee]
k = 5
METHOD
[sink]
path = "out/release.csv"
[report]
path = "out/report.html"
"#;

/// Rules that no row has a part in.
const RECODING: &str = "[[protect]]\nmethod = \"recoding\"\nround = { age = 4, dose = 6 }\n\
                        top = { age = 40, born = \"1920-01-01\" }\n";

const HEADER: &str = "age,stay,dose,zip,place,team,born,day,row\n";

/// Policies for each method on tables that can suppress; a new one needs a line here.
fn policies() -> Vec<(&'static str, String)> {
    let tables = moretta::protect::METHODS.iter().filter(|info| {
        let suppresses = |parameter: &moretta::config::Parameter| parameter.name == "suppress";
        info.family == Family::Table && info.parameters.iter().any(suppresses)
    });
    let policies = tables.flat_map(|info| {
        let parameters: &[&str] = match info.name {
            "generalization" => &[
                "levels = { stay = 1, zip = 2, place = 1, day = 1 }\nsuppress = 0.1",
                "levels = { stay = 2, zip = 9, place = 2, day = 2 }\nsuppress = 0.1",
            ],
            "datafly" => &["suppress = 0.1"],
            "lattice" => &["suppress = 0.1", "suppress = 0.1\nmetric = \"entropy\""],
            "mondrian" => &[
                "suppress = 0.1",
                "suppress = 0.1\nmode = \"relaxed\"",
                "suppress = 0.1\nbounds = \"exact\"",
                "suppress = 0.1\noutput = { age = \"median\", dose = \"mean\" }",
            ],
            other => panic!("how does {other} suppress?"),
        };
        let alone = parameters.iter().map(|parameters| ("", parameters));
        let recoded = parameters.first().map(|parameters| (RECODING, parameters));
        alone.chain(recoded).map(|(before, parameters)| {
            let method = format!(
                "{before}[[protect]]\nmethod = \"{}\"\n{parameters}",
                info.name
            );
            (info.name, replaced(POLICY, "METHOD", &method))
        })
    });
    policies.collect()
}

/// 24 groups of 8 persons who hardly differ within their group.
fn crowd() -> String {
    let row = |i: usize| {
        let group = i / 8;
        format!(
            "{},{},{},47{}1{},north/v{}/h{},t{},1{:03}-05-10,2024-0{}-1{},{}\n",
            20 + group,
            60 + group % 4 * 10 + i % 9,
            3 * (group % 6),
            group % 5,
            i % 3,
            group % 4,
            group % 2,
            group % 3,
            900 + group,
            1 + group % 4,
            i % 8,
            i,
        )
    };
    (0..192).map(row).collect()
}

/// Numbers by a linear congruential generator, so that every run has the same.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = (self.0.wrapping_mul(6_364_136_223_846_793_005)).wrapping_add(1);
        (self.0 >> 33) % most
    }

    fn one_of<'a>(&mut self, texts: &[&'a str]) -> &'a str {
        texts[self.below(texts.len() as u64) as usize]
    }
}

/// Rows that no class can hold.
fn outliers(dice: &mut Dice) -> String {
    let count = 1 + dice.below(14);
    let row = |i: u64| {
        let age = format!("{}{}", 90 + 3 * i, dice.one_of(&["", ".5", ".25"]));
        let stay = format!("{}{}", dice.below(900), dice.one_of(&["", ".5", ".125"]));
        let dose = format!("{}{}", dice.below(40), dice.one_of(&["", ".1"]));
        let zip = "904718253".chars().take(1 + dice.below(9) as usize);
        let zip: String = zip.collect();
        let place = ["south", "a", "b", "c", "d", "e"][..1 + dice.below(6) as usize].join("/");
        let (born, day) = (1400 + dice.below(600), 1900 + dice.below(99));
        let month = 1 + dice.below(9);
        let row = 1000 + i;
        format!(
            "{age},{stay},{dose},{zip},{place},x{i},{born}-0{month}-28,{day}-0{month}-03,{row}\n"
        )
    };
    (0..count).map(row).collect()
}

fn release(policy: &str, rows: &str) -> String {
    let folder = Folder::new().policy(policy).data(format!("{HEADER}{rows}"));
    folder.run().succeeds();
    let verified = folder.moretta(&["verify", "out/release.csv", "--policy", "policy.toml"]);
    assert_eq!(verified.code, Some(0), "{}", verified.stdout);
    folder.text("out/release.csv")
}

#[test]
fn a_release_follows_from_the_released_rows_alone() {
    let tables = match std::env::var_os("MORETTA_LONG") {
        Some(_) => 400,
        None => 12,
    };
    for (name, policy) in policies() {
        let whole = replaced(&policy, "suppress = 0.1", "suppress = 0");
        let mut dice = Dice(7);
        let mut suppressed = 0;
        for table in 0..tables {
            let rows = format!("{}{}", outliers(&mut dice), crowd());
            let found = release(&policy, &rows);
            let row = |line: &str| line.rsplit(',').next().map(str::to_owned);
            let released: BTreeSet<_> = found.lines().map(row).collect();
            let kept = rows.lines().filter(|line| released.contains(&row(line)));
            let kept: String = kept.map(|line| format!("{line}\n")).collect();
            suppressed += usize::from(kept != rows);
            let expected = release(&whole, &kept);
            for (line, expected) in found.lines().zip(expected.lines()) {
                assert_eq!(line, expected, "{policy}\ntable {table} of {name}:\n{rows}");
            }
            assert!(found == expected, "{policy}\ntable {table} of {name}");
        }
        assert!(
            2 * suppressed >= tables,
            "{policy}: {suppressed} of {tables}"
        );
    }
}
