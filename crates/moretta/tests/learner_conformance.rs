//! What every learner promises, whatever the records hold.

use moretta::data::Records;
use moretta::learn::{Header, Input, LEARNERS, Learner, build};
use proptest::prelude::*;

const INPUTS: [Input; 3] = [Input::Number, Input::Nominal { values: 3 }, Input::Number];
const CLASSES: usize = 3;

fn learner(name: &str) -> Box<dyn Learner> {
    let header = Header::new(INPUTS.to_vec(), CLASSES).expect("a small header");
    build(name, &header, 5).expect("it is in the list")
}

/// Numbers of any kind, most of them ordinary.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => -10.0..10.0,
        2 => (-3..6i32).prop_map(f64::from),
        1 => any::<f64>(),
        1 => Just(f64::NAN),
        1 => Just(f64::INFINITY),
        1 => Just(1e300),
    ]
}

fn record() -> impl Strategy<Value = [f64; 3]> {
    [number(), number(), number()]
}

/// Records with classes, some of which the header does not have.
fn lessons(most: usize) -> impl Strategy<Value = Vec<([f64; 3], u32)>> {
    let class = prop_oneof![9 => 0..CLASSES as u32, 1 => Just(u32::MAX), 1 => Just(3)];
    prop::collection::vec((record(), class), 1..most)
}

fn votes(learner: &dyn Learner, record: &[f64]) -> Vec<f64> {
    let mut votes = vec![7.0; 5];
    learner.predict(record, &mut votes);
    votes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn each_class_has_a_vote_that_is_no_less_than_0(lessons in lessons(300)) {
        for info in LEARNERS {
            let mut learner = learner(info.name);
            for (record, class) in &lessons {
                let votes = votes(&*learner, record);
                prop_assert_eq!(votes.len(), CLASSES, "{}", info.name);
                prop_assert!(votes.iter().all(|vote| *vote >= 0.0), "{}: {:?}", info.name, votes);
                learner.learn(record, *class);
            }
            prop_assert!(learner.memory() > 0);
        }
    }

    #[test]
    fn classes_that_the_header_does_not_have_are_not_learnt(
        lessons in lessons(200),
        asked in record(),
    ) {
        for info in LEARNERS {
            let (mut all, mut known) = (learner(info.name), learner(info.name));
            for (record, class) in &lessons {
                all.learn(record, *class);
                if (*class as usize) < CLASSES {
                    known.learn(record, *class);
                }
            }
            prop_assert_eq!(votes(&*all, &asked), votes(&*known, &asked), "{}", info.name);
        }
    }

    #[test]
    fn many_records_at_once_are_one_after_the_other(lessons in lessons(300), size in 1..80usize) {
        for info in LEARNERS {
            let (mut single, mut many) = (learner(info.name), learner(info.name));
            for chunk in lessons.chunks(size) {
                let (mut records, mut classes) = (Records::new(3), Vec::new());
                let mut expected = Vec::new();
                for (record, class) in chunk {
                    expected.extend(votes(&*single, record));
                    single.learn(record, *class);
                    records.push(record);
                    classes.push(*class);
                }
                let mut found = Vec::new();
                many.predict_then_learn(&records, &classes, &mut found);
                prop_assert_eq!(&found, &expected, "{}", info.name);
            }
        }
    }
}
