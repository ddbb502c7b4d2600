//! The policy file: one file says what to read, what to promise, how, and where to write.
//!
//! Reading it checks everything that can be known without the data; unknown
//! keys, bad ranges and paths that leave the folder are errors with their
//! place. Columns are matched with the data when the source is opened.

mod columns;
mod evolve;
mod federation;
mod federation_keys;
mod foreign;
mod goal;
mod graph;
mod guarantee;
mod init;
mod key_file;
mod levels;
mod measure;
mod outputs;
mod outside;
mod parse;
mod paths;
mod rules;
mod schema;
mod secret;
mod secrets;
mod source;
mod source_paths;
mod vary;
mod write;

pub use crate::engine::{Action, ColumnPolicy, Every, KeyPlace, Level, Order, PairPolicy};
pub use evolve::{Evolve, SearchOver};
pub use federation::{
    Addresses, Consent, Feature, FederationParty, FederationPolicy, FederationRole, IdentityFiles,
    is_federation, may_be_federation,
};
pub use goal::Goal;
pub use init::{Guess, Proposal, propose};
pub use key_file::check_key_file;
pub use paths::Root;
pub use schema::{KEYS, schema};
pub use secrets::Secrets;
pub use vary::Tunable;

use crate::config::{Parameter, Placed, Section, Value};
use crate::data::Role;
use crate::data::hierarchy::HierarchySpec;
use crate::engine::ledger::{promised, unknown_rows};
use crate::engine::{Conflict, LedgerPlan, Plan, check_kinds};
use crate::error::{Error, Result};
use crate::guarantee::Guarantee;
use crate::io::{self, Files, ReadOptions, WriteOptions};
use crate::protect::z_anonymity::{Fakes, FakesOrder};
use crate::protect::{Claim, Method};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A policy that has been read and checked.
#[derive(Clone, Debug)]
pub struct Policy {
    /// The file it was read from.
    pub file: Option<PathBuf>,
    /// The text of the file.
    pub text: String,
    /// What it calls itself.
    pub name: String,
    /// What is done to the rows, and what is promised of them.
    pub plan: Plan,
    /// Where the data comes from.
    pub source: SourcePolicy,
    /// Where the release goes.
    pub sink: Option<SinkPolicy>,
    /// Where the report goes: HTML, or JSON by its ending.
    pub report: Option<PathBuf>,
    /// The key under which a report holds a sum of the source; none when it holds none.
    pub report_key: Option<KeyPlace>,
    /// What the release is for, as the report tells.
    pub report_purpose: Option<String>,
    /// Where and how often a stream notes how far it is.
    pub checkpoint: Option<CheckpointPolicy>,
    /// Where the signed manifest of the release goes.
    pub manifest: Option<ManifestPolicy>,
    /// Where releases of the data set are recorded.
    pub ledger: Option<LedgerPolicy>,
    /// What a search over methods is to find; none where the policy names its methods.
    pub goal: Option<Goal>,
    /// How a search over protected files goes; none where the policy names its methods.
    pub evolve: Option<Evolve>,
    /// The edges between the rows of the table; none of a table that is no node table.
    pub graph: Option<GraphPolicy>,
    /// Which of several nested releases it makes; none of a policy as it was read.
    pub level: Option<String>,
    /// Where its files are.
    pub files: Files,
    /// Who knows the keys that it names.
    pub secrets: Secrets,
}

/// Edges between the rows of a node table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphPolicy {
    /// The edge list; the source itself where that holds the edges as well.
    pub path: PathBuf,
    /// As the policy writes it.
    pub shown: String,
    /// Whether the source holds the edges.
    pub within: bool,
    /// The column of the node table that edges name.
    pub node: String,
    /// The columns of the edge list that name both ends.
    pub ends: [String; 2],
    /// Whether an edge has a direction.
    pub directed: bool,
    /// What becomes of edges with an end that is no node.
    pub strangers: Strangers,
    /// How many nodes have each degree at least; edges stay as they are without.
    pub degree_k: Option<u32>,
    /// The place of the section in the text of the policy.
    pub span: Range<usize>,
}

/// What becomes of edges with an end that is not in the node table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strangers {
    /// The run is refused.
    Refuse,
    /// They are left out.
    Drop,
}

/// Where releases of a data set are recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct LedgerPolicy {
    /// The file.
    pub path: PathBuf,
    /// Where the key is under which it knows rows.
    pub key: KeyPlace,
    /// The ε that all releases together may spend.
    pub epsilon: Option<f64>,
    /// The place of the key in the text of the policy.
    pub span: Range<usize>,
}

/// Where the manifest of a release goes, and who signs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestPolicy {
    /// The file.
    pub path: PathBuf,
    /// Where the signing key is.
    pub key: KeyPlace,
    /// Its place in the text of the policy.
    pub span: Range<usize>,
}

/// Where and how often a stream notes how far it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointPolicy {
    /// The file.
    pub path: PathBuf,
    /// As the policy writes it.
    pub shown: String,
    /// How often.
    pub every: Every,
}

/// Where the data comes from.
#[derive(Clone, Debug)]
pub struct SourcePolicy {
    /// The file; `-` is standard input.
    pub path: PathBuf,
    /// As the policy writes it.
    pub shown: String,
    /// Further files of a table or a stream that comes in several.
    pub more: Vec<PathBuf>,
    /// How to read it.
    pub options: ReadOptions,
}

impl SourcePolicy {
    /// All files.
    pub fn paths(&self) -> Vec<&Path> {
        let more = self.more.iter().map(PathBuf::as_path);
        std::iter::once(self.path.as_path()).chain(more).collect()
    }

    /// The file, when there is one alone.
    pub fn only_path(&self) -> Option<&Path> {
        self.more.is_empty().then_some(&self.path)
    }
}

/// Where the release goes.
#[derive(Clone, Debug)]
pub struct SinkPolicy {
    /// The file; `-` is standard output.
    pub path: PathBuf,
    /// As the policy writes it.
    pub shown: String,
    /// How to write it.
    pub options: WriteOptions,
    /// The order of the rows.
    pub order: Order,
    /// Where a stream says why each row was released.
    pub certificate: Option<PathBuf>,
    /// Where the matrices are published by which categories were changed.
    pub matrices: Option<PathBuf>,
    /// Where the edges of a graph go.
    pub edges: Option<PathBuf>,
}

impl Policy {
    /// Reads and checks a policy file; its paths must stay under `root`.
    pub fn load(path: &Path, root: &Root) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|e| match e.kind() {
            std::io::ErrorKind::InvalidData => foreign::error(),
            _ => Error::io("read", path, e),
        })?;
        Ok(Policy {
            file: Some(path.to_owned()),
            ..Policy::parse(&text, root)?
        })
    }

    /// Whether a method of it is private, or one that a search would try: each time that it is run on
    /// data, it spends of what may be told of them.
    pub fn is_private(&self) -> bool {
        let searched = self.goal.iter().flat_map(|goal| &goal.methods);
        let mut methods = self.plan.protect.iter().chain(searched);
        methods.any(|method| method.as_masking().is_some_and(|of| of.loss().is_some()))
    }

    /// Reads and checks the text of a policy.
    pub fn parse(text: &str, root: &Root) -> Result<Self> {
        parse::parse(text)
            .and_then(|top| Policy::read(top, text, root))
            .map_err(|error| foreign::without_content(error, text))
    }

    /// Checks what was parsed of `text`.
    fn read(mut top: Section, text: &str, root: &Root) -> Result<Self> {
        secret::refuse(&top)?;
        version(&mut top)?;
        let name = top.text(&schema::NAME)?;
        if let Some(placed) = top.placed(&schema::FEDERATION)? {
            return Err(placed
                .error("a policy with [federation] makes no release")
                .help("`moretta site`, `moretta aggregate` and `moretta federation` use it"));
        }
        let goal = top
            .placed(&schema::GOAL)?
            .map(|placed| goal::read(placed.table("goal")?.clone(), placed.span.clone()))
            .transpose()?;
        let evolve = top
            .placed(&schema::EVOLVE)?
            .map(|placed| evolve::read(placed.table("evolve")?.clone(), placed.span.clone()))
            .transpose()?;
        let finds = Finds::new(goal.as_ref(), evolve.as_ref())?;
        for (head, key, help) in SECTIONS {
            if !top.has(key.name) && (finds.is_none() || key.name != schema::PROTECT.name) {
                return Err(top.error(format!("the policy has no {head}")).help(*help));
            }
        }
        let source = SourcePolicy::read(top.table(&schema::SOURCE)?, root)?;
        let graph = top
            .placed(&schema::GRAPH)?
            .map(|placed| GraphPolicy::read(&placed, root, &source))
            .transpose()?;
        let (mut plan, spans, audit) = read_plan(&mut top, root, finds.as_ref())?;
        let sink = top
            .optional_table(&schema::SINK)?
            .map(|section| SinkPolicy::read(section, root, Some(&source)))
            .transpose()?;
        let report = top
            .optional_table(&schema::REPORT)?
            .map(|section| outputs::read_report(section, root))
            .transpose()?;
        let checkpoint = top
            .optional_table(&schema::CHECKPOINT)?
            .map(|section| CheckpointPolicy::read(section, root))
            .transpose()?;
        let manifest = top
            .optional_table(&schema::MANIFEST)?
            .map(|section| ManifestPolicy::read(section, root))
            .transpose()?;
        let ledger = top
            .optional_table(&schema::LEDGER)?
            .map(|section| outputs::read_ledger(section, root))
            .transpose()?;
        let (ledger, held) = ledger.unzip();
        top.finish()?;
        let fakes = plan.stream().and_then(|config| config.fakes.as_ref());
        if let Some(place) = fakes.and_then(|fakes| fakes.key.as_deref()) {
            root.secrets().check(place)?;
        }
        if root.files().are_provided() {
            // Nobody looks for them in the file system later.
            outside::load_hierarchies(&mut plan, root.files())?;
        }
        plan.order = sink.as_ref().map_or(Order::Input, |sink| sink.order);
        plan.ledger = held;
        let mut policy = Policy {
            file: None,
            text: text.to_owned(),
            name,
            plan,
            source,
            sink,
            report: report.as_ref().map(|report| report.path.clone()),
            report_purpose: report.as_ref().and_then(|report| report.purpose.clone()),
            report_key: report.and_then(|report| report.key),
            checkpoint,
            manifest,
            goal,
            evolve,
            graph,
            ledger,
            level: None,
            files: root.files().clone(),
            secrets: root.secrets().clone(),
        };
        policy.check_graph()?;
        policy.plan.check(&spans)?;
        policy.check_stream(audit)?;
        policy.check_standard_output()?;
        policy.check_matrices()?;
        policy.check_manifest()?;
        policy.check_ledger()?;
        policy.check_levels()?;
        Ok(policy)
    }

    /// Whether a method changes categories by transition matrices, or will once it is found.
    pub(crate) fn changes_by_matrices(&self) -> bool {
        let mut methods = self.plan.protect.iter();
        methods.any(|method| method.as_pram().is_some()) || self.finds_matrices()
    }

    /// Whether a search is for transition matrices.
    pub(crate) fn finds_matrices(&self) -> bool {
        let evolve = self.evolve.as_ref();
        evolve.is_some_and(|evolve| evolve.over != SearchOver::Cells)
    }

    /// Matrices are published where there are any.
    fn check_matrices(&self) -> Result<()> {
        if self
            .sink
            .as_ref()
            .is_none_or(|sink| sink.matrices.is_none())
        {
            return Ok(());
        }
        let (what, help) = match (self.changes_by_matrices(), &self.checkpoint) {
            (false, _) => (
                "`matrices` under [sink] is for pram, and no method changes categories by a matrix",
                "take it out, or add [[protect]] with method = \"pram\", or [evolve] with search = \"matrices\"",
            ),
            (true, Some(_)) => (
                "`matrices` under [sink] does not go with [checkpoint]",
                "take one of them out: of a stream, matrices follow from the policy",
            ),
            (true, None) => return Ok(()),
        };
        Err(Error::policy(what).help(help))
    }

    /// What goes with streams only, and what does not go with them.
    fn check_stream(&self, audit: Option<bool>) -> Result<()> {
        if !self.plan.is_stream() {
            let rotates = self.plan.columns.iter().any(ColumnPolicy::rotates);
            let certified = self.sink.as_ref().is_some_and(|s| s.certificate.is_some());
            let only = [
                (audit.is_some(), "`audit` under [guarantee]"),
                (self.checkpoint.is_some(), "[checkpoint]"),
                (certified, "`certificate` under [sink]"),
                (rotates, "`rotate`"),
            ];
            return match only.iter().find(|(there, _)| *there) {
                Some((_, what)) => Err(Error::policy(format!("{what} is for streams")).help(
                    "take it out, or make the rows a stream: method = \"z-anonymity\", or a mask with `buffer`",
                )),
                None => Ok(()),
            };
        }
        match &self.checkpoint {
            None => Ok(()),
            Some(_) => self.check_resumable(),
        }
    }

    /// Whether a stream can go on after a crash as if nothing had happened.
    fn check_resumable(&self) -> Result<()> {
        let plan = &self.plan;
        let hidden = |f: &Fakes| f.order == FakesOrder::Hidden && f.key.is_none();
        let fakes = plan.stream().and_then(|config| config.fakes.as_ref());
        if fakes.is_some_and(hidden) {
            return Err(
                Error::policy("fakes that can be drawn again after a restart need a key")
                    .help("add key = \"env:MORETTA_KEY\" to `fakes`"),
            );
        }
        if !plan.can_go_on() {
            return Err(Error::policy(
                "[checkpoint] does not go with private noise beside other methods: it is never \
                 drawn again, and they would have to see the same values after a restart",
            )
            .help("take [checkpoint] out, or the other [[protect]]"));
        }
        match &self.sink {
            None => Ok(()),
            Some(sink) => io::resumable(&sink.path, &sink.options),
        }
    }

    /// Limits can only be kept where nothing has left before they are measured.
    fn check_standard_output(&self) -> Result<()> {
        let sink = self.sink.as_ref();
        let standard = sink.is_some_and(|sink| sink.path == Path::new("-"));
        match self.plan.is_buffered() && standard && !self.plan.fail_above.is_empty() {
            true => Err(Error::policy(
                "`fail_above` is for files: what went to standard output has left before it is measured",
            )
            .help("write to a file, or take it out")),
            false => Ok(()),
        }
    }

    /// What is signed must be a file.
    fn check_manifest(&self) -> Result<()> {
        let sink = self.sink.as_ref().map(|sink| sink.path.as_path());
        let is_file = sink.is_some_and(|path| path != Path::new("-"));
        match &self.manifest {
            Some(manifest) if !is_file => {
                Err(Error::policy("a manifest is of a release that is a file")
                    .at(manifest.span.clone())
                    .help("give [sink] the path of a file, or take [manifest] out"))
            }
            _ => Ok(()),
        }
    }

    /// Refuses a policy that leaves its release to an evolutionary search.
    ///
    /// # Errors
    /// When it has `[evolve]`.
    pub(crate) fn refuse_evolve(&self, what: &str) -> Result<()> {
        match &self.evolve {
            None => Ok(()),
            Some(evolve) => Err(Error::policy(format!(
                "{what} needs a method, and this policy has [evolve] instead"
            ))
            .at(evolve.span.clone())
            .help("`moretta evolve` searches and releases; else name a method under [[protect]]")),
        }
    }

    /// Refuses a policy that leaves the method to a search, or makes several releases, where one
    /// must be known.
    ///
    /// # Errors
    /// When it has a goal or levels.
    pub(crate) fn need_one_release(&self, what: &str) -> Result<()> {
        match &self.goal {
            None => self.refuse_levels(what),
            Some(goal) => Err(Error::policy(format!(
                "{what} needs to know the method and the promise, and this policy leaves them to its [goal]"
            ))
            .at(goal.span.clone())
            .help("write what `moretta plan` shows as chosen into [[protect]] and [guarantee] of a copy")),
        }
    }

    /// The same policy with the method and the promise of `plan` in place of its goal, whose limits
    /// are those of the release.
    pub(crate) fn with_choice(&self, plan: &Plan) -> Result<Policy> {
        let limits = self.goal.iter().flat_map(|goal| goal.subject_to.clone());
        let mut plan = Plan {
            seed: self.plan.seed,
            fail_above: self.plan.fail_above.iter().cloned().chain(limits).collect(),
            columns: self.plan.columns.clone(),
            ..plan.clone()
        };
        plan.complete()?;
        let policy = Policy {
            plan,
            goal: None,
            ..self.clone()
        };
        policy.check_ledger()?;
        Ok(policy)
    }

    /// The same policy, recorded in a ledger that somebody else keeps.
    ///
    /// # Errors
    /// When the ledger could not follow what it releases.
    pub fn recorded(mut self, path: PathBuf, key: KeyPlace) -> Result<Self> {
        self.ledger = Some(LedgerPolicy {
            path,
            key,
            epsilon: None,
            span: 0..0,
        });
        self.plan.ledger = Some(LedgerPlan {
            on_conflict: Conflict::Refuse,
            growth: false,
        });
        self.check_ledger()?;
        Ok(self)
    }

    /// A ledger is of tables whose rows have names.
    fn check_ledger(&self) -> Result<()> {
        let Some(ledger) = &self.ledger else {
            return Ok(());
        };
        let at = |error: Error| Err(error.at(ledger.span.clone()));
        let standard = self.sink.iter().any(|sink| sink.path == Path::new("-"));
        let named = |column: &ColumnPolicy| matches!(column.role, Role::Subject | Role::Key);
        if self.plan.is_stream() {
            return at(Error::policy("[ledger] is for tables")
                .help("take it out: a stream counts who stands beside whom as it goes"));
        }
        if standard {
            return at(Error::policy("what is recorded must be a file")
                .help("give [sink] the path of a file, or take [ledger] out"));
        }
        let represents = |column: &ColumnPolicy| self.plan.represents(&column.name);
        let changes = |held: LedgerPlan| held.growth || held.on_conflict == Conflict::Coarsen;
        let changes = self.plan.ledger.is_some_and(changes);
        if changes && (!self.plan.keeps_guarantee() || self.plan.columns.iter().any(represents)) {
            return at(Error::policy(
                "`growth` and on_conflict = \"coarsen\" are for values that are made coarser",
            )
            .help("take them out: what stands for a class can neither be joined nor kept"));
        }
        if self.plan.ledger.is_some_and(|held| held.growth) && self.plan.samples() {
            return at(Error::policy(
                "`growth` keeps rows that were released, and a sample is drawn anew",
            )
            .help("take `growth` out, or draw the sample once and release that file"));
        }
        if !self.plan.columns.iter().any(named) {
            return at(unknown_rows());
        }
        let private = self
            .plan
            .protect
            .iter()
            .any(|m| m.claim() == Claim::Privacy);
        if self.goal.is_none() && promised(&self.plan).is_none() && !private {
            return at(Error::policy(
                "the ledger holds releases against each other by how many persons a class has, and this policy promises no such number",
            )
            .help("add k or maximum_risk to [guarantee], or take [ledger] out"));
        }
        Ok(())
    }

    /// Every file that a run reads: the policy, the data, hierarchies and keys.
    pub fn inputs(&self) -> Vec<&Path> {
        let mut inputs = self.source.paths();
        inputs.extend(self.file.as_deref());
        let graph = self.graph.as_ref().filter(|graph| !graph.within);
        inputs.extend(graph.map(|graph| &*graph.path));
        for column in &self.plan.columns {
            if let Some(HierarchySpec::File(path)) = &column.hierarchy {
                inputs.push(path);
            }
            if let Action::Pseudonym {
                key: KeyPlace::File(path),
                ..
            } = &column.action
            {
                inputs.push(path);
            }
        }
        inputs.extend(self.plan.guarantee.population());
        inputs.extend(self.plan.protect.iter().flat_map(Method::files));
        let signing = self.manifest.as_ref().map(|manifest| &manifest.key);
        let naming = self.ledger.as_ref().map(|ledger| &ledger.key);
        inputs.extend(self.ledger.as_ref().map(|ledger| &*ledger.path));
        for key in self.report_key.iter().chain(signing).chain(naming) {
            if let KeyPlace::File(path) = key {
                inputs.push(path);
            }
        }
        inputs
    }
}

fn version(top: &mut Section) -> Result<()> {
    match top.take(schema::VERSION.name) {
        None => Err(top
            .error("the policy has no version")
            .help("add `version = 1` at the top")),
        Some(Placed {
            value: Value::Whole(1),
            ..
        }) => Ok(()),
        Some(placed) => Err(placed.error("this program reads policies of version 1")),
    }
}

impl Plan {
    /// Reads a plan from the text of a policy without files: `[columns]`, `[guarantee]`,
    /// `[[protect]]`, `[measure]`, `seed`, and the `order` of `[sink]`. Hierarchy files below the
    /// current folder are read at once. Rows of a table leave in no order, unless that is said.
    /// [`Plan::to_toml`] writes such a text.
    ///
    /// # Errors
    /// As [`Policy::parse`].
    pub fn parse(text: &str) -> Result<Plan> {
        let (mut plan, spans) = read_plan_alone(text)?;
        outside::load_hierarchies(&mut plan, &Files::default())?;
        plan.check(&spans)?;
        Ok(plan)
    }
}

/// A plan without files, and where each method stands.
fn read_plan_alone(text: &str) -> Result<(Plan, Vec<Range<usize>>)> {
    let mut top = parse::parse(text)?;
    secret::refuse(&top)?;
    for (head, key, help) in &SECTIONS[1..] {
        if !top.has(key.name) {
            return Err(top.error(format!("the plan has no {head}")).help(*help));
        }
    }
    let root = Root::of_policy(Path::new(""), None)?;
    let (mut plan, spans, _) = read_plan(&mut top, &root, None)?;
    if let Some(section) = top.optional_table(&schema::SINK)? {
        plan.order = outputs::read_order(section)?;
    }
    top.finish()?;
    Ok((plan, spans))
}

/// What is done to rows, where each method stands, and whether `audit` was named.
fn read_plan(
    top: &mut Section,
    root: &Root,
    finds: Option<&Finds>,
) -> Result<(Plan, Vec<Range<usize>>, Option<bool>)> {
    let seed = top.optional(&schema::SEED, Placed::whole)?;
    let clusters = top.optional(&schema::CLUSTERS, Placed::whole)?;
    let columns = columns::read(top.table(&schema::COLUMNS)?, root)?;
    let (guarantee, audit) = match top.optional_table(&schema::GUARANTEE)? {
        Some(section) => guarantee::read(section, &columns, root)?,
        None => (Guarantee::default(), None),
    };
    let levels = match top.optional_table(&schema::LEVELS)? {
        Some(section) => levels::read(section, guarantee.class_size())?,
        None => Vec::new(),
    };
    let rules = top.optional(&schema::RULES, |placed, name| {
        rules::read(placed.list(name)?)
    })?;
    let (mut protect, spans) = read_protect(top, finds)?;
    for (method, span) in protect.iter_mut().zip(&spans) {
        outside::load_matrices(method, root, span)?;
    }
    check_kinds(&protect, &spans)?;
    let (report_measures, fail_above, pairs, risk) =
        measure::read(top.optional_table(&schema::MEASURE)?, &protect)?;
    let mut plan = Plan {
        seed,
        clusters,
        columns,
        guarantee,
        audit: audit.unwrap_or(true),
        levels,
        rules: rules.unwrap_or_default(),
        protect,
        fail_above,
        report_measures,
        pairs,
        risk,
        ledger: None,
        order: Order::default(),
    };
    plan.complete()?;
    Ok((plan, spans, audit))
}

/// What a policy cannot do without, and the way out.
const SECTIONS: &[(&str, Parameter, &str)] = &[
    (
        "[source]",
        schema::SOURCE,
        "add [source] with path = \"file.csv\"",
    ),
    (
        "[columns]",
        schema::COLUMNS,
        "`moretta init FILE` writes a first one",
    ),
    (
        "[[protect]]",
        schema::PROTECT,
        "add [[protect]] with method = \"mondrian\"",
    ),
];

/// What finds the method, where the policy does not name it.
struct Finds {
    section: &'static str,
    /// Until it is found.
    stands_in: Option<Method>,
    span: Range<usize>,
}

impl Finds {
    fn new(goal: Option<&Goal>, evolve: Option<&Evolve>) -> Result<Option<Self>> {
        match (goal, evolve) {
            (Some(goal), Some(_)) => Err(Error::policy(
                "a policy has [goal] or [evolve], which both say what protects the rows, not both",
            )
            .at(goal.span.clone())
            .help("take one of them out")),
            (Some(goal), None) => Ok(Some(Finds {
                section: "[goal]",
                // One of those that are tried.
                stands_in: goal.methods.first().cloned(),
                span: goal.span.clone(),
            })),
            (None, Some(evolve)) => Ok(Some(Finds {
                section: "[evolve]",
                stands_in: Some(evolve.stand_in()),
                span: evolve.span.clone(),
            })),
            (None, None) => Ok(None),
        }
    }

    fn refuse_protect(&self) -> Error {
        let section = self.section;
        let what = format!("a policy has [[protect]] or {section}, which chooses it, not both");
        let help = match section {
            "[goal]" => "take one of them out; `methods` under [goal] says which are tried",
            _ => "take one of them out; [evolve] begins with what all methods make",
        };
        Error::policy(what).at(self.span.clone()).help(help)
    }
}

/// The methods, and where each of them stands.
fn read_protect(
    top: &mut Section,
    finds: Option<&Finds>,
) -> Result<(Vec<Method>, Vec<Range<usize>>)> {
    let list = top.optional(&schema::PROTECT, |placed, name| {
        placed.list(name).map(<[_]>::to_vec)
    })?;
    let list = match (list, finds) {
        (Some(_), Some(finds)) => return Err(finds.refuse_protect()),
        (None, Some(finds)) => {
            let stands_in = finds.stands_in.iter().cloned();
            return Ok(stands_in.map(|method| (method, finds.span.clone())).unzip());
        }
        (list, None) => list.unwrap_or_default(),
    };
    if list.is_empty() {
        return Err(top
            .error("[[protect]] is empty")
            .help("add [[protect]] with method = \"mondrian\""));
    }
    list.into_iter()
        .map(|placed| match placed.value {
            Value::Table(section) => Ok((Method::read(section)?, placed.span)),
            _ => Err(placed.error("each [[protect]] is a table")),
        })
        .collect()
}

#[cfg(test)]
mod tests;
