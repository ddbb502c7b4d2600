//! All parties of a federation in one process and one thread; every frame is really encoded.

use crate::data::Records;
use crate::error::Result;
use crate::federate::audit::Recorded;
use crate::federate::frame::Final;
use crate::federate::{
    Aggregator, AggregatorOptions, Candidate, Column, Consumer, Delivery, Event, FragmentKind,
    Giver, LabelHolder, Note, Outbox, Party, PartyId, Rows, Settled, Sharing, Site, SiteOptions,
    Terms, Trust,
};
use crate::learn;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// A site and all of its records.
pub struct SiteSource {
    /// Its columns, none twice.
    pub columns: Vec<Column>,
    /// The name of its learner, with options.
    pub learner: String,
    /// Values of all records.
    pub records: Records,
    /// What it shares, and its secret.
    pub sharing: Sharing,
}

/// The parties and what is on its way between them.
pub struct Process {
    terms: Arc<Terms>,
    sources: Vec<SiteSource>,
    classes: Vec<u32>,
    sites: Vec<Site>,
    labels: LabelHolder,
    aggregator: Aggregator,
    consumer: Consumer,
    queue: VecDeque<(PartyId, PartyId, Vec<u8>)>,
    /// What was said since nothing was on its way.
    notes: Vec<Note>,
    finals: Vec<Final>,
    /// Whether all frames are kept.
    records: bool,
    /// Records between two looks at candidates.
    sampled_every: Option<usize>,
}

/// Who looks at a federation while it runs.
pub trait Witness {
    /// A frame leaves.
    fn frame(&mut self, _from: PartyId, _to: PartyId, _bytes: &[u8]) {}

    /// Nothing is on its way; answers and notes are those since this was called last.
    ///
    /// # Errors
    /// Ends the run.
    fn pause(
        &mut self,
        aggregator: &mut Aggregator,
        finals: Vec<Final>,
        notes: Vec<Note>,
    ) -> Result<()>;
}

/// What a federation has answered.
#[derive(Default)]
pub struct Outcome {
    /// The final answers, one a record.
    pub finals: Vec<Final>,
    /// Labelled records with the complete answers.
    pub settled: Vec<Settled>,
    /// What happened.
    pub notes: Vec<Note>,
    /// Bytes by the kind of frames.
    pub bytes: BTreeMap<u8, u64>,
    /// All frames in order, if they were recorded.
    pub frames: Vec<Recorded>,
    /// Candidates for trouble nodes, each time after so many answers.
    pub samples: Vec<(usize, Vec<Candidate>)>,
}

impl Process {
    /// Parties that have seen nothing, and sites that consent to everything.
    pub fn new(terms: Terms, sources: Vec<SiteSource>, classes: Vec<u32>) -> Result<Self> {
        let consents = vec![(FragmentKind::Raw, 2); sources.len()];
        Process::with_consents(terms, sources, classes, &consents)
    }

    /// The same, where each site sends no more than a kind of fragments, to nodes of so many
    /// sources at least.
    pub fn with_consents(
        terms: Terms,
        sources: Vec<SiteSource>,
        classes: Vec<u32>,
        consents: &[(FragmentKind, u16)],
    ) -> Result<Self> {
        let terms = Arc::new(terms);
        let mut sites = Vec::new();
        let consenting = sources.iter().zip(consents);
        for (&id, (source, &(allows, min_sources))) in terms.sites.iter().zip(consenting) {
            let inputs = source.columns.iter().map(|column| column.input()).collect();
            let header = learn::Header::new(inputs, terms.classes as usize)?;
            let options = SiteOptions {
                id,
                columns: source.columns.clone(),
                learner: learn::build(&source.learner, &header, 1)?,
                allows,
                min_sources,
                giver: Giver::new(source.sharing.clone()),
                trust: Trust::Process,
                delivery: Delivery::Certain,
            };
            sites.push(Site::new(Arc::clone(&terms), options)?);
        }
        let options = AggregatorOptions {
            trust: Trust::Process,
            delivery: Delivery::Certain,
            has_consumer: true,
            observes: true,
            stall: None,
        };
        Ok(Process {
            labels: LabelHolder::new(Arc::clone(&terms), Trust::Process, Delivery::Certain),
            aggregator: Aggregator::new(Arc::clone(&terms), options)?,
            consumer: Consumer::new(Arc::clone(&terms), Delivery::Certain),
            sites,
            sources,
            classes,
            queue: VecDeque::new(),
            notes: Vec::new(),
            finals: Vec::new(),
            records: false,
            sampled_every: None,
            terms,
        })
    }

    /// Parties have these names in errors.
    #[must_use]
    pub fn named(mut self, names: BTreeMap<PartyId, String>) -> Self {
        self.aggregator = self.aggregator.with_names(names);
        self
    }

    /// Keeps every frame for [`audit`](crate::federate::audit).
    pub fn recording(mut self) -> Self {
        self.records = true;
        self
    }

    /// Looks at candidates for trouble nodes once in so many records.
    pub fn sampled(mut self, every: usize) -> Self {
        self.sampled_every = Some(every.max(1));
        self
    }

    /// Runs to the end of the records.
    pub fn run(self) -> Result<Outcome> {
        let mut gathered = Gathered {
            outcome: Outcome::default(),
            records: self.records,
            sampled_every: self.sampled_every,
        };
        self.run_before(&mut gathered)?;
        Ok(gathered.outcome)
    }

    /// The same, where a witness takes what happens, and nothing is kept for the end.
    pub fn run_before(mut self, witness: &mut dyn Witness) -> Result<()> {
        for place in 0..self.sites.len() {
            let mut out = Outbox::default();
            self.sites[place].handle(Event::Linked(PartyId::AGGREGATOR), 0, &mut out)?;
            self.post(PartyId(self.terms.sites[place]), out, witness);
        }
        loop {
            while let Some((from, to, bytes)) = self.queue.pop_front() {
                self.deliver(from, to, &bytes, witness)?;
            }
            let finals = std::mem::take(&mut self.finals);
            let notes = std::mem::take(&mut self.notes);
            witness.pause(&mut self.aggregator, finals, notes)?;
            if !self.feed(witness)? {
                return self.check_end();
            }
        }
    }

    /// Whether all records are answered: without a network nothing is late or lost, but a party may
    /// refuse another.
    fn check_end(&self) -> Result<()> {
        let batches = self.classes.len().div_ceil(self.terms.batch as usize) as u64;
        match self.aggregator.answered() == batches {
            true => Ok(()),
            false => Err(self.aggregator.standstill()),
        }
    }

    /// Shows each party that wants one its next batch.
    fn feed(&mut self, witness: &mut dyn Witness) -> Result<bool> {
        let mut fed = false;
        let size = self.terms.batch as usize;
        if let Some(batch) = self.labels.wants() {
            let start = batch as usize * size;
            if start < self.classes.len() {
                let end = (start + size).min(self.classes.len());
                let rows = Rows {
                    batch,
                    classes: self.classes[start..end].to_vec(),
                    ..Rows::default()
                };
                let mut out = Outbox::default();
                self.labels.handle(Event::Rows(&rows), 0, &mut out)?;
                self.post(PartyId::LABELS, out, witness);
                fed = true;
            }
        }
        for place in 0..self.sites.len() {
            let Some(batch) = self.sites[place].wants() else {
                continue;
            };
            let records = &self.sources[place].records;
            let start = batch as usize * size;
            if start >= records.len() {
                continue;
            }
            let mut own = Records::new(records.width());
            (start..(start + size).min(records.len()))
                .for_each(|row| own.push(records.record(row)));
            let rows = Rows {
                batch,
                records: own,
                ..Rows::default()
            };
            let mut out = Outbox::default();
            self.sites[place].handle(Event::Rows(&rows), 0, &mut out)?;
            self.post(PartyId(self.terms.sites[place]), out, witness);
            fed = true;
        }
        Ok(fed)
    }

    fn deliver(
        &mut self,
        from: PartyId,
        to: PartyId,
        bytes: &[u8],
        witness: &mut dyn Witness,
    ) -> Result<()> {
        let mut out = Outbox::default();
        let event = Event::Frame { from, bytes };
        match to {
            PartyId::AGGREGATOR => self.aggregator.handle(event, 0, &mut out)?,
            PartyId::LABELS => self.labels.handle(event, 0, &mut out)?,
            PartyId::CONSUMER => self.consumer.handle(event, 0, &mut out)?,
            site => {
                if let Some(place) = self.terms.sites.iter().position(|id| *id == site.0) {
                    self.sites[place].handle(event, 0, &mut out)?;
                }
            }
        }
        self.post(to, out, witness);
        Ok(())
    }

    fn post(&mut self, from: PartyId, out: Outbox, witness: &mut dyn Witness) {
        for (to, bytes) in out.frames {
            witness.frame(from, to, &bytes);
            self.queue.push_back((from, to, bytes));
        }
        for (_, answers) in out.answers {
            self.finals.extend(answers);
        }
        self.notes.extend(out.notes);
    }
}

/// Keeps everything for the end.
struct Gathered {
    outcome: Outcome,
    records: bool,
    sampled_every: Option<usize>,
}

impl Witness for Gathered {
    fn frame(&mut self, from: PartyId, to: PartyId, bytes: &[u8]) {
        let kind = bytes.get(3).copied().unwrap_or(0);
        *self.outcome.bytes.entry(kind).or_default() += bytes.len() as u64;
        if self.records {
            let bytes = bytes.to_vec();
            self.outcome.frames.push(Recorded { from, to, bytes });
        }
    }

    fn pause(
        &mut self,
        aggregator: &mut Aggregator,
        finals: Vec<Final>,
        notes: Vec<Note>,
    ) -> Result<()> {
        let outcome = &mut self.outcome;
        outcome.finals.extend(finals);
        outcome.notes.extend(notes);
        outcome.settled.extend(aggregator.take_settled());
        if let Some(every) = self.sampled_every {
            let answered = outcome.finals.len();
            let last = outcome.samples.last();
            if answered >= last.map_or(every, |(last, _)| last + every) {
                outcome.samples.push((answered, aggregator.candidates()));
            }
        }
        Ok(())
    }
}
