//! Why masked records were released.
//!
//! A line `row,step,method,parameter,value,group,members` says that in row `row` the columns of
//! the policy's method number `step` were masked by `method`, with its public `parameter` at
//! `value`, among `members` records of the stream, itself included. Those that were masked
//! together have the same `group`, a number from 1 on; it is empty where each record has others
//! around it, and so are both where each is masked by itself. Each released row has a line for
//! each method, and rows come in the order of the release.
//!
//! No line holds a value, a seed or a draw, nor which records have exchanged values or in which
//! group of a private window a record is: with release and certificate a mask is as hard to undo
//! as with the release alone.

use super::{Row, Texts};
use crate::data::RowIds;
use crate::engine::Plan;
use crate::error::{Error, Result};
use crate::io::Files;
use crate::protect::Among;
use std::collections::HashSet;
use std::fmt;
use std::path::Path;

pub(super) const HEADER: &str = "row,step,method,parameter,value,group,members";

/// What a certificate is about.
pub(in crate::pipeline) struct Subject {
    /// For each method that masks or recodes: its place in the policy, its name, parameter and value.
    steps: Vec<String>,
}

impl Subject {
    /// The masks and recodings of a plan.
    pub(in crate::pipeline) fn new(plan: &Plan) -> Self {
        let methods = plan.protect.iter().enumerate();
        let steps = methods.filter_map(|(place, method)| {
            let strength = match method.as_masking() {
                Some(masking) => masking.strength(),
                None if method.is_recoding() => None,
                None => return None,
            };
            let (parameter, value) = strength.unwrap_or_default();
            let name = method.name();
            Some(format!("{},{name},{parameter},{value}", place + 1))
        });
        Subject {
            steps: steps.collect(),
        }
    }

    /// Writes a line for each row and method.
    pub(super) fn write(
        &self,
        ids: &RowIds,
        among: &[Vec<Option<Among>>],
        mut write: impl FnMut(u64, fmt::Arguments<'_>) -> Result<()>,
    ) -> Result<()> {
        let fits = among.iter().all(|among| among.len() == ids.len());
        if among.len() != self.steps.len() || !fits {
            return Err(Error::bug("a certificate was given rows that do not fit"));
        }
        for (row, id) in ids.iter().enumerate() {
            for (step, among) in self.steps.iter().zip(among) {
                match among[row] {
                    None => write(id, format_args!(",{step},,"))?,
                    Some(Among { group, records }) => match group {
                        None => write(id, format_args!(",{step},,{records}"))?,
                        Some(group) => {
                            write(id, format_args!(",{step},{},{records}", group + 1))?;
                        }
                    },
                }
            }
        }
        Ok(())
    }
}

/// A line of a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::pipeline) struct Line {
    /// Which line of the file it is.
    pub(in crate::pipeline) number: u64,
    pub(in crate::pipeline) row: Row,
    /// Which of the methods it is about; none where it names none of them as it is.
    pub(in crate::pipeline) step: Option<usize>,
    pub(in crate::pipeline) group: Option<u64>,
    pub(in crate::pipeline) members: Option<u64>,
}

/// The lines of a certificate, and the ids of rows that were turned away.
pub(in crate::pipeline) struct Read {
    pub(in crate::pipeline) lines: Vec<Line>,
    pub(in crate::pipeline) turned_away: HashSet<u64>,
}

impl Subject {
    /// Reads a certificate.
    ///
    /// # Errors
    /// When a line is none.
    pub(in crate::pipeline) fn read(&self, path: (&Path, &Files)) -> Result<Read> {
        let mut texts = Texts::open(path, HEADER)?;
        let mut read = Read {
            lines: Vec::new(),
            turned_away: HashSet::new(),
        };
        while texts.read()? {
            if let Some(id) = texts.turned_away() {
                read.turned_away.insert(id);
                continue;
            }
            match self.parse(&texts) {
                Some(line) => read.lines.push(line),
                None => {
                    return Err(texts
                        .error("this is no line of a certificate for masked records")
                        .help(format!("a line says {HEADER}")));
                }
            }
        }
        Ok(read)
    }

    fn parse(&self, texts: &Texts) -> Option<Line> {
        let (row, rest) = texts.text.split_once(',')?;
        let mut fields = rest.rsplitn(3, ',');
        let number = |text: &str| match text {
            "" => Some(None),
            text => text.parse().ok().map(Some),
        };
        let members = number(fields.next()?)?;
        let group = number(fields.next()?)?;
        let step = fields.next()?;
        Some(Line {
            number: texts.number,
            row: Row::parse(row)?,
            step: self.steps.iter().position(|known| known == step),
            group,
            members,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{About, Certificate};
    use super::*;
    use crate::engine::Why;
    use crate::engine::arrival::SOURCE_SHIFT;

    fn subject() -> Subject {
        Subject {
            steps: ["1,noise,amount,0.2", "3,microaggregation,k,3"]
                .map(str::to_owned)
                .into(),
        }
    }

    #[test]
    fn lines_come_back_as_they_were_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("why.csv");
        let about = About::Records(subject());
        let mut certificate =
            Certificate::create((&path, &Files::default()), about, true).expect("created");
        let group = |group, records| Some(Among { group, records });
        let second = 1 << SOURCE_SHIFT;
        let why = Why::Masked {
            ids: RowIds::List([4, second].into()),
            among: vec![vec![None, None], vec![group(Some(0), 3), group(None, 9)]],
        };
        certificate.write(&why).expect("written");
        let turned_away = Why::TurnedAway(vec![second + 1]);
        certificate.write(&turned_away).expect("written");
        certificate.close().expect("closed");
        let text = std::fs::read_to_string(&path).expect("a text");
        assert_eq!(
            text,
            "row,step,method,parameter,value,group,members\n\
             1:5,1,noise,amount,0.2,,\n1:5,3,microaggregation,k,3,1,3\n\
             2:1,1,noise,amount,0.2,,\n2:1,3,microaggregation,k,3,,9\n2:2,,,,,,\n"
        );
        let read = subject().read((&path, &Files::default())).expect("read");
        assert_eq!(read.turned_away, HashSet::from([second + 1]));
        let lines = read.lines.iter();
        let lines: Vec<_> = lines
            .map(|l| (l.number, l.row, l.step, l.group, l.members))
            .collect();
        let (first, other) = (Row::of(4), Row::of(second));
        assert_eq!(
            lines,
            [
                (2, first, Some(0), None, None),
                (3, first, Some(1), Some(1), Some(3)),
                (4, other, Some(0), None, None),
                (5, other, Some(1), None, Some(9)),
            ]
        );
    }

    #[test]
    fn what_is_no_certificate_is_refused_with_its_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("why.csv");
        for (text, line) in [
            ("", 1),
            ("row,column,level,counter,z,from,to\n", 1),
            ("HEADER\n1,1\n", 2),
            (
                "HEADER\n1,1,noise,amount,0.2,,\n1,1,noise,amount,0.2,-1,\n",
                3,
            ),
            ("HEADER\nx,1,noise,amount,0.2,,\n", 2),
        ] {
            std::fs::write(&path, text.replace("HEADER", HEADER)).expect("written");
            let error = subject()
                .read((&path, &Files::default()))
                .err()
                .expect(text);
            assert_eq!(error.exit_code(), 4);
            assert!(
                error.to_string().contains(&format!("line {line}: ")),
                "{error}"
            );
        }
    }
}
