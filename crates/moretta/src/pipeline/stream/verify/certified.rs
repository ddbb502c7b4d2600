//! Counts every line of a certificate again and looks for its row in the release.

use super::matched::HIDDEN;
use super::{Fault, Inspection, Rows, Rule};
use crate::error::Result;
use crate::pipeline::certificate::Row;
use crate::pipeline::certificate::events::{Line, Lines};
use foldhash::quality::RandomState;
use hashbrown::HashMap;
use std::hash::BuildHasher;

/// Rows that the certificate tells of less those that were found in the release.
/// What is left in the end is missing or made up.
#[derive(Default)]
struct Ledger {
    rows: HashMap<u128, i64, RandomState>,
    /// The same by what they show alone, made-up rows that are needed included.
    labels: HashMap<u128, i64, RandomState>,
    /// Made-up rows that are needed.
    helpers: u64,
    keys: [RandomState; 2],
}

/// Time, subject and labels of a row.
type Shown = (i64, String, Vec<String>);

impl Ledger {
    /// A row of the certificate that so many made-up rows help.
    fn tell(&mut self, row: &Shown, helpers: u64) {
        self.helpers += helpers;
        self.add(row, 1, 1 + helpers as i64);
    }

    /// A row of the release.
    fn find(&mut self, row: &Shown) {
        self.add(row, -1, -1);
    }

    fn add(&mut self, row: &Shown, rows: i64, labels: i64) {
        let key = |what: &dyn Fn(&RandomState) -> u64| {
            let [high, low] = self.keys.each_ref().map(what);
            u128::from(high) << 64 | u128::from(low)
        };
        let (row, label) = (
            key(&|state| state.hash_one(row)),
            key(&|state| state.hash_one(&row.2)),
        );
        for (balances, key, count) in [
            (&mut self.rows, row, rows),
            (&mut self.labels, label, labels),
        ] {
            let balance = balances.entry(key).or_default();
            *balance += count;
            if *balance == 0 {
                balances.remove(&key);
            }
        }
    }

    /// How many rows are missing in the release, and how many are in it beyond.
    fn close(&self) -> (u64, u64) {
        let sum = |sign: i64| {
            let balances = self.rows.values().map(|balance| balance * sign);
            balances.filter(|&balance| balance > 0).sum::<i64>() as u64
        };
        (sum(1), sum(-1))
    }
}

impl Inspection<'_> {
    /// Goes through the certificate and the release beside the source.
    pub(super) fn match_lines(&mut self, mut lines: Lines) -> Result<Option<Fault>> {
        let mut ledger = self.config.fakes.as_ref().map(|_| Ledger::default());
        while lines.first_left().is_some()
            && let Some(rows) = self.decided.next()?
        {
            for row in 0..rows.len() {
                if !self.expose(&rows, row) {
                    continue;
                }
                lines.read_until(rows.time(row))?;
                let mut helpers = 0;
                let labels = match self.check_lines(&rows, row, &mut lines, &mut helpers)? {
                    Ok(labels) => labels,
                    Err(fault) => return Ok(Some(fault)),
                };
                // No line is about it, so it was not released.
                if labels.iter().all(Option::is_none) {
                    continue;
                }
                match &mut ledger {
                    None => {
                        if let Some(fault) = self.expect(&rows, row, &labels)? {
                            return Ok(Some(fault));
                        }
                    }
                    Some(ledger) => {
                        let labels = labels.iter();
                        let shown = labels.map(|label| label.as_deref().unwrap_or(HIDDEN));
                        let subject = match self.released.has_subject() {
                            true => rows.shown_subject(row).unwrap_or_default(),
                            false => "",
                        };
                        let shown = self.plain_row(rows.time(row), subject, shown);
                        ledger.tell(&shown, helpers);
                        self.matched += 1;
                        self.take_until(shown.0, ledger)?;
                    }
                }
            }
            self.forget();
        }
        if let Some(number) = lines.first_left() {
            return Ok(Some(Rule::Certificate.broken(format!(
                "line {number} of the certificate tells of a row that the source does not have, or not there"
            ))));
        }
        match ledger {
            None if self.released.is_done() => Ok(None),
            None => Ok(Some(Rule::Certificate.broken(format!(
                "row {} of the release is not in the certificate",
                self.released.number()
            )))),
            Some(mut ledger) => {
                self.take_until(i64::MAX, &mut ledger)?;
                Ok(self.balance(&ledger))
            }
        }
    }

    /// Checks the lines about one row; gives what each attribute must show.
    fn check_lines(
        &mut self,
        rows: &Rows,
        row: usize,
        lines: &mut Lines,
        helpers: &mut u64,
    ) -> Result<std::result::Result<Vec<Option<String>>, Fault>> {
        let mut labels = vec![None; self.names.len()];
        let name = Row::of(rows.id(row));
        loop {
            let Some(line) = lines.take(name)? else {
                return Ok(Ok(labels));
            };
            let checked = match labels[line.column] {
                Some(_) => Err(Rule::Certificate.broken("tells of a cell again".to_owned())),
                None => self.check_line(rows, row, &line, helpers),
            };
            match checked {
                Ok(label) => labels[line.column] = Some(label),
                Err(fault) => {
                    let what = format!("line {} of the certificate {}", line.number, fault.what);
                    return Ok(Err(fault.rule.broken(what)));
                }
            }
            self.lines += 1;
        }
    }

    /// Counts the users of one line again; gives the label that it tells of.
    fn check_line(
        &mut self,
        rows: &Rows,
        row: usize,
        line: &Line,
        helpers: &mut u64,
    ) -> std::result::Result<String, Fault> {
        let wrong = |what: String| Err(Rule::Certificate.broken(what));
        let time = rows.time(row);
        if (line.from, line.to) != (time.saturating_sub(self.config.window), time) {
            return wrong("tells of another window than its row has".to_owned());
        }
        if self.config.tune.is_none() && line.z != u64::from(self.config.z) {
            let z = self.config.z;
            return wrong(format!("needs {} users and the policy {z}", line.z));
        }
        let least = self.config.least_z();
        if line.z < u64::from(least) {
            return wrong(format!(
                "needs {} users, and z never falls below {least}",
                line.z
            ));
        }
        if line.level > 0 && !self.config.generalize {
            return wrong("tells of a label that is generalised".to_owned());
        }
        let value = rows.value(row, line.column);
        let label = value.and_then(|value| self.recount.label(line.column, value, line.level));
        let Some(label) = label.map(str::to_owned) else {
            return wrong(format!(
                "tells of level {}, which its value has not",
                line.level
            ));
        };
        let lacking = line.z.saturating_sub(line.counter);
        if lacking > 0 && !self.may_lack(line, lacking) {
            let what = format!("counts {} users and needs {}", line.counter, line.z);
            return Err(Rule::Users.broken(what));
        }
        let users = self.count(line.column, &label, time, line.counter.max(1));
        if users < line.counter.max(1) {
            let (claimed, name) = (line.counter, &self.names[line.column]);
            let what = format!("counts {claimed} users in column `{name}` and there are {users}");
            return Err(Rule::Users.broken(what));
        }
        *helpers += lacking;
        if lacking == 0 {
            self.note_count(users);
        }
        Ok(label)
    }

    /// Whether made-up rows may make up for so many users.
    fn may_lack(&self, line: &Line, lacking: u64) -> bool {
        self.config.fakes.as_ref().is_some_and(|fakes| {
            let (top, bottom) = fakes.at_most;
            let allowed = line.z.saturating_mul(u64::from(top));
            line.level == 0 && lacking.saturating_mul(u64::from(bottom)) <= allowed
        })
    }

    /// The next released row must be this one.
    fn expect(
        &mut self,
        rows: &Rows,
        row: usize,
        labels: &[Option<String>],
    ) -> Result<Option<Fault>> {
        let number = self.released.number();
        let name = Row::of(rows.id(row));
        if !self.released.is_of(rows, row) {
            return Ok(Some(Rule::Rows.broken(format!(
                "row {number} of the release is not {name}, which is next in the certificate"
            ))));
        }
        for (column, label) in labels.iter().enumerate() {
            let shown = self.released.label(column);
            let same = match label {
                Some(label) => self.released.is_same(shown, label),
                None => shown == HIDDEN || shown.is_empty(),
            };
            if !same {
                return Ok(Some(Rule::Rows.broken(format!(
                    "row {number} of the release, column `{}`: shows something else than the certificate tells of {name}",
                    self.names[column]
                ))));
            }
        }
        self.matched += 1;
        self.released.advance()?;
        Ok(None)
    }

    /// A row without the marks that guard against formulas.
    fn plain_row<'t>(
        &self,
        time: i64,
        subject: &str,
        labels: impl Iterator<Item = &'t str>,
    ) -> Shown {
        let plain = |text: &str| self.released.plain(text).unwrap_or(text).to_owned();
        (time, plain(subject), labels.map(plain).collect())
    }

    /// Takes the released rows up to a time into the ledger.
    fn take_until(&mut self, time: i64, ledger: &mut Ledger) -> Result<()> {
        while let Some(released) = self.released.time()
            && released <= time
        {
            let labels = (0..self.names.len()).map(|column| self.released.label(column));
            ledger.find(&self.plain_row(released, self.released.subject(), labels));
            self.released.advance()?;
        }
        Ok(())
    }

    /// What is in the release beyond the certificate is made up; nothing may be missing.
    fn balance(&mut self, ledger: &Ledger) -> Option<Fault> {
        let (missing, made_up) = ledger.close();
        self.made_up = made_up;
        if missing > 0 {
            self.matched -= missing;
            return Some(Rule::Rows.broken(format!(
                "{missing} rows of the certificate are not in the release as it tells of them"
            )));
        }
        if made_up != ledger.helpers {
            let helpers = ledger.helpers;
            return Some(Rule::Users.broken(format!(
                "{helpers} made-up rows are needed and {made_up} rows are not in the certificate"
            )));
        }
        (!ledger.labels.is_empty()).then(|| {
            Rule::Users.broken("made-up rows show another label than those they help".to_owned())
        })
    }
}
