//! Searches that are stopped and gone on with, and files as individuals against a slow reference.

use super::*;
use crate::data::{CategoricalTable, Variable};
use crate::engine::Progress;
use crate::io::Files;
use crate::measure::categorical::{ScoreSettings, Scorer};
use crate::optimize::evolution::{Draws, Exchange, Settings, Stop};
use crate::policy::Root;
use std::fmt::Write;
use tempfile::TempDir;

const POLICY: &str = r#"version = 1
[source]
path = "in.csv"
[columns]
id = { role = "plain", type = "text" }
a  = { role = "quasi", order = ["1", "2", "3", "4"] }
b  = { role = "quasi" }
[evolve]
steps = 600
KEYS
[sink]
path = "out/release.csv"
order = "input"
"#;

fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let mut csv = String::from("id,a,b\n");
    for i in 0..50 {
        let b = ["x", "y", "z", ""][i * 5 / 3 % 4];
        let _ = writeln!(csv, "{i},{},{b}", 1 + i * 7 / 2 % 4);
    }
    std::fs::write(folder.path().join("in.csv"), csv).expect("written");
    folder
}

fn policy(folder: &Path, keys: &str) -> Policy {
    let place = folder.join("policy.toml");
    let mut text = POLICY.replace("KEYS", keys);
    if keys.contains("search") {
        // A release by PRAM draws anew, and the same only from a seed of the policy.
        text = text.replace("version = 1", "version = 1\nseed = 4");
    }
    std::fs::write(&place, text).expect("written");
    let root = Root::of_policy(&place, None).expect("a root");
    Policy::load(&place, &root).expect("a policy")
}

fn run(policy: &Policy, wish: &Wish) -> Result<Evolved> {
    let progress = Progress::default();
    let options = Options {
        force: true,
        ..Options::plain(&progress)
    };
    evolve(policy, wish, &options)
}

fn list() -> Wish {
    Wish {
        list: true,
        ..Wish::default()
    }
}

fn checkpoint(folder: &Path) -> PathBuf {
    folder.join("out/release.csv.evolve")
}

fn saved(folder: &Path) -> Checkpoint {
    let read = sealed::read::<Checkpoint>(&checkpoint(folder), &Files::default(), "");
    read.expect("readable").expect("it is there")
}

/// What a search that was killed after so many steps has left.
fn killed_after(mut whole: Checkpoint, steps: u64) -> Checkpoint {
    whole.ended = None;
    if let Some(saved) = &mut whole.saved {
        saved.accepted.retain(|accepted| accepted.step < steps);
        saved.steps = steps;
    }
    whole
}

#[test]
fn a_search_that_was_killed_releases_the_same_bytes() {
    for keys in [
        "",
        "search = \"matrices\"",
        "search = \"equations\"\npopulation = 12",
        "generation_gap = 0.25",
        "fitness = \"front\"\noperators = \"together\"",
    ] {
        let folder = folder();
        let policy = policy(folder.path(), keys);
        let members = run(&policy, &list()).expect("searched").facts.last.len();
        // Steps of one part of the population are done together, or none of them.
        let part = match keys.contains("gap") {
            true => members.div_ceil(4) as u64,
            false => 1,
        };
        let whole = saved(folder.path());
        let path = folder.path().join("out/release.csv");
        run(&policy, &Wish::default()).expect("released");
        assert!(!checkpoint(folder.path()).exists());
        let expected = std::fs::read(&path).expect("a release");
        // No seed is in the policy: what is drawn from is in the checkpoint alone.
        for steps in [0, 1, 104, 300, 599, 600].map(|steps| steps / part * part) {
            std::fs::remove_file(&path).expect("there");
            let left = killed_after(whole.clone(), steps);
            left.save(&checkpoint(folder.path()), &Files::default())
                .expect("written");
            run(&policy, &Wish::default()).expect("gone on");
            let released = std::fs::read(&path).expect("a release");
            assert!(released == expected, "{keys} after {steps}");
        }
    }
}

#[test]
fn a_search_that_draws_its_own_seed_draws_another_one_each_time() {
    let folder = folder();
    let policy = policy(folder.path(), "");
    run(&policy, &list()).expect("searched");
    let first = saved(folder.path()).seed;
    let anew = Wish {
        restart: true,
        ..list()
    };
    run(&policy, &anew).expect("searched");
    assert_ne!(saved(folder.path()).seed, first);
}

#[test]
fn a_checkpoint_of_another_policy_or_source_is_refused_and_says_how_to_begin_anew() {
    let folder = folder();
    let first = policy(folder.path(), "");
    run(&first, &list()).expect("searched");
    let other = policy(folder.path(), "crossover_rate = 0.4");
    let refused = run(&other, &Wish::default()).err().expect("another policy");
    assert!(refused.to_string().contains("--restart"), "{refused}");
    let same = policy(folder.path(), "");
    let source = folder.path().join("in.csv");
    let rows = std::fs::read_to_string(&source).expect("the source");
    std::fs::write(&source, format!("{rows}50,1,x\n")).expect("written");
    let refused = run(&same, &Wish::default()).err().expect("another source");
    assert!(refused.to_string().contains("source"), "{refused}");
    std::fs::write(checkpoint(folder.path()), "nonsense\n").expect("written");
    assert!(run(&same, &Wish::default()).is_err());
    let anew = Wish {
        restart: true,
        ..Wish::default()
    };
    run(&same, &anew).expect("begun anew");
}

#[test]
fn a_checkpoint_holds_no_cell() {
    let folder = folder();
    let source = folder.path().join("in.csv");
    let rows = std::fs::read_to_string(&source).expect("the source");
    std::fs::write(&source, rows.replace(",x", ",canary-7f3a")).expect("written");
    let policy = policy(folder.path(), "");
    run(&policy, &list()).expect("searched");
    let text = std::fs::read_to_string(checkpoint(folder.path())).expect("there");
    assert!(!text.contains("canary"), "{text}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(checkpoint(folder.path())).expect("there");
        assert_eq!(mode.permissions().mode() & 0o777, 0o600);
    }
}

/// Originals of three attributes, and a file of them.
fn files(rows: usize, near: bool) -> (CategoryFiles, CategoricalTable) {
    let variables = vec![
        Variable::ordinal(4),
        Variable::nominal(3),
        Variable::ordinal(5),
    ];
    let mut draws = Draws::new(rows as u64);
    let mut columns = || {
        let column = |of: &Variable| (0..rows).map(|_| draws.below(of.levels) as u32).collect();
        variables.iter().map(column).collect::<Vec<Vec<u32>>>()
    };
    let (original, masked) = (columns(), columns());
    let original = CategoricalTable::new(variables.clone(), original).expect("codes");
    let scorer = Scorer::new(original, ScoreSettings::default()).expect("settings");
    let masked = CategoricalTable::new(variables.clone(), masked).expect("codes");
    (CategoryFiles::new(scorer, near), masked)
}

/// The same file, scored anew.
fn anew(files: &CategoryFiles, file: &CategoryFile) -> CategoryFile {
    files.file(&file.genes()).expect("of the same original")
}

#[test]
fn mutated_undone_and_crossed_files_are_those_that_are_scored_anew() {
    for near in [false, true] {
        let (files, masked) = files(60, near);
        let mut draws = Draws::new(9);
        let mut file = files.file(&masked).expect("fits");
        let other = {
            let (_, masked) = self::files(60, near);
            let mut other = files.file(&masked).expect("fits");
            for gene in 0..120 {
                other.mutate(gene, &mut draws);
            }
            other
        };
        file.trade_off();
        for round in 0..300 {
            let before = (file.genes(), file.trade_off(), file.fingerprint());
            let gene = draws.below(file.len());
            let change = file.mutate(gene, &mut draws).expect("several categories");
            let mut same = anew(&files, &file);
            let glance = file.glance().expect("an order is known");
            let of = file.trade_off();
            assert_eq!(of, same.trade_off());
            assert_eq!(glance.loss, of.loss, "a glance leaves linkage open alone");
            assert_eq!(file.fingerprint(), same.fingerprint());
            if round % 3 > 0 {
                file.undo(change);
                assert_eq!((file.genes(), file.trade_off(), file.fingerprint()), before);
            }
        }
        for runs in [&[0..7, 9..9][..], &[3..90, 100..170], &[]] {
            let exchange = Exchange::of(runs.to_vec());
            let mut child = file.crossed(&other, &exchange);
            let mut same = anew(&files, &child);
            assert_eq!(child.trade_off(), same.trade_off());
            assert_eq!(child.fingerprint(), same.fingerprint());
            let taken = exchange.iter().count();
            assert!(child.shared(&file) >= child.len() - taken);
        }
    }
}

#[test]
fn neighbours_are_one_apart_and_reflected_at_the_ends() {
    let (files, masked) = files(80, true);
    let mut file = files.file(&masked).expect("fits");
    let mut draws = Draws::new(4);
    let mut steps = 0;
    for _ in 0..2000 {
        let gene = draws.below(file.len());
        let before = file.genes();
        file.mutate(gene, &mut draws);
        let (row, attribute) = (gene / 3, gene % 3);
        let [a, b] = [&before, &file.genes()].map(|table| table.column(attribute)[row]);
        assert_ne!(a, b);
        if attribute != 1 {
            assert_eq!(a.abs_diff(b), 1);
            steps += 1;
        }
    }
    assert!(steps > 1000);
}

#[test]
fn a_search_on_categories_never_gets_worse_and_its_scores_are_those_of_its_files() {
    for fitness in [Fitness::Mean, Fitness::Max, Fitness::Front] {
        let (files, masked) = files(40, false);
        let mut draws = Draws::new(1);
        let start = (0..12).map(|_| {
            let mut file = files.file(&masked).expect("fits");
            for _ in 0..30 {
                let gene = draws.below(file.len());
                file.mutate(gene, &mut draws);
            }
            file
        });
        let settings = Settings {
            fitness,
            stop: Stop::default(),
            ..Settings::default()
        };
        let mut search = Search::new(settings, 5, start.collect()).expect("members");
        let mut before = search.now();
        for _ in 0..800 {
            search.advance();
            let now = search.now();
            assert!(now.best <= before.best && now.mean <= before.mean);
            before = now;
        }
        let population = search.population();
        for (member, &of) in population.members().iter().zip(population.trade_offs()) {
            assert_eq!(anew(&files, member).trade_off(), of);
        }
    }
}
