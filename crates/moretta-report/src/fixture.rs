//! Reports to draw in tests: one as a hospital would get it, and some that
//! nobody should ever get.

mod pairs;
mod stream;

pub(super) use pairs::{filtered, filtered_degenerate, filtered_few, filtered_once};
pub(crate) use stream::events;
pub(super) use stream::{
    events_all_hidden, events_at_a_fixed_z, events_degenerate, events_quiet,
    events_with_many_points, events_with_one_point, events_without_points,
};

use moretta::measure::{ColumnRisk, Exposure, RiskByColumn};
use moretta::pipeline::report::{
    Bin, Claim, ColumnFact, FileFacts, Histogram, MeasureFact, Reason, Report, RiskBand, RowFacts,
    SizeCount, StageFact, Verdict,
};

/// Would run, were it not escaped.
pub(super) const HOSTILE: &str = "<script>alert('1')</script>\"><img onerror=x>&";

const POLICY: &str = r#"version = 1
name = "ward-7"
seed = 42                      # the same release again

[source]
path = "admissions.csv"
delimiter = ";"

[columns]
name      = { role = "identifier", action = "drop" }
patient   = { role = "subject", action = "pseudonym", key = "env:MORETTA_KEY" }
age       = { role = "quasi", hierarchy = { intervals = [5, 10, 20] } }
sex       = { role = "quasi" }
zip       = { role = "quasi", hierarchy = { mask = "right" } }
education = { role = "quasi", hierarchy = { file = "education.csv" } }
admitted  = { role = "quasi", hierarchy = { date = ["month", "year"] } }
diagnosis = { role = "sensitive" }
stay      = { role = "plain" }
ward      = { role = "plain" }

[guarantee]
k = 5
l = { value = 3, kind = "entropy", on = ["diagnosis"] }

[[protect]]
method = "mondrian"

[measure]
report = ["gcp", "discernibility", "prosecutor_risk"]
fail_above = { gcp = 0.35 }

[sink]
path = "out/admissions.parquet"
"#;

/// 5,000 admissions released with k = 5 in about 600 classes.
pub(super) fn admissions() -> Report {
    Report {
        version: 1,
        program: "moretta 0.1.0".to_owned(),
        name: "ward-7".to_owned(),
        purpose: Some("Length of stay by age and region, for the ethics board".to_owned()),
        date: Some("2026-03-01".to_owned()),
        policy: POLICY.to_owned(),
        policy_sha256: "9f2c4e1ab07d5583c6e1f0a94b7728d3e5160c8fa2b94d7731e08c56fa19d042".to_owned(),
        command: "moretta run ward-7.toml --force".to_owned(),
        source: file("admissions.csv", "csv", 5000, 412_338, "1c"),
        sink: Some(file("out/admissions.parquet", "parquet", 4938, 96_104, "7a")),
        verdict: Verdict {
            passed: true,
            claims: vec![
                claim("k-anonymity", "at least 5", "5"),
                claim("entropy l-diversity of `diagnosis`", "at least 3", "3.04"),
                claim("t-closeness of `diagnosis`", "at most 0.45", "0.412"),
            ],
            unit: "persons".to_owned(),
            truthful: Some(true),
        },
        rows: RowFacts {
            read_is_bound: true,
            read: 5008,
            released: 4938,
            suppressed: vec![
                reason("class of fewer than 5 persons", 60),
                reason("date outside of its hierarchy", 10),
            ],
            classes_before: 4711,
            classes_after: 604,
            escaped: 0,
        },
        class_sizes: class_sizes(),
        measures: measures(),
        columns: columns(),
        risk_by_column: Some(risk_by_column()),
        risk: risk(),
        warnings: vec![
            "`stay` and `ward` are plain, yet together with `diagnosis` they single out 3.1 % of the rows; consider the role quasi".to_owned(),
            "`education` loses more than half of its information; a finer hierarchy may help".to_owned(),
        ],
        stream: None,
        pairs: None,
        stages: ["read", "protect", "measure", "write", "check"]
            .into_iter()
            .zip([0.021, 0.148, 0.037, 0.019, 1.052])
            .map(|(name, seconds)| StageFact {
                name: name.to_owned(),
                seconds,
            })
            .collect(),
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
    report.rows = RowFacts {
        read_is_bound: false,
        read: 0,
        released: 0,
        suppressed: Vec::new(),
        classes_before: 0,
        classes_after: 0,
        escaped: 0,
    };
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
    report.columns[2].histogram = Some(histogram(&[], 3));
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

fn file(path: &str, format: &str, rows: u64, bytes: u64, digits: &str) -> FileFacts {
    FileFacts {
        path: path.to_owned(),
        format: format.to_owned(),
        rows,
        bytes: Some(bytes),
        sha256: Some(digits.repeat(32)),
        hmac_sha256: None,
    }
}

fn claim(name: &str, promised: &str, found: &str) -> Claim {
    Claim {
        name: name.to_owned(),
        promised: promised.to_owned(),
        promised_value: promised
            .split(' ')
            .next_back()
            .and_then(|figure| figure.parse().ok()),
        found: found.to_owned(),
        found_value: found.parse().ok(),
        holds: true,
    }
}

pub(crate) fn reason(why: &str, at_most: u64) -> Reason {
    Reason {
        why: why.to_owned(),
        at_most,
    }
}

/// 604 classes of 4,778 persons, some of whom have several rows.
fn class_sizes() -> Vec<SizeCount> {
    [
        (5, 121),
        (6, 98),
        (7, 93),
        (8, 82),
        (9, 71),
        (10, 52),
        (11, 31),
        (12, 22),
        (13, 12),
        (14, 9),
        (15, 5),
        (17, 4),
        (19, 2),
        (23, 1),
        (28, 1),
    ]
    .map(|(size, classes)| SizeCount { size, classes })
    .to_vec()
}

fn measures() -> Vec<MeasureFact> {
    let fact =
        |name: &str, meaning: &str, family: &str, before, after, percent, limit| MeasureFact {
            name: name.to_owned(),
            meaning: meaning.to_owned(),
            family: family.to_owned(),
            before,
            after,
            percent,
            limit,
        };
    vec![
        fact(
            "gcp",
            "Share of the information in the quasi-identifiers that was lost (global certainty penalty)",
            "loss",
            Some(0.0),
            0.2874,
            true,
            Some(0.35),
        ),
        fact(
            "discernibility",
            "How many rows each row cannot be told from, summed over rows",
            "loss",
            Some(5_312.0),
            354_902.0,
            false,
            None,
        ),
        fact(
            "average_class_size",
            "Rows in a class over the promised k; 1 is best",
            "loss",
            None,
            1.635,
            false,
            None,
        ),
        fact(
            "suppressed",
            "Share of rows that were not released",
            "loss",
            None,
            0.0124,
            true,
            Some(0.05),
        ),
        fact(
            "prosecutor_risk",
            "Highest chance to find the row of a person known to be in the table",
            "risk",
            Some(1.0),
            0.2,
            true,
            None,
        ),
        fact(
            "average_risk",
            "Mean chance over all rows",
            "risk",
            Some(0.942),
            0.1223,
            true,
            Some(0.2),
        ),
        fact(
            "unique_rows",
            "Share of rows that no other row equals",
            "risk",
            Some(0.8914),
            0.0,
            true,
            None,
        ),
    ]
}

fn risk() -> Vec<RiskBand> {
    [
        (0.0, 0.05, 0.0, 0.0103),
        (0.05, 0.1, 0.0, 0.3012),
        (0.1, 0.2, 0.0044, 0.6885),
        (0.2, 0.333, 0.0071, 0.0),
        (0.333, 0.5, 0.0971, 0.0),
        (0.5, 1.0, 0.8914, 0.0),
    ]
    .map(|(from, to, before, after)| RiskBand {
        from,
        to,
        before,
        after,
    })
    .to_vec()
}

fn columns() -> Vec<ColumnFact> {
    let ages = intervals(
        0,
        5,
        &[
            61, 43, 52, 110, 181, 222, 251, 262, 283, 311, 342, 398, 431, 472, 489, 443, 361, 201,
            87,
        ],
    );
    let dates = [
        "2021-01-01",
        "2021-04-01",
        "2021-07-01",
        "2021-10-01",
        "2022-01-01",
        "2022-04-01",
        "2022-07-01",
        "2022-10-01",
        "2023-01-01",
    ];
    let dates: Vec<(String, f64)> = dates
        .windows(2)
        .zip([702.0, 611.0, 498.0, 655.0, 731.0, 622.0, 513.0, 668.0])
        .map(|(ends, rows)| (format!("{} to {}", ends[0], ends[1]), rows))
        .collect();
    let named = |bins: &[(&str, f64)]| {
        bins.iter()
            .map(|(name, rows)| ((*name).to_owned(), *rows))
            .collect::<Vec<_>>()
    };
    vec![
        column("name", "identifier", "dropped", None, None),
        column("patient", "subject", "pseudonym", None, None),
        column(
            "age",
            "quasi",
            "generalised",
            Some(0.183),
            Some(histogram(&ages, 0)),
        ),
        column(
            "sex",
            "quasi",
            "generalised",
            Some(0.062),
            Some(histogram(
                &named(&[("female", 2631.0), ("male", 2344.0), ("not recorded", 25.0)]),
                0,
            )),
        ),
        column(
            "zip",
            "quasi",
            "generalised",
            Some(0.337),
            Some(histogram(
                &named(&[
                    ("4041", 912.0),
                    ("4042", 744.0),
                    ("4051", 688.0),
                    ("4052", 534.0),
                    ("4053", 501.0),
                    ("4054", 433.0),
                    ("4055", 390.0),
                    ("4056", 302.0),
                    ("4057", 211.0),
                    ("4058", 122.0),
                    ("4059", 71.0),
                    ("D-79539", 33.0),
                    ("F-68300", 24.0),
                    ("other", 18.0),
                ]),
                6,
            )),
        ),
        column(
            "education",
            "quasi",
            "generalised",
            Some(0.541),
            Some(histogram(
                &named(&[
                    ("compulsory schooling only", 911.0),
                    ("vocational training", 1987.0),
                    ("grammar school (Gymnasium)", 604.0),
                    ("higher vocational college", 583.0),
                    ("university", 872.0),
                    ("doctorate", 43.0),
                ]),
                0,
            )),
        ),
        column(
            "admitted",
            "quasi",
            "generalised",
            Some(0.314),
            Some(histogram(&dates, 0)),
        ),
        column(
            "diagnosis",
            "sensitive",
            "kept",
            None,
            Some(histogram(
                &named(&[
                    ("Essential hypertension", 812.0),
                    ("Chronic obstructive pulmonary disease", 640.0),
                    ("Type 2 diabetes mellitus", 598.0),
                    ("Pneumonia, unspecified organism", 511.0),
                    ("Heart failure", 487.0),
                    ("Atrial fibrillation", 402.0),
                    ("Cerebral infarction", 377.0),
                    ("Hip fracture", 341.0),
                    ("Sepsis", 290.0),
                    ("Asthma", 244.0),
                    ("Other", 298.0),
                ]),
                14,
            )),
        ),
        column(
            "stay",
            "plain",
            "kept",
            None,
            Some(histogram(
                &intervals(
                    0,
                    2,
                    &[
                        988, 1321, 921, 633, 412, 281, 170, 98, 66, 41, 28, 0, 22, 0, 0,
                    ],
                ),
                3,
            )),
        ),
        column(
            "ward",
            "plain",
            "kept",
            None,
            Some(histogram(
                &named(&[("7A", 2210.0), ("7B", 1744.0), ("7C", 1046.0)]),
                0,
            )),
        ),
    ]
}

fn column(
    name: &str,
    role: &str,
    treatment: &str,
    loss: Option<f64>,
    mut histogram: Option<Histogram>,
) -> ColumnFact {
    if let (Some(histogram), Some(loss)) = (&mut histogram, loss) {
        spread(histogram, loss);
    }
    let released = treatment != "dropped";
    ColumnFact {
        name: name.to_owned(),
        role: role.to_owned(),
        treatment: treatment.to_owned(),
        loss,
        missing_before: if name == "education" { 0.034 } else { 0.0 },
        missing_after: released.then_some(if name == "education" { 0.033 } else { 0.0 }),
        histogram,
    }
}

fn risk_by_column() -> RiskByColumn {
    let exposure = |mean: f64, highest: f64| Exposure {
        highest,
        mean,
        below_k: 0.0,
    };
    let column = |(name, alone, without): (&str, f64, f64)| ColumnRisk {
        name: name.to_owned(),
        alone: exposure(alone, 2.0 * alone),
        without: exposure(without, 0.2),
    };
    RiskByColumn {
        all: exposure(0.122, 0.2),
        columns: [
            ("admitted", 0.011, 0.041),
            ("age", 0.016, 0.052),
            ("zip", 0.009, 0.066),
            ("education", 0.003, 0.101),
            ("sex", 0.0004, 0.118),
        ]
        .map(column)
        .to_vec(),
    }
}

fn intervals(first: i64, step: i64, rows: &[u32]) -> Vec<(String, f64)> {
    let mut start = first - step;
    let label = |rows: &u32| {
        start += step;
        (format!("{start} to {}", start + step), f64::from(*rows))
    };
    rows.iter().map(label).collect()
}

fn histogram(before: &[(String, f64)], hidden_bins: u64) -> Histogram {
    let bins = before.iter().map(|(label, rows)| Bin {
        label: label.clone(),
        before: Some(*rows).filter(|rows| *rows > 0.0),
        after: Some(0.9876 * rows).filter(|rows| *rows > 0.0),
    });
    Histogram {
        bins: bins.collect(),
        hidden_bins,
    }
}

/// Gives a share of every bin to its neighbours, as generalisation does.
fn spread(histogram: &mut Histogram, share: f64) {
    let rows = histogram.bins.iter().map(|bin| bin.after.unwrap_or(0.0));
    let rows: Vec<f64> = rows.collect();
    for (position, bin) in histogram.bins.iter_mut().enumerate() {
        let last = rows.len() - 1;
        let neighbours = rows[position.saturating_sub(1)] + rows[last.min(position + 1)];
        let after = (1.0 - share) * rows[position] + share * neighbours / 2.0;
        bin.after = bin.after.map(|_| after);
    }
}
