//! All parties of a federation in one process, from their policies.

use super::common_columns::{check_common_columns, columns_of};
use super::parties::sharing;
use super::rows::PartyRows;
use crate::data::Records;
use crate::error::{Error, Result};
use crate::federate::simulate::{Outcome, Process, SiteSource, Witness};
use crate::federate::{FragmentKind, Terms};
use crate::policy::{FederationPolicy, FederationRole};
use sha2::{Digest, Sha256};

#[cfg(test)]
mod tests;

/// A federation that is ready to run.
pub struct Simulated {
    process: Process,
    /// The true class of each record.
    pub classes: Vec<u32>,
}

impl Simulated {
    /// Runs to the end of the records.
    ///
    /// # Errors
    /// When a party cannot go on.
    pub fn run(self) -> Result<Outcome> {
        self.process.run()
    }

    /// The same before a witness, who takes what happens.
    ///
    /// # Errors
    /// When a party or the witness cannot go on.
    pub fn run_before(self, witness: &mut dyn Witness) -> Result<()> {
        self.process.run_before(witness)
    }
}

/// What all parties bring to a federation.
pub(in crate::pipeline) struct Gathering {
    pub(in crate::pipeline) terms: Terms,
    /// In the order of the terms' sites.
    pub(in crate::pipeline) sources: Vec<SiteSource>,
    /// The most telling fragments that each site consents to, and of how many sources at least.
    pub(in crate::pipeline) consents: Vec<(FragmentKind, u16)>,
    pub(in crate::pipeline) classes: Vec<u32>,
}

/// Reads the rows of all parties. `seed` gives the secret of a site's masks.
///
/// # Errors
/// When policies do not belong together, or rows cannot be read.
pub fn open_simulated(
    policies: &[FederationPolicy],
    seed: impl Fn(&FederationPolicy) -> Result<[u8; 32]>,
) -> Result<Simulated> {
    let Gathering {
        terms,
        sources,
        consents,
        classes,
    } = gather(policies, seed)?;
    let process = Process::with_consents(terms, sources, classes.clone(), &consents)?;
    let names = policies.first().map(FederationPolicy::names);
    Ok(Simulated {
        process: process.named(names.unwrap_or_default()),
        classes,
    })
}

/// Reads what all parties bring.
pub(in crate::pipeline) fn gather(
    policies: &[FederationPolicy],
    seed: impl Fn(&FederationPolicy) -> Result<[u8; 32]>,
) -> Result<Gathering> {
    let first = agreed(policies)?;
    check_common_columns(policies)?;
    let secret = secret_of_records(policies)?;
    let mut sources = Vec::new();
    let (mut keys, mut consents) = (Vec::new(), Vec::new());
    let mut sites = first
        .parties
        .iter()
        .filter(|p| p.role == FederationRole::Site);
    let of = |id: &str| policies.iter().find(|policy| policy.id == id);
    sites.try_for_each(|party| {
        let policy = of(&party.id).ok_or_else(|| missing(&party.id))?;
        let (records, _, sums) = all_rows(policy)?;
        keys.push((party.id.clone(), sums));
        consents.push((policy.consent.allows, policy.consent.min_sources));
        sources.push(SiteSource {
            columns: columns_of(policy, &secret),
            learner: policy.learner.clone(),
            records,
            sharing: sharing(policy, seed(policy)?),
        });
        Ok::<(), Error>(())
    })?;
    let holder = first
        .parties
        .iter()
        .find(|p| p.role == FederationRole::Labels);
    let holder = holder.ok_or_else(|| Error::bug("a federation without labels"))?;
    let policy = of(&holder.id).ok_or_else(|| missing(&holder.id))?;
    let (_, classes, sums) = all_rows(policy)?;
    for (id, others) in &keys {
        if *others != sums {
            let batches = others.iter().zip(&sums);
            let batch = batches.take_while(|(one, other)| one == other).count() as u64;
            let size = u64::from(first.terms.batch.max(1));
            let record = first.terms.first_record + batch * size;
            return Err(Error::input(format!(
                "the keys of `{id}` are not those of `{}`, in the same order: the first that differ are in batch {batch} (records {record} to {})",
                holder.id,
                record + (size - 1)
            ))
            .help("sort the rows of all parties by their key, and keep the same records"));
        }
    }
    // Where trouble nodes run does not change what they answer.
    let terms = Terms {
        hosts: Vec::new(),
        ..first.terms.clone()
    };
    Ok(Gathering {
        terms,
        sources,
        consents,
        classes,
    })
}

/// A secret for a site that has none yet: only simulations may use it.
pub fn made_up_seed(policy: &FederationPolicy) -> [u8; 32] {
    Sha256::digest(format!(
        "moretta/simulated/{}/{}",
        policy.federation, policy.id
    ))
    .into()
}

/// The first policy, with which all others agree.
///
/// # Errors
/// When two do not, with the keys in which they differ, or two are of one party.
pub fn agreed(policies: &[FederationPolicy]) -> Result<&FederationPolicy> {
    let first = policies.first();
    let first = first.ok_or_else(|| Error::usage("no policy has [federation]"))?;
    for (place, policy) in policies.iter().enumerate() {
        let same = policies[..place].iter().find(|other| other.id == policy.id);
        let Some(same) = same else { continue };
        let file = |policy: &FederationPolicy| {
            let file = policy.file.as_ref();
            file.map_or_else(String::new, |file| file.display().to_string())
        };
        return Err(Error::usage(match same.file == policy.file {
            true => format!(
                "{}, the policy of `{}`, is named twice",
                file(same),
                same.id
            ),
            false => format!(
                "there are two policies of `{}`: {} and {}",
                same.id,
                file(same),
                file(policy)
            ),
        })
        .help("name one policy of each party, or give each its own `id`"));
    }
    for other in policies {
        if other.terms != first.terms || other.classes != first.classes {
            return Err(Error::policy(format!(
                "`{}` and `{}` have not agreed on the same terms: they differ in {}",
                first.id,
                other.id,
                differences(&first.terms, &other.terms).join(", ")
            ))
            .help("let both have the same"));
        }
    }
    Ok(first)
}

/// The keys of a policy in which terms differ.
fn differences(one: &Terms, other: &Terms) -> Vec<&'static str> {
    let fragments = |terms: &Terms| {
        let trouble = terms.trouble.clone();
        trouble.map(|t| {
            (
                t.fragments,
                t.projected_width,
                t.noise,
                t.noise_records,
                t.colluders,
            )
        })
    };
    let is_same = [
        ("name, parties or pins", one.federation == other.federation),
        ("classes", one.class_names == other.class_names),
        ("batch", one.batch == other.batch),
        ("label_delay", one.label_delay == other.label_delay),
        ("mode", one.mode == other.mode),
        ("confidence_bits", one.coarse == other.coarse),
        ("window", one.window == other.window),
        ("answer", one.answer == other.answer),
        ("fragments", fragments(one) == fragments(other)),
        (
            "trouble",
            one.trouble == other.trouble || fragments(one) != fragments(other),
        ),
        ("monitors", one.monitors == other.monitors),
    ];
    let differs = is_same.into_iter().filter(|(_, same)| !same);
    differs.map(|(key, _)| key).collect()
}

fn missing(id: &str) -> Error {
    Error::usage(format!("the policy of `{id}` is missing"))
        .help("name the policies of all parties")
}

/// The secret under which common columns are numbered: that of linked parties where there is one,
/// so that a simulation joins columns in the same order.
fn secret_of_records(policies: &[FederationPolicy]) -> Result<[u8; 32]> {
    let sites = policies.iter().filter(|p| p.role == FederationRole::Site);
    let files = sites.filter_map(|policy| policy.identity.as_ref());
    let mut files = files.filter(|files| files.records.exists());
    let found = files.next().map(|files| files.read_records());
    Ok(found.transpose()?.unwrap_or(SIMULATED))
}

/// The secret of record keys where all parties are in one process.
const SIMULATED: [u8; 32] = [0; 32];

type AllRows = (Records, Vec<u32>, Vec<u64>);

fn all_rows(policy: &FederationPolicy) -> Result<AllRows> {
    let mut rows = PartyRows::open(policy, SIMULATED)?;
    let mut records = Records::new(policy.features.len());
    let (mut classes, mut keys) = (Vec::new(), Vec::new());
    while let Some(batch) = rows.rows(keys.len() as u64)? {
        if records.width() > 0 {
            records.extend_from(&batch.records, 0..batch.records.len());
        }
        classes.extend(batch.classes);
        keys.push(batch.keys);
    }
    Ok((records, classes, keys))
}
