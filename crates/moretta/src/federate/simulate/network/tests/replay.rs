//! In flow mode deadlines decide; the aggregator's journal has every decision.

use super::*;
use crate::federate::journal::{Durable, Journal};
use crate::federate::{Aggregator, AggregatorOptions, Delivery, Mode, Trust};

/// Final frames by batch, and the aggregator's journal at the end.
#[derive(Default)]
struct Recorder {
    finals: BTreeMap<u64, Vec<u8>>,
    entries: Vec<Vec<u8>>,
}

fn take_final(finals: &mut BTreeMap<u64, Vec<u8>>, bytes: &[u8]) {
    let header = decode_header(bytes).expect("a frame");
    if header.kind == Kind::Final {
        let known = finals.entry(header.batch).or_insert_with(|| bytes.to_vec());
        assert_eq!(known, bytes, "a batch is answered once");
    }
}

impl Watch for Recorder {
    fn frame(&mut self, _: PartyId, _: PartyId, bytes: Vec<u8>, _: Time) -> Vec<Vec<u8>> {
        take_final(&mut self.finals, &bytes);
        vec![bytes]
    }

    fn journal(&mut self, party: PartyId, journal: &MemoryJournal) {
        if party == PartyId::AGGREGATOR {
            self.entries = journal.entries().map(<[u8]>::to_vec).collect();
        }
    }
}

#[test]
fn a_replay_of_the_aggregators_journal_gives_the_same_answers() {
    for seed in 0..10 {
        let mut case = Case::new(Rule::Vote, Some(FragmentKind::Raw), 8, 400, seed);
        case.terms.mode = Mode::Flow {
            after: 60,
            patience: 100,
            ahead: 32,
        };
        let weather = Weather {
            interval: Some(10),
            checkpoint_every: u64::MAX,
            ..Weather::bad(seed)
        };
        let retry = weather.retry;
        let (run, recorder) = case.run(weather, Recorder::default());
        let partial = run.finals().iter().filter(|answer| answer.partial).count();
        assert!(partial > 0, "deadlines have decided");
        let mut journal = MemoryJournal::default();
        for entry in &recorder.entries {
            journal.append(entry).expect("memory");
        }
        let make = |_: Option<&[u8]>| {
            let options = AggregatorOptions {
                trust: Trust::Process,
                delivery: Delivery::Acknowledged {
                    retry,
                    mark: super::super::seat::mark_of(PartyId::AGGREGATOR),
                },
                has_consumer: true,
                observes: false,
                stall: None,
            };
            Aggregator::new(Arc::new(case.terms.clone()), options)
        };
        let mut none = |_| -> Result<Rows> { panic!("an aggregator has no rows") };
        let (_, out) = Durable::open(journal, u64::MAX, make, &mut none).expect("a replay");
        let mut again = BTreeMap::new();
        for (_, bytes) in &out.frames {
            take_final(&mut again, bytes);
        }
        assert!(
            recorder
                .finals
                .iter()
                .all(|(batch, bytes)| again.get(batch) == Some(bytes))
        );
        assert_eq!(recorder.finals.len(), case.batches());
    }
}
