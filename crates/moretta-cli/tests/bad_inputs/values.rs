//! 23 to 37: values.

use crate::support::{CANARY, CANARY_NUMBER, Folder, Table, policy_with, replaced};

const AGE: &str = "age       = { role = \"quasi\" }";
const ZIP: &str =
    "zip       = { role = \"quasi\", type = \"category\", hierarchy = { mask = \"right\" } }";

/// A policy whose ages are declared.
fn declaring(kind: &str) -> String {
    policy_with(
        AGE,
        &format!("age = {{ role = \"quasi\", type = \"{kind}\" }}"),
    )
}

#[test]
fn case_23_not_a_number() {
    for cell in ["NaN", "nan", "-NaN"] {
        Folder::with_table(&Table::of(30).with(9, "age", cell))
            .policy(&declaring("number"))
            .run()
            .fails(
                4,
                "admissions.csv: line 9: column `age`: not a finite number",
            );
    }
}

#[test]
fn case_24_infinity() {
    for cell in ["Infinity", "-inf", "inf"] {
        for kind in ["number", "integer"] {
            Folder::with_table(&Table::of(30).with(9, "age", cell))
                .policy(&declaring(kind))
                .run()
                .fails(
                    4,
                    "admissions.csv: line 9: column `age`: not a finite number",
                );
        }
    }
}

#[test]
fn case_25_too_large_for_a_float_and_minus_zero() {
    for policy in [declaring("number"), crate::support::POLICY.to_owned()] {
        Folder::with_table(&Table::of(30).with(9, "age", "1e400"))
            .policy(&policy)
            .run()
            .fails(
                4,
                "admissions.csv: line 9: column `age`: not a finite number",
            );
    }
    let zeros = Table::of(30).with_each("age", |i| ["0", "-0.0"][i % 2].to_owned());
    let folder = Folder::with_table(&zeros).policy(&declaring("number"));
    folder.run().succeeds();
    let text = folder.text("out/release.csv");
    assert!(
        text.lines().skip(1).all(|line| line.starts_with("0,")),
        "{text}"
    );
}

#[test]
fn case_26_whole_numbers_that_overflow() {
    for (cell, what) in [
        ("9223372036854775808", "a whole number beyond 64 bits"),
        ("-9223372036854775809", "a whole number beyond 64 bits"),
        (
            "9182736450000000001",
            "a whole number beyond 2^53 cannot be held exactly",
        ),
    ] {
        Folder::with_table(&Table::of(30).with(9, "age", cell))
            .policy(&declaring("integer"))
            .run()
            .fails(4, &format!("line 9: column `age`: {what}"))
            .hides(cell);
    }
}

#[test]
fn case_27_dates_that_do_not_exist_or_of_two_formats() {
    for cell in ["2026-02-30", "2024-13-01", "03.02.2024"] {
        Folder::with_table(&Table::of(30).with(9, "admission", cell))
            .run()
            .fails(
                4,
                "line 9: column `admission`: not a date of the form %Y-%m-%d that exists",
            )
            .hides(cell);
    }
}

#[test]
fn case_28_text_in_a_column_of_whole_numbers() {
    let table = Table::of(30_162)
        .with(77, "age", CANARY)
        .with(9_000, "age", CANARY)
        .with(30_163, "age", CANARY);
    Folder::with_table(&table)
        .policy(&declaring("integer"))
        .run()
        .fails(
            4,
            "line 77: column `age`: 3 of 30,162 rows are not numbers; first line 77",
        );
}

#[test]
fn case_29_a_quasi_identifier_that_is_all_missing() {
    let folder = Folder::with_table(&Table::of(30).with_all("zip", ""));
    folder
        .run()
        .succeeds()
        .warns("all cells are missing: `zip`");
    let all_missing = Table::of(30)
        .with_all("zip", "")
        .with_all("age", "")
        .with_all("sex", "")
        .with_all("admission", "");
    let folder = Folder::with_table(&all_missing);
    folder.run().succeeds();
    assert_eq!(folder.report()["rows"]["classes_after"], 1);
}

#[test]
fn case_30_a_missing_quasi_identifier_is_a_category_of_its_own() {
    let same = Table::of(30)
        .with_all("age", "40")
        .with_all("sex", "f")
        .with_all("admission", "2024-01-01");
    let generalize = replaced(
        &policy_with(
            "method = \"mondrian\"",
            "method = \"generalization\"\nsuppress = 0.2",
        ),
        ZIP,
        "zip = { role = \"quasi\", type = \"category\" }",
    );
    // Six missing cells make a class, four are too few for k and equal nothing else.
    for (missing, released, classes) in [(6, 30, 2), (4, 26, 1)] {
        let table = same.clone().with_each("zip", |i| match i < missing {
            true => String::new(),
            false => "4040".to_owned(),
        });
        let folder = Folder::with_table(&table).policy(&generalize);
        let ran = folder.run();
        ran.succeeds();
        // What suppressed rows lacked is not told.
        match classes {
            1 => assert!(!folder.report()["warnings"].to_string().contains("missing")),
            _ => {
                ran.warns(
                    "missing cells count as a value of their own, equal only to missing: `zip`",
                );
            }
        }
        let rows = &folder.report()["rows"];
        assert_eq!(rows["released"], released);
        assert_eq!(rows["classes_after"], classes);
    }
}

#[test]
fn case_31_a_missing_person() {
    Folder::with_table(&Table::of(30).with(9, "patient", ""))
        .run()
        .fails(4, "line 9: column `patient`: the person is missing");
}

#[test]
fn case_32_one_person_with_many_rows_counts_once() {
    let table = Table::of(30).with_each("patient", |i| match i < 12 {
        true => CANARY_NUMBER.to_owned(),
        false => format!("{CANARY_NUMBER}{i}"),
    });
    let folder = Folder::with_table(&table);
    folder
        .run()
        .succeeds()
        .warns("one person has 40 % of the rows; it counts once in every class");
    let one_class = Table::of(6).with_each("patient", |i| format!("{CANARY_NUMBER}{}", i.max(2)));
    Folder::with_table(&one_class)
        .run()
        .fails(1, "4 persons; k=5 needs at least 5 persons");
}

#[test]
fn case_33_all_rows_are_identical() {
    let table = Table::of(30)
        .with_all("age", "40")
        .with_all("sex", "f")
        .with_all("zip", "4040")
        .with_all("admission", "2024-01-01")
        .with_all("diagnosis", "burn");
    let folder = Folder::with_table(&table);
    folder.run().succeeds();
    assert_eq!(folder.report()["rows"]["classes_after"], 1);
    let text = folder.text("out/release.csv");
    assert!(
        text.lines()
            .skip(1)
            .all(|line| line.starts_with("40,f,4040,2024-01-01,burn,")),
        "{text}"
    );
}

#[test]
fn case_34_all_rows_are_distinct_and_there_is_no_hierarchy() {
    let policy = policy_with(
        "method = \"mondrian\"",
        "method = \"generalization\"\nsuppress = 0.05",
    );
    let table = Table::of(100).with_each("zip", |i| format!("{CANARY}-{i}"));
    Folder::with_table(&table)
        .policy(&replaced(
            &policy,
            ZIP,
            "zip = { role = \"quasi\", type = \"category\" }",
        ))
        .run()
        .fails(1, "k=5 not reachable within 5 % suppression; best 100 %");
}

#[test]
fn case_35_formulas_are_escaped_and_counted() {
    let formula = "=cmd|' /C calc'!A0";
    let table = Table::of(30)
        .with(4, "cost", formula)
        .with(5, "cost", "@SUM(A1)")
        .with(6, "cost", "-5")
        .with(7, "cost", "+1+2");
    let folder = Folder::with_table(&table);
    folder.run().succeeds();
    let text = folder.text("out/release.csv");
    assert!(
        text.contains(&format!("'{formula}")) && text.contains("'@SUM(A1)"),
        "{text}"
    );
    assert!(
        text.contains(",-5\n") && text.contains(",'+1+2\n"),
        "{text}"
    );
    assert_eq!(folder.report()["rows"]["escaped"], 3);
}

#[test]
fn case_36_too_many_distinct_values() {
    let distinct = Table::of(30).with_each("zip", |i| format!("{CANARY}-{i}"));
    let limited = "\"admissions.csv\"\nlimits = { categories = 29 }";
    Folder::with_table(&distinct)
        .policy(&policy_with("\"admissions.csv\"", limited))
        .run()
        .fails(
            4,
            "admissions.csv: column `zip`: more than 29 distinct values",
        );
    let mut text = String::from("zip\n");
    for i in 0..=1_000_000 {
        text.push_str(&format!("{CANARY}{i}\n"));
    }
    let policy = "version = 1\n[source]\npath = \"admissions.csv\"\n\
        [columns]\nzip = { role = \"quasi\" }\n[guarantee]\nk = 5\n\
        [[protect]]\nmethod = \"mondrian\"\n[sink]\npath = \"out/release.csv\"\n";
    Folder::new().data(text).policy(policy).run().fails(
        4,
        "admissions.csv: column `zip`: more than 1,000,000 distinct values",
    );
}

#[test]
fn case_37_look_alikes_of_the_values_of_a_hierarchy() {
    let policy = policy_with(
        ZIP,
        "zip = { role = \"quasi\", hierarchy = { file = \"zip.csv\" } }",
    );
    let table = Table::of(30).with_all("zip", "caf\u{e9} canary");
    for near in [
        "cafe\u{301} canary",
        "caf\u{e9} canary ",
        "caf\u{e9}\u{a0}canary",
        "Caf\u{e9} canary",
    ] {
        Folder::with_table(&table.clone().with(9, "zip", near))
            .file("zip.csv", "caf\u{e9} canary;*\n")
            .policy(&policy)
            .run()
            .fails(4, "column `zip`: 1 value differs from hierarchy zip.csv only in spaces, letter case or Unicode form")
            .hides("canary");
    }
}
