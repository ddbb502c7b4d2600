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
    /// Its columns, rising by id.
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
    /// Bytes by the kind of frames.
    bytes: BTreeMap<u8, u64>,
    notes: Vec<Note>,
    finals: Vec<Final>,
    /// All frames, where somebody looks at them.
    recorded: Option<Vec<Recorded>>,
    /// Records between two looks at candidates, and what was seen.
    sampled_every: Option<usize>,
    samples: Vec<(usize, Vec<Candidate>)>,
}

/// What a federation has answered.
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
            bytes: BTreeMap::new(),
            notes: Vec::new(),
            finals: Vec::new(),
            recorded: None,
            sampled_every: None,
            samples: Vec::new(),
            terms,
        })
    }

    /// Keeps every frame for [`audit`](crate::federate::audit).
    pub fn recording(mut self) -> Self {
        self.recorded = Some(Vec::new());
        self
    }

    /// Looks at candidates for trouble nodes once in so many records.
    pub fn sampled(mut self, every: usize) -> Self {
        self.sampled_every = Some(every.max(1));
        self
    }

    /// Runs to the end of the records.
    pub fn run(mut self) -> Result<Outcome> {
        for place in 0..self.sites.len() {
            let mut out = Outbox::default();
            self.sites[place].handle(Event::Linked(PartyId::AGGREGATOR), 0, &mut out)?;
            self.post(PartyId(self.terms.sites[place]), out);
        }
        loop {
            while let Some((from, to, bytes)) = self.queue.pop_front() {
                self.deliver(from, to, &bytes)?;
            }
            self.sample();
            if !self.feed()? {
                break;
            }
        }
        Ok(Outcome {
            finals: self.finals,
            settled: self.aggregator.take_settled(),
            notes: self.notes,
            bytes: self.bytes,
            frames: self.recorded.unwrap_or_default(),
            samples: self.samples,
        })
    }

    fn sample(&mut self) {
        let Some(every) = self.sampled_every else {
            return;
        };
        let answered = self.finals.len();
        let due = self.samples.last().map_or(every, |(last, _)| last + every);
        if answered >= due {
            self.samples.push((answered, self.aggregator.candidates()));
        }
    }

    /// Shows each party that wants one its next batch.
    fn feed(&mut self) -> Result<bool> {
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
                self.post(PartyId::LABELS, out);
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
            self.post(PartyId(self.terms.sites[place]), out);
            fed = true;
        }
        Ok(fed)
    }

    fn deliver(&mut self, from: PartyId, to: PartyId, bytes: &[u8]) -> Result<()> {
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
        self.post(to, out);
        Ok(())
    }

    fn post(&mut self, from: PartyId, out: Outbox) {
        for (to, bytes) in out.frames {
            *self
                .bytes
                .entry(bytes.get(3).copied().unwrap_or(0))
                .or_default() += bytes.len() as u64;
            if let Some(recorded) = &mut self.recorded {
                let bytes = bytes.clone();
                recorded.push(Recorded { from, to, bytes });
            }
            self.queue.push_back((from, to, bytes));
        }
        for (_, answers) in out.answers {
            self.finals.extend(answers);
        }
        self.notes.extend(out.notes);
    }
}
