//! Reads a policy with `[federation]`: one party of a federation, and what all have agreed on.
//!
//! Such a policy makes no release, so it has neither `[guarantee]` nor `[[protect]]`: what leaves a
//! site are answers, and fragments as its own `fragments` allows. Everything that must be the same
//! at all parties becomes [`Terms`], whose sum they compare when they link.

mod columns;
mod terms;
#[cfg(test)]
mod tests;

pub use super::federation_keys::FederationRole;
pub use columns::Feature;

use super::federation_keys as keys;
use super::key_file::check_key_file;
use super::paths::Root;
use super::{SinkPolicy, SourcePolicy, foreign, parse, schema, secret, version};
use crate::config::{Placed, Section, Value};
use crate::error::{Error, Result};
use crate::federate::frame::Coarse;
use crate::federate::{FragmentKind, PartyId, Terms, Time, TroubleTerms};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A party as all others know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FederationParty {
    /// Its id.
    pub id: String,
    /// What it does.
    pub role: FederationRole,
    /// Its number in frames.
    pub number: PartyId,
    /// Its public key, where there is one yet.
    pub pin: Option<[u8; 32]>,
}

/// The files that make a party.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentityFiles {
    /// Its certificate.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
    /// The certificate of the authority.
    pub authority: PathBuf,
    /// The secret that sites and the label holder share.
    pub records: PathBuf,
}

impl IdentityFiles {
    /// Reads the secret under which sums of record keys are made.
    ///
    /// # Errors
    /// When the file cannot be read, others can read it, or it holds something else.
    pub fn read_records(&self) -> Result<[u8; 32]> {
        let help = "`moretta federation keys` makes it, for sites and the label holder alone";
        check_key_file(&self.records)?;
        let text = std::fs::read_to_string(&self.records);
        let text = text.map_err(|error| {
            let what = format!(
                "the secret of record keys, {}, cannot be read: {error}",
                self.records.display()
            );
            Error::policy(what).help(help)
        })?;
        pin_of(text.trim()).ok_or_else(|| {
            let what = format!("{} does not hold a secret", self.records.display());
            Error::policy(what).help(help)
        })
    }
}

/// Whether the text of a policy is that of a party of a federation.
pub fn is_federation(text: &str) -> bool {
    parse::has_section(text, schema::FEDERATION.name) == Some(true)
}

/// Whether the text could be meant as one: it is, or is no TOML, so that nobody can tell.
pub fn may_be_federation(text: &str) -> bool {
    parse::has_section(text, schema::FEDERATION.name) != Some(false)
}

/// What a site sends to trouble nodes, by its own choice.
#[derive(Clone, Debug, PartialEq)]
pub struct Consent {
    /// The most telling kind of fragments.
    pub allows: FragmentKind,
    /// Sources that a node must have.
    pub min_sources: u16,
}

/// Where parties listen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Addresses {
    /// The aggregator.
    pub aggregator: Option<String>,
    /// The label holder.
    pub labels: Option<String>,
    /// Hosts of trouble nodes, by id.
    pub hosts: BTreeMap<String, String>,
    /// What this party listens on, if not the port of its address on all interfaces.
    pub listen: Option<String>,
}

/// One party of a federation.
#[derive(Clone, Debug)]
pub struct FederationPolicy {
    /// The file it was read from.
    pub file: Option<PathBuf>,
    /// The federation.
    pub federation: String,
    /// This party.
    pub id: String,
    /// What it does.
    pub role: FederationRole,
    /// All parties, this one among them.
    pub parties: Vec<FederationParty>,
    /// Where parties listen.
    pub addresses: Addresses,
    /// Its files.
    pub identity: Option<IdentityFiles>,
    /// Where the public keys of all parties are.
    pub pins: Option<PathBuf>,
    /// What all parties have agreed on.
    pub terms: Terms,
    /// The names of the classes.
    pub classes: Vec<String>,
    /// The learner of a site.
    pub learner: String,
    /// What a site sends to trouble nodes.
    pub consent: Consent,
    /// What a site learns from.
    pub features: Vec<Feature>,
    /// The columns of the source, as it is read.
    pub columns: Vec<crate::data::ColumnPlan>,
    /// The column that joins records of all sites.
    pub key: Option<String>,
    /// The column that holds the class, at the label holder.
    pub class: Option<String>,
    /// The private folder of a run.
    pub state: PathBuf,
    /// Events between two checkpoints.
    pub checkpoint: u64,
    /// Milliseconds without progress after which the aggregator ends.
    pub stall: Option<Time>,
    /// Where records or labels come from.
    pub source: Option<SourcePolicy>,
    /// Where answers go.
    pub sink: Option<SinkPolicy>,
}

impl FederationPolicy {
    /// Reads and checks a policy file; its paths must stay under `root`.
    ///
    /// # Errors
    /// When the file cannot be read or says what does not go together.
    pub fn load(path: &Path, root: &Root) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|e| match e.kind() {
            std::io::ErrorKind::InvalidData => foreign::error(),
            _ => Error::io("read", path, e),
        })?;
        Ok(FederationPolicy {
            file: Some(path.to_owned()),
            ..FederationPolicy::parse(&text, root)?
        })
    }

    /// Reads and checks the text of a policy.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn parse(text: &str, root: &Root) -> Result<Self> {
        parse::parse(text)
            .and_then(|top| FederationPolicy::read(top, root))
            .map_err(|error| foreign::without_content(error, text))
    }

    fn read(mut top: Section, root: &Root) -> Result<Self> {
        secret::refuse(&top)?;
        if !top.has(schema::VERSION.name) {
            top.check_names(schema::KEYS)?;
        }
        version(&mut top)?;
        top.text(&schema::NAME)?;
        let Some(placed) = top.placed(&schema::FEDERATION)? else {
            return Err(top
                .error("the policy has no [federation]")
                .help("add it, or use `moretta run` for a release"));
        };
        for (section, help) in NOT_HERE {
            if top.has(section) {
                return Err(Error::policy(format!(
                    "[{section}] does not go with [federation], which makes no release"
                ))
                .at(top.place(section))
                .help(*help));
            }
        }
        placed.table("federation")?.check_names(keys::KEYS)?;
        top.check_names(schema::KEYS)?;
        let source = top
            .optional_table(&schema::SOURCE)?
            .map(|section| SourcePolicy::read(section, root))
            .transpose()?;
        let sink = top
            .optional_table(&schema::SINK)?
            .map(|section| SinkPolicy::read(section, root, source.as_ref()))
            .transpose()?;
        let columns = match top.placed(&schema::COLUMNS)? {
            Some(placed) => super::columns::read_of_party(placed.table("columns")?.clone(), root)?,
            None => Vec::new(),
        };
        top.finish()?;
        let section = placed.table("federation")?.clone();
        let (mut policy, share) = read_section(section, root)?;
        (policy.source, policy.sink) = (source, sink);
        policy.take_columns(columns, share, &placed)?;
        policy.check_places(&placed.span)?;
        Ok(policy)
    }

    /// This party.
    pub fn own(&self) -> Option<&FederationParty> {
        self.parties.iter().find(|party| party.id == self.id)
    }

    /// The ids of all parties, by the numbers that frames have.
    pub fn names(&self) -> BTreeMap<PartyId, String> {
        let parties = self.parties.iter();
        parties.map(|one| (one.number, one.id.clone())).collect()
    }

    /// What a reader of this policy should know before it is used.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let is_site = self.role == FederationRole::Site;
        if is_site && self.features.len() == 1 {
            let known = match self.terms.coarse {
                Coarse::Exact => "with 64 bits nearly every confidence names one value",
                _ => "with few distinct values a confidence can name one",
            };
            // Exact confidences tell all that bits could; those of T are not ranks of confidences.
            let ranked = |trouble: &TroubleTerms| trouble.score.is_none();
            let has_bits = self.terms.trouble.as_ref().is_some_and(ranked);
            let bits = match has_bits && self.terms.coarse != Coarse::Exact {
                true => {
                    ", and the bits that say whether a record is forwarded, or would be, can name more; `moretta attack` counts both"
                }
                false => "",
            };
            warnings.push(format!(
                "this site has one column, and its confidence is made of that column alone: {known}{bits}"
            ));
        }
        if self.terms.coarse == Coarse::Exact {
            warnings.push(
                "confidence_bits = 64 tells exact confidences to the aggregator, which can tell values apart by them; 8 is the default".to_owned(),
            );
        }
        if let Some(trouble) = self.terms.trouble.as_ref().filter(|_| is_site) {
            let few = u16::from(trouble.group) < self.consent.min_sources;
            if few || self.consent.allows < trouble.fragments {
                warnings.push(
                    "this site consents to less than trouble nodes ask for, and feeds none"
                        .to_owned(),
                );
            }
        }
        let of_two = |trouble: &&TroubleTerms| trouble.score.is_some() && trouble.group == 2;
        if self
            .terms
            .trouble
            .as_ref()
            .is_some_and(|trouble| of_two(&trouble))
        {
            warnings.push(
                "sources of a trouble node are told T, and with two of them T - C² is the other's confidence: a group of 3 hides it, and `score` is best left out"
                    .to_owned(),
            );
        }
        let kind = match is_site {
            true => self.consent.allows,
            false => self
                .terms
                .trouble
                .as_ref()
                .map_or(FragmentKind::None, |t| t.fragments),
        };
        if self.terms.trouble.is_some() && kind == FragmentKind::Raw {
            warnings.push(
                "fragments are raw: whoever runs trouble nodes reads values of forwarded records"
                    .to_owned(),
            );
        }
        warnings
    }

    /// What each role needs beside `[federation]`.
    fn check_places(&self, span: &Range<usize>) -> Result<()> {
        let at = |error: Error| Err(error.at(span.clone()));
        let reads = matches!(self.role, FederationRole::Site | FederationRole::Labels);
        let word = self.role.word();
        match (reads, &self.source, self.role, &self.sink) {
            (true, None, ..) => at(Error::policy(format!(
                "a party with the role {word} needs rows"
            ))
            .help("add [source] with path = \"file.csv\"")),
            (false, Some(_), ..) => at(Error::policy(format!(
                "a party with the role {word} reads no rows"
            ))
            .help("take [source] out")),
            (_, _, FederationRole::Consumer, None) => {
                at(Error::policy("nothing says where the answers go")
                    .help("add [sink] with path = \"answers.csv\""))
            }
            (_, _, role, Some(_)) if role != FederationRole::Consumer => at(Error::policy(
                format!("a party with the role {word} gets no answers"),
            )
            .help("take [sink] out; the consumer has one")),
            _ => Ok(()),
        }
    }
}

/// Sections of releases.
const NOT_HERE: &[(&str, &str)] = &[
    ("guarantee", "take it out: promises are of releases"),
    (
        "protect",
        "take it out: `fragments` says what leaves a site",
    ),
    ("goal", "take it out"),
    ("evolve", "take it out"),
    ("graph", "take it out"),
    ("levels", "take it out"),
    ("rules", "take it out"),
    ("measure", "take it out"),
    (
        "report",
        "take it out: `moretta federation simulate` prints what happened",
    ),
    ("checkpoint", "take it out"),
    ("manifest", "take it out"),
    ("ledger", "take it out"),
    ("clusters", "take it out"),
    ("seed", "take it out: `trouble` has a seed of its own"),
];

type WithShare = (FederationPolicy, Option<Vec<Placed>>);

fn read_section(mut section: Section, root: &Root) -> Result<WithShare> {
    let federation = section.text(&keys::NAME)?;
    let role = section.word(&keys::ROLE, keys::ROLES)?;
    let id_span = section.place(keys::ID.name);
    let id = section.text(&keys::ID)?;
    let addresses = Addresses {
        aggregator: section.optional(&keys::AGGREGATOR, Placed::text)?,
        labels: section.optional(&keys::LABELS, Placed::text)?,
        hosts: section
            .optional(&keys::HOSTS, texts_by_name)?
            .unwrap_or_default(),
        listen: section.optional(&keys::LISTEN, Placed::text)?,
    };
    let identity = section
        .optional_table(&keys::IDENTITY)?
        .map(|section| read_identity(section, role, root))
        .transpose()?;
    let state = section.optional(&keys::STATE, |placed, name| {
        root.resolve(placed, &placed.text(name)?)
    })?;
    let pins = section.optional(&keys::PINS, |placed, name| {
        Ok((root.resolve(placed, &placed.text(name)?)?, placed.clone()))
    })?;
    let known = match &pins {
        Some((path, placed)) if path.exists() => read_pins(path, placed)?,
        _ => BTreeMap::new(),
    };
    let parties = section.read(&keys::PARTIES, |placed, name| {
        read_parties(placed, name, &known)
    })?;
    let own = parties.iter().find(|party| party.id == id);
    match own {
        None => {
            return Err(Error::policy(format!("`{id}` is not among `parties`"))
                .at(id_span)
                .help("name this party there, with its role"));
        }
        Some(own) if own.role != role => {
            return Err(Error::policy(format!(
                "`parties` says that `{id}` is {}, not {}",
                own.role.word(),
                role.word()
            ))
            .at(id_span)
            .help("let both say the same"));
        }
        Some(_) => {}
    }
    let classes = section.read(&keys::CLASSES, Placed::texts)?;
    let learner = section.text(&keys::LEARNER)?;
    let learner = terms::learner_name(&learner);
    let stall = section.optional(&keys::STALL, Placed::duration)?;
    let checkpoint = section.whole(&keys::CHECKPOINT)?;
    let (terms, consent, share) = terms::read(&mut section, &federation, &parties, &classes)?;
    section.finish()?;
    let policy = FederationPolicy {
        file: None,
        federation,
        role,
        parties,
        addresses,
        identity,
        pins: pins.map(|(path, _)| path),
        terms,
        classes,
        learner,
        consent,
        features: Vec::new(),
        columns: Vec::new(),
        key: None,
        class: None,
        state: state.unwrap_or_else(|| root.beside(&format!("{id}.state"))),
        checkpoint,
        stall: stall.map(|stall| stall as Time),
        source: None,
        sink: None,
        id,
    };
    Ok((policy, share))
}

fn texts_by_name(placed: &Placed, name: &str) -> Result<BTreeMap<String, String>> {
    let values = placed.table(name)?.values();
    let texts = values.map(|(key, value)| Ok((key.clone(), value.text(key)?)));
    texts.collect()
}

fn read_identity(mut section: Section, role: FederationRole, root: &Root) -> Result<IdentityFiles> {
    let file = |placed: &Placed, name: &str| {
        let text = placed.text(name)?;
        root.resolve(placed, text.strip_prefix("file:").unwrap_or(&text))
    };
    let key = section.read(&keys::KEY, file)?;
    let at = section.place(keys::RECORDS.name);
    let records = section.optional(&keys::RECORDS, file)?;
    if records.is_some() && !matches!(role, FederationRole::Site | FederationRole::Labels) {
        return Err(Error::policy(format!(
            "a party with the role {} must not have the secret of record keys",
            role.word()
        ))
        .at(at)
        .help("take `records` out; sites and the label holder alone share it"));
    }
    let files = IdentityFiles {
        certificate: section.read(&keys::CERTIFICATE, file)?,
        authority: section.read(&keys::AUTHORITY, file)?,
        records: records.unwrap_or_else(|| key.with_file_name("records.key")),
        key,
    };
    section.finish()?;
    Ok(files)
}

/// Parties with their numbers: sites and hosts by the order of their ids.
fn read_parties(
    placed: &Placed,
    name: &str,
    pins: &BTreeMap<String, [u8; 32]>,
) -> Result<Vec<FederationParty>> {
    let (mut sites, mut hosts) = (0, 0);
    let mut parties = Vec::new();
    let mut named: Vec<(&String, &Placed)> = placed.table(name)?.values().collect();
    named.sort_by_key(|(id, _)| *id);
    for (id, value) in named {
        if !keys::is_name(id) || id == "ca" || id == "records" {
            return Err(value.error("the id of a party does not fit").help(
                "use 1 to 64 letters, digits, dots, hyphens and underscores, other than `ca` and `records`",
            ));
        }
        let role = value.word(id, keys::ROLES)?;
        let number = match role {
            FederationRole::Site => counted(&mut sites, PartyId),
            FederationRole::Trouble => counted(&mut hosts, PartyId::host),
            FederationRole::Aggregator => PartyId::AGGREGATOR,
            FederationRole::Labels => PartyId::LABELS,
            FederationRole::Consumer => PartyId::CONSUMER,
        };
        if parties
            .iter()
            .any(|party: &FederationParty| party.number == number)
        {
            return Err(value
                .error(format!(
                    "there are two parties with the role {}",
                    role.word()
                ))
                .help(
                    "a federation has one aggregator, one label holder and at most one consumer",
                ));
        }
        let pin = pins.get(id).copied();
        let id = id.clone();
        parties.push(FederationParty {
            id,
            role,
            number,
            pin,
        });
    }
    for (role, what) in [
        (FederationRole::Aggregator, "no aggregator"),
        (FederationRole::Labels, "no label holder (role labels)"),
        (FederationRole::Site, "no site"),
    ] {
        if !parties.iter().any(|party| party.role == role) {
            return Err(placed
                .error(format!("`parties` has {what}"))
                .help("name all parties with their roles"));
        }
    }
    if sites > PartyId::MOST_SITES {
        return Err(placed
            .error("a federation has at most 1024 sites")
            .help("make several federations"));
    }
    Ok(parties)
}

fn counted(count: &mut u16, number: fn(u16) -> PartyId) -> PartyId {
    *count = count.saturating_add(1);
    number(*count - 1)
}

/// Reads `id = "64 hexadecimal digits"` lines.
fn read_pins(path: &Path, placed: &Placed) -> Result<BTreeMap<String, [u8; 32]>> {
    let text = std::fs::read_to_string(path).map_err(|error| Error::io("read", path, error))?;
    let wrong = || {
        placed
            .error(format!("{} does not hold public keys", path.display()))
            .help("`moretta federation keys` writes it")
    };
    let table = parse::parse(&text).map_err(|_| wrong())?;
    let pin = |(id, value): (&String, &Placed)| match &value.value {
        Value::Text(text) => Some((id.clone(), pin_of(text)?)),
        _ => None,
    };
    let pins: Option<BTreeMap<String, [u8; 32]>> = table.values().map(pin).collect();
    pins.ok_or_else(wrong)
}

fn pin_of(text: &str) -> Option<[u8; 32]> {
    let digit = |byte: u8| {
        char::from(byte)
            .to_digit(16)
            .filter(|_| !byte.is_ascii_uppercase())
    };
    let digits: Vec<u8> = text
        .bytes()
        .map(|byte| digit(byte).map(|digit| digit as u8))
        .collect::<Option<_>>()?;
    let bytes: Vec<u8> = digits
        .chunks(2)
        .map(|pair| match pair {
            [high, low] => high << 4 | low,
            _ => 0,
        })
        .collect();
    bytes.try_into().ok().filter(|_| digits.len() == 64)
}
