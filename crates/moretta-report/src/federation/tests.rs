use super::*;
use crate::page::tests::assert_balanced;
use moretta::pipeline::{
    AgreementFact, FrameFact, IncidentFact, LinkFact, MomentFact, NoNodes, NodeFact, PartyFact,
    SiteFact,
};

fn node(number: u16, sources: &[&str], order: u8, from: u64, to: Option<u64>) -> NodeFact {
    NodeFact {
        node: number,
        sources: sources.iter().map(|&source| source.to_owned()).collect(),
        order,
        from_batch: from,
        to_batch: to,
        forwarded: 100,
        joined: 40,
        answered: 30,
        accuracy: Some(0.9),
    }
}

fn facts() -> FederationFacts {
    let names = ["a<b", "c", "d"];
    FederationFacts {
        federation: "f & g".to_owned(),
        counted: "all links",
        restarted_at: None,
        records: 640,
        labelled: 640,
        accuracy: Some(0.75),
        recent_accuracy: Some(0.8),
        batch: 64,
        moment: 1,
        partial: 5,
        early: 0,
        bytes: 5000,
        bytes_a_record: 7.8125,
        sites: names
            .iter()
            .map(|&site| SiteFact {
                site: site.to_owned(),
                accuracy: Some(0.6),
                confidence: Some(0.9),
                presence: 1.0,
                last_batch: Some(9),
            })
            .collect(),
        nodes: vec![
            node(3, &["a<b", "c"], 1, 2, Some(7)),
            node(4, &["3", "d"], 2, 4, None),
        ],
        no_nodes: None,
        forgotten_nodes: 0,
        moments: (0..10)
            .map(|batch| MomentFact {
                from_batch: batch,
                labelled: 64,
                accuracy: Some(0.7),
                presence: vec![1.0, 0.2, 1.0],
                site_accuracies: vec![Some(0.6), None, Some(0.5)],
            })
            .collect(),
        agreements: vec![AgreementFact {
            sources: vec!["c".to_owned(), "d".to_owned()],
            points: vec![(0, 0.1), (1, 0.2), (5, 0.4)],
        }],
        frames: vec![FrameFact {
            kind: "answers".to_owned(),
            frames: 30,
            bytes: 5000,
        }],
        links: vec![LinkFact {
            from: "a<b".to_owned(),
            to: "hub".to_owned(),
            frames: 10,
            bytes: 2500,
        }],
        incidents: vec![IncidentFact {
            what: "frames that came too late",
            party: Some("d".to_owned()),
            count: 3,
        }],
        parties: vec![PartyFact {
            party: "hub".to_owned(),
            role: "aggregator",
            sees: vec!["labels".to_owned()],
            received: Vec::new(),
        }],
    }
}

#[test]
fn a_page_is_whole_and_names_cannot_break_it() {
    let page = federation_html(&facts());
    assert_balanced(&page);
    assert!(!page.contains("a<b") && !page.contains("f & g"), "{page}");
    assert!(!page.contains("NaN") && !page.contains("http-equiv=\"refresh"));
    for told in [
        "2 trouble nodes were made",
        "frames that came too late",
        "The best site alone, a&lt;b, was right in",
        "Surer than right by more than a quarter: a&lt;b, c, d",
        "made without all sites",
    ] {
        assert!(page.contains(told), "{told}");
    }
}

#[test]
fn nodes_hang_on_their_sources_and_end_in_a_ring() {
    let mut page = Markup::default();
    hierarchy::write(&facts(), &mut page);
    let page = page.into_string();
    assert_eq!(page.matches(" thick\"").count(), 2);
    // Two sources of the first node, a node and a site of the second.
    assert_eq!(page.matches("r=\"3\"").count(), 4);
    assert_eq!(page.matches(" ring\"").count(), 1);
    assert_eq!(page.matches("line dashed").count(), 10, "the absent site");
}

#[test]
fn accuracy_shows_when_nodes_were_made_and_went() {
    let mut page = Markup::default();
    accuracy::write(&facts(), &mut page);
    let page = page.into_string();
    // Two nodes made, one gone, three sites of which one is never judged, and all together.
    assert_eq!(page.matches("<polyline class=\"t3 line\"").count(), 2);
    assert_eq!(
        page.matches("<polyline class=\"t1 line dashed\"").count(),
        1
    );
    assert_eq!(page.matches("<polyline class=\"t0 line\"").count(), 2);
    assert_eq!(page.matches("<polyline class=\"t2 line\"").count(), 1);
}

#[test]
fn a_candidate_that_was_away_leaves_a_gap() {
    let mut page = Markup::default();
    agreement::write(&facts(), &mut page);
    assert_eq!(page.into_string().matches("<polyline").count(), 2);
}

#[test]
fn a_federation_that_has_seen_nothing_has_a_page() {
    let facts = FederationFacts {
        records: 0,
        labelled: 0,
        accuracy: None,
        nodes: Vec::new(),
        moments: Vec::new(),
        agreements: Vec::new(),
        incidents: Vec::new(),
        no_nodes: Some(NoNodes::NoMistakes),
        ..facts()
    };
    let page = federation_html(&facts);
    assert_balanced(&page);
    assert!(page.contains("No trouble node was made: no record was answered wrong"));
    assert!(!page.contains("NaN") && !page.contains("inf"));
}

#[test]
fn a_page_says_why_there_was_no_node_and_of_which_part_of_the_run_it_is() {
    let without = |why| FederationFacts {
        nodes: Vec::new(),
        no_nodes: Some(why),
        ..facts()
    };
    let page = federation_html(&without(NoNodes::TooLong));
    assert!(page.contains("`factor` is so small") && !page.contains("no sources agreed"));
    assert!(!page.contains("restart"));
    let restarted = FederationFacts {
        restarted_at: Some(12),
        ..without(NoNodes::NoAgreement)
    };
    let page = federation_html(&restarted);
    assert!(page.contains("from the restart of the aggregator on, from batch 12."));
    assert!(page.contains("no sources agreed in what troubles them"));
}
