//! What is said to the person who runs a party of a federation, and what ends the party.

use crate::console::Console;
use moretta::federate::frame::Refusal;
use moretta::federate::{Mode, Note, PartyId, Terms};
use moretta::policy::{FederationPolicy, FederationRole};
use moretta::{Error, Result};
use moretta_federation::station::told;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What to do where parties have other records.
const SAME_RECORDS: &str = "sort the rows of all parties by their key, keep the same records, and give all sites and the label holder the same records.key";

/// How often it is told that one party has failed with one exit code: who is started again and
/// again is not told of for ever.
const MOST_GONE: u32 = 5;

/// The same for a reason why frames of one party are refused, or it refuses some: what a party sends
/// must not fill the log of another one.
const MOST_REFUSED: u32 = 10;

/// How many batches are told of that were dropped.
const MOST_DROPPED: u32 = 100;

/// Shows notes, and ends a party that others refuse for good.
pub(crate) struct Heed<'a> {
    policy: &'a FederationPolicy,
    console: &'a Console,
    /// Who was late before. A deadline that is missed is often missed thousands of times.
    late: BTreeSet<PartyId>,
    /// How many batches were dropped.
    dropped: u32,
    /// How often which frames were refused.
    refused: HashMap<(PartyId, bool, Refusal), u32>,
    /// How often who has failed with which exit code.
    gone: BTreeMap<(PartyId, u8), u32>,
    /// Who has failed and was not heard of since then.
    ended: BTreeMap<PartyId, u8>,
    /// The batch whose keys are others than those of a party.
    differs: BTreeMap<PartyId, u64>,
}

impl<'a> Heed<'a> {
    pub(crate) fn new(policy: &'a FederationPolicy, console: &'a Console) -> Self {
        Heed {
            policy,
            console,
            late: BTreeSet::new(),
            dropped: 0,
            refused: HashMap::new(),
            gone: BTreeMap::new(),
            ended: BTreeMap::new(),
            differs: BTreeMap::new(),
        }
    }

    /// A frame has come from a party.
    pub(crate) fn heard(&mut self, from: PartyId) {
        self.ended.remove(&from);
    }

    /// That a party has failed with this exit code, in words; none where that was told often, or was
    /// told and nothing has come of the party since then: one that ends is dialled again.
    pub(crate) fn gone(&mut self, party: PartyId, code: u8) -> Option<String> {
        let is_known = self.ended.insert(party, code) == Some(code);
        if is_known && self.is_linked_with(party) {
            return None;
        }
        let times = self.gone.entry((party, code)).or_default();
        *times += 1;
        if *times > MOST_GONE {
            return None;
        }
        let id = id_of(party, self.policy).unwrap_or_else(|| party.to_string());
        let then = match self.policy.terms.mode {
            Mode::Lockstep => "all wait until it is mended and started again",
            Mode::Flow { .. } => "the others go on without it until it is started again",
        };
        let why = reason(code);
        Some(format!(
            "{id} has ended with exit code {code}: {why}; {then}"
        ))
    }

    /// Whether frames of a party come from itself.
    fn is_linked_with(&self, party: PartyId) -> bool {
        match self.policy.role {
            FederationRole::Site => !party.is_site(),
            FederationRole::Consumer => party == PartyId::AGGREGATOR,
            _ => true,
        }
    }

    /// Who has failed and is not back, where others are waited for.
    fn shows_ended(&self) {
        let ids = self.ended.keys().map(|&party| {
            let id = id_of(party, self.policy);
            id.unwrap_or_else(|| party.to_string())
        });
        let ids: Vec<String> = ids.collect();
        if !ids.is_empty() {
            let ids = ids.join(", ");
            self.console.hint(&format!(
                "{ids} ended before: what is told there comes first"
            ));
        }
    }

    /// Shows it.
    pub(crate) fn shows_gone(&mut self, party: PartyId, code: u8) {
        if let Some(text) = self.gone(party, code) {
            self.console.warn(&text);
        }
    }

    /// Which records have other keys than those of a party, as far as it is known: a sum is compared
    /// of all keys of a batch.
    fn whose_keys(&self, party: PartyId) -> String {
        let Some(&batch) = self.differs.get(&party) else {
            return String::new();
        };
        format!(" in {}", batch_of(batch, &self.policy.terms))
    }

    /// Who has no link, in words; with addresses where this party dials them.
    pub(crate) fn lacking(&self, parties: &[PartyId]) -> String {
        let policy = self.policy;
        let addresses = &policy.addresses;
        let word = |party: &PartyId| {
            let id = id_of(*party, policy).unwrap_or_else(|| party.to_string());
            let address = match *party {
                _ if policy.role == FederationRole::Aggregator => None,
                PartyId::AGGREGATOR => addresses.aggregator.as_ref(),
                PartyId::LABELS => addresses.labels.as_ref(),
                _ => addresses.hosts.get(&id),
            };
            address.map_or(id.clone(), |address| format!("{id} at {address}"))
        };
        let words: Vec<String> = parties.iter().map(word).collect();
        format!("no link with {}; waiting for it", words.join(", "))
    }

    /// Shows who has no link.
    pub(crate) fn lacks(&self, parties: &[PartyId]) {
        if !parties.is_empty() {
            self.console.hint(&self.lacking(parties));
        }
    }

    /// Whether this party cannot go on without another one: all need the aggregator, and those who
    /// serve all need nobody.
    fn needs(&self, party: PartyId) -> bool {
        party == PartyId::AGGREGATOR && !self.policy.role.serves_all()
    }

    /// Counts frames that were refused and batches that were dropped; whether that was told often
    /// enough.
    fn is_told_enough(&mut self, note: &Note) -> bool {
        let times = match *note {
            Note::Refused(party, why) => self.refused.entry((party, false, why)),
            Note::RefusedBy(party, why) => self.refused.entry((party, true, why)),
            Note::Dropped(_) => {
                self.dropped = self.dropped.saturating_add(1);
                return self.dropped > MOST_DROPPED;
            }
            _ => return false,
        };
        let times = times.or_default();
        *times = times.saturating_add(1);
        *times > MOST_REFUSED
    }

    /// Shows notes.
    ///
    /// # Errors
    /// Where a note says that the party cannot go on.
    pub(crate) fn notes(&mut self, notes: &[Note]) -> Result<()> {
        let (policy, console) = (self.policy, self.console);
        let known = |party: PartyId| id_of(party, policy);
        let name = |party: &PartyId| known(*party).unwrap_or_else(|| party.to_string());
        for note in notes {
            match note {
            Note::KeysDiffer(party, batch) => {
                self.differs.insert(*party, *batch);
            }
            // Others can be answered without one that says no; in lockstep nobody can.
            Note::RefusedBy(party, _) if policy.terms.mode != Mode::Lockstep && !self.needs(*party) => {
                if !self.is_told_enough(note) {
                    console.hint(&told(note, known));
                }
            }
            Note::RefusedBy(party, Refusal::Consent) => {
                return Err(Error::budget(format!(
                    "{} does not consent to what a trouble node asks of it",
                    name(party)
                ))
                .help("let `fragments` of all parties ask for less, or `allow` of the site permit more"));
            }
            Note::Refused(PartyId::AGGREGATOR, Refusal::Consent) => {
                return Err(Error::budget(
                    "a trouble node asks for more than this site consents to; nothing was sent to it",
                )
                .help("let `fragments` of all parties ask for less, or `allow` of this site permit more"));
            }
            Note::RefusedBy(PartyId::AGGREGATOR, Refusal::Columns) => {
                return Err(Error::policy(format!(
                    "another site has a common column of this site with another `size` or `order`: {}",
                    common_columns(policy).join(", ")
                ))
                .help("`moretta federation check` with the policies of all sites finds out which; let both say the same, and begin all parties anew with --force"));
            }
            Note::RefusedBy(PartyId::AGGREGATOR, Refusal::Room) => {
                return Err(Error::policy(
                    "the sites have more columns, or this site has more categories, than there is room for",
                )
                .help("drop columns, or group categories where fragments are raw; `moretta federation check` with the policies of all sites counts them"));
            }
            Note::RefusedBy(PartyId::AGGREGATOR, Refusal::Run) => {
                return Err(Error::usage(
                    "the aggregator is in another run than this party: one of them was begun anew",
                )
                .help("begin all parties anew with --force"));
            }
            note if self.is_told_enough(note) => {}
            Note::Refused(party, Refusal::Run) => console.hint(&format!(
                "{} is in another run, or was begun anew in this one: begin all parties anew with --force",
                name(party)
            )),
            Note::RefusedBy(party, Refusal::Stranger) => {
                let party = name(party);
                return Err(Error::policy(format!("{party} has not agreed on the same terms"))
                    .help("`moretta federation check` with the policies of all parties finds out where"));
            }
            Note::RefusedBy(party, Refusal::Conflict) => {
                return Err(Error::input(format!(
                    "{} was told something else about the same records before, and listens to this party no more",
                    name(party)
                ))
                .help("the rows or the state of this party were changed in mid-run: begin all parties anew with --force"));
            }
            // In flow others are answered all the same.
            Note::Refused(party, Refusal::Keys)
                if policy.role == FederationRole::Aggregator && policy.terms.mode != Mode::Lockstep =>
            {
                console.hint(&format!(
                    "{} has other records than the others{}; its answers are not used",
                    name(party),
                    self.whose_keys(*party)
                ));
            }
            Note::RefusedBy(party, Refusal::Keys) => {
                return Err(Error::input(format!(
                    "the keys of {} are others than those of this party{}",
                    name(party),
                    self.whose_keys(*party)
                ))
                .help(SAME_RECORDS));
            }
            Note::Refused(party, Refusal::Keys) => {
                return Err(Error::input(format!(
                    "the keys of the rows are not those that {} has{}",
                    name(party),
                    self.whose_keys(*party)
                ))
                .help(SAME_RECORDS));
            }
            Note::Late(party, _) if !self.late.insert(*party) => {}
            Note::Late(..) => console.hint(&format!("{}; more of it is counted, not told", told(note, known))),
            note => console.hint(&told(note, known)),
        }
        }
        if notes.iter().any(|note| matches!(note, Note::Stalled(_))) {
            self.shows_ended();
        }
        Ok(())
    }
}

/// What an exit code of a party says of it.
fn reason(code: u8) -> &'static str {
    match code {
        2 => "it was started in a way that does not fit its run",
        3 => "its policy or its keys do not fit",
        4 => "its rows cannot be read, or are not those of the others",
        5 => "a file, a disk or a link of it has failed",
        7 => "it does not consent to what is asked of it",
        _ => "it says why itself",
    }
}

/// A batch and its records, by the numbers that answers have.
fn batch_of(batch: u64, terms: &Terms) -> String {
    let size = u64::from(terms.batch.max(1));
    let first = batch
        .saturating_mul(size)
        .saturating_add(terms.first_record);
    let last = first.saturating_add(size - 1);
    format!("batch {batch} (records {first} to {last})")
}

/// The columns that this site has in common with others.
fn common_columns(policy: &FederationPolicy) -> Vec<String> {
    let common = policy.features.iter().filter(|f| f.common.is_some());
    common
        .map(|feature| format!("`{}`", feature.name))
        .collect()
}

fn id_of(party: PartyId, policy: &FederationPolicy) -> Option<String> {
    let found = policy.parties.iter().find(|one| one.number == party);
    found.map(|one| one.id.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use moretta::policy::Root;
    use std::path::Path;

    /// The aggregator or the label holder in a mode.
    fn policy(role: &str, mode: &str) -> FederationPolicy {
        let (id, columns, source) = match role {
            "site" => (
                "icu",
                "[columns]\nvisit = { role = \"key\" }\npulse = { role = \"quasi\", type = \"number\", range = [0, 300] }",
                "[source]\npath = \"rows.csv\"",
            ),
            "labels" => (
                "desk",
                "[columns]\nvisit = { role = \"key\" }\nstate = { role = \"class\" }",
                "[source]\npath = \"rows.csv\"",
            ),
            _ => ("hub", "", ""),
        };
        let text = format!(
            r#"
            version = 1
            {source}
            {columns}
            [federation]
            name = "w"
            role = "{role}"
            id = "{id}"
            parties = {{ hub = "aggregator", desk = "labels", icu = "site", lab = "site", ward = "site" }}
            classes = ["a", "b"]
            mode = "{mode}"
            "#
        );
        let root = Root::of_policy(Path::new("policy.toml"), None).expect("a folder");
        FederationPolicy::parse(&text, &root).expect("a policy")
    }

    /// Who sends frames that are refused, or is without a link, must not fill the log of another one.
    #[test]
    fn what_happens_again_and_again_is_told_of_a_few_times() {
        let console = Console::new(false, true);
        let hub = policy("aggregator", "flow");
        let mut heed = Heed::new(&hub, &console);
        let mut told = |note: &dyn Fn(u64) -> Note| {
            let notes = (0..1000).map(note);
            notes.filter(|note| !heed.is_told_enough(note)).count()
        };
        let old = |party| move |_: u64| Note::Refused(PartyId(party), Refusal::Batch);
        assert_eq!((told(&old(1)), told(&old(1)), told(&old(2))), (10, 0, 10));
        assert_eq!(told(&Note::Dropped), 100);
    }

    /// One that ends is dialled again until it is gone, and says the same each time.
    #[test]
    fn a_party_that_has_failed_is_told_of_once_until_it_is_heard_again() {
        let console = Console::new(false, true);
        let icu = policy("site", "lockstep");
        let mut heed = Heed::new(&icu, &console);
        let is_told = |heed: &mut Heed<'_>, party, code| heed.gone(party, code).is_some();
        assert!(is_told(&mut heed, PartyId::AGGREGATOR, 5));
        assert!(!is_told(&mut heed, PartyId::AGGREGATOR, 5));
        assert!(is_told(&mut heed, PartyId::AGGREGATOR, 4));
        heed.heard(PartyId::AGGREGATOR);
        assert!(is_told(&mut heed, PartyId::AGGREGATOR, 4));
        // Of another site it hears from the aggregator alone.
        assert!((0..5).all(|_| is_told(&mut heed, PartyId(1), 4)));
        assert!(!is_told(&mut heed, PartyId(1), 4));
    }

    /// Anybody can say no to whom all need. In flow others are answered all the same.
    #[test]
    fn in_flow_no_refusal_ends_who_serves_all() {
        let console = Console::new(false, true);
        for role in ["aggregator", "labels"] {
            let (lockstep, flow) = (policy(role, "lockstep"), policy(role, "flow"));
            let mut ends = 0;
            for why in Refusal::ALL {
                for party in [PartyId(1), PartyId::CONSUMER, PartyId::LABELS] {
                    let note = [Note::RefusedBy(party, why)];
                    let heeded = Heed::new(&flow, &console).notes(&note);
                    assert!(heeded.is_ok(), "{role}: {why:?}");
                    ends += usize::from(Heed::new(&lockstep, &console).notes(&note).is_err());
                }
            }
            assert!(ends > 0, "in lockstep nobody can go on");
        }
        // A host of trouble nodes says no to sites, and sites to it.
        let icu = policy("site", "flow");
        let heeded =
            |party| Heed::new(&icu, &console).notes(&[Note::RefusedBy(party, Refusal::Keys)]);
        assert!(heeded(PartyId::host(0)).is_ok() && heeded(PartyId::AGGREGATOR).is_err());
        let note = [Note::Refused(PartyId(1), Refusal::Keys)];
        let hub = policy("aggregator", "flow");
        assert!(Heed::new(&hub, &console).notes(&note).is_ok());
    }
}
