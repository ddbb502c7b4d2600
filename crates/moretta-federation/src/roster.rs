//! The parties of a federation as the policy lists them, and the decision who may be linked.
//!
//! TLS has checked that a certificate is one of the federation's authority and not expired. Here it
//! must also name this federation and a party of the list, with the key that is pinned for it: an
//! authority whose key was stolen cannot bring in anybody.

use moretta_data::{Error, Result};
use rustls::pki_types::CertificateDer;

use crate::identity::{Identity, Name, Pin, Role};
use crate::party::PartyId;
use crate::refusal::Refusal;

/// A party of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its number in frames.
    pub number: PartyId,
    /// What it does.
    pub role: Role,
    /// Its id.
    pub id: Name,
    /// Its public key.
    pub pin: Pin,
}

/// All parties of a federation.
#[derive(Clone, Debug)]
pub struct Roster {
    federation: Name,
    members: Vec<Member>,
}

impl Roster {
    /// The list; numbers, ids and keys must differ.
    pub fn new(federation: Name, members: Vec<Member>) -> Result<Self> {
        for (place, member) in members.iter().enumerate() {
            for other in &members[..place] {
                let shared = if member.number == other.number {
                    "number"
                } else if member.id == other.id {
                    "id"
                } else if member.pin == other.pin {
                    "key"
                } else {
                    continue;
                };
                return Err(Error::policy(format!(
                    "the parties `{}` and `{}` of the federation have the same {shared}",
                    other.id, member.id
                ))
                .help("give each its own"));
            }
        }
        Ok(Roster {
            federation,
            members,
        })
    }

    /// The federation.
    pub fn federation(&self) -> &Name {
        &self.federation
    }

    /// All parties.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The party with that number.
    pub fn member(&self, number: PartyId) -> Option<&Member> {
        self.members.iter().find(|member| member.number == number)
    }

    /// Whose certificate it is.
    pub fn admit(&self, certificate: &CertificateDer<'_>) -> std::result::Result<&Member, Refusal> {
        let identity = Identity::of(certificate)?;
        if identity.federation != self.federation {
            return Err(Refusal::OtherFederation);
        }
        let is_it = |m: &&Member| m.id == identity.id && m.role == identity.role;
        let member = self.members.iter().find(is_it);
        let member = member.ok_or(Refusal::UnknownParty)?;
        if Pin::of(certificate) != Some(member.pin) {
            return Err(Refusal::OtherKey);
        }
        Ok(member)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::{Order, make};

    fn name(text: &str) -> Name {
        Name::new(text).expect("a name")
    }

    fn member(number: u16, role: Role, id: &str, pin: Pin) -> Member {
        Member {
            number: PartyId(number),
            role,
            id: name(id),
            pin,
        }
    }

    #[test]
    fn only_parties_of_the_list_with_their_keys_are_admitted() {
        let folder = tempfile::tempdir().expect("a folder");
        let order = Order::new(
            name("ward-7"),
            vec![(Role::Site, name("lab")), (Role::Site, name("icu"))],
        );
        let made = make(folder.path(), &order).expect("keys");
        let (lab, icu) = (made.parties[0].pin, made.parties[1].pin);
        let certificate = |place: usize| made.parties[place].certificate.clone();
        let roster = |federation, members| Roster::new(name(federation), members).expect("a list");
        let check = |roster: Roster, expected| {
            let admitted = roster.admit(&certificate(0)).map(|member| member.number);
            assert_eq!(admitted, expected);
        };
        let lab_is_3 = member(3, Role::Site, "lab", lab);
        check(
            roster(
                "ward-7",
                vec![member(4, Role::Site, "icu", icu), lab_is_3.clone()],
            ),
            Ok(PartyId(3)),
        );
        check(
            roster("ward-8", vec![lab_is_3]),
            Err(Refusal::OtherFederation),
        );
        check(roster("ward-7", Vec::new()), Err(Refusal::UnknownParty));
        check(
            roster("ward-7", vec![member(3, Role::Labels, "lab", lab)]),
            Err(Refusal::UnknownParty),
        );
        check(
            roster("ward-7", vec![member(3, Role::Site, "lab", icu)]),
            Err(Refusal::OtherKey),
        );
        let garbage = CertificateDer::from(vec![0x30, 0x03, 1, 2, 3]);
        let empty = roster("ward-7", Vec::new());
        assert_eq!(empty.admit(&garbage), Err(Refusal::Unnamed));
    }

    #[test]
    fn two_parties_share_nothing() {
        let check = |second: Member, word: &str| {
            let first = member(1, Role::Site, "lab", Pin([1; 32]));
            let error = Roster::new(name("w"), vec![first, second]).expect_err("refused");
            assert!(error.to_string().ends_with(word), "{error}");
        };
        check(member(1, Role::Site, "icu", Pin([2; 32])), "same number");
        check(member(2, Role::Labels, "lab", Pin([2; 32])), "same id");
        check(member(2, Role::Site, "icu", Pin([1; 32])), "same key");
    }
}
