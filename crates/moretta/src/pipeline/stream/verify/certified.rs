//! Counts every line of a certificate again and looks for its row in the release.

use super::matched::HIDDEN;
use super::{Fault, Inspection, Rows, Rule};
use crate::error::Result;
use crate::pipeline::stream::certificate::{Line, Lines, Row};
use foldhash::quality::RandomState;
use hashbrown::HashMap;
use std::hash::BuildHasher;

/// Rows that the certificate tells of less those that were found in the release.
/// What is left in the end is missing or made up.
#[derive(Default)]
struct Ledger {
    rows: HashMap<u128, i64, RandomState>,
    keys: [RandomState; 2],
}

impl Ledger {
    fn add(&mut self, row: &(i64, String, Vec<String>), count: i64) {
        let [high, low] = self.keys.each_ref().map(|key| key.hash_one(row));
        let key = u128::from(high) << 64 | u128::from(low);
        let balance = self.rows.entry(key).or_default();
        *balance += count;
        if *balance == 0 {
            self.rows.remove(&key);
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
        let mut helped = 0;
        while lines.row().is_some()
            && let Some(rows) = self.decided.next()?
        {
            for row in 0..rows.len() {
                if !self.expose(&rows, row) || lines.row() != Some(Row::of(rows.id(row))) {
                    continue;
                }
                let labels = match self.check_lines(&rows, row, &mut lines, &mut helped)? {
                    Ok(labels) => labels,
                    Err(fault) => return Ok(Some(fault)),
                };
                match &mut ledger {
                    None => {
                        if let Some(fault) = self.expect(&rows, row, &labels)? {
                            return Ok(Some(fault));
                        }
                    }
                    Some(ledger) => {
                        let shown = labels
                            .into_iter()
                            .map(|label| label.unwrap_or(HIDDEN.into()));
                        let subject = match self.released.has_subject() {
                            true => rows.shown_subject(row).unwrap_or_default(),
                            false => "",
                        };
                        let row = (rows.time(row), subject.to_owned(), shown.collect());
                        ledger.add(&row, 1);
                        self.matched += 1;
                        self.take_until(row.0, ledger)?;
                    }
                }
            }
            self.forget();
        }
        if lines.row().is_some() {
            return Ok(Some(Rule::Certificate.broken(format!(
                "line {} of the certificate tells of a row that the source does not have, or not there",
                lines.number()
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
                Ok(self.balance(&ledger, helped))
            }
        }
    }

    /// Checks the lines about one row; gives what each attribute must show.
    fn check_lines(
        &mut self,
        rows: &Rows,
        row: usize,
        lines: &mut Lines,
        helped: &mut u64,
    ) -> Result<std::result::Result<Vec<Option<String>>, Fault>> {
        let mut labels = vec![None; self.names.len()];
        let name = Row::of(rows.id(row));
        loop {
            let number = lines.number();
            let Some(line) = lines.take(name)? else {
                return Ok(Ok(labels));
            };
            let checked = match labels[line.column] {
                Some(_) => Err(Rule::Certificate.broken("tells of a cell again".to_owned())),
                None => self.check_line(rows, row, &line, helped),
            };
            match checked {
                Ok(label) => labels[line.column] = Some(label),
                Err(fault) => {
                    let what = format!("line {number} of the certificate {}", fault.what);
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
        helped: &mut u64,
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
        *helped += lacking;
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

    /// Takes the released rows up to a time into the ledger.
    fn take_until(&mut self, time: i64, ledger: &mut Ledger) -> Result<()> {
        while self
            .released
            .time()
            .is_some_and(|released| released <= time)
        {
            let labels = (0..self.names.len()).map(|column| {
                let shown = self.released.label(column);
                self.released.plain(shown).unwrap_or(shown).to_owned()
            });
            let labels = labels.collect();
            let subject = self.released.subject();
            let subject = self.released.plain(subject).unwrap_or(subject).to_owned();
            let released = (self.released.time().unwrap_or(time), subject, labels);
            ledger.add(&released, -1);
            self.released.advance()?;
        }
        Ok(())
    }

    /// What is in the release beyond the certificate is made up; nothing may be missing.
    fn balance(&mut self, ledger: &Ledger, helped: u64) -> Option<Fault> {
        let (missing, made_up) = ledger.close();
        self.made_up = made_up;
        if missing > 0 {
            self.matched -= missing;
            return Some(Rule::Rows.broken(format!(
                "{missing} rows of the certificate are not in the release as it tells of them"
            )));
        }
        (made_up < helped).then(|| {
            Rule::Users.broken(format!(
                "{helped} made-up rows are needed and {made_up} rows are not in the certificate"
            ))
        })
    }
}
