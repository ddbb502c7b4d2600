//! Every variant that terms can ask for, in whole runs over bad networks, and what it is good for.

use super::faults::{check_whole, flow, live};
use super::seeds::{check_seed, hosted, seeds};
use super::*;
use crate::federate::simulate::process::Outcome;
use crate::federate::terms::AnswerTerms;
use crate::federate::{Mode, RankBy, ScoreForm, ScoreTerms, TroubleTerms};

/// What one process makes of a case.
fn outcome(case: &Case) -> Outcome {
    let process = Process::new(case.terms.clone(), case.sources(), case.classes.clone());
    process.and_then(Process::run).expect("a run")
}

fn trouble(case: &mut Case) -> &mut TroubleTerms {
    case.terms.trouble.as_mut().expect("nodes")
}

fn answer(case: &mut Case) -> &mut AnswerTerms {
    &mut case.terms.answer
}

/// Nodes come soon and go soon.
fn hasty(case: &mut Case) {
    case.terms.monitors = MonitorTerms {
        creation_time: 6,
        removal_time: 10,
        drift: 0.3,
        ..case.terms.monitors
    };
}

/// Records are ranked by T; columns have six values, so that a site has several schemas.
fn scored(case: &mut Case, form: ScoreForm, every: u32, by_mean: bool) {
    case.values = 6;
    trouble(case).score = Some(ScoreTerms {
        form,
        every,
        by_mean,
    });
}

/// So many sites; only the first four tell anything.
pub(super) fn widen(case: &mut Case, sites: u16) {
    let mut random = JavaRandom::new(99);
    for record in &mut case.records {
        record.resize_with(usize::from(sites), || random.next_double());
    }
    case.terms.sites = (0..sites).collect();
}

/// A name, the kind of fragments, what is changed, and a kind of frame that parties must be killed
/// after.
type Variant = (&'static str, FragmentKind, fn(&mut Case), Option<Kind>);

const VARIANTS: &[Variant] = {
    use FragmentKind::{Masked, Projected, Raw};
    &[
        (
            "T, the sum",
            Raw,
            |case| scored(case, ScoreForm::Sum, 1, false),
            Some(Kind::Scores),
        ),
        (
            "T, the mean of every third sum",
            Raw,
            |case| scored(case, ScoreForm::Sum, 3, true),
            Some(Kind::Scores),
        ),
        (
            "T, the maximum",
            Raw,
            |case| scored(case, ScoreForm::Maximum, 1, true),
            Some(Kind::Scores),
        ),
        (
            "T, weighed by variance",
            Raw,
            |case| scored(case, ScoreForm::VarianceWeighted, 2, false),
            Some(Kind::Scores),
        ),
        (
            "T, masked",
            Masked,
            |case| scored(case, ScoreForm::Sum, 1, false),
            Some(Kind::Scores),
        ),
        (
            "kept models",
            Raw,
            |case| {
                hasty(case);
                trouble(case).keeps_models = true;
            },
            Some(Kind::Topology),
        ),
        (
            "kept models, masked",
            Masked,
            |case| {
                hasty(case);
                trouble(case).keeps_models = true;
            },
            Some(Kind::Topology),
        ),
        (
            "excess",
            Raw,
            |case| trouble(case).rank_by = RankBy::Excess,
            None,
        ),
        (
            "weighted votes",
            Raw,
            |case| answer(case).rule = Rule::WeightedVote,
            None,
        ),
        (
            "calibrated",
            Raw,
            |case| answer(case).calibrate = true,
            None,
        ),
        (
            "omitted",
            Raw,
            |case| answer(case).omit_forwarded = true,
            None,
        ),
        (
            "omitted, the most confident, masked",
            Masked,
            |case| {
                answer(case).omit_forwarded = true;
                answer(case).rule = Rule::MaxConfidence;
            },
            None,
        ),
        (
            "order 0",
            Raw,
            |case| answer(case).max_order = Some(0),
            None,
        ),
        (
            "order 1 of 2",
            Raw,
            |case| {
                hasty(case);
                answer(case).max_order = Some(1);
            },
            None,
        ),
        (
            "two factors",
            Raw,
            |case| {
                trouble(case).second_factor = Some(Ratio::ONE);
                trouble(case).phases = Phases::Two;
            },
            Some(Kind::State),
        ),
        (
            "two factors, masked",
            Masked,
            |case| trouble(case).second_factor = Some(Ratio::new(1, 2)),
            Some(Kind::State),
        ),
        ("groups of 3", Raw, |case| trouble(case).group = 3, None),
        ("groups of 4", Raw, |case| trouble(case).group = 4, None),
        (
            "groups of 4, masked",
            Masked,
            |case| trouble(case).group = 4,
            None,
        ),
        (
            "two colluders of four, masked, under others",
            Masked,
            |case| {
                widen(case, 9);
                hasty(case);
                (trouble(case).group, trouble(case).colluders) = (4, 2);
                case.terms.monitors.delta = 0.9;
                case.terms.monitors.removal_time = 1000;
            },
            None,
        ),
        ("projected", Projected, |_| {}, None),
        (
            "keys first or not",
            Projected,
            |case| {
                trouble(case).phases = Phases::Auto;
                case.terms.window = 40;
            },
            None,
        ),
        (
            "masked sums under others",
            Masked,
            |case| {
                widen(case, 9);
                hasty(case);
                case.terms.monitors.delta = 0.9;
                case.terms.monitors.removal_time = 1000;
            },
            None,
        ),
        (
            "most of all this at once",
            Raw,
            |case| {
                hasty(case);
                scored(case, ScoreForm::Sum, 1, true);
                trouble(case).second_factor = Some(Ratio::ONE);
                trouble(case).keeps_models = true;
                trouble(case).rank_by = RankBy::Excess;
                trouble(case).phases = Phases::Auto;
                answer(case).rule = Rule::WeightedVote;
                answer(case).calibrate = true;
                answer(case).omit_forwarded = true;
                answer(case).max_order = Some(1);
            },
            Some(Kind::State),
        ),
    ]
};

#[test]
fn lockstep_answers_of_every_variant_are_those_of_one_process() {
    for (name, kind, change, restored) in VARIANTS {
        let (mut kills, mut used) = (0, 0);
        for seed in seeds(8) {
            let mut case = Case::new(Rule::Vote, Some(*kind), 8, 400, seed / 4);
            case.terms.label_delay = [0, 0, 5, 30][seed as usize % 4];
            change(&mut case);
            let expected = case.expected();
            let (run, auditor) = check_seed(&hosted(&case, seed), seed, &expected);
            kills += restored.map_or(run.kills as usize, |kind| auditor.kills_after(kind));
            used += run.count(|note| matches!(note, Note::Created(..)));
        }
        assert!(used > 0, "{name}: nodes are made");
        assert!(
            kills > 2,
            "{name}: {kills} kills of parties that knew of it"
        );
    }
}

/// Nodes that join what other nodes have joined, where sites mask.
#[test]
fn masked_sums_are_joined_by_nodes_of_a_second_order() {
    let mut case = Case::new(Rule::Vote, Some(FragmentKind::Masked), 8, 400, 0);
    let found = VARIANTS
        .iter()
        .find(|one| one.0 == "masked sums under others");
    (found.expect("a variant").2)(&mut case);
    let outcome = outcome(&case);
    assert_eq!(outcome.finals.len(), case.classes.len());
    assert!(outcome.finals.iter().any(|answer| answer.order == 2));
}

/// The most confident answers a stream of three parts. In the first and the last the first two
/// columns tell the class together; in between the third does.
#[test]
fn with_kept_models_a_concept_is_known_again_when_it_returns() {
    let made = |keeps_models: bool| {
        let mut case = Case::new(Rule::MaxConfidence, Some(FragmentKind::Raw), 8, 4500, 8);
        trouble(&mut case).keeps_models = keeps_models;
        let third = case.records.len() / 3;
        for (at, (record, class)) in case.records.iter().zip(&mut case.classes).enumerate() {
            let returns = !(third..2 * third).contains(&at);
            *class = u32::from(match returns {
                true => (record[0] > 0.5) != (record[1] > 0.5),
                false => record[2] > 0.1,
            });
        }
        let outcome = outcome(&case);
        let made = outcome.notes.iter().filter_map(|note| match note {
            Note::Created(_, sources, first) if sources[..] == [0, 1] => Some(*first as usize * 8),
            _ => None,
        });
        let made: Vec<usize> = made.collect();
        let again = *made
            .iter()
            .find(|at| **at > 2 * third)
            .expect("it is made again");
        assert!(made[0] < third, "{made:?}");
        let right = (again..again + 200).filter(|&at| outcome.finals[at].class == case.classes[at]);
        right.count()
    };
    let (with, without) = (made(true), made(false));
    assert!(with > without, "{with} {without}");
}

/// Three sites are right in 17 of 20 records, and one knows nothing.
#[test]
fn a_weighted_vote_is_better_than_a_vote_where_one_site_is_bad() {
    let right = |rule: Rule| {
        let mut case = Case::new(rule, None, 8, 4000, 9);
        let mut random = JavaRandom::new(10);
        for (record, class) in case.records.iter_mut().zip(&mut case.classes) {
            *class = u32::from(random.next_boolean());
            for value in record.iter_mut().take(3) {
                let told = (random.next_double() < 0.85) == (*class == 1);
                *value = 0.5 * f64::from(u32::from(told)) + 0.4 * *value;
            }
        }
        let finals = outcome(&case).finals;
        let pairs = finals.iter().zip(&case.classes);
        pairs
            .filter(|(answer, class)| answer.class == **class)
            .count()
    };
    let (vote, weighted) = (right(Rule::Vote), right(Rule::WeightedVote));
    assert!(weighted > vote + 100, "{weighted} {vote}");
}

/// Each node feeds one node at most, so whoever omits an answer leaves it to a node that answers, or
/// to a site that does not forward the record.
#[test]
fn omitted_answers_save_bytes_and_every_record_has_an_answer() {
    for rule in [Rule::Vote, Rule::MaxConfidence] {
        let of = |omits: bool| {
            let mut case = Case::new(rule, Some(FragmentKind::Raw), 32, 3200, 3);
            answer(&mut case).omit_forwarded = omits;
            trouble(&mut case).fixed = true;
            outcome(&case)
        };
        let (all, fewer) = (of(false), of(true));
        let bytes = |outcome: &Outcome| outcome.bytes[&(Kind::Answers as u8)];
        assert!(
            bytes(&fewer) < bytes(&all),
            "{} {}",
            bytes(&fewer),
            bytes(&all)
        );
        let told = |outcome: &Outcome| {
            let told = outcome
                .settled
                .iter()
                .map(|settled| settled.judgements.len());
            (told.clone().min(), told.sum::<usize>())
        };
        let (least, together) = told(&fewer);
        assert_eq!(fewer.settled.len(), 3200);
        assert!(
            least >= Some(1) && together < told(&all).1,
            "{least:?} {together}"
        );
        assert!(!fewer.finals.iter().any(|answer| answer.partial));
    }
}

/// What monitors see is the complete answer, so the hierarchy is the same one.
#[test]
fn answers_of_a_low_order_are_early_and_change_nothing_else() {
    let of = |max_order: Option<u8>| {
        let mut case = Case::new(Rule::Vote, Some(FragmentKind::Raw), 8, 2000, 3);
        answer(&mut case).max_order = max_order;
        outcome(&case)
    };
    let (whole, low) = (of(None), of(Some(0)));
    assert!(whole.finals.iter().any(|answer| answer.order > 0));
    assert!(!whole.finals.iter().any(|answer| answer.early));
    assert!(low.finals.iter().all(|answer| answer.order == 0));
    let pairs = || whole.finals.iter().zip(&low.finals);
    assert!(pairs().all(|(whole, low)| low.early || whole == low));
    assert!(pairs().any(|(_, low)| low.early));
    assert_eq!(whole.notes, low.notes);
    assert_eq!(whole.settled, low.settled);
}

/// A node that answers after the deadline: the answers of sites are final for the consumer, and the
/// node counts for monitors all the same.
#[test]
fn in_flow_answers_at_the_deadline_are_early_where_a_node_is_slow() {
    let host = PartyId::host(0);
    let mut case = flow(800);
    case.terms.hosts = vec![host.0];
    trouble(&mut case).fixed = true;
    let early = |case: &Case, least: Time| {
        let mut weather = live(4);
        let slow = Link {
            least,
            most: least,
            ..Link::GOOD
        };
        weather.links.insert((host, PartyId::AGGREGATOR), slow);
        let (run, ()) = case.run(weather, ());
        check_whole(case, &run);
        let finals = run.finals();
        assert!(!finals.iter().any(|answer| answer.partial));
        assert!(
            finals
                .iter()
                .all(|answer| !answer.early || answer.order == 0)
        );
        let of = |which: fn(&Final) -> bool| finals.iter().filter(|answer| which(answer)).count();
        (of(|answer| answer.early), of(|answer| answer.order > 0))
    };
    let (few, used) = early(&case, 1);
    assert!(few == 0 && used > 50, "{few} {used}");
    let (many, unused) = early(&case, 150);
    assert!(many > 50 && unused == 0, "{many} {unused}");
    // Whoever does not wait for nodes has the answer at once, and it is as early.
    answer(&mut case).max_order = Some(0);
    let (told, unused) = early(&case, 1);
    assert!(told > 50 && unused == 0, "{told} {unused}");
    assert!(matches!(case.terms.mode, Mode::Flow { after: 100, .. }));
}

/// The second factor bounds what is sent once sources agree: a quarter of it leaves fewer records.
#[test]
fn a_second_factor_bounds_what_sources_forward() {
    let of = |second: Option<Ratio>| {
        let mut case = Case::new(Rule::Vote, Some(FragmentKind::Raw), 8, 2000, 3);
        trouble(&mut case).fixed = true;
        trouble(&mut case).phases = Phases::Two;
        trouble(&mut case).second_factor = second;
        let outcome = outcome(&case);
        let forwarded = outcome
            .settled
            .iter()
            .map(|settled| settled.forwarded.len());
        let states = outcome.bytes.get(&(Kind::State as u8)).copied();
        (forwarded.sum::<usize>(), states.unwrap_or(0))
    };
    let ((one, no_states), (two, states)) = (of(None), of(Some(Ratio::new(1, 64))));
    assert!(no_states == 0 && states > 0, "{no_states} {states}");
    assert!(two < one, "{two} {one}");
}

#[test]
fn groups_have_as_many_sources_as_they_should() {
    for group in [3, 4] {
        let mut case = Case::new(Rule::Vote, Some(FragmentKind::Raw), 8, 2000, 3);
        trouble(&mut case).group = group;
        trouble(&mut case).factor = Ratio::new(u32::from(group) - 1, 1);
        hasty(&mut case);
        case.terms.monitors.delta = 0.9;
        let outcome = outcome(&case);
        let made = outcome.notes.iter().filter_map(|note| match note {
            Note::Created(_, sources, _) => Some(sources.len()),
            _ => None,
        });
        let made: Vec<usize> = made.collect();
        assert!(!made.is_empty() && made.iter().all(|&made| made == usize::from(group)));
        assert!(outcome.finals.iter().any(|answer| answer.order > 0));
    }
}

/// Two sites, as in the study's example: of the records of kind Y both are less sure than of others
/// together, but the second is less sure of each of the others. So by confidence the first is
/// troubled by Y and the second by all but Y, and by T both are troubled by Y.
#[test]
fn by_t_two_sites_agree_that_by_confidence_never_do() {
    // Of 40 records 20 are Y. The first site tells X from Z, the second does not.
    let kinds = |at: usize| match at % 40 {
        at if at % 2 == 0 => ([1.0, 1.0], u32::from(at >= 12)),
        at if at < 23 => ([0.0, 0.0], u32::from(at > 2)),
        _ => ([2.0, 0.0], 0),
    };
    let of = |score: Option<ScoreTerms>| {
        let mut case = Case::new(Rule::Vote, Some(FragmentKind::Raw), 40, 4000, 0);
        case.terms.sites = vec![0, 1];
        case.values = 3;
        trouble(&mut case).fixed = true;
        trouble(&mut case).score = score;
        trouble(&mut case).factor = Ratio::new(1001, 1000);
        for (at, (record, class)) in case.records.iter_mut().zip(&mut case.classes).enumerate() {
            let (values, known) = kinds(at);
            *record = values.iter().map(|value| (value + 0.5) / 3.0).collect();
            *class = known;
        }
        let settled = outcome(&case).settled;
        let late = &settled[2000..];
        let by = |sites: usize| {
            late.iter()
                .filter(|one| one.forwarded.len() == sites)
                .count()
        };
        (by(1), by(2))
    };
    let (one, both) = of(None);
    assert!(one > 1900 && both == 0, "{one} {both}");
    let sum = ScoreTerms {
        form: ScoreForm::Sum,
        every: 1,
        by_mean: false,
    };
    assert_eq!(of(Some(sum)), (0, 1000));
}

/// Of 14,190 groups of three those are watched that extend pairs, and the same ones after kills.
#[test]
fn too_many_groups_are_watched_alike_under_kills() {
    let mut case = Case::new(Rule::MaxConfidence, Some(FragmentKind::Raw), 8, 800, 7);
    widen(&mut case, 45);
    case.values = 4;
    trouble(&mut case).group = 3;
    let expected = outcome(&case);
    let made = expected.notes.iter().filter_map(|note| match note {
        Note::Created(_, sources, _) => Some(sources.clone()),
        _ => None,
    });
    let made: Vec<Vec<u16>> = made.collect();
    assert!(made.iter().all(|sources| sources.len() == 3));
    let late = made.iter().filter(|sources| sources[0] > 2).count();
    assert!(2 * late > made.len(), "{late} of {}", made.len());
    assert!(expected.finals.iter().any(|answer| answer.order > 0));
    for seed in 0..2 {
        check_seed(&hosted(&case, seed), seed, &expected.finals);
    }
}
