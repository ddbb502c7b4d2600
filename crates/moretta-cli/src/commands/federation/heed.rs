//! What is said to the person who runs a party of a federation, and what ends the party.

use crate::console::Console;
use moretta::federate::frame::Refusal;
use moretta::federate::{Mode, Note, PartyId, Terms};
use moretta::policy::{FederationPolicy, FederationRole};
use moretta::{Error, Result};
use moretta_federation::station::told;
use std::collections::{BTreeMap, BTreeSet};

/// What to do where parties have other records.
const SAME_RECORDS: &str = "sort the rows of all parties by their key, keep the same records, and give all sites and the label holder the same records.key";

/// How often it is told that one party has failed with one exit code: who is started again and
/// again is not told of for ever.
const MOST_GONE: u32 = 5;

/// Shows notes, and ends a party that others refuse for good.
pub(crate) struct Heed<'a> {
    policy: &'a FederationPolicy,
    console: &'a Console,
    /// Who was late before. A deadline that is missed is often missed thousands of times.
    late: BTreeSet<PartyId>,
    /// How often who has failed with which exit code.
    gone: BTreeMap<(PartyId, u8), u32>,
    /// The batch whose keys are others than those of a party.
    differs: BTreeMap<PartyId, u64>,
}

impl<'a> Heed<'a> {
    pub(crate) fn new(policy: &'a FederationPolicy, console: &'a Console) -> Self {
        Heed {
            policy,
            console,
            late: BTreeSet::new(),
            gone: BTreeMap::new(),
            differs: BTreeMap::new(),
        }
    }

    /// That a party has failed with this exit code, in words; none where that was told often.
    pub(crate) fn gone(&mut self, party: PartyId, code: u8) -> Option<String> {
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
            Note::RefusedBy(..) if policy.role.serves_all() && policy.terms.mode != Mode::Lockstep => {
                console.hint(&told(note, known));
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
        let note = [Note::Refused(PartyId(1), Refusal::Keys)];
        let hub = policy("aggregator", "flow");
        assert!(Heed::new(&hub, &console).notes(&note).is_ok());
    }
}
