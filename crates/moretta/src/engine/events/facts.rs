//! What a report tells of events that were decided one by one.

use crate::data::{Role, duration_text};
use crate::engine::coarse::{at_most, rounded};
use crate::engine::plan::{Action, Plan};
use crate::engine::report::{Claim, Delay, Report, SMALL_CELL, StreamFacts, StreamPoint, Verdict};
use crate::guarantee::StreamFindings;
use crate::measure::stream::{Measured, Point};
use crate::protect::Operator;
use crate::protect::z_anonymity::{Mode, Stream, ZAnonymity};

/// What was decided, counted again and measured of events.
pub(crate) struct Decided<'a> {
    pub(crate) config: &'a ZAnonymity,
    pub(crate) stream: &'a Stream,
    /// None when nobody wanted to know.
    pub(crate) measured: Option<Measured>,
    /// None when nobody has counted again.
    pub(crate) findings: Option<StreamFindings>,
    /// Rows that an earlier session had done, and those of them that were not shown again.
    pub(crate) went_on: Option<(u64, u64)>,
}

/// Adds what is told of events.
pub(crate) fn of_decided(plan: &Plan, decided: &Decided<'_>, report: Report) -> Report {
    Report {
        verdict: verdict(decided),
        warnings: warnings(plan, decided),
        stream: Some(stream_facts(decided)),
        ..report
    }
}

/// Why so many rows did not leave. Where rows have several attributes, the method counts
/// attributes, and a row stays only when none of them may be shown.
pub(crate) fn held_back(stream: &Stream, rows: u64) -> Vec<(String, u64)> {
    if stream.attributes().len() == 1 {
        return stream.suppressed();
    }
    let tally = stream.tally();
    let whole = tally.nobody + tally.future;
    [
        ("no attribute may be shown", rows - whole),
        ("without a subject", tally.nobody),
        ("ahead of the clock", tally.future),
    ]
    .map(|(why, rows)| (why.to_owned(), rows))
    .into()
}

fn verdict(facts: &Decided<'_>) -> Verdict {
    let window = duration_text(facts.config.window);
    let smallest = facts.findings.and_then(|found| found.smallest_count);
    let found = match (facts.findings, smallest) {
        (None, _) => "not counted again (audit = false)".to_owned(),
        (Some(_), None) => "nothing released".to_owned(),
        (Some(found), Some(smallest)) if found.faked > 0 => {
            format!("{smallest} at the least where no made-up row helped")
        }
        (Some(_), Some(smallest)) => format!("{smallest} at the least"),
    };
    Verdict {
        passed: true,
        claims: vec![Claim {
            name: format!("z-anonymity within {window}"),
            promised: match facts.config.tune {
                None => format!("at least {}", facts.config.z),
                Some(_) => format!(
                    "at least the z of the moment, never below {}",
                    facts.config.least_z()
                ),
            },
            promised_value: Some(f64::from(facts.config.least_z())),
            found,
            found_value: smallest.map(|smallest| smallest as f64),
            holds: true,
        }],
        unit: "persons".to_owned(),
        // A release with made-up rows is not true of anybody.
        truthful: match facts.stream.tally().fakes {
            0 => facts.findings.map(|_| true),
            _ => None,
        },
    }
}

fn stream_facts(facts: &Decided<'_>) -> StreamFacts {
    let config = facts.config;
    let tally = facts.stream.tally();
    let measured = facts.measured.as_ref();
    let bits = |entropy: Option<f64>| entropy.map(|bits| rounded(bits, 0.1));
    StreamFacts {
        window: config.window,
        mode: match config.mode {
            Mode::Exact => "exact",
            Mode::ZeroDelay => "zero-delay",
        }
        .to_owned(),
        z: facts.stream.z(),
        k: config.tune.map_or(config.k, |tune| tune.k),
        goal: config.tune.map(|tune| tune.goal),
        levels: shown_together(&tally.levels),
        fakes: shown(tally.fakes),
        p_window: measured.and_then(|found| found.p_window),
        p_all: measured.and_then(|found| found.p_all),
        unique_window: measured.and_then(|found| found.unique_window),
        unique_all: measured.and_then(|found| found.unique_all),
        all_time_rows: measured.and_then(|found| found.all_time_rows).map(at_most),
        // These three are about what was held back, too.
        entropy_before: bits(measured.and_then(|found| found.entropy_before)),
        entropy_after: bits(measured.and_then(|found| found.entropy_after)),
        residual_information: measured
            .and_then(|found| found.residual_information)
            .map(|share| rounded(share, 0.01)),
        delay: measured.map(|found| Delay {
            mean: found.delay_mean,
            max: found.delay_max,
        }),
        timeline: timeline(facts),
    }
}

/// The time line. Small counts of released attributes are hidden, and with each at least one
/// more of the same kind, or it could be had by subtraction; of those that were not released a
/// bound is told.
fn timeline(facts: &Decided<'_>) -> Vec<StreamPoint> {
    let Some(points) = facts.measured.as_ref().map(|found| &found.timeline) else {
        return Vec::new();
    };
    let mut shown: Vec<StreamPoint> = points
        .iter()
        .map(|point| shown_point(point, z_at(facts, point.time)))
        .collect();
    let kinds = points.iter().map(|point| point.levels.len()).max();
    for kind in 0..kinds.unwrap_or(0) {
        let counts = shown.iter_mut();
        hide_one_more(counts.filter_map(|point| point.levels.get_mut(kind)));
    }
    for point in &mut shown {
        let released: Option<u64> = point.levels.iter().copied().sum();
        point.read = released.zip(point.suppressed).map(|(a, b)| a + b);
    }
    shown
}

/// Counts that add up to a number that is told.
fn shown_together(counts: &[u64]) -> Vec<Option<u64>> {
    let mut counts: Vec<Option<u64>> = counts.iter().map(|&count| shown(count)).collect();
    hide_one_more(counts.iter_mut());
    counts
}

/// Where one count is hidden, the smallest of the others is hidden too.
fn hide_one_more<'a>(counts: impl Iterator<Item = &'a mut Option<u64>>) {
    let mut counts: Vec<&mut Option<u64>> = counts.collect();
    if counts.iter().filter(|count| count.is_none()).count() == 1
        && let Some(least) = counts
            .iter_mut()
            .filter(|count| count.is_some_and(|count| count > 0))
            .min_by_key(|count| count.unwrap_or(0))
    {
        **least = None;
    }
}

/// The z in use at a time: that of the last choice before it.
fn z_at(facts: &Decided<'_>, time: i64) -> u32 {
    let updates = facts.stream.updates();
    match updates.partition_point(|update| update.time <= time) {
        0 => facts.config.first_z(),
        made => updates[made - 1].z,
    }
}

fn shown_point(point: &Point, z: u32) -> StreamPoint {
    StreamPoint {
        time: point.time,
        z,
        p: point.p,
        unique: point.unique,
        read: None,
        levels: point.levels.iter().map(|&count| shown(count)).collect(),
        suppressed: Some(at_most(point.suppressed)),
    }
}

/// A count; from 1 to [`SMALL_CELL`] it is hidden.
fn shown(count: u64) -> Option<u64> {
    (count == 0 || count > SMALL_CELL).then_some(count)
}

/// What an operator should know.
fn warnings(plan: &Plan, facts: &Decided<'_>) -> Vec<String> {
    let mut warnings = Vec::new();
    let tally = facts.stream.tally();
    if let Some((done, first)) = facts.went_on {
        warnings.push(format!(
            "the run went on after row {done}: counts of rows and levels are about the whole stream, \
             the time line, sets, entropy, delay and the least count about the rows after {first}"
        ));
    }
    if tally.late > SMALL_CELL {
        warnings.push(format!(
            "up to {} attributes came later than `lateness` allows and were held back; raise it, or use mode = \"exact\"",
            at_most(tally.late)
        ));
    }
    if tally.future > SMALL_CELL {
        warnings.push(format!(
            "up to {} rows were further ahead of the clock than `skew` and were turned away; is the unit of the times right?",
            at_most(tally.future)
        ));
    }
    if tally.nobody > SMALL_CELL {
        warnings.push(format!(
            "up to {} rows have no subject; they count for nobody and were not released",
            at_most(tally.nobody)
        ));
    }
    if tally.respelled {
        warnings.push(
            "persons are written in several ways that differ only in letter case, spaces, \
             characters that show nothing or Unicode form; those that look the same were counted \
             as one person, and were released as they are written"
                .to_owned(),
        );
    }
    if tally.fakes > 0 {
        warnings.push(
            "the release holds made-up rows: it is not true row by row, and a trained recogniser \
             tells most of them from the rows they help"
                .to_owned(),
        );
    }
    for column in &plan.columns {
        if column.role == Role::Subject && column.action == Action::Keep {
            warnings.push(format!(
                "column `{}` tells persons and is released as it is: whoever knows a few events of one finds the others; \
                 a pseudonym that rotates, or action = \"drop\", is safer",
                column.name
            ));
        }
    }
    warnings
}
