//! Columns that several sites hold: numbered alike at all of them, without a name on any link.
//!
//! The policy of each site calls such a column by the same name (`common`). On links it has a
//! number instead, made of HMACs under the secret that sites and the label holder share for sums of
//! record keys: the upper 40 bits of the federation and the name, the lower 23 of the categories as
//! well. Values of other categories would not mean the same, so the aggregator refuses a site whose
//! column has the name of another one and not its categories.
//!
//! **Protects against** an aggregator, a host or a consumer that tries the names there are: without
//! the secret no guess can be tried. **Does not protect against** sites and the label holder, which
//! have the secret and can try a dictionary of names against the numbers that they see. Who makes
//! hierarchies sees that two sites have a column in common, its size and its number of
//! categories; and the number is the same in all runs of a federation.
//!
//! **Costs** 8 bytes a column and site. Two names are taken for one with a chance of 1 to 2^40, and a
//! site is refused then; other categories for the same ones with a chance of 1 to 2^23.

use crate::error::{Error, Result};
use crate::federate::{Column, common_number};
use crate::policy::{Feature, FederationPolicy, FederationRole};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The columns of a site as others are told of them, in the order of its features.
pub(super) fn columns_of(policy: &FederationPolicy, secret: &[u8; 32]) -> Vec<Column> {
    let told = |feature: &Feature| Column {
        id: match &feature.common {
            None => feature.column.id,
            Some(name) => number_of(secret, policy, name, &feature.categories),
        },
        ..feature.column
    };
    policy.features.iter().map(told).collect()
}

fn number_of(
    secret: &[u8; 32],
    policy: &FederationPolicy,
    name: &str,
    categories: &[String],
) -> u64 {
    let sum = |texts: &[&str]| {
        let mut sum =
            Hmac::<Sha256>::new_from_slice(secret).expect("HMAC takes keys of any length");
        sum.update(b"moretta/column/2");
        sum.update(&policy.terms.federation);
        for text in texts {
            sum.update(&(text.len() as u64).to_le_bytes());
            sum.update(text.as_bytes());
        }
        let sum = sum.finalize().into_bytes();
        u64::from_le_bytes(std::array::from_fn(|at| sum[at]))
    };
    let kind: Vec<&str> = std::iter::once(name)
        .chain(categories.iter().map(String::as_str))
        .collect();
    // Without categories both sums would be the same one.
    common_number(sum(&[name]), sum(&[&kind[..], &[""]].concat()))
}

/// Whether all sites say the same of columns that they have in common.
///
/// # Errors
/// When two say that one column has different sizes or categories.
pub fn check_common_columns(policies: &[FederationPolicy]) -> Result<()> {
    let sites = policies.iter().filter(|p| p.role == FederationRole::Site);
    let mut known: Vec<(&FederationPolicy, &Feature)> = Vec::new();
    for policy in sites {
        for feature in policy.features.iter().filter(|f| f.common.is_some()) {
            let same = |(_, other): &&(_, &Feature)| other.common == feature.common;
            match known.iter().find(same) {
                None => known.push((policy, feature)),
                Some((first, other)) => check_pair((first, other), (policy, feature))?,
            }
        }
    }
    Ok(())
}

type OfSite<'a> = (&'a FederationPolicy, &'a Feature);

fn check_pair((first, one): OfSite<'_>, (second, other): OfSite<'_>) -> Result<()> {
    let name = one.common.as_deref().unwrap_or_default();
    let (what, help) = match (one.column.size, other.column.size) {
        (a, b) if a != b => (
            format!("the sizes {a} and {b}"),
            "let `size` be the same at all sites that have the column",
        ),
        _ if one.categories != other.categories => (
            "different kinds or categories".to_owned(),
            "let it be a number, or have the same `order`, at all sites that have the column",
        ),
        _ => return Ok(()),
    };
    Err(Error::policy(format!(
        "`{}` and `{}` say that the common column `{name}` has {what}",
        first.id, second.id
    ))
    .help(help))
}
