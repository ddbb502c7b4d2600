//! Commands on files of masked records and of items: compare, attack and verify.

mod support;

use serde_json::Value;
use support::Folder;

/// Rows of a number, an ordered and a nominal category.
fn survey() -> String {
    let row = |n: usize| {
        let grade = ["low", "middle", "high", "top"][n * 5 % 7 % 4];
        let town = ["ash", "elm", "oak"][n * 3 % 11 % 3];
        format!("{},{grade},{town}\n", 20 + n * 13 % 50)
    };
    format!("age,grade,town\n{}", (0..120).map(row).collect::<String>())
}

fn folder(protect: &str, sink: &str) -> Folder {
    let text = format!(
        "version = 1\nseed = 3\n[source]\npath = \"survey.csv\"\n[columns]\n\
         age = {{ role = \"quasi\", type = \"number\" }}\n\
         grade = {{ role = \"quasi\", order = [\"low\", \"middle\", \"high\", \"top\"] }}\n\
         town = {{ role = \"quasi\", type = \"category\" }}\n{protect}\n\
         [sink]\npath = \"out/release.csv\"\n{sink}\n[report]\npath = \"out/report.html\"\n"
    );
    Folder::new().policy(&text).file("survey.csv", survey())
}

const COMPARE: [&str; 6] = [
    "compare",
    "survey.csv",
    "out/release.csv",
    "--policy",
    "policy.toml",
    "--json",
];

fn works(folder: &Folder, arguments: &[&str]) -> (String, String) {
    let ran = folder.moretta(arguments);
    assert_eq!(ran.code, Some(0), "{arguments:?}: {}", ran.stderr);
    (ran.stdout.clone(), ran.stderr.clone())
}

fn json(folder: &Folder, arguments: &[&str]) -> Value {
    serde_json::from_str(&works(folder, arguments).0).expect("JSON")
}

#[test]
fn losses_count_declared_categories_that_no_row_has() {
    let loss = |levels: &str| {
        let folder = folder(
            "[[protect]]\nmethod = \"microaggregation\"\nk = 50\ndistance = \"sum\"",
            "order = \"input\"",
        );
        let text = folder.text("policy.toml");
        let text = text.replace("\"quasi\", type = \"number\"", "\"drop\"");
        let text = text.replace("\"quasi\", type = \"category\"", "\"drop\"");
        let folder = folder.file("policy.toml", text.replace("\"top\"]", levels));
        let three = survey().replace("top", "high");
        let folder = folder.file("survey.csv", three.replacen("middle", "low", 7));
        works(&folder, &["run", "policy.toml"]);
        let found = json(&folder, &COMPARE);
        let found = measures(&found).into_iter().find(|one| one.0 == "dbil");
        found.map(|(_, _, dbil)| dbil).expect("a loss")
    };
    let (four, eight) = (
        loss("\"top\"]"),
        loss("\"top\", \"a\", \"b\", \"c\", \"d\"]"),
    );
    // Twice as many levels are half the distance of any two of them.
    assert!(
        four > 0.0 && (four - 2.0 * eight).abs() < 1e-12,
        "{four} {eight}"
    );
}

/// The measures of a comparison: of the first file and of the second.
fn measures(found: &Value) -> Vec<(&str, f64, f64)> {
    let measures = found["measures"].as_array().expect("measures").iter();
    measures
        .map(|one| {
            let number = |key: &str| one[key].as_f64().expect("a number");
            (
                one["name"].as_str().expect("a name"),
                number("a"),
                number("b"),
            )
        })
        .collect()
}

#[test]
fn files_in_the_order_of_the_source_are_measured_as_the_report_does() {
    for protect in [
        "[[protect]]\nmethod = \"pram\"\np = 0.6\ncolumns = [\"grade\", \"town\"]",
        "[[protect]]\nmethod = \"noise\"\namount = 0.3",
        "[[protect]]\nmethod = \"microaggregation\"\nk = 3\nbuffer = 20\ndistance = \"sum\"",
        "[[protect]]\nmethod = \"resampling\"\nsamples = 1\ncolumns = [\"age\", \"grade\"]",
    ] {
        let order = if protect.contains("buffer") {
            ""
        } else {
            "order = \"input\""
        };
        let folder = folder(protect, order);
        works(&folder, &["run", "policy.toml"]);
        let found = json(&folder, &COMPARE);
        let report = folder.report();
        let told = report["pairs"]["measures"].as_array().expect("measures");
        let found = measures(&found);
        for name in [
            "dbil",
            "ctbil",
            "ebil",
            "il",
            "dr",
            "score_max",
            "record_linkage",
        ] {
            let (_, source, release) = found
                .iter()
                .find(|one| one.0 == name)
                .unwrap_or_else(|| panic!("{name} of {protect}"));
            let in_report = told.iter().find(|one| one["name"] == name);
            let in_report = in_report.and_then(|one| one["value"].as_f64());
            let in_report = in_report.expect("a value");
            // A report tells tenths of a percent.
            assert!(
                (release - in_report).abs() <= 0.000_51,
                "{name} of {protect}: {release} {in_report}"
            );
            if ["dbil", "ctbil"].contains(&name) {
                assert_eq!(*source, 0.0, "{name}");
            }
        }
    }
}

#[test]
fn of_rows_in_another_order_only_what_does_not_depend_on_it_is_told() {
    let protect = "[[protect]]\nmethod = \"rank-swapping\"\nwithin = 40";
    let folder = folder(protect, "");
    works(&folder, &["run", "policy.toml"]);
    let (_, hints) = works(&folder, &COMPARE[..5]);
    assert!(
        hints.contains("nobody can say which row became which"),
        "{hints}"
    );
    let found = json(&folder, &COMPARE);
    let names: Vec<&str> = measures(&found).iter().map(|one| one.0).collect();
    assert!(
        names.contains(&"ctbil") && names.contains(&"mean_discrepancy"),
        "{names:?}"
    );
    assert!(
        !names.contains(&"dbil") && !names.contains(&"record_linkage"),
        "{names:?}"
    );
    // Swapped columns have the values that they had.
    let ctbil = measures(&found).into_iter().find(|one| one.0 == "ctbil");
    let means = measures(&found)
        .into_iter()
        .find(|one| one.0 == "mean_discrepancy");
    assert!(ctbil.is_some_and(|one| one.2 > 0.0));
    assert!(means.is_some_and(|one| one.2.abs() < 1e-9));
}

#[test]
fn files_of_other_rows_and_of_mixtures_are_refused() {
    let noise = folder("[[protect]]\nmethod = \"noise\"", "order = \"input\"");
    works(&noise, &["run", "policy.toml"]);
    let short: String = noise
        .text("out/release.csv")
        .lines()
        .take(50)
        .fold(String::new(), |text, line| text + line + "\n");
    let noise = noise.file("out/release.csv", short);
    noise
        .moretta(&COMPARE)
        .fails(4, "it has 49 rows, and the source 120");
    let mixed = folder(
        "[[protect]]\nmethod = \"random-projection\"\ncolumns = [\"age\"]",
        "",
    );
    let mixed = mixed.file("out/release.csv", "x\n");
    mixed.moretta(&COMPARE).fails(3, "mixtures of columns");
}

#[test]
fn attacks_say_what_the_masked_columns_hold() {
    for (protect, told) in [
        (
            "method = \"pram\"\ncolumns = [\"grade\", \"town\"]",
            "pram: 2 masked columns (1 ordered category, 1 nominal category)",
        ),
        (
            "method = \"noise\"",
            "noise: 3 masked columns (1 number, 1 ordered category, 1 nominal category)",
        ),
        (
            "method = \"noise\"\ncolumns = [\"town\"]",
            "noise: 1 masked column (1 nominal category)",
        ),
        (
            "method = \"rank-swapping\"\ncolumns = [\"age\"]",
            "rank-swapping: 1 masked column (1 number)",
        ),
    ] {
        let folder = folder(&format!("[[protect]]\n{protect}"), "");
        let (text, _) = works(&folder, &["attack", "policy.toml"]);
        assert!(text.starts_with(told), "{text}");
    }
}

#[test]
fn asked_measures_are_printed_of_masked_tables_and_of_classes() {
    let asked = "[measure]\nreport = [\"dbil\", \"score_max\", \"entropy_loss\"]";
    let masked =
        format!("[[protect]]\nmethod = \"pram\"\ncolumns = [\"grade\", \"town\"]\n{asked}");
    let (text, _) = works(&folder(&masked, ""), &["run", "policy.toml"]);
    for name in ["dbil", "score_max", "entropy_loss"] {
        assert!(text.contains(&format!("\n  {name} ")), "{text}");
    }
    let classes = "[guarantee]\nk = 3\n[[protect]]\nmethod = \"mondrian\"\n\
                   [measure]\nreport = [\"discernibility\"]";
    let (text, _) = works(&folder(classes, ""), &["run", "policy.toml"]);
    assert!(text.contains("\n  discernibility "), "{text}");
}

/// Baskets of persons, of whom `shown` says whether the release tells them.
fn baskets(subject: &str, rows: &str) -> Folder {
    let text = format!(
        "version = 1\n[source]\npath = \"items.csv\"\n[columns]\n\
         who = {{ role = \"subject\"{subject} }}\n\
         item = {{ role = \"items\", hierarchy = {{ file = \"tree.csv\" }} }}\n\
         [guarantee]\nkm = {{ k = 2, m = 1 }}\n[[protect]]\nmethod = \"km-anonymity\"\n\
         [sink]\npath = \"out/release.csv\"\n"
    );
    let tree = "tea,hot,*\ncoffee,hot,*\nmilk,cold,*\nwater,cold,*\n";
    Folder::new()
        .policy(&text)
        .file("items.csv", format!("who,item\n{rows}"))
        .file("tree.csv", tree)
}

const BASKETS: &str = "a,tea\na,milk\nb,tea\nb,milk\nb,water\nc,coffee\nc,water\nd,coffee\ne,tea\n";

const KEPT: &str = ", action = \"pseudonym\", key = \"file:key.txt\"";

#[test]
fn who_knows_items_singles_persons_out() {
    let folder = baskets(KEPT, BASKETS).file("key.txt", "0123456789abcdef0123456789abcdef");
    works(&folder, &["run", "policy.toml"]);
    // Every single item is in two baskets or more, so that all of them leave as they are.
    assert_eq!(folder.text("out/release.csv").matches("tea").count(), 3);
    let of_file = [
        "attack",
        "out/release.csv",
        "--policy",
        "policy.toml",
        "--json",
    ];
    let ahead = ["attack", "policy.toml", "--json"];
    for arguments in [&of_file[..], &ahead] {
        let found = json(&folder, arguments);
        let known = &found["releases"][0]["known_items"];
        let counts = |m: usize| {
            let count = |key: &str| known[m - 1][key].as_u64().expect("a count");
            (
                count("persons"),
                count("singled_out"),
                count("below_k"),
                count("fewest"),
            )
        };
        assert_eq!(counts(1), (5, 0, 0, 2), "{arguments:?}");
        // b alone has milk and water, or tea and water; c alone has coffee and water.
        assert_eq!(counts(2), (5, 2, 2, 1));
        assert_eq!(counts(3), (5, 2, 2, 1));
    }
    let (text, _) = works(&folder, &of_file[..4]);
    assert!(
        text.contains("known items") && text.contains("up to 3"),
        "{text}"
    );
}

#[test]
fn where_persons_are_not_released_rows_are_counted_and_that_is_said() {
    let folder = baskets("", BASKETS);
    works(&folder, &["run", "policy.toml"]);
    let attack = ["attack", "out/release.csv", "--policy", "policy.toml"];
    let (_, hints) = works(&folder, &attack);
    assert!(
        hints.contains("does not tell whose the rows are"),
        "{hints}"
    );
}

/// Two rows of each of many persons.
fn visits(action: &str) -> Folder {
    let rows: String = (0..40)
        .map(|n| format!("p{},{},{}\n", n / 2, 20 + n / 8 * 8, ["x", "y"][n % 2]))
        .collect();
    let text = format!(
        "version = 1\n[source]\npath = \"visits.csv\"\n[columns]\n\
         who = {{ role = \"subject\"{action} }}\nage = {{ role = \"quasi\", type = \"number\" }}\n\
         ill = {{ role = \"sensitive\" }}\n[guarantee]\nk = 4\nl = 2\n[[protect]]\n\
         method = \"mondrian\"\n[sink]\npath = \"out/release.csv\"\n"
    );
    Folder::new()
        .policy(&text)
        .file("visits.csv", format!("who,age,ill\n{rows}"))
        .file("key.txt", "0123456789abcdef0123456789abcdef")
}

#[test]
fn verify_does_not_judge_persons_whom_a_file_does_not_tell() {
    let verify = ["verify", "out/release.csv", "--policy", "policy.toml"];
    let hidden = visits("");
    works(&hidden, &["run", "policy.toml"]);
    let (text, _) = works(&hidden, &verify);
    assert!(text.contains("counted in rows"), "{text}");
    assert!(text.contains("this neither proves nor refutes"), "{text}");
    assert!(
        text.ends_with("kept by rows; persons cannot be judged from this file\n"),
        "{text}"
    );
    let told = visits(KEPT);
    works(&told, &["run", "policy.toml"]);
    let (text, _) = works(&told, &verify);
    assert!(text.contains("counted in persons"), "{text}");
    assert!(text.ends_with("the guarantee is kept\n"), "{text}");
    let found = json(&hidden, &[&verify[..], &["--json"]].concat());
    assert_eq!(found["judges_persons"], false);
}
