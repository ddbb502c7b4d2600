//! From a session to its report.

use super::coarse;
use super::events::{self, Decided};
use super::judge::Judgement;
use super::masked::{Masks, SENSITIVE, Watch};
use super::plan::{Action, Plan};
use super::report::{
    Bin, Claim, ColumnFact, FileFacts, Histogram, MeasureFact, NodeFact, Reason, Report, RiskBand,
    RowFacts, RuleFact, SMALL_CELL, SearchFacts, SizeCount, Verdict,
};
use super::rules;
use crate::data::{Field, Role, Schema};
use crate::guarantee::{ClaimFinding, Findings, Unit};
use crate::measure::PairMeasures;
use crate::measure::pairs::PairFacts;
use crate::measure::{self, utility::STRETCHED};
use crate::protect::{Solution, Solutions};

/// Everything a report is made from.
pub(crate) struct Facts<'a> {
    pub(crate) plan: &'a Plan,
    /// The columns that were read.
    pub(crate) schema: &'a Schema,
    /// What was counted and measured of values that were made coarser.
    pub(crate) judgement: Option<&'a Judgement>,
    /// What was counted and measured of events.
    pub(crate) decided: Option<Decided<'a>>,
    /// What was counted and measured of records that were masked.
    pub(crate) masked: Option<Masked<'a>>,
    /// Rows that were read and drawn.
    pub(crate) read: u64,
    /// Rows that are not in the sample that was drawn.
    pub(crate) left_out: u64,
    pub(crate) released: u64,
    pub(crate) suppressed: &'a [(String, u64)],
    /// What a search over recodings has found.
    pub(crate) solutions: Option<&'a Solutions>,
    /// How rows fare with rules between columns.
    pub(crate) rules: &'a [RuleFact],
    pub(crate) warnings: &'a [String],
}

/// Records that were masked.
pub(crate) struct Masked<'a> {
    pub(crate) masks: &'a Masks,
    pub(crate) watch: &'a Watch,
    /// The smallest of each crowd; none where nothing was released.
    pub(crate) crowds: &'a [Option<u64>],
}

/// The report of a session, which does not know of files.
pub(crate) fn report(facts: &Facts<'_>) -> Report {
    let suppressed = match facts.judgement {
        Some(judgement) => judgement.published.reasons.clone(),
        None => coarse::reasons(facts.suppressed, facts.read - facts.released),
    };
    let mut report = Report {
        columns: columns(facts),
        search: facts.solutions.map(search),
        rules: facts.rules.to_vec(),
        asked: facts.plan.asked().map(str::to_owned).collect(),
        ..blank(facts.released, suppressed)
    };
    leave_out(facts.left_out, &mut report);
    report.rows.merged = facts.left_out > 0 && facts.plan.items().is_some();
    if let Some(judgement) = facts.judgement {
        report = of_judgement(facts, judgement, report);
    }
    if let Some(decided) = &facts.decided {
        report = events::of_decided(facts.plan, decided, report);
    }
    if let Some(masked) = &facts.masked {
        report = of_masked(facts, masked, report);
    }
    report
        .warnings
        .extend(rules::warnings(facts.plan, facts.rules));
    report.warnings.extend_from_slice(facts.warnings);
    if let Some(judgement) = facts.judgement {
        let stretched = judgement.published.stretched.iter().map(stretched);
        report.warnings.extend(stretched);
    }
    report
}

/// What is told of a search: losses with four digits.
fn search(solutions: &Solutions) -> SearchFacts {
    let node = |solution: &Solution| NodeFact {
        levels: solution.levels.clone(),
        loss: solution.loss.map(four_digits),
    };
    SearchFacts {
        metric: solutions.metric.to_owned(),
        columns: solutions.columns.clone(),
        heights: solutions.heights.clone(),
        of_cuts: solutions.of_cuts,
        nodes: solutions.nodes,
        looked_at: solutions.looked_at,
        gap: four_digits(solutions.gap),
        best: solutions.best.iter().map(node).collect(),
        below: solutions.below.iter().map(node).collect(),
    }
}

fn four_digits(value: f64) -> f64 {
    let digits = format!("{value:.3e}");
    digits.parse().unwrap_or(value)
}

/// A report with the counts of rows; the rest is filled in later.
pub(crate) fn blank(released: u64, suppressed: Vec<Reason>) -> Report {
    let gone = coarse::suppressed(&suppressed);
    let read = released + gone;
    Report {
        version: 1,
        program: format!("moretta {}", env!("CARGO_PKG_VERSION")),
        source: FileFacts {
            rows: read,
            ..FileFacts::default()
        },
        verdict: Verdict {
            passed: true,
            unit: "rows".to_owned(),
            ..Verdict::default()
        },
        rows: RowFacts {
            read,
            read_is_bound: gone > 0,
            released,
            suppressed,
            ..RowFacts::default()
        },
        ..Report::default()
    }
}

/// Adds the rows that were left out by design, as a bound.
fn leave_out(rows: u64, report: &mut Report) {
    let at_most = coarse::at_most(rows);
    report.rows.left_out = at_most;
    report.rows.read += at_most;
    report.rows.read_is_bound |= at_most > 0;
    report.source.rows = report.rows.read;
}

/// Adds what is told of values that were made coarser.
fn of_judgement(facts: &Facts<'_>, judgement: &Judgement, report: Report) -> Report {
    let findings = &judgement.findings;
    Report {
        verdict: verdict(findings, Some(judgement.untruths.is_empty())),
        rows: RowFacts {
            classes_before: judgement.published.classes_before,
            classes_after: findings.classes,
            ..report.rows
        },
        class_sizes: findings
            .class_sizes
            .iter()
            .map(|(&size, &classes)| SizeCount { size, classes })
            .collect(),
        measures: measures(facts.plan, judgement),
        risk: risk(judgement),
        risk_by_column: judgement.published.by_column.clone(),
        population: judgement.published.population.clone(),
        ..report
    }
}

/// Adds what is told of records that were masked. A report on what is differentially
/// private tells nothing of the originals unless it is asked to.
fn of_masked(facts: &Facts<'_>, masked: &Masked<'_>, mut report: Report) -> Report {
    let plan = facts.plan;
    let asked = !(plan.report_measures.is_empty() && plan.fail_above.is_empty());
    let told = !masked.masks.is_private() || asked;
    let claims = masked_claims(masked, plan.audit);
    if facts.judgement.is_none() && masked.masks.counts_persons {
        report.verdict.unit = Unit::Persons.word().to_owned();
    }
    report.verdict.claims.extend(claims);
    // A masked value is not the value of anybody.
    report.verdict.truthful = None;
    report
        .warnings
        .extend(masked_warnings(facts, masked, asked));
    Report {
        pairs: match told {
            true => {
                let exact = masked.watch.measures().map(PairMeasures::facts);
                exact.map(PairFacts::rounded)
            }
            false => None,
        },
        ..report
    }
}

/// What masks promise: k by what was counted, ε by how the noise is made.
fn masked_claims(masked: &Masked<'_>, audited: bool) -> Vec<Claim> {
    let found = |smallest: Option<u64>| match smallest {
        None if !audited => "not counted again (audit = false)".to_owned(),
        None => "nothing released".to_owned(),
        Some(smallest) => smallest.to_string(),
    };
    let counted = masked.crowds.iter().copied();
    let counted = counted.chain(std::iter::repeat(None));
    let crowds = masked.masks.crowds.iter().zip(counted);
    let several = masked.masks.crowds.len() > 1;
    let crowds = crowds.map(|(crowd, smallest)| Claim {
        name: match several {
            true => format!("k-anonymity of {}", crowd.columns.join(", ")),
            false => "k-anonymity of the masked columns".to_owned(),
        },
        promised: format!("at least {}", crowd.k),
        promised_value: Some(f64::from(crowd.k)),
        found: found(smallest),
        found_value: smallest.map(|smallest| smallest as f64),
        holds: true,
    });
    // Nobody can read ε off a release: it is kept by how the noise is made.
    let losses = masked.masks.losses.iter().map(|loss| Claim {
        name: "differential privacy of the masked columns".to_owned(),
        promised: loss.clone(),
        promised_value: None,
        found: "kept by the accountant".to_owned(),
        found_value: None,
        holds: true,
    });
    crowds.chain(losses).collect()
}

fn masked_warnings(facts: &Facts<'_>, masked: &Masked<'_>, asked: bool) -> Vec<String> {
    let (plan, masks) = (facts.plan, masked.masks);
    let private = masks.is_private();
    let covered = plan.covers_quasi();
    let mut warnings = Vec::new();
    let open: Vec<String> = plan
        .columns
        .iter()
        .filter(|column| column.role == Role::Quasi && column.action == Action::Keep)
        .filter(|column| facts.schema.index_of(&column.name).is_some())
        .filter(|column| !covered && !masks.has(&column.name))
        .filter(|column| !plan.recodes_in_stream(&column.name))
        .map(|column| format!("`{}`", column.name))
        .collect();
    if !open.is_empty() {
        warnings.push(format!(
            "quasi-identifiers are released as they are: {}; figures of linkage are about masked columns alone",
            open.join(", ")
        ));
    }
    if plan.seed.is_some() && masks.uses_seed {
        warnings.push(
            "the policy has a seed: whoever knows it can draw the same random numbers and undo them"
                .to_owned(),
        );
    }
    if private && asked {
        warnings.push(
            "measures compare with the originals and are not differentially private: keep the report to yourself"
                .to_owned(),
        );
    }
    // How often a value left as it was is a fact about the originals, too.
    if !private {
        warnings.extend(masked.watch.unchanged());
    }
    let inverted = match private {
        true => Vec::new(),
        false => masked.watch.inverted(),
    };
    if !inverted.is_empty() {
        let names: Vec<String> = inverted.iter().map(|name| format!("`{name}`")).collect();
        warnings.push(format!(
            "probabilistic linkage of categories is not to be trusted: by its estimate, records that belong together agree less often than others in {}; compare it with linkage = \"supervised\" under [measure]",
            names.join(", ")
        ));
    }
    if plan.seed.is_some() && private {
        warnings.push("the seed is not used: private noise is never drawn again".to_owned());
    }
    let sensitive = plan.columns.iter().any(|c| c.role == Role::Sensitive);
    if sensitive && !covered && !masks.crowds.is_empty() {
        warnings.push(SENSITIVE.to_owned());
    }
    warnings
}

/// Few rows hold absurd values, or the column has a very long tail.
fn stretched(column: &String) -> String {
    format!(
        "few rows stretch the range of column `{column}` to more than {STRETCHED} times that of the others, so they are left out of what loss is measured against; write range = [least, largest] beside the column if that is wrong"
    )
}

/// What the checker found, in words.
pub(crate) fn verdict(findings: &Findings, truthful: Option<bool>) -> Verdict {
    Verdict {
        passed: findings.passed() && truthful != Some(false),
        claims: findings.claims.iter().map(claim).collect(),
        unit: findings.unit.word().to_owned(),
        truthful,
    }
}

/// One promise in words.
pub(crate) fn claim(found: &ClaimFinding) -> Claim {
    Claim {
        name: found.name.clone(),
        promised: found.promised.clone(),
        promised_value: finite(found.promised_value),
        found: found.found_text.clone(),
        found_value: found.found.and_then(finite),
        holds: found.holds,
    }
}

/// A recursive figure may have no bound, which JSON has no number for.
fn finite(figure: f64) -> Option<f64> {
    figure.is_finite().then_some(figure)
}

/// A share of `rows` in which counts from 1 to [`SMALL_CELL`] look alike.
fn coarse_share(count: usize, rows: usize) -> f64 {
    let small = (1..=SMALL_CELL as usize).contains(&count);
    let count = if small {
        SMALL_CELL as usize + 1
    } else {
        count
    };
    share(count.min(rows), rows)
}

/// Shares by risk; bands of the original with few persons go into its largest one.
fn risk(judgement: &Judgement) -> Vec<RiskBand> {
    let persons = judgement.published.persons_before;
    let mut bands: Vec<RiskBand> = judgement
        .published
        .bands
        .iter()
        .map(|band| RiskBand {
            from: band.from,
            to: band.to,
            before: band.before,
            after: band.after,
        })
        .collect();
    let mut moved = 0.0;
    for band in &mut bands {
        if is_small(band.before, persons) {
            moved += std::mem::take(&mut band.before);
        }
    }
    if let Some(largest) = bands
        .iter_mut()
        .max_by(|a, b| a.before.total_cmp(&b.before))
    {
        largest.before += moved;
    }
    bands
}

/// Whether a share stands for 1 to [`SMALL_CELL`] persons.
fn is_small(share: f64, persons: u64) -> bool {
    let count = (share * persons as f64).round();
    (1.0..=SMALL_CELL as f64).contains(&count)
}

/// The measures, those that the policy names first.
fn measures(plan: &Plan, judgement: &Judgement) -> Vec<MeasureFact> {
    let place = |name: &str| {
        plan.report_measures
            .iter()
            .position(|m| m == name)
            .unwrap_or(usize::MAX)
    };
    let persons = judgement.published.persons_before;
    let mut values = judgement.published.values.clone();
    let uniques = values.iter().find(|value| value.name == "uniques");
    let few_uniques = uniques.and_then(|value| value.before);
    let few_uniques = few_uniques.is_some_and(|share| is_small(share, persons));
    values.sort_by_key(|value| place(value.name));
    values
        .into_iter()
        .filter_map(|value| {
            let info = measure::find(value.name)?;
            let limits = plan.fail_above.iter();
            let limit = limits.clone().find(|(name, _)| name == info.name);
            let limit = limit.map(|(_, limit)| *limit);
            Some(MeasureFact {
                name: info.name.to_owned(),
                meaning: info.meaning.to_owned(),
                family: info.family.word().to_owned(),
                before: value.before.filter(|&share| match counted_in(info.name) {
                    Counted::Persons => !is_small(share, persons),
                    Counted::Uniques => !few_uniques,
                    Counted::Nobody => true,
                }),
                // The run was accepted, so what it may be at most is not above the limit.
                after: limit.map_or(value.after, |limit| value.after.min(limit)),
                percent: info.percent,
                limit,
            })
        })
        .collect()
}

/// Whom a figure of the originals counts, of whom few must not be told.
enum Counted {
    /// It is a share of persons.
    Persons,
    /// It rests on the number of those who are alone.
    Uniques,
    /// It is about all rows.
    Nobody,
}

fn counted_in(measure: &str) -> Counted {
    match measure {
        "uniques" | "at_risk" | "journalist_at_risk" => Counted::Persons,
        "population_uniques" | "pitman_uniques" | "zayatz_uniques" | "snb_uniques"
        | "suda_risk" | "suda_average" => Counted::Uniques,
        _ => Counted::Nobody,
    }
}

/// Every column of the file, also those that were never read.
fn columns(facts: &Facts<'_>) -> Vec<ColumnFact> {
    let columns = facts.plan.columns.iter();
    if facts.decided.is_some() {
        // Events have the columns of their plan.
        let columns = columns.map(|c| untold(&c.name, c.role, treatment(facts, &c.name, c.role)));
        return columns.collect();
    }
    let unread = columns.filter(|column| facts.schema.index_of(&column.name).is_none());
    let unread = unread.map(|column| {
        let treatment = match column.action {
            Action::Number => "numbered",
            _ => "dropped",
        };
        untold(&column.name, column.role, treatment)
    });
    let read = facts.schema.fields().iter();
    unread
        .chain(read.map(|field| column_fact(facts, field)))
        .collect()
}

/// A column of which nothing was measured.
fn untold(name: &str, role: Role, treatment: &str) -> ColumnFact {
    ColumnFact {
        name: name.to_owned(),
        role: role.word().to_owned(),
        treatment: treatment.to_owned(),
        loss: None,
        missing_before: 0.0,
        missing_after: None,
        histogram: None,
    }
}

fn column_fact(facts: &Facts<'_>, field: &Field) -> ColumnFact {
    let treatment = treatment(facts, &field.name, field.role);
    let blank = untold(&field.name, field.role, treatment);
    let Some(judgement) = facts.judgement else {
        return blank;
    };
    let mut losses = judgement.published.column_loss.iter();
    let rows = judgement.findings.rows as usize;
    let shown = |missing: u64| coarse_share(missing as usize, rows);
    let distributions = &judgement.distributions;
    ColumnFact {
        loss: losses
            .find(|(name, _)| !facts.plan.represents(name) && **name == *field.name)
            .map(|(_, loss)| *loss),
        missing_before: distributions.missing_before(&field.name).map_or(0.0, shown),
        missing_after: distributions.missing_after(&field.name).map(shown),
        histogram: distributions.histogram(&field.name).map(histogram),
        ..blank
    }
}

fn treatment(facts: &Facts<'_>, name: &str, role: Role) -> &'static str {
    let plan = facts.plan;
    let action = plan.column(name).map(|column| &column.action);
    let masked = facts.masked.as_ref();
    match (action, role) {
        (Some(Action::Drop), _) => "dropped",
        (Some(Action::Pseudonym { .. }), _) => "pseudonym",
        (Some(Action::Number), _) => "numbered",
        _ if masked.is_some_and(|m| m.masks.has(name)) => "masked",
        _ if plan.remakes(name) => "masked",
        (_, Role::Quasi) if plan.represents(name) => "representative",
        (_, Role::Quasi) if plan.covers_quasi() || plan.recodes_in_stream(name) => "generalised",
        (_, Role::Items) => "generalised",
        _ if plan.codes(name) => "recoded",
        _ => "kept",
    }
}

fn histogram(counted: &measure::Histogram) -> Histogram {
    let bins = counted.bins.iter().map(|bin| Bin {
        label: bin.label.clone(),
        before: bin.before,
        after: bin.after,
    });
    Histogram {
        bins: bins.collect(),
        hidden_bins: counted.hidden_bins,
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_counts_of_missing_cells_look_alike() {
        let shares: Vec<f64> = (1..=11).map(|count| coarse_share(count, 1000)).collect();
        assert!(shares.iter().all(|&share| share == 0.011), "{shares:?}");
        assert_eq!(coarse_share(0, 1000), 0.0);
        assert_eq!(coarse_share(12, 1000), 0.012);
        assert_eq!(coarse_share(3, 3), 1.0);
    }
}
