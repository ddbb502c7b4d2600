//! What parties of a federation see of each other, in sentences.

use crate::federate::{FragmentKind, Terms};
use crate::policy::FederationRole;

/// What a party with this role sees of the others, and what others see of it.
pub fn federation_sees(role: FederationRole, terms: &Terms) -> Vec<String> {
    let answers = format!(
        "class and confidence ({} bits) of every site for every record, and which records it forwards",
        terms.coarse.bits()
    );
    let fragments = match terms.trouble.as_ref().map(|trouble| trouble.fragments) {
        Some(FragmentKind::Masked) => "sums of masked projections of forwarded records",
        Some(FragmentKind::Projected) => "projections of forwarded records of each site",
        Some(FragmentKind::Raw) => "values of forwarded records of each site",
        None | Some(FragmentKind::None) => "no fragments of records",
    };
    let sentences: &[&str] = match (role, terms.hosts.is_empty()) {
        (FederationRole::Site, _) => &[
            "labels reach this site, as they reach every site",
            "keys never leave it, but for a sum of each batch under a secret of sites and label holder",
        ],
        (FederationRole::Aggregator, true) => &[&answers, fragments, "labels"],
        (FederationRole::Aggregator, false) => &[
            &answers,
            "no fragments of records, which hosts of trouble nodes see",
            "labels",
        ],
        (FederationRole::Trouble, _) => &[fragments, "labels"],
        (FederationRole::Labels, _) => {
            &["its labels reach every site, the aggregator and all hosts of trouble nodes"]
        }
        (FederationRole::Consumer, _) => &["class, confidence and flags of every record"],
    };
    let owned = sentences.iter().map(|&sentence| sentence.to_owned());
    owned.collect()
}
