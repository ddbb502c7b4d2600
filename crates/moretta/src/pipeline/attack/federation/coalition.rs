//! A host of trouble nodes, alone and with sites that collude, against the other sites.

use super::guess::{By, Seen, nearest_known, of_everybody, repeats};
use super::node::{blur, copied, in_stream, without};
use super::{EPSILONS, Gathering, word};
use crate::attack::Success;
use crate::attack::reconstruction::{Blur, Stream, StudySettings, study};
use crate::data::Records;
use crate::error::{Error, Result};
use crate::federate::audit::Recorded;
use crate::federate::frame::{Body, decode};
use crate::federate::simulate::{NodeView, Outcome, Process, SiteSource, views};
use crate::federate::{FragmentKind, Settled, Terms, TroubleTerms};
use crate::policy::FederationPolicy;
use serde::Serialize;
use std::collections::BTreeMap;

/// Nodes that are attacked, those with most records first.
const MOST_NODES: usize = 2;
/// Sets of colluders of one size that are tried.
const MOST_SETS: usize = 12;
/// Records that an attacker knows at most.
const MANY: usize = 100;

/// What a host and its colluders got of the other sites' cells.
#[derive(Clone, Debug, Serialize)]
pub struct Coalition {
    /// How records reach the node.
    pub fragments: &'static str,
    /// Whether the policies say so; others tell what another choice would give away.
    pub is_own: bool,
    /// The node.
    pub node: u16,
    /// Its sites.
    pub sites: Vec<String>,
    /// Those that help the host.
    pub colluders: Vec<String>,
    /// Those that are attacked.
    pub victims: Vec<String>,
    /// Records that the host sees.
    pub records: usize,
    /// Numbers of a record that are attacked, and that are seen of it.
    pub features: usize,
    /// Numbers that are seen of a record.
    pub seen: usize,
    /// Share of records of which another one shows the same fragment.
    pub repeats: f64,
    /// Records that the host knows besides.
    pub known: usize,
    /// The strongest attack.
    pub strongest: Option<Tried>,
    /// The best guess of who sees no fragment and no answer.
    pub guess: Option<Tried>,
    /// Whether the attack gets more than the guess.
    pub beats_guess: bool,
    /// Every attack and guess.
    pub tried: Vec<Tried>,
}

/// How one attack went.
#[derive(Clone, Debug, Serialize)]
pub struct Tried {
    /// Its name.
    pub attack: String,
    /// What the attacker knows.
    pub knows: String,
    /// Shares of records with errors below each of the limits.
    pub breaches: [f64; 2],
    /// Median relative error; none where it found nothing.
    pub median_error: Option<f64>,
}

impl Tried {
    fn of(success: &Success) -> Self {
        Tried {
            attack: success.attack.clone(),
            knows: success.knows.clone(),
            breaches: EPSILONS.map(|epsilon| success.breach_at(epsilon).0),
            median_error: Some(success.median_error).filter(|error| error.is_finite()),
        }
    }

    fn is_above(&self, other: &Tried) -> bool {
        let [a, b] = [self, other].map(|one| [one.breaches[1], one.breaches[0]]);
        a > b
    }
}

/// Who attacks a federation whose records reach nodes in one way.
pub(super) struct Attacker<'a> {
    pub(super) policies: &'a [FederationPolicy],
    pub(super) gathering: &'a Gathering,
    pub(super) terms: Terms,
    pub(super) kind: FragmentKind,
    pub(super) is_own: bool,
    pub(super) settings: &'a StudySettings,
}

/// What is attacked: some sites of a node.
struct Target<'a> {
    view: &'a NodeView,
    colluders: Vec<u16>,
    victims: Vec<u16>,
    /// What the host is left with, for each record of the view.
    fragments: Records,
    blur: Blur<'static>,
}

impl Attacker<'_> {
    /// Runs the federation and attacks its largest nodes.
    pub(super) fn attack(&self, notes: &mut Vec<String>) -> Result<Vec<Coalition>> {
        let sources: Vec<SiteSource> = self.gathering.sources.iter().map(copied).collect();
        let process = Process::new(self.terms.clone(), sources, self.gathering.classes.clone())?;
        let names = self.policies.first().map(|policy| policy.names());
        let process = process.named(names.unwrap_or_default());
        let outcome = process.recording().run()?;
        let views = views(&self.terms, &outcome.frames)?;
        let views = views.iter().filter(|view| !view.records.is_empty());
        let views: Vec<&NodeView> = views.take(MOST_NODES).collect();
        if views.is_empty() {
            notes.push(format!(
                "{}: no trouble node was made that sites feed, so there is nothing to attack",
                word(self.kind)
            ));
        }
        let mut coalitions = Vec::new();
        for view in views {
            match self.kind {
                FragmentKind::Raw => coalitions.push(self.read_off(view, &outcome.frames)?),
                _ => self.attack_node(view, &outcome, &mut coalitions, notes)?,
            }
        }
        Ok(coalitions)
    }

    fn trouble(&self) -> Result<&TroubleTerms> {
        let trouble = self.terms.trouble.as_ref();
        trouble.ok_or_else(|| Error::bug("terms that have lost their trouble nodes"))
    }

    fn by_id(&self) -> BTreeMap<u16, &SiteSource> {
        let sites = self.terms.sites.iter().copied();
        sites.zip(&self.gathering.sources).collect()
    }

    fn name(&self, site: u16) -> String {
        let parties = self.policies.first().map_or(&[][..], |p| &p.parties);
        let found = parties.iter().find(|party| party.number.0 == site);
        found.map_or_else(|| site.to_string(), |party| party.id.clone())
    }

    fn names(&self, sites: &[u16]) -> Vec<String> {
        sites.iter().map(|&site| self.name(site)).collect()
    }

    /// Reads raw cells out of the frames, and counts how many are those of their sites.
    fn read_off(&self, view: &NodeView, frames: &[Recorded]) -> Result<Coalition> {
        let by_id = self.by_id();
        let size = u64::from(self.terms.batch);
        let mut agreed = BTreeMap::new();
        let (mut cells, mut right) = (0_u64, 0_u64);
        for frame in frames {
            let Ok((header, body)) = decode(&frame.bytes) else {
                continue;
            };
            if header.node != view.node.id {
                continue;
            }
            let fragment = match body {
                Body::Agreed(body) => {
                    agreed.insert(header.batch, body.records);
                    continue;
                }
                Body::Fragment(fragment) => fragment,
                _ => continue,
            };
            let Some(source) = by_id.get(&fragment.source) else {
                continue;
            };
            let places = fragment.forwarded.as_ref();
            let Some(places) = places.or_else(|| agreed.get(&header.batch)) else {
                continue;
            };
            let width = usize::from(fragment.width).max(1);
            for (at, values) in places.places().zip(fragment.values.chunks_exact(width)) {
                let record = (header.batch * size) as usize + at;
                let original = source.records.record(record);
                let same = original.iter().zip(values);
                let same = same.filter(|(a, b)| a.to_bits() == b.to_bits());
                cells += original.len() as u64;
                right += same.count() as u64;
            }
        }
        let share = right as f64 / cells.max(1) as f64;
        let tried = Tried {
            attack: "reads the frames".to_owned(),
            knows: "nothing".to_owned(),
            breaches: [share; 2],
            median_error: Some(0.0).filter(|_| share > 0.5),
        };
        let victims = view.sites();
        let features = victims.iter().map(|site| by_id[site].records.width());
        let features = features.sum();
        Ok(Coalition {
            fragments: word(self.kind),
            is_own: self.is_own,
            node: view.node.id,
            sites: self.names(&victims),
            colluders: Vec::new(),
            victims: self.names(&victims),
            records: view.records.len(),
            features,
            seen: features,
            repeats: 0.0,
            known: 0,
            strongest: Some(tried.clone()),
            guess: None,
            beats_guess: true,
            tried: vec![tried],
        })
    }

    fn attack_node(
        &self,
        view: &NodeView,
        outcome: &Outcome,
        coalitions: &mut Vec<Coalition>,
        notes: &mut Vec<String>,
    ) -> Result<()> {
        for targets in self.targets(view)? {
            let features = |target: &Target<'_>| self.originals(target).width();
            let most = targets.iter().map(features).max().unwrap_or(0);
            let mut counts = vec![1, self.settings.known, most + 1, MANY];
            counts.sort_unstable();
            counts.dedup();
            counts.retain(|&known| known < view.records.len());
            for known in counts {
                let mut worst: Option<Coalition> = None;
                for target in &targets {
                    let Some(found) = self.attack_target(target, outcome, known, notes)? else {
                        continue;
                    };
                    let is_worse = worst.as_ref().is_none_or(|worst| {
                        match (&found.strongest, &worst.strongest) {
                            (Some(found), Some(worst)) => found.is_above(worst),
                            (found, worst) => found.is_some() && worst.is_none(),
                        }
                    });
                    if is_worse {
                        worst = Some(found);
                    }
                }
                coalitions.extend(worst);
            }
        }
        Ok(())
    }

    /// What is attacked, by the number of colluders: of projections each site by itself, of sums
    /// all others together.
    fn targets<'v>(&self, view: &'v NodeView) -> Result<Vec<Vec<Target<'v>>>> {
        let (sites, trouble, by_id) = (view.sites(), self.trouble()?, self.by_id());
        let share = |left: usize| {
            let hidden = sites.len().saturating_sub(usize::from(trouble.colluders));
            left as f64 / hidden.max(1) as f64
        };
        if self.kind == FragmentKind::Projected {
            let target = |&site: &u16| {
                Ok(Target {
                    view,
                    colluders: Vec::new(),
                    victims: vec![site],
                    fragments: view.part(&self.terms, site, by_id[&site])?,
                    blur: blur(trouble, share(1)),
                })
            };
            return Ok(vec![sites.iter().map(target).collect::<Result<_>>()?]);
        }
        let mut all = Vec::new();
        for count in 0..sites.len() {
            let mut targets = Vec::new();
            for colluders in subsets(&sites, count).into_iter().take(MOST_SETS) {
                let is_victim = |site: &u16| !colluders.contains(site);
                let victims: Vec<u16> = sites.iter().copied().filter(is_victim).collect();
                targets.push(Target {
                    view,
                    fragments: without(&self.terms, view, &colluders, &by_id)?,
                    blur: blur(trouble, share(victims.len())),
                    colluders,
                    victims,
                });
            }
            all.push(targets);
        }
        Ok(all)
    }

    /// Features of the victims, for each record of the view.
    fn originals(&self, target: &Target<'_>) -> Records {
        let (inputs, _) = in_stream(target.view, &target.fragments, &self.victims(target));
        let mut originals = Records::new(inputs.width());
        let rows = target.view.records.iter();
        rows.for_each(|&record| originals.push(inputs.record(record as usize)));
        originals
    }

    fn victims(&self, target: &Target<'_>) -> Vec<&SiteSource> {
        let by_id = self.by_id();
        target.victims.iter().map(|site| by_id[site]).collect()
    }

    fn attack_target(
        &self,
        target: &Target<'_>,
        outcome: &Outcome,
        known: usize,
        notes: &mut Vec<String>,
    ) -> Result<Option<Coalition>> {
        let originals = self.originals(target);
        if originals.width() == 0 {
            return Ok(None);
        }
        let victims = self.victims(target);
        let (inputs, outputs) = in_stream(target.view, &target.fragments, &victims);
        let stream = Stream {
            inputs: &inputs,
            outputs: &outputs,
            blur: target.blur,
            translated: true,
        };
        let settings = StudySettings {
            known,
            ..self.settings.clone()
        };
        // Sums of a hundred known records are solved as those of a few more than features are.
        let found = match known <= originals.width() + 1 {
            true => study(&stream, &settings).map(|found| found.attacks),
            false => Ok(Vec::new()),
        };
        let mut attacks = match found {
            Ok(found) => found,
            Err(error) => {
                let note = error.to_string();
                if !notes.contains(&note) {
                    notes.push(note);
                }
                Vec::new()
            }
        };
        let seen = Seen {
            originals: &originals,
            fragments: &target.fragments,
            answers: &answers(&outcome.settled, target),
        };
        for by in [By::Fragment, By::Answers] {
            attacks.extend(nearest_known(&seen, by, known, &settings));
        }
        let guesses = of_everybody(&seen, &settings);
        let best = |all: &[Success]| {
            let all = all.iter().map(Tried::of);
            all.reduce(|best, other| if other.is_above(&best) { other } else { best })
        };
        let (strongest, guess) = (best(&attacks), best(&guesses));
        let beats_guess = match (&strongest, &guess) {
            (Some(strongest), Some(guess)) => strongest.is_above(guess),
            (strongest, _) => strongest.is_some(),
        };
        Ok(Some(Coalition {
            fragments: word(self.kind),
            is_own: self.is_own,
            node: target.view.node.id,
            sites: self.names(&target.view.sites()),
            colluders: self.names(&target.colluders),
            victims: self.names(&target.victims),
            records: target.view.records.len(),
            features: originals.width(),
            seen: target.fragments.width(),
            repeats: repeats(&target.fragments),
            known,
            strongest,
            guess,
            beats_guess,
            tried: attacks.iter().chain(&guesses).map(Tried::of).collect(),
        }))
    }
}

/// Class and confidence of each victim for each record, a class apart from any other.
fn answers(settled: &[Settled], target: &Target<'_>) -> Records {
    let mut answers = Records::new(2 * target.victims.len());
    let by_record: BTreeMap<u64, &Settled> = settled.iter().map(|one| (one.record, one)).collect();
    for record in &target.view.records {
        let of = |site: &u16| {
            let settled = by_record.get(record)?;
            let found = settled
                .judgements
                .iter()
                .find(|(source, ..)| source == site);
            found.map(|&(_, class, confidence)| [f64::from(class), confidence])
        };
        let row = target
            .victims
            .iter()
            .map(|site| of(site).unwrap_or([-1.0; 2]));
        answers.push(&row.flatten().collect::<Vec<f64>>());
    }
    answers
}

/// All sets of so many sites.
fn subsets(sites: &[u16], count: usize) -> Vec<Vec<u16>> {
    match (count, sites) {
        (0, _) => vec![Vec::new()],
        (_, []) => Vec::new(),
        (count, [first, rest @ ..]) => {
            let with = subsets(rest, count - 1).into_iter();
            let with = with.map(|set| [&[*first], &set[..]].concat());
            with.chain(subsets(rest, count)).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_of_a_size_is_there_once() {
        assert_eq!(subsets(&[1, 2, 3], 0), [[0_u16; 0]]);
        assert_eq!(subsets(&[1, 2, 3], 2), [[1, 2], [1, 3], [2, 3]]);
        assert_eq!(subsets(&[1, 2], 3), Vec::<Vec<u16>>::new());
    }
}
