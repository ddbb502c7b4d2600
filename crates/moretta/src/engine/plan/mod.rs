//! What is done to rows and what is promised of them, whatever they come from and go to.

mod chain;
mod column;
mod events;
mod hierarchies;
mod items;
mod levels;
mod masked;
mod persons;
mod promises;
mod reads;
mod risk;
mod rules;
mod stage;

pub(crate) use chain::check_kinds;
pub use column::{Action, ColumnPolicy, KeyPlace};
pub(crate) use stage::Stage;

use crate::data::hierarchy::HierarchySpec;
use crate::data::{Batch, ColumnPlan, Field, Kind, ReadAs, Role, Schema};
use crate::error::{Error, Result};
use crate::guarantee::{ClaimFinding, ColumnRule, Combination, Guarantee, Missing, wild_claims};
use crate::measure::categorical::CategoricalSettings;
use crate::measure::{self, RiskSetting};
use crate::protect::z_anonymity::ZAnonymity;
use crate::protect::{Masking, Method};
use std::ops::Range;

/// What is done to rows and what is promised of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// For randomness that may be drawn again; what must not be is not seeded.
    pub seed: Option<u64>,
    /// How many clusters of near rows a table is divided into at most, each of which is protected
    /// by itself; none for the whole table.
    pub clusters: Option<usize>,
    /// What the policy says of each column.
    pub columns: Vec<ColumnPolicy>,
    /// What is promised.
    pub guarantee: Guarantee,
    /// Whether every row of a stream is counted again before it is written.
    pub audit: bool,
    /// Nested releases, from the least to the most protected; none when there is one release.
    pub levels: Vec<Level>,
    /// What must be true of every row.
    pub rules: Vec<ColumnRule>,
    /// The methods, in order.
    pub protect: Vec<Method>,
    /// Limits on measures: the run fails above them.
    pub fail_above: Vec<(String, f64)>,
    /// The measures to show first; all of them when empty.
    pub report_measures: Vec<String>,
    /// How pairs of original and masked records are measured.
    pub pairs: PairPolicy,
    /// What measures of risk need to know besides the rows.
    pub risk: RiskSetting,
    /// How the release is held against earlier ones; none without a ledger.
    pub ledger: Option<LedgerPlan>,
    /// The order in which the rows of a table leave.
    pub order: Order,
}

/// No column and no method yet; what leaves a stream is audited.
impl Default for Plan {
    fn default() -> Self {
        Plan {
            seed: None,
            clusters: None,
            columns: Vec::new(),
            guarantee: Guarantee::default(),
            audit: true,
            levels: Vec::new(),
            rules: Vec::new(),
            protect: Vec::new(),
            fail_above: Vec::new(),
            report_measures: Vec::new(),
            pairs: PairPolicy::default(),
            risk: RiskSetting::default(),
            ledger: None,
            order: Order::default(),
        }
    }
}

/// How originals and what is released of them are measured against each other.
#[derive(Clone, Debug, PartialEq)]
pub struct PairPolicy {
    /// Originals among which a masked record is looked for, when the policy says.
    pub buffer: Option<usize>,
    /// Half the width of disclosure intervals, in percent.
    pub interval: f64,
    /// Share of a standard deviation within which numbers agree.
    pub tolerance: f64,
    /// How masked categories are measured.
    pub categories: CategoricalSettings,
    /// The learner whose accuracy is compared.
    pub learner: String,
}

impl Default for PairPolicy {
    fn default() -> Self {
        PairPolicy {
            buffer: None,
            interval: 10.0,
            tolerance: 0.1,
            categories: CategoricalSettings::default(),
            learner: "nb".to_owned(),
        }
    }
}

/// How a release is held against earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LedgerPlan {
    /// What is done where it would leave somebody in a cell of fewer than k.
    pub on_conflict: Conflict,
    /// The table grows: rows keep their class and what it shows, new ones wait.
    pub growth: bool,
}

/// What to do with a release that would leave somebody in a cell of fewer than k.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// It is not made.
    Refuse,
    /// Classes are joined, and rows held back, until it leaves nobody there.
    Coarsen,
}

/// The order in which the rows of a table leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// By a hash of what each row shows, so that the place of a row says nothing more.
    #[default]
    Shuffled,
    /// As they were read.
    Input,
}

/// One release among several of the same table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// What the policy calls it.
    pub name: String,
    /// The least number of persons in each of its classes.
    pub k: u32,
}

impl Plan {
    /// Fills in what follows from the rest: what methods promise, and by what persons are
    /// counted. A plan that is complete stays as it is.
    pub(crate) fn complete(&mut self) -> Result<()> {
        persons::check_columns(&self.columns)?;
        persons::check_subjects(&self.columns)?;
        persons::refuse_identifiers(&self.columns)?;
        if !self.covers_quasi() {
            masked::promise(&self.protect, &mut self.guarantee, &self.levels)?;
        }
        let combinations = !self.combinations()?.is_empty();
        if combinations && (self.guarantee != Guarantee::default() || !self.levels.is_empty()) {
            return Err(Error::policy(
                "mu-argus promises k of combinations of columns, and nothing of [guarantee] or [levels]",
            )
            .help("take these out, or use mondrian, generalization or datafly"));
        }
        let more = Guarantee {
            k: None,
            ..self.guarantee.clone()
        };
        if self.reads_missing() != Missing::Own
            && (more != Guarantee::default() || !self.levels.is_empty())
        {
            return Err(
                Error::policy("suppression cannot promise l, t, p or [levels]")
                    .help("take them out, or use method = \"mondrian\""),
            );
        }
        let alike = self.maskings().any(|masking| masking.k().is_some());
        let counts =
            combinations || alike || self.samples() || self.guarantee != Guarantee::default();
        if counts && self.stream().is_none() {
            persons::count_pseudonyms(&mut self.columns)?;
        }
        Ok(())
    }

    /// The combinations of quasi-identifiers of which k is promised, where it is not promised of
    /// all of them together.
    ///
    /// # Errors
    /// When a method names columns that are no quasi-identifiers.
    pub(crate) fn combinations(&self) -> Result<Vec<Combination>> {
        let quasi = self
            .columns
            .iter()
            .filter(|column| column.role == Role::Quasi);
        let quasi: Vec<&str> = quasi.map(|column| column.name.as_str()).collect();
        let mut all = Vec::new();
        for method in &self.protect {
            all.extend(method.combinations(&quasi)?.into_iter().flatten());
        }
        Ok(all)
    }

    /// What empty cells of the release mean.
    pub(crate) fn reads_missing(&self) -> Missing {
        let readings = self.protect.iter().map(Method::reads_missing);
        let mut wild = readings.filter(|reading| *reading != Missing::Own);
        wild.next().unwrap_or_default()
    }

    /// What classes of equal rows must keep: not k where empty cells match anything.
    pub(crate) fn guarantee_of_classes(&self) -> Guarantee {
        let k = self
            .guarantee
            .k
            .filter(|_| self.reads_missing() == Missing::Own);
        Guarantee {
            k,
            ..self.guarantee.clone()
        }
    }

    /// The claims where empty cells match anything, of a release and, where they are known, of
    /// the original rows beside it.
    pub(crate) fn wild_claims(
        &self,
        release: &Batch,
        originals: Option<&Batch>,
    ) -> Result<Vec<ClaimFinding>> {
        let (Missing::Wild { ignore_attacker }, Some(k)) = (self.reads_missing(), self.guarantee.k)
        else {
            return Ok(Vec::new());
        };
        let quasi = release.schema().with_role(Role::Quasi).into_iter();
        let names = quasi.map(|place| release.schema().fields()[place].name.to_string());
        wild_claims(
            release,
            originals,
            &names.collect::<Vec<_>>(),
            k,
            ignore_attacker,
        )
    }

    /// Whether a method makes values coarser and nothing says how many persons must hide.
    pub(crate) fn promises_nothing(&self) -> Result<bool> {
        let coarser = self.keeps_guarantee() && !self.guarantee.hides_persons();
        Ok(coarser && self.combinations()?.is_empty())
    }

    /// Asks for no measure and for no recount.
    pub(crate) fn forget_measures(&mut self) {
        self.report_measures.clear();
        self.fail_above.clear();
        self.audit = false;
    }

    /// The columns of rows with the roles that they have here.
    ///
    /// # Errors
    /// When a column is not spoken of, or one that is spoken of is not there.
    pub(crate) fn labelled(&self, schema: &Schema) -> Result<Schema> {
        let plans = self.column_plans()?;
        let planned = |name: &str| plans.iter().find(|plan| plan.name == name);
        let mut fields = schema.fields().to_vec();
        for field in &mut fields {
            field.role = planned(&field.name).map(|plan| plan.role).ok_or_else(|| {
                let what = format!("the rows have a column without a role: {}", field.name);
                Error::policy(what).help("give it a column of the plan; role plain publishes it")
            })?;
        }
        let absent = plans
            .iter()
            .find(|plan| plan.read != ReadAs::Skip && schema.index_of(&plan.name).is_none());
        match absent {
            None => Schema::new(fields),
            Some(plan) => Err(
                Error::policy(format!("column `{}` is not in the rows", plan.name))
                    .help("take it out of the plan, or push rows that have it"),
            ),
        }
    }

    /// The columns that are read, as far as they are known before.
    pub(crate) fn declared_schema(&self) -> Result<Schema> {
        let read = self.columns.iter();
        let read = read.filter(|column| self.read_as(column) != ReadAs::Skip);
        let number = Kind::Number { integer: false };
        let fields = read.map(|column| Field::new(&*column.name, column.role, number.clone()));
        Schema::new(fields.collect())
    }

    /// A session reads no file.
    pub(crate) fn refuse_files(&self) -> Result<()> {
        let file =
            |column: &&ColumnPolicy| matches!(column.hierarchy, Some(HierarchySpec::File(_)));
        match self.columns.iter().find(file) {
            None => Ok(()),
            Some(column) => Err(Error::policy(format!(
                "the hierarchy of `{}` is in a file, which a session does not read",
                column.name
            ))
            .help("give the plan what `HierarchySpec::loaded` makes of it")),
        }
    }

    /// Checks everything that can be known without the rows. `spans` tells where each method
    /// stands in the text of a policy.
    pub(crate) fn check(&self, spans: &[Range<usize>]) -> Result<()> {
        if self.protect.is_empty() {
            return Err(Error::policy("nothing protects the rows").help("add a method"));
        }
        let own = |method: &&Method| matches!(method, Method::Own(_));
        let waits = |method: &Method| method.buffer().is_some();
        if self.protect.iter().filter(own).any(waits) {
            return Err(
                Error::policy("a method that the program adds is for tables")
                    .help("leave its `buffer` out: a stream leaves before it is judged"),
            );
        }
        items::check(self)?;
        promises::check(self)?;
        self.check_measures()?;
        chain::check(self, spans)?;
        self.check_levels()?;
        self.check_clusters()?;
        self.check_limits()?;
        self.check_learning()?;
        risk::check(self)?;
        if self.stream().is_some() {
            self.check_events()?;
            events::check(self)?;
        }
        self.check_reads()?;
        self.check_times()?;
        self.check_rotation()?;
        hierarchies::check(self)?;
        self.check_weights()?;
        masked::check(self)?;
        rules::check(self)
    }

    /// The method of a stream, if that is what the policy is about.
    pub fn stream(&self) -> Option<&ZAnonymity> {
        self.protect.iter().find_map(Method::as_stream)
    }

    /// The first method that masks records.
    pub fn masking(&self) -> Option<&dyn Masking> {
        self.maskings().next()
    }

    /// The methods that mask records.
    pub fn maskings(&self) -> impl Iterator<Item = &dyn Masking> {
        self.protect.iter().filter_map(Method::as_masking)
    }

    /// Whether a method makes values coarser until the promises of `[guarantee]` hold.
    pub fn keeps_guarantee(&self) -> bool {
        self.protect.iter().any(Method::keeps_guarantee)
    }

    /// Whether chance has a part in what is released, so that the seed must not be told.
    pub(crate) fn draws(&self) -> bool {
        self.masking().is_some() || self.protect.iter().any(Method::is_random)
    }

    /// Whether a method draws a sample.
    pub(crate) fn samples(&self) -> bool {
        self.protect.iter().any(Method::samples)
    }

    /// Whether a sample leaves as it was drawn.
    pub(crate) fn only_samples(&self) -> bool {
        matches!(&self.protect[..], [method] if method.samples() && method.as_masking().is_none())
    }

    /// Whether quasi-identifiers are what a method other than a mask makes a promise about.
    pub(crate) fn covers_quasi(&self) -> bool {
        self.keeps_guarantee() || self.stream().is_some()
    }

    /// Whether records leave as a stream, of which at most `buffer` rows wait.
    pub fn is_buffered(&self) -> bool {
        self.protect.iter().any(|method| method.buffer().is_some())
    }

    /// Whether rows leave before all have come.
    pub fn is_stream(&self) -> bool {
        self.stream().is_some() || self.is_buffered()
    }

    /// Whether a session can go on from where another one was. Noise that is a secret is not
    /// drawn again, so methods beside it would not see the same values, and those that draw from
    /// a seed would draw for other rows.
    pub(crate) fn can_go_on(&self) -> bool {
        match self.maskings().find(|masking| masking.loss().is_some()) {
            None => true,
            Some(private) => {
                let alone = self.maskings().count() == 1;
                alone && (self.stream().is_none() || private.is_row_local())
            }
        }
    }

    /// Whether persons are known from the source, and no column of the release tells whose a row
    /// is.
    pub fn hides_persons_of_rows(&self) -> bool {
        let subject = self.columns.iter().find(|c| c.role == Role::Subject);
        subject.is_some_and(|column| column.action == Action::Drop)
    }

    /// Whether a measure is asked for by its name, to be shown or to be kept low.
    pub fn measures(&self, name: &str) -> bool {
        self.asked().any(|asked| asked == name)
    }

    /// The measures that are asked for by their names, each once.
    pub fn asked(&self) -> impl Iterator<Item = &str> {
        let shown = |name: &str| self.report_measures.iter().any(|shown| shown == name);
        let limits = self.fail_above.iter().map(|(limited, _)| limited.as_str());
        let limits = limits.filter(move |name| !shown(name));
        self.report_measures
            .iter()
            .map(String::as_str)
            .chain(limits)
    }

    /// Whether a released value of the column `name` stands for a class rather than covers it.
    pub fn represents(&self, name: &str) -> bool {
        self.protect.iter().any(|method| method.represents(name))
    }

    /// Whether the column `name` is released under its name, perhaps protected.
    pub fn keeps(&self, name: &str) -> bool {
        let column = self.column(name);
        column.is_none_or(|column| column.action == Action::Keep)
    }

    /// Whether the column `name` is recoded in a stream.
    pub(crate) fn recodes_in_stream(&self, name: &str) -> bool {
        let streams = self.protect.iter().filter(|m| m.recodes_stream());
        let mut recodings = streams.filter_map(Method::as_recoding);
        recodings.any(|recoding| recoding.recodes(name))
    }

    /// Whether each value of the column `name` is replaced by a code: its step, or an end.
    pub(crate) fn codes(&self, name: &str) -> bool {
        let recodings = self.protect.iter().filter_map(Method::as_recoding);
        let mut coded = recodings.flat_map(|recoding| recoding.coded());
        coded.any(|(_, coded)| coded == name)
    }

    /// Whether all values of the column `name` are computed anew.
    pub(crate) fn remakes(&self, name: &str) -> bool {
        let mut remade = self.protect.iter().flat_map(Method::remakes);
        remade.any(|remade| remade == name)
    }

    /// How much what the column `name` loses counts.
    pub fn weight(&self, name: &str) -> f64 {
        self.column(name).map_or(1.0, |column| column.weight)
    }

    /// What the policy says of the column `name`.
    pub fn column(&self, name: &str) -> Option<&ColumnPolicy> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// Loss is read off the released regions; a representative looks as if nothing were lost.
    pub(crate) fn check_limits(&self) -> Result<()> {
        let column = self
            .columns
            .iter()
            .find(|column| column.role == Role::Quasi && self.represents(&column.name));
        let limit = self
            .fail_above
            .iter()
            .find(|(name, _)| matches!(name.as_str(), "gcp" | "ncp" | "loss"));
        match (column, limit) {
            (Some(column), Some((measure, _))) => Err(Error::policy(format!(
                "a limit on {measure} cannot hold while `{}` is shown as a representative, whose loss it does not see",
                column.name
            ))
            .help("take the limit away, or show regions: output = \"auto\"")),
            _ => Ok(()),
        }
    }

    /// Clusters are of one table, and some method works in them.
    fn check_clusters(&self) -> Result<()> {
        let (what, help) = match self.clusters {
            None => return Ok(()),
            Some(_) if self.is_stream() => (
                "`clusters` is for tables, and this is a stream",
                "take it out: nobody knows which rows of a stream will be near each other",
            ),
            Some(_) if !self.levels.is_empty() => (
                "`clusters` does not go with [levels]",
                "take one of them out: clusters of one level need not lie inside those of another",
            ),
            Some(_) if !self.protect.iter().any(Method::works_in_clusters) => (
                "`clusters` means nothing here: no method protects clusters by themselves",
                "take it out; searched files, items, samples, projections, pram, merging and private methods are for whole tables",
            ),
            Some(_) => return Ok(()),
        };
        Err(Error::policy(what).help(help))
    }

    /// Limits mean something.
    fn check_measures(&self) -> Result<()> {
        let known = |name: &str| measure::find(name).is_some_and(|info| info.is_of(true, true));
        let asked = self.fail_above.iter().map(|(name, _)| name);
        if let Some(name) = asked.chain(&self.report_measures).find(|name| !known(name)) {
            return Err(Error::policy(format!("there is no measure `{name}`"))
                .help("`moretta explain` lists them"));
        }
        match self.fail_above.iter().any(|(_, limit)| limit.is_nan()) {
            true => Err(Error::policy("a limit of `fail_above` is no number")),
            false => Ok(()),
        }
    }

    /// A learner needs records, and something to predict.
    fn check_learning(&self) -> Result<()> {
        let mut losses = measure::learnt().map(|info| info.name);
        let Some(asked) = losses.find(|name| self.measures(name)) else {
            return Ok(());
        };
        if self.stream().is_some() {
            return Err(Error::policy(format!(
                "{asked} needs records, and events of z-anonymity are none"
            ))
            .help("take it out of [measure]"));
        }
        let classes = self.columns.iter().filter(|c| c.role == Role::Class);
        match classes.count() {
            1 => Ok(()),
            _ => Err(
                Error::policy(format!("{asked} needs one column with the role class"))
                    .help("give the column to predict the role class, or take the measure out"),
            ),
        }
    }

    /// What does not go with events that are decided one by one.
    fn check_events(&self) -> Result<()> {
        if self.guarantee != Guarantee::default() || !self.levels.is_empty() {
            return Err(
                Error::policy("promises of [guarantee] and [levels] are for tables")
                    .help("z-anonymity promises its own z: take them out"),
            );
        }
        if !self.fail_above.is_empty() {
            return Err(Error::policy(
                "`fail_above` is for tables: a stream has left before it is measured",
            )
            .help("take it out"));
        }
        Ok(())
    }

    /// Only records of a stream wait by the lateness of a column, and one column tells their time.
    fn check_times(&self) -> Result<()> {
        let late = self.columns.iter().find(|c| c.lateness.is_some());
        if let Some(column) = late
            && (self.stream().is_some() || !self.is_buffered())
        {
            let help = match self.stream() {
                Some(_) => "z-anonymity has a `lateness` of its own, beside `window`",
                None => "take it out, or make the rows a stream by a `buffer` of the method",
            };
            return Err(
                Error::policy("`lateness` of a column is for streams of records")
                    .at(column.span.clone())
                    .help(help),
            );
        }
        let mut times = self.columns.iter().filter(|c| c.role == Role::Time);
        let (first, second) = (times.next(), times.next());
        match second {
            Some(second) if self.reads_times() => {
                Err(Error::policy("a stream has one column with the role time")
                    .at(second.span.clone())
                    .help("make the others plain, or drop them"))
            }
            _ => self.check_plain_times(first),
        }
    }

    /// A time by which rows wait or pseudonyms change is read as it is, so it is not masked.
    fn check_plain_times(&self, time: Option<&ColumnPolicy>) -> Result<()> {
        let masks = |time: &ColumnPolicy| {
            let mut columns = self.maskings().filter_map(|masking| masking.columns());
            columns.any(|columns| columns.contains(&time.name.as_str()))
        };
        match time {
            Some(time) if self.reads_times() && masks(time) => Err(Error::policy(format!(
                "`{}` tells when events happened and is masked",
                time.name
            ))
            .at(time.span.clone())
            .help("leave it out of `columns`")),
            _ => Ok(()),
        }
    }

    /// Whether times of events are read: rows wait by them, or pseudonyms rotate.
    pub(crate) fn reads_times(&self) -> bool {
        self.stream().is_some()
            || self.lateness().is_some()
            || self.columns.iter().any(ColumnPolicy::rotates)
    }

    /// Milliseconds that records wait for earlier ones; none where they go on as they come.
    pub(crate) fn lateness(&self) -> Option<i64> {
        self.columns.iter().find_map(|column| column.lateness)
    }

    /// Whether files are sources of their own, whose rows are merged by their times.
    pub(crate) fn merges_sources(&self) -> bool {
        self.stream().is_some() || self.lateness().is_some()
    }

    /// Refuses a rotating pseudonym beside a name of the person that stays the same.
    fn check_rotation(&self) -> Result<()> {
        let Some(subject) = self.columns.iter().find(|column| column.rotates()) else {
            return Ok(());
        };
        if subject.role != Role::Subject {
            return Err(Error::policy("only the pseudonym of a subject can rotate")
                .at(subject.span.clone())
                .help("take `rotate` out"));
        }
        if !self.columns.iter().any(|column| column.role == Role::Time) {
            return Err(
                Error::policy("a pseudonym rotates with time, and rows have none")
                    .at(subject.span.clone())
                    .help("give a column the role time, or take `rotate` out"),
            );
        }
        let is_group = |column: &ColumnPolicy| {
            let group = self.stream().and_then(|config| config.group.as_ref());
            group.is_some_and(|group| group.column == column.name)
        };
        let stays = |column: &&ColumnPolicy| {
            // A group that is an attribute is shown only where enough users share it.
            let named = column.role == Role::Key || is_group(column) && column.role != Role::Quasi;
            column.role != Role::Subject
                && (matches!(column.action, Action::Pseudonym { .. })
                    || named && column.action != Action::Drop)
        };
        match self.columns.iter().find(stays) {
            None => Ok(()),
            Some(column) => Err(Error::policy(format!(
                "the pseudonym of `{}` rotates and `{}` beside it does not: rows of one person \
                 before and after a rotation would be linked by it",
                subject.name, column.name
            ))
            .at(column.span.clone())
            .help(format!(
                "write action = \"drop\" for `{}`, or take `rotate` out",
                column.name
            ))),
        }
    }

    /// Only methods on tables weigh columns against each other.
    fn check_weights(&self) -> Result<()> {
        let weighed = self.columns.iter().find(|column| column.weight != 1.0);
        match weighed {
            Some(column) if !self.keeps_guarantee() => {
                Err(Error::policy("`weight` is for tables that are generalised")
                    .at(column.span.clone())
                    .help("take it out, or use method = \"mondrian\" or \"generalization\""))
            }
            _ => Ok(()),
        }
    }

    /// How a column is read: events have times as they are, and their attributes and groups as
    /// categories.
    fn read_as(&self, column: &ColumnPolicy) -> ReadAs {
        let read = column.plan().read;
        let group = self.stream().and_then(|config| config.group.as_ref());
        let is_group = group.is_some_and(|group| group.column == column.name);
        match column.role {
            Role::Time if self.reads_times() => ReadAs::Plain,
            Role::Quasi if self.stream().is_some() => ReadAs::Category,
            _ if is_group => ReadAs::Category,
            // A ledger knows rows by their key, also where it is not released.
            Role::Key if read == ReadAs::Skip && self.ledger.is_some() => ReadAs::Category,
            _ if read == ReadAs::Skip => match risk::read_as(self, &column.name) {
                ReadAs::Skip if self.looks_at(&column.name) => column.read.clone(),
                read => read,
            },
            _ => read,
        }
    }

    /// Whether a method looks at this column besides those that it changes.
    fn looks_at(&self, name: &str) -> bool {
        let mut read = self.protect.iter().flat_map(Method::reads);
        read.any(|read| read == name)
    }

    /// How a source should read each column.
    ///
    /// # Errors
    /// When a column is made from one that is also released.
    pub fn column_plans(&self) -> Result<Vec<ColumnPlan>> {
        let mut plans = Vec::new();
        for column in &self.columns {
            let Some(from) = &column.from else {
                plans.push(ColumnPlan {
                    read: self.read_as(column),
                    ..column.plan()
                });
                continue;
            };
            for part in from {
                if self.column(part).is_some() {
                    return Err(Error::policy(format!(
                        "`{part}` goes into `{}` and has a line of its own",
                        column.name
                    ))
                    .at(column.span.clone())
                    .help("leave its own line out: a coordinate is not released beside its cell"));
                }
                plans.push(ColumnPlan {
                    name: part.clone(),
                    role: column.role,
                    read: ReadAs::Number,
                });
            }
        }
        Ok(plans)
    }
}
