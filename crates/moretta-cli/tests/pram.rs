//! PRAM from the policy to the published matrix and the estimates that it allows.

mod support;

use serde_json::Value;
use support::Folder;

/// 900 persons: 600 of the north, 210 of the south, 90 of the east; votes go with regions.
fn table() -> String {
    let row = |i: usize| {
        let region = match i % 30 {
            0..20 => "north",
            20..27 => "south",
            _ => "east",
        };
        let vote = if (i / 30 + i % 30).is_multiple_of(3) {
            "yes"
        } else {
            "no"
        };
        format!("{i},{region},{vote}\n")
    };
    let rows: String = (0..900).map(row).collect();
    format!("n,region,vote\n{rows}")
}

fn policy(method: &str, sink: &str) -> String {
    format!(
        "version = 1\nseed = 11\n[source]\npath = \"data.csv\"\n[columns]\nn = {{ role = \"drop\" }}\n\
         region = {{ role = \"quasi\" }}\nvote = {{ role = \"quasi\" }}\n\
         [[protect]]\nmethod = \"pram\"\n{method}\n[sink]\npath = \"out/release.csv\"\n{sink}\n\
         [report]\npath = \"out/report.json\"\n"
    )
}

fn folder(method: &str, sink: &str) -> Folder {
    let folder = Folder::new().file("data.csv", table());
    folder.file("policy.toml", policy(method, sink))
}

const PUBLISHED: &str = "matrices = \"out/matrices.json\"";
const COMPARE: [&str; 6] = [
    "compare",
    "data.csv",
    "out/release.csv",
    "--policy",
    "policy.toml",
    "--json",
];

/// What a command prints that must end well.
fn works(folder: &Folder, arguments: &[&str]) -> String {
    let ran = folder.moretta(arguments);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    ran.stdout.clone()
}

fn compared(folder: &Folder) -> Value {
    serde_json::from_str(&works(folder, &COMPARE)).expect("JSON")
}

#[test]
fn a_published_matrix_gives_the_original_frequencies_back() {
    for method in [
        "p = 0.7",
        "design = \"equal-counts\"\ntheta = 0.8",
        "design = \"random-diagonal\"\np = 0.6\nalpha = 0.5",
        "matrices = [{ columns = [\"region\"], categories = [\"east\", \"north\", \"south\"], counts = [9, 60, 21] }]\ncolumns = [\"region\", \"vote\"]",
    ] {
        let folder = folder(method, PUBLISHED);
        works(&folder, &["run", "policy.toml"]);
        let found = compared(&folder);
        let tables = found["estimates"].as_array().expect("tables");
        assert_eq!(tables.len(), 3, "{method}");
        assert_eq!(tables[2]["columns"], serde_json::json!(["region", "vote"]));
        for table in tables {
            for row in table["rows"].as_array().expect("rows") {
                let number = |value: &Value| value.as_f64().expect("a number");
                let original = number(&row["a"]["count"]);
                assert_eq!(row["a"]["estimate"], Value::Null, "{row}");
                let estimate = number(&row["b"]["estimate"]);
                let error = number(&row["b"]["standard_error"]);
                assert!(
                    (estimate - original).abs() < 4.0 * error + 1e-9,
                    "{method}: {row}"
                );
            }
        }
        let text = works(&folder, &COMPARE[..5]);
        assert!(
            text.contains("estimated original") && text.contains(" ± "),
            "{text}"
        );
    }
}

#[test]
fn nothing_is_published_unless_the_policy_says_so() {
    let folder = folder("p = 0.7", "");
    works(&folder, &["run", "policy.toml"]);
    assert!(!folder.path("out/matrices.json").exists());
    let report = folder.text("out/report.json");
    assert!(!report.contains("\"matrix\""), "{report}");
    let notes = compared(&folder)["notes"].to_string();
    assert!(notes.contains("no transition matrix is known"), "{notes}");
}

#[test]
fn a_matrix_that_follows_from_the_policy_alone_need_not_be_published() {
    let method = "matrices = [{ columns = [\"vote\"], categories = [\"no\", \"yes\"], rows = [[0.9, 0.1], [0.2, 0.8]] }]\nbuffer = 1";
    let folder = folder(method, "");
    works(&folder, &["run", "policy.toml"]);
    let found = compared(&folder);
    assert_eq!(found["estimates"].as_array().map(Vec::len), Some(1));
    let epsilon = found["estimates"][0]["epsilon"].as_f64().expect("finite");
    assert!((epsilon - 8.0_f64.ln()).abs() < 1e-9, "{epsilon}");
}

#[test]
fn a_matrix_that_tells_a_small_count_is_not_published_and_nothing_else_is() {
    let rare = table().replacen("north", "island", 4);
    let folder = folder("p = 0.7", PUBLISHED).file("data.csv", rare);
    folder
        .moretta(&["run", "policy.toml"])
        .fails(1, "at most 10 rows")
        .hides("island");
    assert!(!folder.path("out").exists());
}

#[test]
fn matrices_are_only_published_where_there_are_any() {
    let swapped = policy("", PUBLISHED).replace("\"pram\"", "\"rank-swapping\"");
    let folder = Folder::new().file("data.csv", table());
    let folder = folder.file("policy.toml", swapped);
    folder
        .moretta(&["run", "policy.toml"])
        .fails(3, "is for pram");
    let folder = folder.file("policy.toml", policy("p = 0.5", "matrices = \"data.csv\""));
    folder
        .moretta(&["run", "policy.toml"])
        .fails(2, "is an input");
}

#[test]
fn a_matrix_with_no_inverse_estimates_nothing_and_says_why() {
    let folder = folder("p = 0.5\ncolumns = [\"vote\"]", PUBLISHED);
    works(&folder, &["run", "policy.toml"]);
    folder.moretta(&COMPARE).fails(4, "has no inverse");
}

#[test]
fn a_matrix_in_a_file_is_read_with_its_labels() {
    let method = "matrices = [{ columns = [\"vote\"], file = \"vote.csv\" }]";
    let good = "vote,no,yes\nno,0.9,0.1\nyes,0.2,0.8\n";
    let folder = folder(method, "").file("vote.csv", good);
    works(&folder, &["run", "policy.toml"]);
    assert_eq!(
        compared(&folder)["estimates"].as_array().map(Vec::len),
        Some(1)
    );
    let folder = folder.file("vote.csv", "vote,no,yes\nno,0.9,0.2\nyes,0.2,0.8\n");
    folder
        .moretta(&["check", "policy.toml"])
        .fails(3, "row 1 of the matrix adds up to 1.1");
    let outside = policy(
        "matrices = [{ columns = [\"vote\"], file = \"../vote.csv\" }]",
        "",
    );
    let folder = folder.file("policy.toml", outside);
    folder
        .moretta(&["check", "policy.toml"])
        .fails(3, "outside the policy's folder");
}

#[test]
fn a_release_of_another_matrix_is_not_counted_back() {
    let folder = folder("p = 0.7", PUBLISHED);
    works(&folder, &["run", "policy.toml"]);
    let release = folder.text("out/release.csv").replace("south", "west");
    let folder = folder.file("out/release.csv", release);
    folder
        .moretta(&COMPARE)
        .fails(4, "a category that the matrix does not know")
        .hides("west");
}

#[test]
fn a_matrix_that_may_tell_of_few_persons_is_not_published() {
    for named in [
        "role = \"subject\"",
        "role = \"identifier\", action = \"pseudonym\", key = \"file:key\"",
        "role = \"key\", action = \"pseudonym\", key = \"file:key\"",
    ] {
        let policy = policy("p = 0.7", PUBLISHED);
        let policy = policy.replace("n = { role = \"drop\" }", &format!("n = {{ {named} }}"));
        let folder = Folder::new()
            .file("data.csv", table())
            .file("key", "0123456789abcdef0123456789abcdef")
            .file("policy.toml", policy);
        let ran = folder.moretta(&["run", "policy.toml"]);
        assert_eq!(ran.code, Some(1), "{named}: {}", ran.stderr);
        assert!(ran.stderr.contains("few persons"), "{}", ran.stderr);
        assert!(!folder.path("out/release.csv").exists());
        assert!(!folder.path("out/matrices.json").exists());
    }
}

#[test]
fn a_matrix_that_exchanges_categories_or_leaves_them_is_warned_of() {
    for (rows, expected) in [
        (
            "[[0.1, 0.9], [0.9, 0.1]]",
            "turns most rows of a category into one other",
        ),
        (
            "[[1.0, 0.0], [0.0, 1.0]]",
            "nearly all categories of column `vote` left as they were",
        ),
    ] {
        let method = format!(
            "columns = [\"vote\"]\nmatrices = [{{ columns = [\"vote\"], categories = [\"no\", \"yes\"], rows = {rows} }}]"
        );
        for buffer in ["", "\nbuffer = 5"] {
            let folder = folder(&(method.clone() + buffer), "");
            let ran = folder.moretta(&["run", "policy.toml"]);
            assert!(
                ran.stderr.contains(expected),
                "{rows}{buffer}: {}",
                ran.stderr
            );
            let about_linkage = "figures of linkage are about masked columns alone";
            assert!(ran.stderr.contains(about_linkage), "{}", ran.stderr);
        }
    }
}

#[test]
fn columns_that_are_merged_first_are_not_counted_back() {
    let text = policy("p = 0.7", PUBLISHED).replace(
        "[[protect]]\nmethod = \"pram\"",
        "[[protect]]\nmethod = \"merging\"\nrare = { region = 2 }\n[[protect]]\nmethod = \"pram\"",
    );
    let folder = Folder::new()
        .file("data.csv", table())
        .file("policy.toml", text);
    works(&folder, &["run", "policy.toml"]);
    let found = compared(&folder);
    assert_eq!(found["estimates"].as_array().map(Vec::len), Some(1));
    assert!(
        found["notes"]
            .to_string()
            .contains("another method changes `region`")
    );
}

#[test]
fn a_column_is_changed_once() {
    let twice = "p = 0.7\n[[protect]]\nmethod = \"pram\"\np = 0.5\ncolumns = [\"vote\"]";
    let folder = folder(twice, "");
    let ran = folder.moretta(&["check", "policy.toml"]);
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("pram changes `vote` twice"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_table_without_rows_has_no_matrix_to_publish() {
    let folder = folder("p = 0.7", PUBLISHED).file("data.csv", "n,region,vote\n");
    let ran = folder.moretta(&["run", "policy.toml"]);
    assert_eq!(ran.code, Some(4), "{}", ran.stderr);
    assert!(!folder.path("out/release.csv").exists());
}
