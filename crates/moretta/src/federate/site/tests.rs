//! Hellos of other sites that the aggregator passes on.

use super::*;
use crate::federate::frame::{Header, NO_NODE, encode};
use crate::federate::mask::Identity;
use crate::federate::topology::COMMON;
use crate::federate::{Ratio, Rule};
use crate::learn;

const HUB: PartyId = PartyId::AGGREGATOR;

fn identity(party: PartyId) -> Identity {
    Identity::from_seed(&[(party.0 as u8).wrapping_add(1); 32])
}

fn trust(me: PartyId) -> Trust {
    let pins = (0..4).map(PartyId).chain([HUB]);
    Trust::Pinned {
        identity: Box::new(identity(me)),
        pins: pins.map(|one| (one, identity(one).public())).collect(),
    }
}

/// The first of four sites, where fragments are masked, on links.
struct Linked {
    terms: Arc<Terms>,
    site: Site,
    out: Outbox,
}

impl Linked {
    fn new() -> Self {
        let mut terms = Terms::of_study(4, 2, Rule::Vote).with_trouble(Ratio::ONE);
        if let Some(trouble) = &mut terms.trouble {
            (trouble.fragments, trouble.group) = (FragmentKind::Masked, 3);
        }
        let terms = Arc::new(terms);
        let columns = vec![column(0)];
        let inputs = columns.iter().map(|column| column.input()).collect();
        let header = learn::Header::new(inputs, 2).expect("a header");
        let options = SiteOptions {
            id: 0,
            columns,
            learner: learn::build("nb", &header, 1).expect("a learner"),
            allows: FragmentKind::Masked,
            min_sources: 3,
            giver: Giver::default(),
            trust: trust(PartyId(0)),
            delivery: Delivery::Certain,
        };
        let site = Site::new(Arc::clone(&terms), options).expect("a site");
        Linked {
            terms,
            site,
            out: Outbox::default(),
        }
    }

    /// Passes a hello on that its sender has signed.
    fn pass_on(&mut self, of: PartyId, epoch: u32, columns: Vec<Column>, mask: [u8; 32]) {
        let mut hello = Hello {
            terms: self.terms.sum(),
            next: 0,
            columns,
            allows: FragmentKind::Masked,
            min_sources: 3,
            mask,
            signature: [0; 64],
        };
        hello.signature = trust(of).sign_hello((&self.terms, 0), of, epoch, &hello);
        let header = Header {
            kind: Kind::Hello,
            federation: self.terms.federation_number(),
            epoch,
            sender: of,
            node: NO_NODE,
            batch: 0,
        };
        let bytes = encode(&header, &Body::Hello(hello));
        let frame = Event::Frame {
            from: HUB,
            bytes: &bytes,
        };
        let handled = self.site.handle(frame, 0, &mut self.out);
        handled.expect("it goes on");
    }

    fn refused(&self) -> usize {
        let notes = self.out.notes.iter();
        let of_hub = Note::Refused(HUB, Refusal::Value);
        notes.filter(|note| **note == of_hub).count()
    }
}

fn column(id: u64) -> Column {
    Column {
        id,
        size: 1,
        values: 0,
    }
}

/// The key of another site, a key that makes no secret, and columns of another site.
#[test]
fn hellos_that_are_passed_on_count_for_nobody() {
    let mut linked = Linked::new();
    let own = |site: u16| vec![column(u64::from(site) << 14)];
    let mut tried = 0;
    for epoch in 1..20 {
        linked.pass_on(PartyId(1), epoch, own(1), [7; 32]);
        linked.pass_on(PartyId(2), epoch, own(2), [7; 32]);
        linked.pass_on(PartyId(3), epoch, own(3), [0; 32]);
        tried += 2;
    }
    assert_eq!(linked.refused(), tried);
    assert_eq!(linked.out.notes.len(), tried, "{:?}", linked.out.notes);
    assert!(!linked.site.links.is_shut_out(HUB));
}

#[test]
fn a_site_has_no_columns_of_another_one() {
    for (id, is_known) in [
        (1 << 14, true),
        (COMMON + 5, true),
        (0, false),
        (2 << 14, false),
    ] {
        let mut linked = Linked::new();
        linked.pass_on(PartyId(1), 0, vec![column(id)], [7; 32]);
        assert_eq!(linked.site.others.contains_key(&1), is_known, "{id}");
        assert_eq!(linked.refused(), usize::from(!is_known));
    }
}
