//! What the product does otherwise than the study, one thing at a time: two trouble factors,
//! omitted answers, answers that do not wait for high orders, weighted votes, candidates by excess,
//! kept models and coarse confidences.

use super::case::Case;
use super::part::{Extent, Part, Results, Table};
use super::sets::{EEG, OCC, Set, WFR};
use crate::sheet::{Place, Sheet, row};
use moretta::Result;
use moretta::federate::frame::Coarse;
use moretta::federate::{Phases, RankBy, Ratio, Rule};

pub(super) static TABLE: Table = Table {
    name: "variants",
    cases,
    show,
};

/// Seeds at most.
const SEEDS: u64 = 3;

/// One thing that is different.
pub(super) struct Variant {
    pub(super) words: &'static str,
    rule: Rule,
    /// The trouble factor in halves of the widest site.
    halves: u32,
    change: fn(Case) -> Case,
}

const fn variant(
    words: &'static str,
    rule: Rule,
    halves: u32,
    change: fn(Case) -> Case,
) -> Variant {
    Variant {
        words,
        rule,
        halves,
        change,
    }
}

static VARIANTS: [Variant; 15] = [
    variant("vote 1×", Rule::Vote, 2, |case| case),
    variant("vote 2×", Rule::Vote, 4, |case| case),
    variant("vote, factors 2× and 1×", Rule::Vote, 4, two_factors),
    variant("vote 1×, omission", Rule::Vote, 2, omission),
    variant("weighted vote 1×", Rule::WeightedVote, 2, |case| case),
    variant("vote 1×, by excess", Rule::Vote, 2, |case| {
        case.with_trouble(|trouble| trouble.rank_by = RankBy::Excess)
    }),
    variant("vote 2×, by excess", Rule::Vote, 4, |case| {
        case.with_trouble(|trouble| trouble.rank_by = RankBy::Excess)
    }),
    variant("vote 1×, kept models", Rule::Vote, 2, |case| {
        case.with_trouble(|trouble| trouble.keeps_models = true)
    }),
    variant("vote 1×, 16 bits", Rule::Vote, 2, |case| {
        case.with(|terms| terms.coarse = Coarse::Bits16)
    }),
    variant("vote 1×, 8 bits", Rule::Vote, 2, |case| {
        case.with(|terms| terms.coarse = Coarse::Bits8)
    }),
    variant("confidence 1×", Rule::MaxConfidence, 2, |case| case),
    variant("confidence 1×, omission", Rule::MaxConfidence, 2, omission),
    variant("confidence 1×, 16 bits", Rule::MaxConfidence, 2, |case| {
        case.with(|terms| terms.coarse = Coarse::Bits16)
    }),
    variant("confidence 1×, 8 bits", Rule::MaxConfidence, 2, |case| {
        case.with(|terms| terms.coarse = Coarse::Bits8)
    }),
    variant(
        "confidence 1×, calibrated",
        Rule::MaxConfidence,
        2,
        |case| case.with(|terms| terms.answer.calibrate = true),
    ),
];

fn two_factors(case: Case) -> Case {
    let width = u32::from(case.set.width);
    case.with_trouble(|trouble| {
        trouble.second_factor = Some(Ratio::new(width, 1));
        trouble.phases = Phases::Two;
    })
}

fn omission(case: Case) -> Case {
    case.with(|terms| terms.answer.omit_forwarded = true)
}

/// The highest orders that are waited for.
pub(super) const ORDERS: [u8; 4] = [0, 1, 2, 3];

/// WFR by vote with factor 2×, answered as soon as nodes up to an order have.
pub(super) fn anytime(most: u8) -> Case {
    let case = Case::hierarchical(&WFR, Rule::Vote, 4, 1);
    case.with(|terms| terms.answer.max_order = Some(most))
}

fn sets(extent: &Extent) -> impl Iterator<Item = &'static Set> {
    let all = [&WFR, &OCC, &EEG].into_iter();
    all.filter(|set| extent.has(set))
}

fn case(set: &'static Set, variant: &Variant, seed: u64) -> Case {
    let case = Case::hierarchical(set, variant.rule, variant.halves, seed.min(SEEDS));
    (variant.change)(case)
}

fn cases(extent: &Extent) -> Vec<Case> {
    let mut cases = Vec::new();
    for set in sets(extent) {
        for variant in &VARIANTS {
            cases.extend(extent.seeded(|seed| case(set, variant, seed)));
        }
    }
    if extent.has(&WFR) {
        cases.extend(ORDERS.map(anytime));
    }
    cases
}

fn show(results: &Results<'_>) -> Result<Part> {
    let head = [
        "set",
        "variant",
        "accuracy",
        "interval",
        "TDTV",
        "agreed volume",
        "bytes a record",
    ];
    let seeds = results.extent.seeds.min(SEEDS);
    let title = format!("Variants, means over {seeds} seeds");
    let mut sheet = Sheet::new("variants", &title, Place::Both, &head);
    let mut part = Part::default();
    for set in sets(results.extent) {
        for variant in &VARIANTS {
            let case = |seed| case(set, variant, seed);
            let accuracy = results.spread(case, |run| run.accuracy)?;
            let volume = results.spread(case, |run| run.volume)?.mean;
            let agreed = results.spread(case, |run| run.agreed_volume)?.mean;
            let bytes = results.spread(case, |run| run.bytes_a_record())?.mean;
            let interval = accuracy.interval();
            sheet.rows.push(row![
                set.name,
                variant.words,
                accuracy.mean,
                interval,
                volume,
                agreed,
                bytes,
            ]);
        }
    }
    sheet.note(
        "TDTV counts a record for each source that would send it; the agreed volume is what two \
         phases send: records on which all sources of a node agree.",
    );
    part.sheets.push(sheet);
    if results.extent.has(&WFR) {
        show_anytime(results, &mut part)?;
        if results.extent.whole {
            let one = &VARIANTS[2];
            let run = results.book.of(&case(&WFR, one, 1))?;
            let (accuracy, volume) = (run.accuracy, run.agreed_volume);
            let holds = (accuracy - 85.6).abs() <= 1.0 && (volume - 54.0).abs() <= 3.0;
            part.check(
                "WFR, factors 2× and 1×: 85.6 (1.0) with 54 % of the data (3)",
                holds,
            );
        }
    }
    Ok(part)
}

fn show_anytime(results: &Results<'_>, part: &mut Part) -> Result<()> {
    let head = ["orders up to", "expected", "accuracy", "deviation"];
    let title = "WFR, vote 2×, seed 1: answers that wait for orders up to";
    let mut sheet = Sheet::new("anytime", title, Place::Both, &head);
    let expected = [Some(57.1), Some(91.5), Some(91.3), None];
    for (order, expected) in ORDERS.into_iter().zip(expected) {
        let run = results.book.of(&anytime(order))?;
        let (order, ours) = (u32::from(order), run.accuracy);
        sheet.rows.push(row![order, expected, ours, run.deviation]);
        if let Some(expected) = expected.filter(|_| results.extent.whole) {
            let holds = (ours - expected).abs() <= 1.0;
            part.check(
                format!("WFR, anytime, orders up to {order}: within 1.0"),
                holds,
            );
        }
    }
    part.sheets.push(sheet);
    Ok(())
}
