//! What is said to the person who runs a party of a federation, and what ends the party.

use crate::console::Console;
use moretta::federate::frame::Refusal;
use moretta::federate::{Mode, Note, PartyId};
use moretta::policy::{FederationPolicy, FederationRole};
use moretta::{Error, Result};
use moretta_federation::station::told;
use std::collections::BTreeSet;

/// What to do where parties have other records.
const SAME_RECORDS: &str = "sort the rows of all parties by their key, keep the same records, and give all sites and the label holder the same records.key";

/// Shows notes, and ends a party that others refuse for good.
pub(crate) struct Heed<'a> {
    policy: &'a FederationPolicy,
    console: &'a Console,
    /// Who was late before. A deadline that is missed is often missed thousands of times.
    late: BTreeSet<PartyId>,
}

impl<'a> Heed<'a> {
    pub(crate) fn new(policy: &'a FederationPolicy, console: &'a Console) -> Self {
        Heed {
            policy,
            console,
            late: BTreeSet::new(),
        }
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
                console.hint(&format!("{} has other records than the others; its answers are not used", name(party)));
            }
            Note::RefusedBy(party, Refusal::Keys) => {
                return Err(Error::input(format!(
                    "the keys of {} are others than those of this party",
                    name(party)
                ))
                .help(SAME_RECORDS));
            }
            Note::Refused(party, Refusal::Keys) => {
                return Err(Error::input(format!(
                    "the keys of the rows are not those that {} has",
                    name(party)
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
