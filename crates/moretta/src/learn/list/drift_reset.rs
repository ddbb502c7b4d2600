//! Reset on drift: a learner that starts again when a detector sees drift in its errors.
//!
//! A detector watches whether the learner errs. While it warns, a second learner is
//! taught beside the first; on drift the second takes the place of the first. Detectors
//! that never warn leave an untaught learner to take over. It follows abrupt changes
//! well and forgets too much on slow ones. Time and memory are those of two learners at
//! most. J. Gama et al., "Learning with Drift Detection", SBIA 2004, as MOA's
//! `DriftDetectionMethodClassifier` has it.

use super::options::Options;
use super::{LEARNERS, build, load};
use crate::error::{Error, Result};
use crate::learn::drift::{
    Adwin, Ddm, DdmDetector, Detector, Eddm, Kswin, KswinDetector, PageHinkley,
    PageHinkleyDetector, Signal,
};
use crate::learn::model::{Knowledge, Loaded, Reader, Saved, Writer, odd};
use crate::learn::{Header, Learner, predicted};

/// δ of ADWIN, as MOA has it.
const DELTA: f64 = 0.002;

/// Which detector watches the errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DetectorKind {
    /// Two parts of a window of errors differ.
    Adwin,
    /// The error rate rises above its lowest.
    Ddm,
    /// Errors come closer together.
    Eddm,
    /// The mean of the errors has risen.
    PageHinkley,
    /// The newest errors are distributed unlike older ones.
    Kswin,
}

/// Every detector by name.
pub(super) const DETECTORS: &[(&str, DetectorKind)] = &[
    ("adwin", DetectorKind::Adwin),
    ("ddm", DetectorKind::Ddm),
    ("eddm", DetectorKind::Eddm),
    ("page-hinkley", DetectorKind::PageHinkley),
    ("kswin", DetectorKind::Kswin),
];

/// The options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriftReset {
    /// What watches the errors.
    pub detector: DetectorKind,
    /// What starts again: a learner of the list with its options.
    pub learner: String,
}

impl Default for DriftReset {
    /// Naive Bayes under DDM.
    fn default() -> Self {
        DriftReset {
            detector: DetectorKind::Ddm,
            learner: "nb".to_owned(),
        }
    }
}

impl DriftReset {
    /// A learner that has seen nothing. Fails on a learner that there is not, and on one
    /// that would start itself again.
    pub fn build(self, header: &Header, seed: u64) -> Result<DriftResetLearner> {
        if Options::parse(&self.learner)?.name == "drift" {
            return Err(Error::usage("`drift` cannot start itself again")
                .help("name another learner, such as `drift(learner=ht)`"));
        }
        Ok(DriftResetLearner {
            current: build(&self.learner, header, seed)?,
            next: None,
            watch: Watch::new(self.detector, seed),
            header: header.clone(),
            options: self,
            seed,
            resets: 0,
        })
    }
}

/// The learner, and the one that may follow it.
pub struct DriftResetLearner {
    options: DriftReset,
    header: Header,
    seed: u64,
    current: Box<dyn Learner>,
    /// Taught since the last warning that has not passed.
    next: Option<Box<dyn Learner>>,
    watch: Watch,
    resets: u64,
}

impl DriftResetLearner {
    /// How often it has started again.
    pub fn resets(&self) -> u64 {
        self.resets
    }

    fn fresh(&self) -> Box<dyn Learner> {
        build(&self.options.learner, &self.header, self.seed)
            .expect("it was built from these options before")
    }

    pub(in crate::learn) fn load(header: &Header, from: &mut Reader<'_>) -> Result<Self> {
        let options = DriftReset {
            learner: from.text()?.to_owned(),
            detector: {
                let at = usize::from(from.byte()?);
                let listed = DETECTORS.get(at).map(|(_, kind)| *kind);
                listed.ok_or_else(|| odd("a detector that there is not"))?
            },
        };
        let seed = from.u64()?;
        let learner = options.build(header, seed);
        let mut learner = learner.map_err(|_| odd("a learner that cannot start again"))?;
        learner.resets = from.count()?;
        learner.watch = Watch::load(learner.options.detector, from)?;
        learner.current = load_part(header, from)?;
        if from.bool()? {
            learner.next = Some(load_part(header, from)?);
        }
        Ok(learner)
    }
}

/// A learner inside this one: its name and what it knows.
fn save_part(learner: &dyn Learner, out: &mut Writer) {
    let part = learner
        .knowledge()
        .expect("every learner of the list can be saved");
    out.text(part.name);
    out.raw(&part.bytes);
}

fn load_part(header: &Header, from: &mut Reader<'_>) -> Result<Box<dyn Learner>> {
    let name = from.text()?;
    let listed = LEARNERS.iter().any(|info| info.name == name);
    if !listed || name == "drift" {
        return Err(odd("a learner that cannot start again"));
    }
    load(name, header, from)
}

impl Learner for DriftResetLearner {
    fn predict(&self, record: &[f64], votes: &mut Vec<f64>) {
        self.current.predict(record, votes);
    }

    fn learn_weighted(&mut self, record: &[f64], class: u32, weight: f64) {
        if class as usize >= self.header.classes() || weight.is_nan() || weight <= 0.0 {
            return;
        }
        let mut votes = Vec::new();
        self.current.predict(record, &mut votes);
        let error = f64::from(predicted(&votes) != class);
        match self.watch.detector().update(error) {
            Signal::None => self.next = None,
            Signal::Warning => {
                if self.next.is_none() {
                    self.next = Some(self.fresh());
                }
            }
            Signal::Drift => {
                self.resets += 1;
                self.current = self.next.take().unwrap_or_else(|| self.fresh());
            }
        }
        if let Some(next) = &mut self.next {
            next.learn_weighted(record, class, weight);
        }
        self.current.learn_weighted(record, class, weight);
    }

    fn memory(&self) -> usize {
        let next = self.next.as_ref().map_or(0, |next| next.memory());
        size_of::<Self>() + self.current.memory() + next + self.watch.memory()
    }

    fn knowledge(&self) -> Option<Knowledge> {
        Knowledge::new("drift", |out| {
            out.text(&self.options.learner);
            let detector = DETECTORS
                .iter()
                .position(|(_, kind)| *kind == self.options.detector);
            out.byte(detector.expect("every detector is listed") as u8);
            out.u64(self.seed);
            out.count(self.resets);
            self.watch.save(out);
            save_part(&*self.current, out);
            out.bool(self.next.is_some());
            if let Some(next) = &self.next {
                save_part(&**next, out);
            }
        })
    }
}

/// A detector of any kind.
#[derive(Debug)]
enum Watch {
    Adwin(Adwin),
    Ddm(DdmDetector),
    Eddm(Eddm),
    PageHinkley(PageHinkleyDetector),
    Kswin(KswinDetector),
}

impl Watch {
    fn new(kind: DetectorKind, seed: u64) -> Self {
        match kind {
            DetectorKind::Adwin => Watch::Adwin(Adwin::new(DELTA)),
            DetectorKind::Ddm => Watch::Ddm(Ddm::default().build()),
            DetectorKind::Eddm => Watch::Eddm(Eddm::default()),
            DetectorKind::PageHinkley => Watch::PageHinkley(PageHinkley::default().build()),
            DetectorKind::Kswin => Watch::Kswin(Kswin::default().build(seed as i64)),
        }
    }

    fn detector(&mut self) -> &mut dyn Detector {
        match self {
            Watch::Adwin(detector) => detector,
            Watch::Ddm(detector) => detector,
            Watch::Eddm(detector) => detector,
            Watch::PageHinkley(detector) => detector,
            Watch::Kswin(detector) => detector,
        }
    }

    fn memory(&self) -> usize {
        match self {
            Watch::Adwin(detector) => detector.memory(),
            Watch::Ddm(detector) => detector.memory(),
            Watch::Eddm(detector) => detector.memory(),
            Watch::PageHinkley(detector) => detector.memory(),
            Watch::Kswin(detector) => detector.memory(),
        }
    }

    fn save(&self, out: &mut Writer) {
        match self {
            Watch::Adwin(detector) => detector.save(out),
            Watch::Ddm(detector) => detector.save(out),
            Watch::Eddm(detector) => detector.save(out),
            Watch::PageHinkley(detector) => detector.save(out),
            Watch::Kswin(detector) => detector.save(out),
        }
    }

    fn load(kind: DetectorKind, from: &mut Reader<'_>) -> Result<Self> {
        Ok(match kind {
            DetectorKind::Adwin => Watch::Adwin(Loaded::load(&DELTA, from)?),
            DetectorKind::Ddm => Watch::Ddm(Loaded::load(&(), from)?),
            DetectorKind::Eddm => Watch::Eddm(Loaded::load(&(), from)?),
            DetectorKind::PageHinkley => Watch::PageHinkley(Loaded::load(&(), from)?),
            DetectorKind::Kswin => Watch::Kswin(Loaded::load(&(), from)?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::Input;
    use crate::math::java_random::JavaRandom;

    /// Accuracy over the second half of a stream whose classes are exchanged half way.
    fn accuracy(learner: &mut dyn Learner) -> f64 {
        let mut random = JavaRandom::new(3);
        let (mut votes, mut right) = (Vec::new(), 0);
        for at in 0..6000 {
            let x = random.next_double();
            let class = u32::from((x > 0.5) == (at < 3000));
            learner.predict(&[x], &mut votes);
            right += usize::from(at >= 3000 && predicted(&votes) == class);
            learner.learn(&[x], class);
        }
        right as f64 / 3000.0
    }

    #[test]
    fn every_detector_starts_the_learner_again() {
        let header = Header::new(vec![Input::Number], 2).expect("a header");
        let mut plain = build("nb", &header, 1).expect("in the list");
        let without = accuracy(&mut *plain);
        for &(name, detector) in DETECTORS {
            let options = DriftReset {
                detector,
                ..DriftReset::default()
            };
            let mut learner = options.build(&header, 1).expect("sound");
            let with = accuracy(&mut learner);
            assert!(learner.resets() > 0, "{name}");
            assert!(with > without + 0.2, "{name}: {with} for {without}");
        }
    }
}
