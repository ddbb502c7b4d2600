//! A session without a sink: what a plan would release, for judges inside the library alone.
//!
//! Learners, attackers and `tune` look at releases that need not be good enough to leave. A trial
//! sends rows through the same flow as every session; what comes out is a [`Candidate`], which no
//! sink takes, and a broken promise is a fact of it rather than an error. A method that finds
//! nothing to release at all still fails: there is nothing to look at then.

use super::steps::Compared;
use super::{Flow, Session};
use crate::data::Batch;
use crate::engine::events::real;
use crate::engine::original::Original;
use crate::engine::plan::Plan;
use crate::error::{Error, Result};
use std::sync::Arc;

/// What a trial is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The rows alone: nothing is checked or measured.
    Rows,
    /// The rows, and what checks and measures find.
    Assess,
}

impl Purpose {
    pub(super) fn compared(self) -> Compared {
        match self {
            Purpose::Rows => Compared::No,
            Purpose::Assess => Compared::Yes,
        }
    }
}

/// What a plan would release. It cannot be written: a sink takes checked rows only.
pub(crate) struct Candidate {
    /// The plan, complete.
    pub(crate) plan: Arc<Plan>,
    /// The rows as they were read, source by source.
    pub(crate) original: Original,
    /// The rows as they would leave, without those that are made up.
    pub(crate) rows: Batch,
    /// What was found; `None` for [`Purpose::Rows`].
    pub(crate) assessment: Option<Assessment>,
}

/// What checks and measures have found.
pub(crate) struct Assessment {
    /// Measures by name, exactly; none of one that could not be measured.
    pub(crate) measures: Vec<(&'static str, Option<f64>)>,
    /// Promises and goals that are not kept.
    pub(crate) faults: Vec<Error>,
}

/// Rows on their way to a [`Candidate`].
pub(crate) struct Trial {
    session: Session,
    purpose: Purpose,
    /// What was read of each source of a stream.
    read: Vec<Vec<Batch>>,
    /// What a stream would have let go so far.
    left: Vec<Batch>,
    notes: Vec<String>,
}

impl Trial {
    pub(super) fn new(session: Session, purpose: Purpose) -> Self {
        Trial {
            read: vec![Vec::new(); session.sources()],
            left: Vec::new(),
            notes: Vec::new(),
            session,
            purpose,
        }
    }

    /// See [`Session::next_source`].
    pub(crate) fn next_source(&self) -> Option<usize> {
        self.session.next_source()
    }

    /// See [`Session::push_from`].
    pub(crate) fn push_from(&mut self, source: usize, rows: Batch) -> Result<()> {
        if self.session.released_schema().is_some() {
            let ids = super::ids(source, self.session.rows(source), rows.len());
            let columns = rows.columns().to_vec();
            let read = Batch::new(Arc::clone(&self.session.schema), ids, columns)?;
            self.read[source].push(read);
        }
        let left = self.session.push_from(source, rows)?;
        self.left.extend(left.map(|left| left.rows));
        self.session.stands()
    }

    /// See [`Session::end`].
    pub(crate) fn end(&mut self, source: usize) -> Result<()> {
        let left = self.session.end(source)?;
        self.left.extend(left.map(|left| left.rows));
        Ok(())
    }

    /// Adds remarks about the rows, as [`Session::note`].
    pub(crate) fn note(&mut self, notes: Vec<String>) {
        self.notes.extend(notes);
    }

    /// What would leave.
    pub(crate) fn finish(mut self) -> Result<Candidate> {
        self.session.begin()?;
        let schema = Arc::clone(&self.session.schema);
        match self.session.flow {
            Flow::Table(mut flow) => {
                flow.notes = self.notes;
                flow.try_out(self.purpose, &self.session.context)
            }
            Flow::Stream(flow) => {
                let plan = Arc::clone(flow.plan());
                let (rest, assessment) = flow.try_out(self.purpose)?;
                let released = Arc::clone(rest.schema());
                self.left.push(rest);
                let read = self.read.into_iter().flatten().collect();
                let read = Batch::concat(&schema, read)?;
                Ok(Candidate {
                    original: Original::new(&plan, read, self.notes)?,
                    rows: real(&Batch::concat(&released, self.left)?)?,
                    plan,
                    assessment,
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Categories, Column, Field, Kind, Role, RowIds, Schema};
    use crate::engine::Context;
    use crate::protect::{Filter, Masked, MaskedColumn, Masking, Method, MethodConfig};
    use arrow_array::StringArray;

    const COLUMNS: &str = "seed = 3\n[columns]\nt = { role = \"time\", unit = \"s\" }\n\
        user = { role = \"subject\" }\nplace = { role = \"quasi\" }\n\
        x = { role = \"ROLE\", type = \"number\" }\n";
    const Z: &str = "[[protect]]\nmethod = \"z-anonymity\"\nz = 2\nwindow = \"1h\"\n";
    const NOISE: &str = "[[protect]]\nmethod = \"noise\"\ncolumns = [\"x\"]\nbuffer = 5\n";
    const MONDRIAN: &str = "[guarantee]\nk = 3\n[[protect]]\nmethod = \"mondrian\"\n";

    fn rows() -> Batch {
        let text = || Kind::Plain(arrow_schema::DataType::Utf8);
        let category = || Kind::Category { ordered: false };
        let number = Kind::Number { integer: false };
        let fields = vec![
            Field::new("t", Role::Time, text()),
            Field::new("user", Role::Subject, category()),
            Field::new("place", Role::Quasi, category()),
            Field::new("x", Role::Plain, number),
        ];
        let rows = 0..60;
        let texts = |of: &dyn Fn(usize) -> String| -> Categories {
            let texts: Vec<String> = rows.clone().map(of).collect();
            texts.iter().map(|text| Some(text.as_str())).collect()
        };
        let times = rows
            .clone()
            .map(|row| Some((1_700_000_000 + row).to_string()));
        let columns = vec![
            Column::Plain(Arc::new(times.collect::<StringArray>())),
            Column::Category(texts(&|row| format!("u{}", row * 7 % 13))),
            Column::Category(texts(&|row| format!("p{}", row % 4))),
            Column::Number(rows.clone().map(|row| (row * 37 % 101) as f64).collect()),
        ];
        let schema = Arc::new(Schema::new(fields).expect("names"));
        Batch::new(schema, RowIds::Range { start: 0, len: 60 }, columns).expect("fits")
    }

    fn plan(role: &str, methods: &str) -> Plan {
        let text = format!("{}{methods}", COLUMNS.replace("ROLE", role));
        Plan::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    fn tried(plan: &Plan, purpose: Purpose) -> Result<Candidate> {
        let (rows, plan) = (rows(), Arc::new(plan.clone()));
        let mut trial = Session::trial(&plan, rows.schema(), 1, purpose, Context::default())?;
        for start in (0..rows.len()).step_by(7) {
            trial.push_from(0, rows.slice(start, 7.min(rows.len() - start)))?;
        }
        trial.end(0)?;
        trial.finish()
    }

    fn released(plan: &Plan) -> Result<Batch> {
        let (rows, plan) = (rows(), Arc::new(plan.clone()));
        let mut session = Session::open(&plan, rows.schema(), Context::default())?.trusted();
        let first = session.push(rows)?;
        let (rest, _) = session.finish()?;
        let parts = first.into_iter().chain([rest]).map(|checked| checked.rows);
        let parts: Vec<Batch> = parts.collect();
        Batch::concat(&Arc::clone(parts[parts.len() - 1].schema()), parts)
    }

    fn cells(rows: &Batch) -> Vec<String> {
        let cell = |column: &Column, row: usize| match column {
            Column::Number(numbers) => format!("{:?}", numbers.get(row)),
            Column::Category(texts) => format!("{:?}", texts.get(row)),
            Column::Plain(array) => format!("{:?}", crate::data::plain_text::shown(array)),
        };
        let row = |row: usize| {
            let cells = rows.columns().iter().map(|column| cell(column, row));
            let cells: Vec<String> = cells.collect();
            format!("{} {}", rows.rows().get(row), cells.join(" "))
        };
        (0..rows.len()).map(row).collect()
    }

    #[test]
    fn a_candidate_is_what_a_session_would_release() {
        let recoding = "[[protect]]\nmethod = \"recoding\"\nbuffer = 1\nround = { x = 10 }\n";
        for (role, methods) in [
            ("plain", Z.to_owned()),
            ("plain", format!("{Z}{NOISE}")),
            ("plain", NOISE.to_owned()),
            ("plain", format!("{NOISE}{recoding}")),
            ("plain", NOISE.replace("buffer = 5\n", "")),
            ("quasi", MONDRIAN.to_owned()),
        ] {
            let plan = plan(role, &methods);
            let expected = cells(&released(&plan).expect("released"));
            assert!(expected.len() > 20, "{methods}");
            for purpose in [Purpose::Rows, Purpose::Assess] {
                let candidate = tried(&plan, purpose).expect("tried");
                assert_eq!(cells(&candidate.rows), expected, "{methods}");
                assert_eq!(candidate.original.batch.len(), 60);
                let faults = candidate
                    .assessment
                    .map(|assessment| assessment.faults.len());
                let asked = (purpose == Purpose::Assess).then_some(0);
                assert_eq!(faults, asked, "{methods}");
            }
        }
    }

    /// Promises groups of three and lets every record pass.
    struct Idle(Option<usize>);

    impl MethodConfig for Idle {
        fn is_random(&self) -> bool {
            false
        }

        fn masking(&self) -> Option<&dyn Masking> {
            Some(self)
        }
    }

    impl Masking for Idle {
        fn buffer(&self) -> Option<usize> {
            self.0
        }

        fn columns(&self) -> Option<Vec<&str>> {
            Some(vec!["place", "x"])
        }

        fn k(&self) -> Option<u32> {
            Some(3)
        }

        fn filter(&self, _: &[MaskedColumn<'_>], _: u64) -> Result<Box<dyn Filter>> {
            Ok(Box::new(Idle(None)))
        }
    }

    impl Filter for Idle {
        fn push(&mut self, record: &[f64], out: &mut Masked) -> Result<()> {
            out.release(record);
            Ok(())
        }

        fn finish(&mut self, _: &mut Masked) -> Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_broken_promise_is_a_fact_of_a_candidate_and_the_end_of_a_session() {
        let mut broken = plan("plain", NOISE.replace("buffer = 5\n", "").as_str());
        broken.columns[1].role = Role::Drop;
        broken.protect = vec![Method::own("idle", Idle(None))];
        let refused = released(&broken).expect_err("no groups");
        assert_eq!(refused.exit_code(), 1, "{refused}");
        let assessment = tried(&broken, Purpose::Assess).expect("tried").assessment;
        let faults = assessment.expect("judged").faults;
        assert!(matches!(faults[..], [Error::Guarantee(_)]), "{faults:?}");
        assert_eq!(tried(&broken, Purpose::Rows).expect("tried").rows.len(), 60);
    }

    #[test]
    fn a_goal_that_is_missed_is_measured_all_the_same() {
        for buffer in ["buffer = 5\n", ""] {
            let mut plan = plan("plain", &NOISE.replace("buffer = 5\n", buffer));
            plan.fail_above = vec![("sse".to_owned(), 1e-9)];
            let refused = released(&plan).expect_err("noise");
            assert_eq!(refused.exit_code(), 6, "{refused}");
            let assessment = tried(&plan, Purpose::Assess).expect("tried").assessment;
            let assessment = assessment.expect("judged");
            assert!(matches!(assessment.faults[..], [Error::Goal(_)]));
            let found = assessment.measures.iter().find(|(name, _)| *name == "sse");
            assert!(found.is_some_and(|(_, sse)| *sse > Some(1.0)), "{found:?}");
        }
    }
}
