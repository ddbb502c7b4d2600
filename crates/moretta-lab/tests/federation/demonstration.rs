//! The stream of the study's demonstration: six coins, and a class that follows pairs of them.
//!
//! Three parts of 10,000 records with a generator of their own. The class is 1 if coins 0 and 1
//! are both up, or 2 and 3; in the second part 4 and 5 take the place of 2 and 3. A last draw,
//! which decides nothing, stands for the noise that there is not.

use crate::reference::{Hierarchy, Rule, Settings};
use crate::support::Stream;
use moretta::data::Records;
use moretta::learn::Input;
use moretta::math::java_random::JavaRandom;

/// The records and their classes.
pub(crate) fn stream() -> Stream {
    let (mut records, mut classes) = (Records::new(6), Vec::new());
    for (seed, pairs) in [(5, [0, 2]), (0, [0, 4]), (1, [0, 2])] {
        let mut random = JavaRandom::new(seed);
        for _ in 0..10_000 {
            let coins = [(); 6].map(|()| random.next_float() < 0.5);
            random.next_float();
            records.push(&coins.map(|up| f64::from(u8::from(up))));
            classes.push(u32::from(
                pairs.iter().any(|&at| coins[at] && coins[at + 1]),
            ));
        }
    }
    Stream::new(vec![Input::Nominal { values: 2 }; 6], records, classes)
}

/// Sites of one coin each that answer by confidence; all learn by the same tree.
pub(crate) fn settings(stream: &Stream, hierarchy: Hierarchy) -> Settings {
    Settings {
        first_id: 0,
        site_learner: "ht(leaf=nb, resplit=yes)",
        node_learner: "ht(leaf=nb, resplit=yes)",
        ..Settings::of(stream, 1, Rule::MostConfident, hierarchy)
    }
}
