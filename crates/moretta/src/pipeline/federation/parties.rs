//! The state machine of a party, from its policy.

use crate::error::Result;
use crate::federate::{
    Aggregator, AggregatorOptions, Consumer, Delivery, Giver, Host, LabelHolder, PartyId, Sharing,
    Site, SiteOptions, Trust,
};
use crate::learn;
use crate::policy::{FederationPolicy, FederationRole};
use std::sync::Arc;

/// The seed of learners of sites.
const SEED: u64 = 1;

/// What a site shares, with the secret of its masks.
pub(super) fn sharing(policy: &FederationPolicy, seed: [u8; 32]) -> Sharing {
    Sharing {
        seed,
        ranges: policy
            .features
            .iter()
            .map(|feature| feature.range.clone())
            .collect(),
    }
}

/// A site.
///
/// # Errors
/// When its learner cannot be built.
pub fn site_of(
    policy: &FederationPolicy,
    seed: [u8; 32],
    trust: Trust,
    delivery: Delivery,
) -> Result<Site> {
    let columns: Vec<_> = policy
        .features
        .iter()
        .map(|feature| feature.column)
        .collect();
    let inputs = columns.iter().map(|column| column.input()).collect();
    let header = learn::Header::new(inputs, policy.terms.classes as usize)?;
    let options = SiteOptions {
        id: policy.own().map_or(0, |own| own.number.0),
        columns,
        learner: learn::build(&policy.learner, &header, SEED)?,
        allows: policy.consent.allows,
        min_sources: policy.consent.min_sources,
        giver: Giver::new(sharing(policy, seed)),
        trust,
        delivery,
    };
    Site::new(Arc::new(policy.terms.clone()), options)
}

/// The aggregator.
///
/// # Errors
/// When a learner of the terms cannot be built.
pub fn aggregator_of(
    policy: &FederationPolicy,
    trust: Trust,
    delivery: Delivery,
) -> Result<Aggregator> {
    let is_consumer = |role| role == FederationRole::Consumer;
    let options = AggregatorOptions {
        trust,
        delivery,
        has_consumer: policy.parties.iter().any(|party| is_consumer(party.role)),
        observes: true,
        stall: policy.stall,
    };
    Aggregator::new(Arc::new(policy.terms.clone()), options)
}

/// The label holder.
pub fn label_holder_of(policy: &FederationPolicy, trust: Trust, delivery: Delivery) -> LabelHolder {
    LabelHolder::new(Arc::new(policy.terms.clone()), trust, delivery)
}

/// The consumer.
pub fn consumer_of(policy: &FederationPolicy, delivery: Delivery) -> Consumer {
    Consumer::new(Arc::new(policy.terms.clone()), delivery)
}

/// A host of trouble nodes.
pub fn host_of(policy: &FederationPolicy, trust: Trust, delivery: Delivery) -> Host {
    let me = policy.own().map_or(PartyId::host(0), |own| own.number);
    Host::new(Arc::new(policy.terms.clone()), me, trust, delivery)
}
