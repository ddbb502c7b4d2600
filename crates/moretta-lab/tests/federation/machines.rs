//! The state machines of the library give what the plain loop gives, to the last bit.

use crate::demonstration;
use crate::reference::{self, Hierarchy, Settings};
use crate::support::{Stream, occupancy, wall_following_robot};
use moretta::data::Records;
use moretta::federate::frame::NO_NODE;
use moretta::federate::simulate::{Process, SiteSource};
use moretta::federate::{Column, Note, Ratio, Rule, Sharing, Terms};
use moretta::learn::Input;

/// Runs the machines with the settings of the reference.
fn run(stream: &Stream, settings: &Settings) -> (Vec<reference::Final>, Vec<(u16, u64)>) {
    let rule = match settings.rule {
        reference::Rule::MostConfident => Rule::MaxConfidence,
        reference::Rule::Vote => Rule::Vote,
        reference::Rule::Stack => Rule::Stack,
    };
    let classes = stream.header.classes() as u32;
    let mut terms = Terms::of_study(settings.sites.len() as u16, classes, rule);
    if settings.hierarchy != Hierarchy::Flat {
        terms = terms.with_trouble(Ratio::new(settings.twice_factor as u32, 2));
    }
    if let Some(trouble) = &mut terms.trouble {
        trouble.learner = settings.node_learner.to_owned();
        trouble.seed = settings.seed;
        trouble.fixed = settings.hierarchy == Hierarchy::Park;
    }
    terms.answer.stacker = settings.node_learner.to_owned();
    terms.first_record = settings.first_id as u64;
    terms.batch = settings.batch as u32;
    terms.label_delay = settings.delay as u64;
    let site = |columns: &Vec<usize>| site(stream, columns, settings.site_learner);
    let sources = settings.sites.iter().map(site).collect();
    let process = Process::new(terms, sources, stream.classes.clone()).expect("sound terms");
    let outcome = process.run().expect("sound records");
    let answers = outcome.finals.iter().map(|answer| reference::Final {
        class: answer.class,
        confidence: answer.confidence,
        node: (answer.who != NO_NODE).then_some(usize::from(answer.who)),
    });
    let made = outcome.notes.iter().filter_map(|note| match note {
        Note::Created(node, _, batch) => Some((*node, *batch)),
        _ => None,
    });
    (answers.collect(), made.collect())
}

fn site(stream: &Stream, columns: &[usize], learner: &str) -> SiteSource {
    let mut records = Records::new(columns.len());
    for record in stream.records.iter() {
        let own: Vec<f64> = columns.iter().map(|&column| record[column]).collect();
        records.push(&own);
    }
    let column = |&place: &usize| Column {
        id: place as u64,
        size: 1,
        values: match stream.header.attributes()[place] {
            Input::Number => 0,
            Input::Nominal { values } => values as u32,
        },
    };
    SiteSource {
        columns: columns.iter().map(column).collect(),
        learner: learner.to_owned(),
        records,
        sharing: Sharing::default(),
    }
}

fn check(stream: &Stream, settings: &Settings) {
    let expected = reference::run(stream, settings);
    let (answers, made) = run(stream, settings);
    let first = answers
        .iter()
        .zip(&expected.answers)
        .position(|(ours, plain)| ours != plain);
    assert_eq!(first, None, "{settings:?}");
    assert_eq!(answers.len(), expected.answers.len());
    let batch = settings.batch as u64;
    // A node over one that goes at the same time is never there.
    let lives = |at: usize, made: usize| {
        let gone = |event: &reference::Event| matches!(*event, reference::Event::Removed { record, node } if (record, node) == (at, made));
        !expected.events.iter().any(gone)
    };
    let created = expected.events.iter().filter_map(|event| match *event {
        reference::Event::Created { record, node } if lives(record, node) => {
            Some((node as u16, (record as u64 + 1) / batch))
        }
        _ => None,
    });
    assert_eq!(made, created.collect::<Vec<_>>(), "{settings:?}");
}

/// All rules, with batches and late labels.
fn check_all(stream: &Stream, base: &Settings) {
    let rules = [
        reference::Rule::MostConfident,
        reference::Rule::Vote,
        reference::Rule::Stack,
    ];
    for rule in rules {
        for (batch, delay) in [(1, 0), (64, 0), (256, 100), (1, 64)] {
            let settings = Settings {
                rule,
                batch,
                delay,
                ..base.clone()
            };
            check(stream, &settings);
        }
    }
}

#[test]
fn on_the_wall_following_robot() {
    let Some(stream) = wall_following_robot() else {
        return;
    };
    let base = Settings::of(&stream, 4, reference::Rule::Vote, Hierarchy::Monitored);
    for twice_factor in [8, 12, 16] {
        let settings = Settings {
            node_learner: "nb",
            twice_factor,
            ..base.clone()
        };
        check_all(&stream, &settings);
    }
    check(&stream, &base);
    let park = Settings {
        hierarchy: Hierarchy::Park,
        twice_factor: 16,
        ..base
    };
    check(&stream, &park);
}

#[test]
fn on_occupancy_with_trees() {
    let Some(stream) = occupancy() else {
        return;
    };
    let base = Settings {
        site_learner: "ht(leaf=nb)",
        node_learner: "ht(leaf=nb)",
        ..Settings::of(&stream, 1, reference::Rule::Vote, Hierarchy::Monitored)
    };
    check_all(&stream, &base);
}

#[test]
fn on_the_demonstration() {
    let stream = demonstration::stream();
    let settings = demonstration::settings(&stream, Hierarchy::Monitored);
    check(&stream, &settings);
}
