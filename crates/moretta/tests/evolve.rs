//! Whole searches for protected files, run by the library: what is released, what it rests on, and
//! what is refused.

mod support;

use moretta::optimize::evolution::TradeOff;
use moretta::pipeline::report::{EvolutionFacts, TradeOffFact};
use moretta::pipeline::{self, Evolved, Options, Progress, Wish};
use moretta::policy::{Policy, Root};
use moretta::{Error, Result};
use std::fmt::Write;
use std::path::Path;
use support::shared;
use tempfile::TempDir;

/// A folder with a table of 80 rows: id, housing, savings, job, pay.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let mut csv = String::from("id,housing,savings,job,pay\n");
    for i in 0..80 {
        let savings = ["low", "mid", "high", "top"][i * i / 7 % 4];
        let savings = if i % 17 == 3 { "" } else { savings };
        let _ = writeln!(
            csv,
            "{i},{},{savings},{},{}",
            ["own", "rent", "free"][i * 5 / 3 % 3],
            ["clerk", "cook", "nurse", "smith", "baker"][i * 7 / 4 % 5],
            100 + i * 37 % 91,
        );
    }
    std::fs::write(folder.path().join("in.csv"), csv).expect("written");
    folder
}

const COLUMNS: &str = r#"
id      = { role = "plain", type = "text" }
housing = { role = "quasi" }
savings = { role = "quasi", order = ["low", "mid", "high", "top"] }
job     = { role = "quasi" }
pay     = { role = "plain", type = "number" }
"#;

/// A policy with these keys under `[evolve]` and these sections behind it.
fn policy(evolve: &str, more: &str) -> String {
    format!(
        "version = 1\nseed = 7\n[source]\npath = \"in.csv\"\n[columns]{COLUMNS}[evolve]\n{evolve}\n\
         [sink]\npath = \"out/release.csv\"\norder = \"input\"\n[report]\npath = \"out/report.json\"\n{more}"
    )
}

fn load(folder: &Path, text: &str) -> Result<Policy> {
    let place = folder.join("policy.toml");
    std::fs::write(&place, text).expect("written");
    Policy::load(&place, &Root::of_policy(&place, None)?)
}

fn evolve(folder: &Path, text: &str, wish: &Wish) -> Result<Evolved> {
    let policy = load(folder, text)?;
    let options = Options {
        command: String::new(),
        date: None,
        force: true,
        strict: false,
        render: &|_| String::new(),
        progress: &Progress::default(),
    };
    pipeline::evolve(&policy, wish, &options)
}

/// What a search in a folder of its own has found, and the bytes that it released.
fn found(evolve_keys: &str) -> (EvolutionFacts, String) {
    let folder = folder();
    let evolved = evolve(folder.path(), &policy(evolve_keys, ""), &Wish::default());
    let evolved = evolved.unwrap_or_else(|error| panic!("{error}: {evolve_keys}"));
    let left = std::fs::read_dir(folder.path().join("out")).expect("a folder");
    let mut left: Vec<_> = left
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    left.sort();
    assert_eq!(left, ["release.csv", "report.json"], "nothing else is left");
    (evolved.facts, released(folder.path()))
}

fn released(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("out/release.csv")).expect("a release")
}

fn cells(csv: &str) -> Vec<Vec<&str>> {
    csv.lines().map(|line| line.split(',').collect()).collect()
}

#[test]
fn what_is_released_loses_and_risks_less_than_what_any_method_makes() {
    for fitness in ["mean", "max"] {
        let (facts, _) = found(&format!("steps = 3000\nfitness = \"{fitness}\""));
        let score = |of: TradeOffFact| match fitness {
            "mean" => (of.loss + of.risk) / 2.0,
            _ => of.loss.max(of.risk),
        };
        let start = facts.start.iter().map(|start| score(start.of));
        let best = start.fold(f64::INFINITY, f64::min);
        assert!(score(facts.released) < best - 0.5, "{fitness}: {best}");
        assert!(facts.start.len() > 80, "{}", facts.start.len());
        for part in ["microaggregation", "rank-swapping", "mondrian"] {
            let of_part = facts.start.iter().filter(|s| s.method.starts_with(part));
            assert!(of_part.count() > 0, "{part}");
        }
        let curve = &facts.curve;
        let falls = curve
            .windows(2)
            .all(|pair| pair[1].best <= pair[0].best && pair[1].mean <= pair[0].mean);
        assert!(falls, "{curve:?}");
        assert_eq!((curve[0].step, curve[curve.len() - 1].step), (0, 3000));
    }
}

#[test]
fn only_the_named_columns_change_and_stay_in_their_domains() {
    let folder = folder();
    let text = policy("steps = 2000\ncolumns = [\"savings\", \"job\"]", "");
    evolve(folder.path(), &text, &Wish::default()).expect("released");
    let original = std::fs::read_to_string(folder.path().join("in.csv")).expect("the source");
    let (original, release) = (cells(&original), released(folder.path()));
    let release = cells(&release);
    assert_eq!(original.len(), release.len());
    let mut changed = [0; 5];
    for (before, after) in original.iter().zip(&release) {
        for (place, (before, after)) in before.iter().zip(after).enumerate() {
            changed[place] += usize::from(before != after);
        }
        assert!(["savings", "low", "mid", "high", "top", ""].contains(&after[2]));
    }
    assert_eq!([changed[0], changed[1], changed[4]], [0; 3]);
    assert!(changed[2] + changed[3] > 10, "{changed:?}");
}

#[test]
fn the_same_seed_gives_the_same_bytes_for_any_number_of_threads() {
    for keys in [
        "steps = 800",
        "search = \"matrices\"\nsteps = 200",
        "search = \"equations\"\nsteps = 200\ngeneration_gap = 0.5",
        "steps = 800\ngeneration_gap = 0.5\noperators = \"together\"",
    ] {
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("threads").install(|| found(keys))
        };
        let one = with(1);
        assert_eq!(one, with(2), "{keys}");
        assert_eq!(one, with(4), "{keys}");
    }
}

#[test]
fn every_option_of_the_literature_makes_a_release() {
    for keys in [
        "selection = \"tournament\"\nentrants = 3",
        "selection = \"rank\"\nleaders = 0.5",
        "crossover = \"uniform\"\ncrossover_rate = 0.9",
        "points = 1\nadaptive = true",
        "points = 5\ncount = \"poisson\"\ngenes = 3",
        "count = \"adaptive\"\nmutation = \"near\"",
        "no_duplicates = true\npopulation = 20",
        "evaluations = 500",
        "generations = 2",
        "stagnation = 1",
        "time = \"50ms\"",
        "score = 99.9\nsteps = 100000",
        "diversity = 1\nsteps = 100000",
        "fitness = \"front\"\ngeneration_gap = 1",
    ] {
        let limited = ["evaluations", "generations", "stagnation", "time", "steps"];
        let steps = match limited.iter().any(|key| keys.contains(key)) {
            true => "",
            false => "steps = 400\n",
        };
        let (facts, release) = found(&format!("{steps}{keys}"));
        assert_eq!(release.lines().count(), 81, "{keys}");
        assert!(facts.steps < 10_000, "{keys}: {}", facts.steps);
    }
}

#[test]
fn the_front_is_listed_and_one_of_it_is_picked_without_searching_again() {
    let folder = folder();
    let text = policy("steps = 3000\nfitness = \"front\"", "");
    let list = Wish {
        list: true,
        ..Wish::default()
    };
    let listed = evolve(folder.path(), &text, &list).expect("listed");
    assert!(listed.outcome.is_none());
    assert!(!folder.path().join("out/release.csv").exists());
    let front = listed.facts.front.clone();
    assert!(front.len() > 5, "{}", front.len());
    let pick = |pick: usize| Wish {
        pick: Some(pick),
        ..Wish::default()
    };
    let beyond = evolve(folder.path(), &text, &pick(front.len() + 1)).err();
    assert_eq!(beyond.map(|error| error.exit_code()), Some(2));
    let picked = evolve(folder.path(), &text, &pick(front.len())).expect("released");
    assert_eq!(picked.facts.released, front[front.len() - 1]);
    assert_eq!(picked.facts.front, front);
    let (marked, of) = (listed.would_release, &listed.front);
    let larger = |of: &TradeOff| of.loss.max(of.risk);
    let least = of.iter().map(larger).fold(f64::INFINITY, f64::min);
    assert!(marked.is_some_and(|place| larger(&of[place - 1]) == least));
    // Another one can be picked, until one is released without a pick.
    let checkpoint = folder.path().join("out/release.csv.evolve");
    let kept = std::fs::read(&checkpoint).expect("it is kept");
    let other = evolve(folder.path(), &text, &pick(1)).expect("released");
    assert_eq!(other.facts.released, front[0]);
    assert_eq!(std::fs::read(&checkpoint).expect("it is kept"), kept);
    evolve(folder.path(), &text, &Wish::default()).expect("released");
    assert!(!checkpoint.exists());
}

#[test]
fn limits_and_rules_are_held_by_the_session_as_of_any_release() {
    let folder = folder();
    let limited = policy(
        "steps = 200",
        // A file that is as it was is linked, and another one has changed.
        "[measure]\nfail_above = { distance_linkage = 0.0001, sse = 0.0001 }\n",
    );
    let error = evolve(folder.path(), &limited, &Wish::default())
        .err()
        .expect("above");
    assert_eq!(error.exit_code(), 6, "{error}");
    assert!(!folder.path().join("out/release.csv").exists());
    assert!(!folder.path().join("out/report.json").exists());
}

#[test]
fn what_does_not_go_together_is_refused_with_a_way_out() {
    let folder = folder();
    let refused = |text: &str| -> Error {
        let evolved = evolve(folder.path(), text, &Wish::default());
        evolved.err().unwrap_or_else(|| panic!("released: {text}"))
    };
    let keys = |keys: &str| policy(keys, "");
    for (text, words) in [
        (
            policy("", "[guarantee]\nk = 3\n"),
            "evolve cannot promise k",
        ),
        (
            policy(
                "",
                "[goal]\nminimize = \"sse\"\nsubject_to = { record_linkage = 0.1 }\n",
            ),
            "[goal] or [evolve]",
        ),
        (
            policy("", "[[protect]]\nmethod = \"noise\"\n"),
            "[[protect]] or [evolve]",
        ),
        (keys("columns = [\"savings\", \"pay\"]"), "one kind"),
        (keys("columns = [\"nothing\"]"), "nothing"),
        (keys("columns = [\"id\"]"), "passes"),
        (keys("entrants = 4"), "entrants"),
        (keys("crossover = \"uniform\"\npoints = 4"), "points"),
        (keys("step = 4"), "unknown key"),
        (keys("fitness = \"mode\""), "fitness"),
        (keys("search = \"rows\""), "search"),
        (keys("applications = 3"), "`applications` means nothing"),
        (
            keys("search = \"matrices\"\ndepth = 3"),
            "`depth` means nothing",
        ),
        (
            keys("search = \"matrices\"\nbits = 3"),
            "`bits` means nothing",
        ),
        (
            keys("search = \"matrices\"\ndenominator = 300"),
            "100 or 1000",
        ),
        (keys("search = \"matrices\"\ndiagonal = 0.5"), "invariant"),
        (
            keys("search = \"equations\"\npoints = 3"),
            "`points` means nothing",
        ),
        (
            keys("search = \"equations\"\ndiagonal_tree = true\np = 0.5"),
            "diagonal_tree",
        ),
        (
            keys("search = \"equations\"\ncolumns = [\"pay\"]").replace(
                "pay     = { role = \"plain\"",
                "pay     = { role = \"quasi\"",
            ),
            "numbers",
        ),
        (
            keys("").replace(
                "order = \"input\"",
                "order = \"input\"\nmatrices = \"out/m.json\"",
            ),
            "`matrices` under [sink]",
        ),
        (
            keys("steps = 10").replacen("version = 1\n", "version = 1\nclusters = 3\n", 1),
            "`clusters` means nothing here",
        ),
    ] {
        let error = refused(&text);
        assert!(error.to_string().contains(words), "{error}: {words}");
        assert_eq!(error.exit_code(), 3, "{error}");
        assert!(
            error.help_text().is_some() || words == "unknown key",
            "{error}"
        );
    }
    let policy = load(folder.path(), &keys("steps = 10")).expect("a policy");
    let options = Options {
        command: String::new(),
        date: None,
        force: true,
        strict: false,
        render: &|_| String::new(),
        progress: &Progress::default(),
    };
    let error = pipeline::run(&policy, &options).expect_err("another command");
    assert!(
        error
            .help_text()
            .is_some_and(|help| help.contains("moretta evolve"))
    );
    assert!(pipeline::check(&policy).is_ok());
}

#[test]
fn a_source_without_rows_is_told_as_such() {
    let folder = folder();
    let csv = std::fs::read_to_string(folder.path().join("in.csv")).expect("a table");
    let header = csv.lines().next().expect("a header");
    std::fs::write(folder.path().join("in.csv"), format!("{header}\n")).expect("written");
    let evolved = evolve(folder.path(), &policy("steps = 10", ""), &Wish::default());
    let error = evolved.err().unwrap_or_else(|| panic!("released"));
    assert_eq!(error.exit_code(), 4, "{error}");
    assert!(error.to_string().contains("no rows"), "{error}");
    assert!(!folder.path().join("out/release.csv").exists());
}

#[test]
fn numbers_are_searched_by_the_bits_of_their_gray_codes() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut csv = String::from("a,b,note\n");
    for i in 0..40 {
        let _ = writeln!(csv, "{},{},x", 10 + i * i % 37, 1000 + i * 113 % 701);
    }
    std::fs::write(folder.path().join("in.csv"), csv).expect("written");
    let text = "version = 1\nseed = 3\n[source]\npath = \"in.csv\"\n[columns]\na = { role = \"quasi\" }\n\
                b = { role = \"quasi\" }\nnote = { role = \"plain\", type = \"text\" }\n\
                [evolve]\nfitness = \"mean\"\nsteps = 1500\nbits = 6\ncrossover_rate = 0.1\n[sink]\npath = \"out/release.csv\"\n";
    let evolved = evolve(folder.path(), text, &Wish::default()).expect("released");
    let score = |of: TradeOffFact| (of.loss + of.risk) / 2.0;
    let start = evolved.facts.start.iter().map(|start| score(start.of));
    let best = start.fold(f64::INFINITY, f64::min);
    assert!(score(evolved.facts.released) < best, "{best}");
    let release = released(folder.path());
    let a = cells(&release)
        .into_iter()
        .skip(1)
        .map(|row| row[0].parse::<f64>().expect("a number"));
    assert!({ a }.all(|a| (10.0..=46.0).contains(&a)));
}

/// German Credit or Solar Flare: the file, and its three columns with their domains.
fn published(name: &str) -> Option<(String, String, Vec<String>)> {
    let (file, columns): (&str, &[(&str, &str)]) = match name {
        "german" => (
            "german.csv",
            &[
                ("checking_status", "A11 A12 A13 A14"),
                ("savings_status", "A61 A62 A63 A64 A65"),
                ("employment_since", "A71 A72 A73 A74 A75"),
            ],
        ),
        _ => (
            "flare2.csv",
            &[
                ("class", "A B C D E F H"),
                ("largest_spot_size", "X R S A H K"),
                ("spot_distribution", "X O I C"),
            ],
        ),
    };
    let text = std::fs::read_to_string(shared(name)?.join(file)).expect("the data");
    let mut policy = String::new();
    for header in text.lines().next().expect("a header").split(',') {
        let line = match columns.iter().find(|(column, _)| *column == header) {
            Some((_, order)) => {
                let order: Vec<String> =
                    order.split(' ').map(|code| format!("\"{code}\"")).collect();
                format!("{{ role = \"quasi\", order = [{}] }}", order.join(", "))
            }
            None => "{ role = \"drop\" }".to_owned(),
        };
        let _ = writeln!(policy, "{header} = {line}");
    }
    let names = columns
        .iter()
        .map(|(column, _)| (*column).to_owned())
        .collect();
    Some((text, policy, names))
}

/// What a search on a published file has found.
fn search_published(name: &str, keys: &str) -> Option<EvolutionFacts> {
    let (data, columns, _) = published(name)?;
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("in.csv"), data).expect("written");
    let text = format!(
        "version = 1\nseed = 1\n[source]\npath = \"in.csv\"\n[columns]\n{columns}[evolve]\n{keys}\n\
         [sink]\npath = \"out/release.csv\"\n[measure]\nreport = [\"distance_linkage\"]\n"
    );
    let evolved = evolve(folder.path(), &text, &Wish::default());
    Some(evolved.unwrap_or_else(|error| panic!("{error}")).facts)
}

#[test]
fn german_credit_and_solar_flare_get_better_than_their_start_under_both_fitnesses() {
    for name in ["german", "flare"] {
        for fitness in ["mean", "max"] {
            let keys = format!(
                "steps = 15000\ncrossover_rate = 0.02\npopulation = 6\nfitness = \"{fitness}\""
            );
            let Some(facts) = search_published(name, &keys) else {
                return;
            };
            let (first, last) = (&facts.curve[0], &facts.curve[facts.curve.len() - 1]);
            assert!(
                last.best < first.best,
                "{name} {fitness}: {first:?} {last:?}"
            );
            assert!(last.mean < first.mean, "{name} {fitness}");
        }
    }
}

#[test]
fn without_the_best_of_the_start_flare_still_reaches_what_was_left_out() {
    let Some(whole) = search_published("flare", "fitness = \"mean\"\nsteps = 1") else {
        return;
    };
    let mut scores: Vec<f64> = whole
        .start
        .iter()
        .map(|start| (start.of.loss + start.of.risk) / 2.0)
        .collect();
    scores.sort_by(f64::total_cmp);
    // 72 of microaggregation, 11 of rank swapping, 4 of mondrian, and those of other methods.
    assert!(scores.len() >= 87, "{}", scores.len());
    for share in [0.05, 0.1] {
        let keys = format!(
            "fitness = \"mean\"\nsteps = 30000\ncrossover_rate = 0.01\nleave_out_best = {share}"
        );
        let facts = search_published("flare", &keys).expect("the data is there");
        let left_out = (share * scores.len() as f64).ceil() as usize;
        assert_eq!(facts.start.len() + left_out, scores.len());
        let mean = scores[..left_out].iter().sum::<f64>() / left_out as f64;
        let best = facts.curve[facts.curve.len() - 1].best;
        assert!(best <= mean + 0.05, "{share}: {best} against {mean}");
    }
}

/// Every way to search for matrices and equations.
const PRAM_SEARCHES: [&str; 8] = [
    "search = \"matrices\"",
    "search = \"matrices\"\ndenominator = 1000\ndelta_max = 50\ncrossover = \"uniform\"",
    "search = \"matrices\"\ninvariant = true\ndiagonal = 0.6\napplications = 2\nfitness = \"max\"",
    "search = \"matrices\"\nfitness = \"front\"\nselection = \"tournament\"",
    "search = \"equations\"",
    "search = \"equations\"\ndiagonal_tree = true\ninitial = \"grow\"\nfitness = \"max\"",
    "search = \"equations\"\np = 0.6\ninitial = \"full\"\ndepth = 2\npopulation = 20",
    "search = \"equations\"\nselection = \"tournament\"\nentrants = 4\ngeneration_gap = 1",
];

#[test]
fn what_is_found_for_pram_leaves_by_pram_and_is_told_beside_the_designs() {
    for keys in PRAM_SEARCHES {
        let (facts, release) = found(&format!("steps = 300\n{keys}"));
        assert_eq!(release.lines().count(), 81, "{keys}");
        assert_eq!(facts.designs.len(), 18, "{keys}");
        assert!(facts.applications.is_some(), "{keys}");
        assert!(keys.contains(&facts.search), "{keys}");
        assert_eq!(
            facts.equation.is_some(),
            facts.search == "equations",
            "{keys}"
        );
        if let Some(equation) = &facts.equation {
            let text = format!(
                "method = \"pram\"\ndesign = \"equation\"\nequation = \"{}\"",
                equation.weights
            );
            assert!(text.len() < 400, "{text}");
        }
        let curve = &facts.curve;
        let falls = |pair: &[moretta::pipeline::report::CurveFact]| pair[1].best <= pair[0].best;
        assert!(curve.windows(2).all(falls), "{keys}");
        for row in cells(&release).iter().skip(1) {
            assert!(
                ["low", "mid", "high", "top", ""].contains(&row[2]),
                "{keys}"
            );
        }
    }
}

#[test]
fn matrices_that_were_found_are_published_where_no_category_is_rare() {
    let folder = folder();
    let with = |keys: &str, columns: &str| {
        policy(&format!("steps = 100\ncolumns = {columns}\n{keys}"), "").replace(
            "order = \"input\"",
            "order = \"input\"\nmatrices = \"out/matrices.json\"",
        )
    };
    // Where nothing is released the search is kept, and it is of another policy.
    let anew = Wish {
        restart: true,
        ..Wish::default()
    };
    for keys in ["search = \"matrices\"", "search = \"equations\""] {
        let text = with(keys, "[\"housing\", \"job\"]");
        evolve(folder.path(), &text, &anew).expect("released");
        let published = std::fs::read_to_string(folder.path().join("out/matrices.json"));
        let published: serde_json::Value =
            serde_json::from_str(&published.expect("matrices")).expect("JSON");
        let matrices = published["matrices"].as_array().expect("a list");
        assert_eq!(matrices.len(), 2, "{keys}");
        assert_eq!(matrices[1]["matrix"].as_array().map(Vec::len), Some(5));
        let policy = load(folder.path(), &text).expect("a policy");
        let files = ["in.csv", "out/release.csv"].map(|file| folder.path().join(file));
        let [a, b] = [&*files[0], &*files[1]];
        let options = moretta::io::ReadOptions::default();
        let compared = pipeline::compare(&policy, [a, b], &options, &Progress::default());
        let compared = compared.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(compared.estimates.len(), 3, "{keys}");
        // Missing savings are fewer than eleven rows, and the matrix was found by looking at them.
        let rare = evolve(folder.path(), &with(keys, "[\"savings\"]"), &anew);
        let rare = rare.err().unwrap_or_else(|| panic!("published: {keys}"));
        assert!(rare.to_string().contains("at most 10 rows"), "{rare}");
    }
}

#[test]
fn evolved_matrices_and_equations_of_german_credit_beat_every_design() {
    for (keys, fitness) in [
        (
            "search = \"matrices\"\nsteps = 800\ncrossover_rate = 0.2",
            "mean",
        ),
        (
            "search = \"matrices\"\nsteps = 500\ncrossover_rate = 0.2",
            "max",
        ),
        (
            "search = \"equations\"\nsteps = 150\nselection = \"tournament\"",
            "mean",
        ),
        (
            "search = \"equations\"\nsteps = 400\nselection = \"tournament\"\ndiagonal_tree = true",
            "max",
        ),
    ] {
        let keys = format!("{keys}\nfitness = \"{fitness}\"");
        let Some(facts) = search_published("german", &keys) else {
            return;
        };
        let score = |of: TradeOffFact| match fitness {
            "mean" => (of.loss + of.risk) / 2.0,
            _ => of.loss.max(of.risk),
        };
        let designs = facts.designs.iter().map(|design| score(design.of));
        let best = designs.fold(f64::INFINITY, f64::min);
        let found = score(facts.released);
        assert!(found < best, "{keys}: {found} against {best}");
    }
}
