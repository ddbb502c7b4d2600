//! Sites that keep their columns answer together as was published.

mod reference;
#[path = "../support/mod.rs"]
mod support;

use moretta::learn::Input;
use moretta::data::Records;
use moretta::math::java_random::JavaRandom;
use reference::{Event, Hierarchy, Rule, Settings, run};
use support::*;

fn demo() -> Stream {
    let (mut records, mut classes) = (Records::new(6), Vec::new());
    for (seed, pairs) in [(5, [0, 2]), (0, [0, 4]), (1, [0, 2])] {
        let mut random = JavaRandom::new(seed);
        for _ in 0..10_000 {
            let bits = [(); 6].map(|()| random.next_float() < 0.5);
            random.next_float();
            records.push(&bits.map(|bit| f64::from(u8::from(bit))));
            classes.push(u32::from(pairs.iter().any(|&p| bits[p] && bits[p + 1])));
        }
    }
    Stream::new(vec![Input::Nominal { values: 2 }; 6], records, classes)
}

#[test]
#[expect(clippy::print_stderr)]
fn demo_explore() {
    let stream = demo();
    for resplit in [true, false] {
        for hierarchy in [Hierarchy::Flat, Hierarchy::Monitored] {
            let mut s = Settings::of(&stream, 1, Rule::MostConfident, hierarchy);
            s.site_learner = if resplit { "ht(leaf=nb, resplit=yes)" } else { "ht(leaf=nb)" };
            s.node_learner = s.site_learner;
            s.first_id = 0;
            let r = run(&stream, &s);
            eprintln!("{resplit} {hierarchy:?} {:?} tdtv {} {:?} use {} mdtv {} {}", r.accuracy(&stream.classes), r.transmitted(),
              ["[0,1]","[2,3]","[4,5]","[[2,3],5]"].map(|n| r.transmitted_to(n)), r.used("[0,1]"), r.busiest(true), r.busiest(false));
            for e in &r.events {
                match e { Event::Created{node,..}|Event::Removed{node,..} => eprintln!("{e:?} {}", r.name(*node)), _ => eprintln!("{e:?}") }
            }
        }
    }
}

fn rounded(mut stream: Stream) -> Stream {
    for row in 0..stream.records.len() {
        for value in stream.records.record_mut(row) {
            *value = (*value * 1e6).round() / 1e6;
        }
    }
    stream
}

#[expect(clippy::print_stderr)]
fn show(label: &str, stream: &Stream, s: &Settings) {
    let t = std::time::Instant::now();
    let r = run(stream, s);
    eprintln!("{label}: {:?} tdtv {:.4} mdtv {:.4} {:.4} {:?}", r.accuracy(&stream.classes), r.transmitted(), r.busiest(true), r.busiest(false), t.elapsed());
    if s.hierarchy == Hierarchy::Monitored { for e in &r.events {
                match e { Event::Created{node,..}|Event::Removed{node,..} => eprintln!("    {e:?} {}", r.name(*node)), _ => eprintln!("    {e:?}") }
    }}
}

#[test]
fn x_flat() {
    for (n, w, s) in [("eeg",1,eye_states().unwrap()),("occ",1,occupancy().unwrap()),("wfr",4,wall_following_robot().unwrap()),
       ("rbff",1,rounded(moving_rbf(0.001))),("rbfm",1,rounded(moving_rbf(0.0001))),("seaa",1,rounded(sea(1.0))),("seag",1,rounded(sea(10000.0)))] {
        show(&format!("{n} maxconf"), &s, &Settings::of(&s, w, Rule::MostConfident, Hierarchy::Flat));
        show(&format!("{n} vote"), &s, &Settings::of(&s, w, Rule::Vote, Hierarchy::Flat));
        let mut p = Settings::of(&s, w, Rule::MostConfident, Hierarchy::Park);
        p.twice_factor *= 2;
        p.node_learner = "nb";
        show(&format!("{n} park"), &s, &p);
        show(&format!("{n} stack"), &s, &Settings::of(&s, w, Rule::Stack, Hierarchy::Flat));
    }
}

#[test]
fn y_wfr() {
    let s = wall_following_robot().unwrap();
    let mut p = Settings::of(&s, 4, Rule::Vote, Hierarchy::Monitored);
    p.node_learner = "nb";
    show("wfr nb vote", &s, &p);
    for b in [1, 64, 256, 1000] { let p = Settings { batch: b, ..Settings::of(&s, 4, Rule::Vote, Hierarchy::Monitored) };
    show(&format!("wfr vote B {b}"), &s, &p); }
}

#[test]
fn z_batches() {
    let s = demo();
    for b in [1, 64, 256, 1000] {
        let mut p = Settings::of(&s, 1, Rule::MostConfident, Hierarchy::Monitored);
        p.site_learner = "ht(leaf=nb, resplit=yes)";
        p.node_learner = p.site_learner;
        p.first_id = 0;
        p.batch = b;
        show(&format!("demo B {b}"), &s, &p);
    }
    let s = occupancy().unwrap();
    for b in [1, 64, 256, 1000] { let p = Settings { batch: b, ..Settings::of(&s, 1, Rule::Vote, Hierarchy::Monitored) };
    show(&format!("occ B {b}"), &s, &p); }
    for (d, patient) in [(64, true), (256, true), (1000, true), (256, false)] {
        let p = Settings { delay: d, patient_removal: patient, ..Settings::of(&s, 1, Rule::Vote, Hierarchy::Monitored) };
        show(&format!("occ D {d} {patient}"), &s, &p);
    }
}
