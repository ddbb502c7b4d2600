//! Who is on a link.

use std::fmt;

/// A party on a link: a site by its number, or one of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PartyId(pub u16);

impl PartyId {
    /// Who makes the final answers.
    pub const AGGREGATOR: PartyId = PartyId(0xffff);
    /// Who tells the true classes.
    pub const LABELS: PartyId = PartyId(0xfffe);
    /// Who takes the answers.
    pub const CONSUMER: PartyId = PartyId(0xfffd);
    /// Sites at most.
    pub const MOST_SITES: u16 = 1024;
    const FIRST_HOST: u16 = 0xf000;

    /// A host of trouble nodes.
    pub fn host(number: u16) -> Self {
        PartyId(PartyId::FIRST_HOST + number.min(0xfff))
    }

    /// Whether it is a site.
    pub fn is_site(self) -> bool {
        self.0 < PartyId::MOST_SITES
    }

    /// Whether it is a host of trouble nodes of its own.
    pub fn is_host(self) -> bool {
        (PartyId::FIRST_HOST..PartyId::CONSUMER.0).contains(&self.0)
    }
}

impl fmt::Display for PartyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            PartyId::AGGREGATOR => f.write_str("aggregator"),
            PartyId::LABELS => f.write_str("label holder"),
            PartyId::CONSUMER => f.write_str("consumer"),
            site if site.is_site() => write!(f, "site {}", site.0),
            host => write!(f, "host {}", host.0.saturating_sub(PartyId::FIRST_HOST)),
        }
    }
}
