//! Trouble nodes that come and go, with figures that do not depend on chance: the study's
//! demonstration, table 4.1, and the wall-following robot with a naive Bayes everywhere.

use crate::reference::{Event, Hierarchy, Rule, Settings, run};
use crate::support::wall_following_robot;
use crate::{demonstration, percent};

#[test]
fn the_demonstration_gives_every_cell_of_its_table() {
    let stream = demonstration::stream();
    let flat = run(&stream, &demonstration::settings(&stream, Hierarchy::Flat));
    assert_eq!(percent(flat.accuracy(&stream.classes)[0]), "62.08");
    let settings = demonstration::settings(&stream, Hierarchy::Monitored);
    let run = run(&stream, &settings);
    assert_eq!(percent(run.accuracy(&stream.classes)[0]), "89.35");
    assert_eq!(percent(run.transmitted()), "37.29");
    let nodes = ["[0,1]", "[2,3]", "[4,5]", "[[2,3],5]"];
    let sent = nodes.map(|name| percent(run.transmitted_to(name)));
    assert_eq!(sent, ["16.17", "12.10", "8.69", "0.33"]);
    assert_eq!(percent(run.used("[0,1]")), "21.43");
}

#[test]
fn trees_that_do_not_split_again_make_the_demonstration_worse() {
    let stream = demonstration::stream();
    let accuracy = |hierarchy| {
        let settings = Settings {
            site_learner: "ht(leaf=nb)",
            node_learner: "ht(leaf=nb)",
            ..demonstration::settings(&stream, hierarchy)
        };
        percent(run(&stream, &settings).accuracy(&stream.classes)[0])
    };
    let found = [Hierarchy::Flat, Hierarchy::Monitored].map(accuracy);
    assert_eq!(found, ["61.13", "87.28"]);
}

#[test]
fn naive_bayes_everywhere_on_the_wall_following_robot() {
    let Some(stream) = wall_following_robot() else {
        return;
    };
    let settings = Settings {
        node_learner: "nb",
        ..Settings::of(&stream, 4, Rule::Vote, Hierarchy::Monitored)
    };
    let run = run(&stream, &settings);
    assert_eq!(
        run.accuracy(&stream.classes).map(percent),
        ["63.31", "12.03"]
    );
    assert_eq!(percent(run.transmitted()), "56.24");
    assert_eq!(percent(run.busiest(true)), "20.60");
    assert!(run.busiest(false) > run.busiest(true));
    let created = run.events.iter().filter_map(|event| match *event {
        Event::Created { record, node } => Some((record + 1, run.name(node))),
        _ => None,
    });
    let first: Vec<(usize, String)> = created.take(3).collect();
    let expected = [(1302, "[0,5]"), (1302, "[1,2]"), (1323, "[3,4]")];
    assert_eq!(first, expected.map(|(id, name)| (id, name.to_owned())));
}
