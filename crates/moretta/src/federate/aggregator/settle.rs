//! Records whose labels are known: what monitors, weights and the stacker learn from them.

use super::Aggregator;
use super::answering::stacked;
use super::batch::Batch;
use crate::federate::frame::{Final, NO_NODE};
use crate::federate::label_book::Known;
use crate::federate::monitor::Observed;
use crate::federate::party::{Note, Outbox, PartyId, Time};
use crate::federate::terms::Mode;

/// A labelled record, for whoever measures a federation.
#[derive(Clone, Debug, PartialEq)]
pub struct Settled {
    /// Its number in the stream, from 0.
    pub record: u64,
    /// Its class.
    pub label: u32,
    /// The complete answer.
    pub answer: Final,
    /// Which sources forwarded it to which nodes, in the order of these.
    pub forwarded: Vec<(u16, u16)>,
    /// The nodes that there were.
    pub nodes: Vec<u16>,
    /// What each source that answered took it for, and how sure it was.
    pub judgements: Vec<(u16, u32, f64)>,
}

/// Closed batches that wait for labels; older ones teach nothing any more.
const MOST_UNSETTLED: u64 = 1024;
/// Records between two looks at how sure sources are.
const LOOK: u64 = 256;

impl Aggregator {
    /// Settles all records below this one, or those up to the first whose label has not come.
    /// A batch that is just answered is not among the others.
    pub(super) fn settle_below(
        &mut self,
        record: u64,
        answered: Option<(u64, &Batch)>,
        out: &mut Outbox,
    ) {
        let size = u64::from(self.terms.batch);
        while self.settled < record {
            let number = self.settled / size;
            let end = record.min((number + 1) * size);
            if let Some((_, batch)) = answered.filter(|(answered, _)| *answered == number) {
                self.settle_batch(Some(batch), end, out);
            } else {
                let batch = self.batches.remove(&number);
                self.settle_batch(batch.as_ref(), end, out);
                let whole = |batch: &Batch| number * size + batch.count().unwrap_or(0) as u64;
                if let Some(batch) = batch.filter(|batch| self.settled < whole(batch)) {
                    self.batches.insert(number, batch);
                }
            }
            if self.settled < end {
                break;
            }
        }
        self.labels.forget_below(self.settled);
    }

    /// Monitors take the records that were settled, before anything is asked of them.
    pub(super) fn catch_up(&mut self) {
        if let Some(monitors) = &mut self.monitors {
            monitors.catch_up();
        }
    }

    /// Settles records of one batch, of which nothing may be known.
    fn settle_batch(&mut self, batch: Option<&Batch>, end: u64, out: &mut Outbox) {
        while self.settled < end {
            let label = match self.labels.label(self.settled) {
                Known::NotYet => return,
                Known::Never => None,
                Known::Class(class) => Some(class),
            };
            let at = (self.settled % u64::from(self.terms.batch)) as usize;
            let batch = batch.filter(|batch| at < batch.chosen.len());
            if let (Some(batch), Some(label)) = (batch, label) {
                self.settle_record(batch, at, label, out);
            }
            self.settled += 1;
        }
    }

    fn settle_record(&mut self, batch: &Batch, at: usize, label: u32, out: &mut Outbox) {
        let choice = batch.chosen[at];
        self.judge_sources(batch, at, label, out);
        if self.stacker.is_some() {
            let answers: Vec<_> = batch.judgements_of_sites(at).collect();
            let inputs = stacked(&answers, &self.terms, &batch.topology);
            if let Some((learner, _, has_learnt)) = &mut self.stacker {
                learner.learn(&inputs, label);
                *has_learnt = true;
            }
        }
        let right = choice.best.class == label;
        let used = (choice.who != NO_NODE).then_some(choice.who);
        let below = used.and_then(|_| batch.best_below(at, choice.order));
        let newest = self.topologies.back();
        if let (Some(monitors), Some(newest)) = (&mut self.monitors, newest) {
            let source_right = |source: u16| {
                let place = batch.place(source)?;
                batch
                    .judgement(place, at)
                    .map(|judgement| judgement.class == label)
            };
            let would_forward = |source: u16, length: u64| {
                let answers = batch.answers[batch.place(source)?].as_ref();
                let Some(answers) = answers else {
                    // A node that no record can reach any more is not silent: it has no trouble.
                    let node = batch.topology.node(source)?;
                    return (!batch.may_answer(node, at)).then_some(false);
                };
                let lengths = batch.topology.lengths_of(source);
                let plane = lengths.binary_search(&length).ok()?;
                Some(answers.what_ifs[plane].get(at))
            };
            let is_silent = |node: u16| {
                let answers = batch.place(node).map(|place| &batch.answers[place]);
                let entry = batch.topology.node(node);
                answers.is_some_and(Option::is_none)
                    && entry.is_some_and(|entry| batch.may_answer(entry, at))
            };
            monitors.observe(&Observed {
                is_silent: &is_silent,
                record: self.settled,
                topology: newest,
                right,
                used,
                right_below: below.is_some_and(|below| below.class == label),
                source_right: &source_right,
                would_forward: &would_forward,
            });
        }
        if self.observes {
            self.observed.push(Settled {
                record: self.settled,
                label,
                answer: Final {
                    class: choice.best.class,
                    confidence: choice.best.confidence,
                    who: choice.who,
                    order: choice.order,
                    partial: false,
                    early: false,
                },
                forwarded: forwarded(batch, at),
                nodes: batch.topology.nodes.iter().map(|node| node.id).collect(),
                judgements: judgements(batch, at),
            });
        }
    }

    /// Notes of each source whether it was right, and how sure.
    fn judge_sources(&mut self, batch: &Batch, at: usize, label: u32, out: &mut Outbox) {
        let sites = batch.topology.sites.len();
        let looks = self.settled.is_multiple_of(LOOK);
        let mut sources = batch.topology.sources().enumerate().peekable();
        // Both rise, so that no source has to be looked for.
        for (&known, quality) in &mut self.qualities {
            while sources.next_if(|(_, source)| *source < known).is_some() {}
            let Some((place, source)) = sources.next_if(|(_, source)| *source == known) else {
                continue;
            };
            let Some(judgement) = batch.judgement(place, at) else {
                continue;
            };
            quality.push(judgement.class == label, judgement.confidence);
            if looks && place < sites && !quality.is_told && quality.is_overconfident() {
                quality.is_told = true;
                out.notes.push(Note::Overconfident(PartyId(source)));
            }
        }
    }

    /// In flow mode: closes answered batches that are complete or have waited long enough, and
    /// settles those whose labels are there.
    pub(super) fn settle_flow(&mut self, now: Time, out: &mut Outbox) {
        while self.closed < self.next && self.close_next(now, out) {}
        let size = u64::from(self.terms.batch);
        while self.settled_batches < self.closed {
            let number = self.settled_batches;
            let end = self.batches.get(&number).and_then(Batch::count);
            let end = number * size + end.unwrap_or(0) as u64;
            self.settle_below(end, None, out);
            self.catch_up();
            if self.settled < end && self.closed - number <= MOST_UNSETTLED {
                return;
            }
            self.batches.remove(&number);
            self.settled = self.settled.max((number + 1) * size);
            self.labels.forget_below(self.settled);
            self.settled_batches += 1;
        }
    }

    /// Closes a batch if nothing more is waited for; monitors see all that has come by then.
    fn close_next(&mut self, now: Time, out: &mut Outbox) -> bool {
        let Mode::Flow { patience, .. } = self.terms.mode else {
            return false;
        };
        let number = self.closed;
        if let Some(mut batch) = self.batches.remove(&number) {
            let deadline = batch.answered.unwrap_or(now) + patience;
            let waits = !batch.is_complete(None, |_| false) && now < deadline;
            if waits {
                out.wake_at(deadline);
            } else {
                self.answer_again(number, &mut batch);
            }
            self.batches.insert(number, batch);
            if waits {
                return false;
            }
        }
        self.closed += 1;
        true
    }
}

impl Aggregator {
    /// In flow mode: chooses again for monitors, where something has come since a batch was
    /// answered.
    pub(super) fn answer_again(&mut self, number: u64, batch: &mut Batch) {
        if !std::mem::take(&mut batch.is_changed) {
            return;
        }
        let first = number * u64::from(self.terms.batch);
        let count = batch.count().unwrap_or(0);
        batch.chosen.truncate(count);
        for at in 0..count {
            self.answer_record(batch, at, first + at as u64);
        }
    }
}

fn judgements(batch: &Batch, at: usize) -> Vec<(u16, u32, f64)> {
    let sources = batch.topology.sources().enumerate();
    let judged = sources.filter_map(|(place, source)| {
        let judgement = batch.judgement(place, at)?;
        Some((source, judgement.class, judgement.confidence))
    });
    judged.collect()
}

fn forwarded(batch: &Batch, at: usize) -> Vec<(u16, u16)> {
    let feeds = batch.feeds.iter().filter(|feed| {
        let answers = batch.answers[feed.place].as_ref();
        answers.is_some_and(|answers| answers.forwards_at(feed.plane, at))
    });
    feeds.map(|feed| (feed.node, feed.source)).collect()
}
