//! What must hold for every stream and every policy of one.

use super::generated::{Case, Left, Place, Random, seeds};
use super::verify::verify;
use crate::engine::Progress;
use crate::error::Error;
use crate::io::ReadOptions;
#[cfg(target_os = "linux")]
use crate::pipeline::leftovers::temporary_name;
use std::collections::HashSet;
use std::fmt::Write;

/// Tries a law on many cases; tells the seeds and policies of those that break it.
fn check(cases: u64, law: impl Fn(&Place) -> Result<(), String>) {
    let (mut tried, mut broken, mut told) = (0, 0, String::new());
    for seed in seeds(cases) {
        tried += 1;
        let place = Place::new(Case::new(seed));
        if let Err(how) = law(&place) {
            broken += 1;
            if broken <= 9 {
                let _ = writeln!(told, "MORETTA_SEED={seed}: {how}\n{}", place.case.text);
            }
        }
    }
    assert!(broken == 0, "{broken} of {tried} cases are broken\n{told}");
}

fn failed(error: Error) -> String {
    format!("it failed: {error}")
}

fn whole(place: &Place) -> Result<Left, String> {
    let left = place.run(None).map_err(failed)?;
    left.ok_or_else(|| "it did not end".to_owned())
}

#[test]
fn a_stream_that_is_killed_anywhere_leaves_what_an_undisturbed_one_leaves() {
    check(2_000, killed);
}

/// Found by campaigns: rows that had been ahead of the stream before the restart, which it did
/// not know of, chose z anew, or made a choice again that was made after them; made-up rows,
/// and rows that still waited to leave, were then decided by another z.
#[test]
fn a_restart_makes_the_choices_of_z_that_were_made_and_no_others() {
    for seed in [
        20_261_123_338,
        20_261_129_780,
        20_261_131_537,
        20_261_140_722,
        20_261_152_713,
    ] {
        killed(&Place::new(Case::new(seed))).unwrap_or_else(|how| panic!("{seed}: {how}"));
    }
}

/// Kills a run a few times and holds what is left in the end against a whole one.
fn killed(place: &Place) -> Result<(), String> {
    let expected = whole(place)?;
    place.clear();
    let mut random = Random::new(place.case.seed ^ 0x6B69_6C6C);
    let rows: usize = place.case.sources.iter().map(Vec::len).sum();
    let most = rows / place.case.every + 2;
    let mut killed = Vec::new();
    let found = loop {
        let steps = random.below(most as u64) as usize;
        let patience = (killed.len() < 4).then_some(steps);
        match place
            .run(patience)
            .map_err(|error| format!("{} after kills at steps {killed:?}", failed(error)))?
        {
            Some(left) => break left,
            None => killed.push(steps),
        }
    };
    for (what, found, expected) in [
        ("release", &found.release, &expected.release),
        ("certificate", &found.certificate, &expected.certificate),
    ] {
        if found != expected {
            let differs = found
                .lines()
                .zip(expected.lines())
                .position(|(a, b)| a != b);
            return Err(format!(
                "the {what} differs after kills at steps {killed:?}, from line {differs:?} of {} and {} on",
                found.lines().count(),
                expected.lines().count()
            ));
        }
    }
    Ok(())
}

#[test]
fn how_many_rows_of_several_sources_are_read_at_a_time_does_not_matter() {
    check(400, |place| {
        if place.case.sources.len() == 1 {
            return Ok(());
        }
        let expected = whole(place)?;
        for rows in [1, 7, 4096] {
            let left = whole(&Place::new(Case::new(place.case.seed).reading(rows)))?;
            if left.release != expected.release {
                return Err(format!("{rows} rows at a time leave another release"));
            }
            if sorted(&left.certificate) != sorted(&expected.certificate) {
                return Err(format!("{rows} rows at a time leave another certificate"));
            }
        }
        Ok(())
    });
}

/// The lines of a certificate; those of rows that were turned away stand where they were read.
fn sorted(certificate: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = certificate.lines().collect();
    lines.sort_unstable();
    lines
}

/// A name of a temporary file tells where and by whom it was begun on Linux only.
#[cfg(target_os = "linux")]
#[test]
fn what_a_dead_run_has_left_beside_the_release_is_swept() {
    let place = Place::new(Case::new(1));
    let mut child = std::process::Command::new("true").spawn().expect("starts");
    child.wait().expect("ends");
    let name = temporary_name("out.csv").expect("a name");
    let ours = format!("-{}-", std::process::id());
    let left = place.path(&name.replace(&ours, &format!("-{}-", child.id())));
    let hour = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    let file = std::fs::File::create(&left).expect("created");
    file.set_modified(hour).expect("set");
    let next = place.path(".progress.json.next");
    std::fs::write(&next, "half a checkpoint").expect("written");
    whole(&place).expect("it ends");
    assert!(!left.exists() && !next.exists());
}

/// What `verify` finds wrong.
fn faults(place: &Place, certified: bool) -> Result<Vec<String>, String> {
    let certificate = place.path("why.csv");
    let found = verify(
        &place.policy,
        place.policy.plan.stream().expect("a stream"),
        &place.release_path(),
        certified.then_some(certificate.as_path()),
        &ReadOptions::default(),
        &Progress::default(),
    );
    found.map(|found| found.faults).map_err(failed)
}

#[test]
fn audit_and_verify_accept_every_stream_and_reject_what_too_few_users_share() {
    check(1_000, |place| {
        // The audit looks at every row of it.
        let left = whole(place)?;
        // Made-up rows are known by the certificate only.
        let ways: &[bool] = if place.case.fakes {
            &[true]
        } else {
            &[false, true]
        };
        for &certified in ways {
            let faults = faults(place, certified)?;
            if !faults.is_empty() {
                return Err(format!("certified {certified}: {faults:?}"));
            }
        }
        if place.case.json {
            return Ok(());
        }
        let mut random = Random::new(place.case.seed ^ 0x706C_616E);
        for (planted, release) in plants(place, &left, &mut random) {
            std::fs::write(place.release_path(), release).expect("written");
            for &certified in ways {
                if faults(place, certified)?.is_empty() {
                    return Err(format!("certified {certified}: {planted} was not seen"));
                }
            }
        }
        Ok(())
    });
}

/// The release with one row changed so that it tells too much, in some ways.
fn plants(place: &Place, left: &Left, random: &mut Random) -> Vec<(String, String)> {
    let lines: Vec<&str> = left.release.lines().collect();
    let first = usize::from(place.case.header);
    if lines.len() <= first {
        return Vec::new();
    }
    let mut plants = Vec::new();
    for _ in 0..3 {
        let number = first + random.below((lines.len() - first) as u64) as usize;
        let attribute = random.below(place.case.attributes as u64) as usize;
        let cells: Vec<&str> = lines[number].split(',').collect();
        let labels = cells.len() - place.case.attributes;
        let (seconds, rest) = cells[0].split_once('.').expect("decimals");
        let time: i64 = format!("{seconds}{rest}").parse().expect("a time");
        let mut changed = vec!["a9".to_owned()];
        changed.extend(rare(place, attribute, time));
        changed.retain(|label| label != cells[labels + attribute]);
        for label in changed {
            let mut cells: Vec<String> = cells.iter().map(|&cell| cell.to_owned()).collect();
            cells[labels + attribute] = label;
            let mut lines: Vec<String> = lines.iter().map(|&line| line.to_owned()).collect();
            lines[number] = cells.join(",");
            let planted = format!("line {} as `{}`", number + 1, lines[number]);
            plants.push((planted, lines.join("\n") + "\n"));
        }
    }
    plants
}

/// A label of a row of this time that fewer users showed in its window than any row
/// needs, whenever their rows came.
fn rare(place: &Place, attribute: usize, time: i64) -> Option<String> {
    let rows = || place.case.sources.iter().flatten();
    let labels = |value: &str| -> Vec<String> {
        let flat = !place.case.text.contains("hierarchy");
        let cuts = value
            .match_indices('*')
            .map(|(at, _)| value[..at].to_owned());
        let above = cuts.filter(|_| !flat);
        above.chain([value.to_owned()]).collect()
    };
    let users = |label: &String| {
        let window = time - place.case.window..=time;
        let shows = rows()
            .filter(|row| window.contains(&row.time))
            .filter(|row| {
                let value = row.values[attribute].as_deref();
                value.is_some_and(|value| labels(value).contains(label))
            });
        shows.map(|row| row.user).collect::<HashSet<_>>().len()
    };
    let here = rows().filter(|row| row.time == time);
    let values = here.filter_map(|row| row.values[attribute].as_deref());
    let least = place.policy.plan.stream().expect("a stream").least_z() as usize;
    let mut shown = values.flat_map(labels);
    shown.find(|label| users(label) < least)
}
