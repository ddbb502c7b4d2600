//! Whether a federation has room for the columns of all its sites, before it begins.

use crate::error::{Error, Result};
use crate::federate::{
    COMMON, Candidates, Column, MOST_COLUMNS, PartyId, SiteColumns, candidates_at_first,
};
use crate::policy::{FederationPolicy, FederationRole};

/// Counts the columns of all sites, and the groups of sites that could share a trouble node. Gives a
/// warning where some of these groups are not watched.
///
/// # Errors
/// When the sites together have more columns than a federation has room for.
pub fn check_room(policies: &[FederationPolicy]) -> Result<Option<String>> {
    let sites = policies.iter().filter(|p| p.role == FederationRole::Site);
    let sites: Vec<&FederationPolicy> = sites.collect();
    let count: usize = sites.iter().map(|policy| policy.features.len()).sum();
    if count > MOST_COLUMNS {
        return Err(Error::policy(format!(
            "the sites have {count} columns together, and a federation has room for {MOST_COLUMNS}"
        ))
        .help("give columns that help little the role drop"));
    }
    let Some(first) = sites.first() else {
        return Ok(None);
    };
    let mut told = columns_of_all(&sites);
    told.sort_by_key(|site| site.id);
    let found = candidates_at_first(&first.terms, told);
    Ok(found.and_then(warning))
}

fn warning(found: Candidates) -> Option<String> {
    if let Some(all) = found.too_many {
        return Some(format!(
            "of {all} groups of sites that could share a trouble node {} are watched at a time, those that extend the pairs that agree most, and none before pairs were watched for a while: a smaller `group` or fewer sites leave fewer out",
            found.watched
        ));
    }
    (found.left_out > 0).then(|| {
        format!(
            "of {} groups of sites that would be watched for a trouble node {} are, since a site is asked about at most 256 lengths: equal `size`s or a smaller `group` leave fewer out",
            found.watched + found.left_out,
            found.watched
        )
    })
}

/// What all would be told, with other numbers of common columns: those need the secret of records.
fn columns_of_all(sites: &[&FederationPolicy]) -> Vec<SiteColumns> {
    let mut common: Vec<(&str, &[String])> = Vec::new();
    let mut told = Vec::new();
    for policy in sites {
        let mut columns = Vec::new();
        for feature in &policy.features {
            let id = match &feature.common {
                None => feature.column.id,
                Some(name) => {
                    let known = (&**name, &*feature.categories);
                    let place = common.iter().position(|other| *other == known);
                    COMMON
                        | place.unwrap_or_else(|| {
                            common.push(known);
                            common.len() - 1
                        }) as u64
                }
            };
            columns.push(Column {
                id,
                ..feature.column
            });
        }
        told.push(SiteColumns {
            id: policy.own().map_or(0, |own| own.number.0),
            columns,
        });
    }
    told.retain(|site| PartyId(site.id).is_site());
    told
}
