//! A first policy for a file: sensible guesses, and a policy that loads again and runs.

mod support;

use moretta::data::Role;
use moretta::io::{Encoding, ReadOptions};
use moretta::pipeline::{self, Options, Progress};
use moretta::policy::{Policy, Proposal, Root, propose};
use std::path::Path;

/// Rows of the made-up tables.
const ROWS: usize = 200;

/// A column of made-up cells; `cell` gets the number of the row.
struct Made {
    name: &'static str,
    cell: fn(usize) -> String,
    role: Role,
    /// What the reason, or the line of the policy, must say.
    says: &'static str,
}

fn made(name: &'static str, cell: fn(usize) -> String, role: Role, says: &'static str) -> Made {
    Made {
        name,
        cell,
        role,
        says,
    }
}

fn luhn_digit(number: &str) -> u32 {
    let digits = number.chars().rev().filter_map(|c| c.to_digit(10));
    let sum: u32 = digits
        .enumerate()
        .map(|(i, digit)| match i % 2 {
            0 => digit * 2 / 10 + digit * 2 % 10,
            _ => digit,
        })
        .sum();
    (10 - sum % 10) % 10
}

fn card(row: usize) -> String {
    let number = format!("4000000000{row:05}");
    format!("{number}{}", luhn_digit(&number))
}

/// The check digits are what makes the remainder by 97 one.
fn iban(row: usize) -> String {
    let account = format!("37040044{row:010}");
    let remainder = |text: &str| {
        let digits = text.bytes().map(|b| u64::from(b - b'0'));
        digits.fold(0, |rest, digit| (rest * 10 + digit) % 97)
    };
    // D is 13 and E is 14.
    let check = 98 - remainder(&format!("{account}131400"));
    format!("DE{check:02}{account}")
}

fn dni(row: usize) -> String {
    let number = 10_000_000 + row * 7_919;
    let letter = char::from(b"TRWAGMYFPDXBNJZSQVHLCKE"[number % 23]);
    format!("{number}{letter}")
}

fn nir(row: usize) -> String {
    let number = 1_550_814_168_000_u64 + row as u64;
    format!("{number}{:02}", 97 - number % 97)
}

fn nth<'a>(list: &[&'a str], row: usize) -> &'a str {
    list[row % list.len()]
}

fn person(row: usize) -> String {
    let first = ["Ada", "Béla", "Carla", "Dov", "Emma", "Finn", "Gül"];
    let last = ["Rossi", "O'Neill", "García", "Meyer-Lund", "Silva"];
    let family = ["Bianchi", "Weiß", "Costa", "Novák", "Jansen", "Lee"];
    let (a, b) = (nth(&last, row / 7), nth(&family, row / 35));
    format!("{} {a} {b}", nth(&first, row))
}

fn note(row: usize) -> String {
    format!("Came in on day {row} with her sister, wants to be called back")
}

fn columns() -> Vec<Made> {
    use Role::{Class, Identifier, Quasi, Sensitive, Subject};
    vec![
        // By what the values are, under names that say nothing.
        made(
            "c1",
            |i| format!("p{i}@mail{}.example", i % 7),
            Identifier,
            "e-mail addresses",
        ),
        made(
            "c2",
            |i| format!("+49 170 {:07}", i * 31),
            Identifier,
            "phone numbers",
        ),
        made(
            "c3",
            |i| format!("(555) {:03}-{:04}", 100 + i, i * 17),
            Identifier,
            "phone numbers",
        ),
        made("c4", iban, Identifier, "IBANs"),
        made("c5", card, Identifier, "credit card numbers"),
        made("c6", dni, Identifier, "Spanish identity numbers"),
        made("c7", nir, Identifier, "French social security numbers"),
        made(
            "c8",
            |i| format!("{:03}-{:02}-{:04}", 100 + i, 1 + i % 90, 1 + i),
            Identifier,
            "American social",
        ),
        made(
            "c9",
            |i| format!("10.0.{}.{}", i / 100, i % 100),
            Identifier,
            "IP addresses",
        ),
        made("c10", person, Identifier, "names of persons"),
        made("c11", note, Identifier, "free text"),
        made(
            "c12",
            |i| format!("00:1b:44:11:3a:{:02x}", i),
            Identifier,
            "network devices",
        ),
        made(
            "c13",
            |i| format!("{i:08x}-e89b-12d3-a456-426614174000"),
            Identifier,
            "universal identifiers",
        ),
        made(
            "c14",
            |i| format!("QX{}-{}", i * 13 % 1000, i),
            Identifier,
            "another text",
        ),
        made(
            "c15",
            |i| (i + 1).to_string(),
            Identifier,
            "number the rows",
        ),
        made(
            "c16",
            |i| (4_000_000 + i * 7_901).to_string(),
            Identifier,
            "number the rows",
        ),
        // Dates, under names that say nothing.
        made(
            "d1",
            |i| format!("19{}-0{}-1{}", 50 + i % 49, 1 + i % 9, i % 9),
            Quasi,
            "hierarchy = { dates =",
        ),
        made(
            "d2",
            |i| format!("{:02}/{:02}/19{}", 1 + i % 28, 1 + i % 12, 50 + i % 49),
            Quasi,
            "%d/%m/%Y",
        ),
        made(
            "d3",
            |i| format!("{:02}/{:02}/19{}", 1 + i % 12, 1 + i % 28, 50 + i % 49),
            Quasi,
            "%m/%d/%Y",
        ),
        made(
            "d4",
            |i| format!("{}.{}.19{}", 1 + i % 28, 1 + i % 12, 50 + i % 49),
            Quasi,
            "%d.%m.%Y",
        ),
        made(
            "d5",
            |i| format!("{:02}.{:02}.{:02}", 1 + i % 28, 1 + i % 12, 70 + i % 29),
            Quasi,
            "1969 to 2068",
        ),
        made(
            "d6",
            |i| format!("2024-0{}-1{} {:02}:30", 1 + i % 9, i % 9, i % 24),
            Quasi,
            "the time of day is left out",
        ),
        made(
            "d7",
            |i| format!("{:02}/{:02}/2024", 1 + i % 12, 1 + i % 11),
            Quasi,
            "the values fit both",
        ),
        // By what the name says.
        made(
            "Vorname",
            |i| nth(&["Ada", "Bo", "Carl"], i).to_owned(),
            Identifier,
            "`vorname`",
        ),
        made(
            "Adresse e-mail",
            |i| nth(&["x", "y", "z"], i).to_owned(),
            Identifier,
            "`adresse`",
        ),
        made(
            "Codice Fiscale",
            |i| nth(&["x", "y", "z"], i).to_owned(),
            Identifier,
            "`codicefiscale`",
        ),
        made(
            "Teléfono",
            |i| nth(&["1", "2", "3"], i).to_owned(),
            Identifier,
            "`telefono`",
        ),
        made(
            "Diagnóstico",
            |i| nth(&["flu", "cold", "gout"], i).to_owned(),
            Sensitive,
            "`diagnostico`",
        ),
        made(
            "Gehalt",
            |i| (2_000 + i * 37 % 900).to_string(),
            Sensitive,
            "`gehalt`",
        ),
        made(
            "target",
            |i| nth(&["yes", "no"], i).to_owned(),
            Class,
            "`target`",
        ),
        made(
            "Geschlecht",
            |i| nth(&["m", "w"], i).to_owned(),
            Quasi,
            "`geschlecht`",
        ),
        made(
            "code postal",
            |i| (10_000 + i * 37 % 900).to_string(),
            Quasi,
            "hierarchy = { mask =",
        ),
        made(
            "Data di nascita",
            |i| format!("{:02}/{:02}/19{}", 13 + i % 15, 1 + i % 12, 50 + i % 49),
            Quasi,
            "`nascita`",
        ),
        made("patient_age", |i| (20 + i % 60).to_string(), Quasi, "`age`"),
        // Persons: one subject alone, however many there could be.
        made(
            "patient_id",
            |i| format!("P{}", i / 2),
            Subject,
            "values repeat",
        ),
        made(
            "c17",
            |i| format!("{}-{}", nth(&["b", "c", "d"], i / 2), i / 2),
            Identifier,
            "nearly every person has another text",
        ),
        made(
            "customer",
            |i| format!("C{}", i / 4),
            Identifier,
            "one column alone is the subject",
        ),
        made(
            "id",
            |i| format!("I{}", i / 3),
            Identifier,
            "one column alone is the subject",
        ),
        // What nobody knows is protected.
        made(
            "c20",
            |i| nth(&["red", "green", "blue"], i).to_owned(),
            Quasi,
            "unsure",
        ),
        made(
            "c21",
            |i| format!("{}.{}", i * 7 % 90, i % 10),
            Quasi,
            "unsure",
        ),
    ]
}

fn write_csv(path: &Path, columns: &[Made], delimiter: char) {
    let line = |cells: Vec<String>| cells.join(&delimiter.to_string()) + "\n";
    let mut text = line(columns.iter().map(|c| c.name.to_owned()).collect());
    for row in 0..ROWS {
        let cells = columns.iter().map(|c| format!("\"{}\"", (c.cell)(row)));
        text.push_str(&line(cells.collect()));
    }
    std::fs::write(path, text).expect("written");
}

/// The policy that the proposal writes, loaded and held against the data.
fn loaded(proposal: &Proposal, data: &Path) -> (Policy, String) {
    let name = data.file_name().expect("a name").to_string_lossy();
    let text = proposal.text(&name, "release");
    let place = data.with_extension("toml");
    std::fs::write(&place, &text).expect("written");
    let root = Root::of_policy(&place, None).expect("a folder");
    let policy = Policy::load(&place, &root).unwrap_or_else(|e| panic!("{e}\n{text}"));
    pipeline::check(&policy).unwrap_or_else(|e| panic!("{e}\n{text}"));
    (policy, text)
}

fn run(policy: &Policy, text: &str) -> pipeline::Report {
    let options = Options {
        command: String::new(),
        date: None,
        force: false,
        strict: true,
        render: &|_| String::new(),
        progress: &Progress::default(),
    };
    let outcome = pipeline::run(policy, &options);
    outcome
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
        .report
}

#[test]
fn columns_of_many_kinds_are_guessed_and_none_that_names_persons_is_released() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("made.csv");
    let columns = columns();
    write_csv(&data, &columns, ',');
    let proposal = propose(&data, &ReadOptions::default()).expect("guessed");
    let (policy, text) = loaded(&proposal, &data);
    for (guess, made) in proposal.columns.iter().zip(&columns) {
        assert_eq!(guess.role, made.role, "{}: {}", made.name, guess.why);
        let key = |line: &&str| {
            let rest = line.trim_start_matches('"').strip_prefix(made.name);
            rest.is_some_and(|rest| rest.starts_with([' ', '"']))
        };
        let lines = text.lines().filter(key);
        let line = lines
            .max_by_key(|line| line.len())
            .expect("a line of the policy");
        assert!(line.contains(made.says), "{line}");
        assert!(line.contains(&guess.why), "the reason is kept: {line}");
    }
    assert!(!proposal.stream);
    let report = run(&policy, &text);
    assert!(report.verdict.passed);
    let release = std::fs::read_to_string(folder.path().join("out/release.csv")).expect("released");
    for made in columns
        .iter()
        .filter(|made| matches!(made.role, Role::Identifier | Role::Subject))
    {
        for cell in (0..ROWS).map(made.cell).filter(|cell| cell.len() > 7) {
            assert!(
                !release.contains(&cell),
                "a value of {} is released",
                made.name
            );
        }
    }
}

#[test]
fn plan_run_and_report_warn_of_quasi_identifiers_with_one_value_per_person() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("mails.csv");
    let mut text = "person,mail,zip,age\n".to_owned();
    for row in 0..ROWS {
        let person = row / 2;
        text.push_str(&format!(
            "{person},p{person}@example.org,{:05},{}\n",
            row * 97,
            row % 50
        ));
    }
    std::fs::write(&data, text).expect("written");
    let policy = |mail: &str| {
        let text = format!(
            "version = 1\n[source]\npath = \"mails.csv\"\n[columns]\nperson = {{ role = \"subject\" }}\n\
             mail = {{ role = \"quasi\"{mail} }}\nage = {{ role = \"quasi\" }}\n\
             zip = {{ role = \"quasi\", type = \"category\", hierarchy = {{ mask = \"right\" }} }}\n\
             [guarantee]\nk = 5\n[[protect]]\nmethod = \"mondrian\"\n[sink]\npath = \"out.csv\"\n"
        );
        let place = folder.path().join("policy.toml");
        Policy::parse(&text, &Root::of_policy(&place, None).expect("a folder")).expect("a policy")
    };
    let told = |warnings: &[String]| {
        let of_persons = |warning: &&String| warning.starts_with("nearly every person has");
        warnings.iter().find(of_persons).cloned()
    };
    let open = policy("");
    let plan = pipeline::plan(&open, &Progress::default()).expect("planned");
    let warning = told(&plan.warnings).expect("plan warns");
    assert!(warning.contains("name persons: `mail`;"), "{warning}");
    let report = run(&open, "");
    assert_eq!(
        told(&report.warnings),
        Some(warning),
        "run and report say the same"
    );
    let masked = policy(", hierarchy = { mask = \"right\" }");
    let plan = pipeline::plan(&masked, &Progress::default()).expect("planned");
    assert_eq!(told(&plan.warnings), None, "a hierarchy makes it coarser");
}

#[test]
fn small_tables_are_guessed_as_well() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("small.csv");
    std::fs::write(
        &data,
        "contact,born,town\nada@example.org,3/14/1985,Rome\nbo@example.org,12/2/1990,Oslo\n",
    )
    .expect("written");
    let proposal = propose(&data, &ReadOptions::default()).expect("guessed");
    let roles: Vec<Role> = proposal.columns.iter().map(|guess| guess.role).collect();
    assert_eq!(roles, [Role::Identifier, Role::Quasi, Role::Quasi]);
    let (_, text) = loaded(&proposal, &data);
    assert!(text.contains("%m/%d/%Y"), "{text}");
}

#[test]
fn what_init_was_told_of_the_file_reaches_the_policy() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("latin.txt");
    std::fs::write(&data, b"age|city\n30|'M\xfcn|chen'\n40|'K\xf6ln'\n").expect("written");
    let options = ReadOptions {
        delimiter: Some(b'|'),
        quote: b'\'',
        encoding: Encoding::Latin1,
        ..ReadOptions::default()
    };
    let proposal = propose(&data, &options).expect("guessed");
    let (policy, _) = loaded(&proposal, &data);
    assert_eq!(policy.source.options.delimiter, Some(b'|'));
    assert_eq!(policy.source.options.quote, b'\'');
    assert_eq!(policy.source.options.encoding, Encoding::Latin1);
}

#[test]
fn events_of_persons_over_time_become_a_stream() {
    let columns = [
        made(
            "when",
            |i| format!("2024-05-01T{:02}:{:02}:00Z", i / 60, i % 60),
            Role::Time,
            "times of events",
        ),
        made(
            "user",
            |i| format!("u{}", i % 40),
            Role::Subject,
            "action = \"drop\"",
        ),
        made(
            "page",
            |i| format!("shop/{}/{}", i % 2, i % 4),
            Role::Quasi,
            "hierarchy = { path = \"/\" }",
        ),
        made(
            "amount",
            |i| (i * 7 % 90).to_string(),
            Role::Quasi,
            "intervals",
        ),
        made(
            "diagnosis",
            |i| nth(&["flu", "cold"], i).to_owned(),
            Role::Quasi,
            "only when z persons share it",
        ),
        made(
            "mail",
            |i| format!("u{}@example.org", i % 40),
            Role::Identifier,
            "e-mail addresses",
        ),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("events.csv");
    write_csv(&data, &columns, ',');
    let proposal = propose(&data, &ReadOptions::default()).expect("guessed");
    assert!(proposal.stream);
    let (policy, text) = loaded(&proposal, &data);
    for (guess, made) in proposal.columns.iter().zip(&columns) {
        assert_eq!(guess.role, made.role, "{}: {}", made.name, guess.why);
        let line = text
            .lines()
            .find(|line| line.starts_with(made.name))
            .expect("a line");
        assert!(line.contains(made.says), "{line}");
    }
    run(&policy, &text);
    let release = std::fs::read_to_string(folder.path().join("out/release.csv")).expect("released");
    assert!(release.lines().count() > ROWS / 2, "{release}");
    assert!(!release.contains("u1"), "persons are not released");
}

#[test]
fn the_first_policy_for_adult_is_sensible_loads_again_and_runs() {
    let Some(shared) = support::shared("adult-uci") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("adult.csv");
    std::fs::copy(shared.join("adult-uci.csv"), &data).expect("copied");
    let proposal = propose(&data, &ReadOptions::default()).expect("guessed");
    assert_eq!(proposal.missing, ["?"]);
    assert_eq!(proposal.columns.len(), 15);
    for guess in &proposal.columns {
        // Nothing here names a person, and whatever an outsider could know is protected.
        let expected = match guess.name.as_str() {
            "salary-class" => Role::Sensitive,
            _ => Role::Quasi,
        };
        assert_eq!(guess.role, expected, "{}", guess.name);
    }
    let (policy, text) = loaded(&proposal, &data);
    let report = run(&policy, &text);
    assert!(report.verdict.passed);
    assert_eq!(report.verdict.truthful, Some(true));
    assert_eq!((report.rows.read, report.rows.released), (32_561, 32_561));
    assert!(
        report.rows.classes_after > 1_000,
        "{}",
        report.rows.classes_after
    );
    let release = std::fs::read_to_string(folder.path().join("out/release.csv"));
    assert_eq!(release.expect("a release").lines().count(), 32_562);
}

/// The set and file of a real table, roles that must be found in it, and whether it is a
/// stream; any other column is a quasi-identifier.
type Real = (
    &'static str,
    &'static str,
    &'static [(&'static str, Role)],
    bool,
);

#[test]
fn first_policies_for_other_real_tables_are_sensible() {
    let tables: &[Real] = &[
        (
            "adult",
            "adult.csv",
            &[("salary-class", Role::Sensitive)],
            false,
        ),
        ("german", "german.csv", &[("class", Role::Class)], false),
        (
            "electricity",
            "electricity.csv",
            &[("class", Role::Class)],
            false,
        ),
        (
            "zstreams",
            "ecommerce-100k.csv.gz",
            &[("t", Role::Time), ("user", Role::Subject)],
            true,
        ),
        (
            "zstreams",
            "domains-100k.csv.gz",
            &[("t", Role::Time), ("user", Role::Subject)],
            true,
        ),
        (
            "zstreams",
            "positions-100k.csv.gz",
            &[("t", Role::Time), ("user", Role::Subject)],
            true,
        ),
        (
            "appliances-energy-part",
            "appliances-energy-part.csv",
            &[],
            false,
        ),
        ("census", "census.csv", &[], false),
        (
            "tarragona",
            "tarragona.csv",
            &[
                ("SHORT.TERM.DEBT", Role::Sensitive),
                ("LABOR.COSTS", Role::Quasi),
            ],
            false,
        ),
    ];
    for (set, file, expected, stream) in tables {
        let Some(shared) = support::shared(set) else {
            continue;
        };
        let folder = tempfile::tempdir().expect("a folder");
        let data = folder.path().join(file);
        std::fs::copy(shared.join(file), &data).expect("copied");
        let proposal = propose(&data, &ReadOptions::default()).expect("guessed");
        assert_eq!(proposal.stream, *stream, "{file}");
        for guess in &proposal.columns {
            let known = expected.iter().find(|(name, _)| *name == guess.name);
            let role = known.map_or(Role::Quasi, |(_, role)| *role);
            assert_eq!(guess.role, role, "{file} {}: {}", guess.name, guess.why);
        }
        let (_, text) = loaded(&proposal, &data);
        if *file == "appliances-energy-part.csv" {
            assert!(text.contains("%d/%m/%Y"), "{text}");
        }
        if *stream {
            assert!(text.contains("hierarchy = { path = \"*\" }"), "{text}");
        }
    }
}
