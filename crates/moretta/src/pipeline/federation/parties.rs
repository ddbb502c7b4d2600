//! The state machine of a party, from its policy.

use super::common_columns::columns_of;
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

/// What a party remembered, if it goes on.
type Saved<'a> = Option<&'a [u8]>;

/// A site, or the one that was saved. `records` is the secret that sites and the label holder share,
/// under which columns that several sites have are numbered.
///
/// # Errors
/// When its learner cannot be built, or what was saved is not of it.
pub fn site_of(
    policy: &FederationPolicy,
    seed: [u8; 32],
    records: &[u8; 32],
    trust: Trust,
    delivery: Delivery,
    saved: Saved<'_>,
) -> Result<Site> {
    let columns = columns_of(policy, records);
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
    let terms = Arc::new(policy.terms.clone());
    match saved {
        None => Site::new(terms, options),
        Some(bytes) => Site::load(terms, options, bytes),
    }
}

/// The aggregator, or the one that was saved.
///
/// # Errors
/// When a learner of the terms cannot be built, or what was saved is not of it.
pub fn aggregator_of(
    policy: &FederationPolicy,
    trust: Trust,
    delivery: Delivery,
    saved: Saved<'_>,
) -> Result<Aggregator> {
    let is_consumer = |role| role == FederationRole::Consumer;
    let options = AggregatorOptions {
        trust,
        delivery,
        has_consumer: policy.parties.iter().any(|party| is_consumer(party.role)),
        observes: true,
        stall: policy.stall,
    };
    let terms = Arc::new(policy.terms.clone());
    let aggregator = match saved {
        None => Aggregator::new(terms, options),
        Some(bytes) => Aggregator::load(terms, options, bytes),
    }?;
    Ok(aggregator.with_names(policy.names()))
}

/// The label holder, or the one that was saved.
///
/// # Errors
/// When what was saved is not of it.
pub fn label_holder_of(
    policy: &FederationPolicy,
    trust: Trust,
    delivery: Delivery,
    saved: Saved<'_>,
) -> Result<LabelHolder> {
    let terms = Arc::new(policy.terms.clone());
    match saved {
        None => Ok(LabelHolder::new(terms, trust, delivery)),
        Some(bytes) => LabelHolder::load(terms, trust, delivery, bytes),
    }
}

/// The consumer, or the one that was saved.
///
/// # Errors
/// When what was saved is not of it.
pub fn consumer_of(
    policy: &FederationPolicy,
    delivery: Delivery,
    saved: Saved<'_>,
) -> Result<Consumer> {
    let terms = Arc::new(policy.terms.clone());
    match saved {
        None => Ok(Consumer::new(terms, delivery)),
        Some(bytes) => Consumer::load(terms, delivery, bytes),
    }
}

/// A host of trouble nodes, or the one that was saved.
///
/// # Errors
/// When what was saved is not of it.
pub fn host_of(
    policy: &FederationPolicy,
    trust: Trust,
    delivery: Delivery,
    saved: Saved<'_>,
) -> Result<Host> {
    let me = policy.own().map_or(PartyId::host(0), |own| own.number);
    let terms = Arc::new(policy.terms.clone());
    match saved {
        None => Ok(Host::new(terms, me, trust, delivery)),
        Some(bytes) => Host::load(terms, me, trust, delivery, bytes),
    }
}
