//! Reports to draw in tests, read from JSON as a run writes it: a table as a hospital would get
//! it, a stream of a shop, masked meters; and, changed here, some that nobody should ever get.

mod evolution;
mod pairs;
mod stream;

pub(super) use evolution::{evolved, evolved_degenerate, evolved_equation};
pub(super) use pairs::{filtered, filtered_degenerate, filtered_few, filtered_once};
pub(crate) use stream::events;
pub(super) use stream::{
    events_all_hidden, events_at_a_fixed_z, events_degenerate, events_quiet,
    events_with_many_points, events_with_one_point, events_without_points,
};

use moretta::pipeline::report::{ColumnFact, Histogram, Reason, Report, RowFacts, SizeCount};

/// Would run, were it not escaped.
pub(super) const HOSTILE: &str = "<script>alert('1')</script>\"><img onerror=x>&";

/// 5,000 admissions released with k = 5 in about 600 classes.
pub(super) fn admissions() -> Report {
    serde_json::from_str(include_str!("fixture/admissions.json")).expect("a report")
}

pub(crate) fn reason(why: &str, at_most: u64) -> Reason {
    Reason {
        why: why.to_owned(),
        at_most,
    }
}

/// The same, but classes are too small and nothing was written.
pub(super) fn refused() -> Report {
    let mut report = admissions();
    report.verdict.passed = false;
    report.verdict.claims[0].found = "2".to_owned();
    report.verdict.claims[0].holds = false;
    report.verdict.truthful = None;
    report.sink = None;
    report.class_sizes.extend([
        SizeCount {
            size: 2,
            classes: 14,
        },
        SizeCount {
            size: 4,
            classes: 27,
        },
        SizeCount {
            size: 940,
            classes: 1,
        },
    ]);
    report.measures[0].limit = Some(0.2);
    report
}

/// Nothing read, nothing found.
pub(super) fn empty() -> Report {
    let mut report = admissions();
    report.policy.clear();
    report.command.clear();
    report.sink = None;
    report.source.sha256 = None;
    report.verdict.claims.clear();
    report.verdict.truthful = None;
    report.rows = RowFacts::default();
    report.class_sizes.clear();
    report.measures.clear();
    report.columns.clear();
    report.risk.clear();
    report.warnings.clear();
    report.stages.clear();
    report
}

/// Every number is zero, none, endless or huge.
pub(super) fn degenerate() -> Report {
    let mut report = admissions();
    let odd = [0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 1e308];
    let mut next = odd.into_iter().cycle();
    let mut odd = || next.next().expect("a cycle does not end");
    report.rows.read = 0;
    report.rows.released = u64::MAX;
    report.class_sizes = [0, 0, 7, u64::MAX]
        .map(|size| SizeCount {
            size,
            classes: u64::MAX / 8,
        })
        .to_vec();
    for measure in &mut report.measures {
        (measure.before, measure.after, measure.limit) = (Some(odd()), odd(), Some(odd()));
    }
    for column in &mut report.columns {
        (column.loss, column.missing_before, column.missing_after) =
            (Some(odd()), odd(), Some(odd()));
        for bin in column
            .histogram
            .iter_mut()
            .flat_map(|histogram| &mut histogram.bins)
        {
            (bin.before, bin.after) = (Some(odd()), Some(odd()));
        }
    }
    report.columns[2].histogram = Some(Histogram {
        bins: Vec::new(),
        hidden_bins: 3,
    });
    for band in &mut report.risk {
        (band.from, band.to, band.before, band.after) = (odd(), odd(), odd(), odd());
    }
    report.stages[0].seconds = f64::NAN;
    report
}

/// Every text tries to break out.
pub(super) fn hostile() -> Report {
    let mut report = admissions();
    let spoil = |text: &mut String| *text = format!("{HOSTILE}{text}");
    for text in [
        &mut report.program,
        &mut report.name,
        &mut report.policy,
        &mut report.policy_sha256,
        &mut report.command,
        &mut report.source.path,
        &mut report.source.format,
        &mut report.verdict.unit,
    ] {
        spoil(text);
    }
    report.source.sha256 = Some(HOSTILE.to_owned());
    let sink = report.sink.as_mut().expect("the run wrote a file");
    [&mut sink.path, &mut sink.format]
        .into_iter()
        .for_each(spoil);
    for claim in &mut report.verdict.claims {
        [&mut claim.name, &mut claim.promised, &mut claim.found]
            .into_iter()
            .for_each(spoil);
    }
    report
        .rows
        .suppressed
        .iter_mut()
        .for_each(|reason| spoil(&mut reason.why));
    for measure in &mut report.measures {
        [&mut measure.name, &mut measure.meaning, &mut measure.family]
            .into_iter()
            .for_each(spoil);
    }
    for column in &mut report.columns {
        [&mut column.name, &mut column.role, &mut column.treatment]
            .into_iter()
            .for_each(spoil);
        let bins = column
            .histogram
            .iter_mut()
            .flat_map(|histogram| &mut histogram.bins);
        bins.for_each(|bin| spoil(&mut bin.label));
    }
    report.purpose.iter_mut().for_each(spoil);
    report.date.iter_mut().for_each(spoil);
    let risks = report.risk_by_column.iter_mut();
    risks
        .flat_map(|risk| &mut risk.columns)
        .for_each(|column| spoil(&mut column.name));
    report.warnings.iter_mut().for_each(spoil);
    report
        .stages
        .iter_mut()
        .for_each(|stage| spoil(&mut stage.name));
    report
}

/// As many columns as asked for, each with a full histogram.
pub(super) fn wide(columns: usize) -> Report {
    let mut report = admissions();
    let drawn: Vec<ColumnFact> = report
        .columns
        .iter()
        .filter(|column| column.histogram.is_some())
        .cloned()
        .collect();
    report.columns = (0..columns)
        .map(|number| {
            let mut column = drawn[number % drawn.len()].clone();
            column.name = format!("{}_{number}", column.name);
            column
        })
        .collect();
    report
}

#[test]
fn what_is_read_is_all_that_a_report_holds() {
    let read = [
        include_str!("fixture/admissions.json"),
        include_str!("fixture/events.json"),
    ];
    for (text, report) in read.into_iter().zip([admissions(), events()]) {
        let file: serde_json::Value = serde_json::from_str(text).expect("JSON");
        assert_eq!(serde_json::to_value(report).expect("JSON"), file);
    }
}
