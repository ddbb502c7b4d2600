//! The page of a federation and, beside it, its JSON.

use moretta::pipeline::{FederationFacts, Outputs, check_outputs};
use moretta::policy::FederationPolicy;
use moretta::{Error, Result};
use moretta_report::federation_html;
use std::path::{Path, PathBuf};

/// Where a report goes.
pub(crate) struct Page {
    places: Vec<PathBuf>,
    force: bool,
}

impl Page {
    /// Refuses places that cannot be written, before anything runs.
    pub(crate) fn new(
        report: Option<&Path>,
        policies: &[FederationPolicy],
        force: bool,
    ) -> Result<Self> {
        let places = report.map_or_else(Vec::new, |page| {
            let json = page.with_extension("json");
            match page == json {
                true => vec![json],
                false => vec![page.to_owned(), json],
            }
        });
        let mut read: Vec<&Path> = Vec::new();
        for policy in policies {
            read.extend(policy.file.as_deref());
            read.extend(policy.source.iter().flat_map(|source| source.paths()));
            read.extend(policy.sink.iter().map(|sink| sink.path.as_path()));
        }
        let places_of: Vec<&PathBuf> = places.iter().collect();
        check_outputs(&places_of, &read, force)?;
        Ok(Page { places, force })
    }

    /// Writes it.
    pub(crate) fn write(&self, facts: &FederationFacts) -> Result<()> {
        let mut outputs = Outputs::default();
        for place in &self.places {
            let text = match place.extension().is_some_and(|ending| ending == "json") {
                true => serde_json::to_string_pretty(facts)
                    .map_err(|e| Error::bug(format!("a report that is no JSON: {e}")))?,
                false => federation_html(facts),
            };
            outputs.add(place, text.as_bytes())?;
        }
        outputs.commit(self.force)
    }
}
