//! Recoding of a stream: each row by itself and as soon as it comes.
//!
//! All rules follow from the policy. Steps of whole numbers end before the next begins where the
//! policy declares whole numbers; of other columns nobody knows what is still to come. A value
//! that the hierarchy of its column does not know is shown as `*`.

use super::cells::Cells;
use super::{Recoding, recoded_kind};
use crate::data::hierarchy::{Ladder, Rungs, TOP};
use crate::data::{
    Batch, Categories, Column, Domain, Field, Kind, LevelsBuilder, MISSING, Role, Schema,
};
use crate::error::{Error, Result};
use crate::protect::Operator;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::sync::Arc;

/// What the policy declares of a column besides its rule.
pub struct Declared {
    /// It holds whole numbers.
    pub whole: bool,
    /// How its values generalise.
    pub ladder: Option<Ladder>,
}

/// Recodes the rows of a stream.
pub struct Recoded {
    schema: Arc<Schema>,
    rules: Vec<Rule>,
}

/// What becomes of a column.
enum Rule {
    Stays,
    /// A number stays a number: that with which its step begins, or an end.
    Coded(Cells),
    /// A value is shown as all that its rule leaves open.
    Shown(Cells, Field),
    /// A value is shown as its label on this level.
    Level(Ladder, usize, Kind),
}

impl Recoding {
    /// Ready to recode rows of this schema.
    ///
    /// # Errors
    /// When a rule does not fit what its column holds.
    pub fn stream(
        &self,
        schema: &Schema,
        declared: impl Fn(&Field) -> Result<Declared>,
    ) -> Result<Recoded> {
        self.check_names(schema)?;
        let mut fields = schema.fields().to_vec();
        let mut rules = Vec::new();
        for field in &mut fields {
            let rule = self.rule(field, declared(field)?)?;
            field.kind = match &rule {
                Rule::Stays => field.kind.clone(),
                Rule::Coded(cells) => recoded_kind(&field.kind, cells),
                Rule::Shown(..) | Rule::Level(..) => Kind::Category { ordered: false },
            };
            rules.push(rule);
        }
        Ok(Recoded {
            schema: Arc::new(Schema::new(fields)?),
            rules,
        })
    }

    fn rule(&self, field: &Field, declared: Declared) -> Result<Rule> {
        if let Some(&level) = self.levels.get(&*field.name) {
            let ladder = declared.ladder.ok_or_else(|| {
                Error::policy(format!(
                    "column `{}` has a level but no hierarchy",
                    field.name
                ))
            })?;
            return Ok(Rule::Level(ladder, level, field.kind.clone()));
        }
        let Some(coding) = self.coding(field)? else {
            return Ok(Rule::Stays);
        };
        let cells = Cells::declared(coding, declared.whole);
        Ok(match field.role {
            Role::Quasi => Rule::Shown(cells, field.clone()),
            _ => Rule::Coded(cells),
        })
    }
}

impl Operator for Recoded {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    fn push(&mut self, batch: Batch) -> Result<Batch> {
        if batch.is_empty() {
            // No rows have no categories, so that none could be an end.
            return Ok(Batch::empty(Arc::clone(&self.schema)));
        }
        let rules = self.rules.iter().zip(self.schema.fields());
        let columns = rules.zip(batch.columns()).map(|((rule, field), column)| {
            let recoded = rule.recode(column);
            recoded.map_err(|error| error.in_column(&*field.name))
        });
        let columns = columns.collect::<Result<_>>()?;
        Batch::new(Arc::clone(&self.schema), batch.rows().clone(), columns)
    }

    fn finish(&mut self) -> Result<Batch> {
        Ok(Batch::empty(Arc::clone(&self.schema)))
    }
}

impl Rule {
    fn recode(&self, column: &Column) -> Result<Column> {
        match self {
            Rule::Stays => Ok(column.clone()),
            Rule::Coded(cells) => cells.recoded(column),
            Rule::Shown(cells, field) => {
                let recoded = cells.recoded(column)?;
                cells.shown(&recoded, &Domain::of(field, &recoded, None)?)
            }
            Rule::Level(ladder, level, kind) => labels(ladder, *level, kind, column),
        }
    }
}

/// The labels of a column on a level.
fn labels(ladder: &Ladder, level: usize, kind: &Kind, column: &Column) -> Result<Column> {
    let (mut texts, mut rungs) = (LevelsBuilder::default(), Rungs::default());
    let mut label = |text: &str| {
        let known = ladder.climb(text, &mut rungs) && level < rungs.len();
        texts.intern(if known { rungs.get(level) } else { TOP })
    };
    let codes = match column {
        Column::Category(categories) => {
            let used = categories.compact();
            let new: Vec<u32> = used.levels().iter().map(label).collect();
            let codes = used.codes().iter();
            codes
                .map(|&code| new.get(code as usize).copied().unwrap_or(MISSING))
                .collect()
        }
        Column::Number(numbers) => {
            let mut known: HashMap<u64, u32, FixedState> = HashMap::default();
            let mut code = |number: f64| {
                let number = number + 0.0;
                *known.entry(number.to_bits()).or_insert_with(|| match kind {
                    Kind::Date(format) => label(&format.format(number as i32)),
                    _ => label(&number.to_string()),
                })
            };
            let codes = numbers.iter();
            codes.map(|n| n.map_or(MISSING, &mut code)).collect()
        }
        Column::Plain(_) => return Err(Error::bug("a recoded column was read as plain")),
    };
    let levels = Arc::new(texts.finish());
    Ok(Column::Category(Categories::new(codes, levels)))
}

#[cfg(test)]
mod tests {
    use super::super::Bound;
    use super::*;
    use crate::data::hierarchy::{HierarchySpec, Texts};
    use crate::data::{DateFormat, RowIds};

    fn texts(column: &Column) -> Vec<String> {
        let text = |row: usize| match column {
            Column::Number(numbers) => numbers.get(row).map(|n| n.to_string()),
            Column::Category(categories) => categories.get(row).map(str::to_owned),
            Column::Plain(_) => None,
        };
        let missing = || "missing".to_owned();
        let rows = 0..column.len();
        rows.map(|row| text(row).unwrap_or_else(missing)).collect()
    }

    /// What becomes of a column, pushed as a whole and row by row.
    fn recoded(
        config: &Recoding,
        (role, kind): (Role, Kind),
        column: &Column,
        declared: impl Fn() -> Declared,
    ) -> Result<Vec<String>> {
        let field = Field::new("x", role, kind);
        let schema = Arc::new(Schema::new(vec![field])?);
        let (len, columns) = (column.len(), vec![column.clone()]);
        let rows = Batch::new(
            Arc::clone(&schema),
            RowIds::Range { start: 0, len },
            columns,
        )?;
        let mut whole = config.stream(&schema, |_| Ok(declared()))?;
        let found = texts(whole.push(rows.clone())?.column(0));
        let mut single = config.stream(&schema, |_| Ok(declared()))?;
        for (row, text) in found.iter().enumerate() {
            let alone = single.push(rows.slice(row, 1))?;
            assert_eq!(&texts(alone.column(0))[0], text, "batches do not matter");
            assert_eq!(alone.schema(), single.schema());
        }
        assert!(single.finish()?.is_empty());
        Ok(found)
    }

    fn number(integer: bool) -> Kind {
        Kind::Number { integer }
    }

    fn steps(width: f64) -> Recoding {
        Recoding {
            round: [("x".to_owned(), width)].into(),
            bottom: [("x".to_owned(), Bound::Number(20.0))].into(),
            top: [("x".to_owned(), Bound::Number(90.0))].into(),
            buffer: Some(1),
            ..Recoding::default()
        }
    }

    fn undeclared(whole: bool) -> Declared {
        Declared {
            whole,
            ladder: None,
        }
    }

    #[test]
    fn steps_end_before_the_next_only_where_whole_numbers_are_declared() {
        let values = [Some(33.0), None, Some(3.0), Some(89.0), Some(1e300)];
        let column = Column::Number(values.into_iter().collect());
        for (role, whole, expected) in [
            (
                Role::Quasi,
                true,
                ["30..34", "missing", "..24", "85..89", "90.."],
            ),
            (
                Role::Quasi,
                false,
                ["30..35", "missing", "..25", "85..90", "90.."],
            ),
            (Role::Plain, true, ["30", "missing", "20", "85", "90"]),
            (Role::Sensitive, false, ["30", "missing", "20", "85", "90"]),
        ] {
            let of = (role, number(true));
            let found = recoded(&steps(5.0), of, &column, || undeclared(whole));
            assert_eq!(found.expect("recoded"), expected, "{role:?} {whole}");
        }
    }

    #[test]
    fn values_go_to_a_level_and_unknown_ones_show_nothing() {
        let config = Recoding {
            levels: [("x".to_owned(), 1)].into(),
            buffer: Some(1),
            ..Recoding::default()
        };
        let quasi = |kind: Kind| (Role::Quasi, kind);
        let ladder = |spec: &HierarchySpec, texts: Texts| Declared {
            whole: false,
            ladder: Some(spec.ladder("x", texts).expect("a ladder")),
        };
        let shops: Categories = [
            Some("food/bread"),
            None,
            Some("food"),
            Some("wine/red/2020"),
        ]
        .into_iter()
        .collect();
        let path = HierarchySpec::Path("/".into());
        let category = quasi(Kind::Category { ordered: false });
        let found = recoded(&config, category, &Column::Category(shops), || {
            ladder(&path, Texts::Category)
        });
        assert_eq!(found.expect("labels"), ["food", "missing", "*", "wine/red"]);
        let ages = Column::Number([Some(33.0), Some(7.0), None].into_iter().collect());
        let tens = HierarchySpec::Intervals(vec![10.0, 50.0]);
        let found = recoded(&config, quasi(number(true)), &ages, || {
            ladder(&tens, Texts::Number)
        });
        assert_eq!(found.expect("labels"), ["30..39", "0..9", "missing"]);
        let day = f64::from(DateFormat::ISO.parse("2024-03-05").expect("a day"));
        let days = Column::Number([Some(day)].into_iter().collect());
        let months = HierarchySpec::Dates(vec![crate::data::hierarchy::DateUnit::Month]);
        let found = recoded(&config, quasi(Kind::Date(DateFormat::ISO)), &days, || {
            ladder(&months, Texts::Date(DateFormat::ISO))
        });
        assert_eq!(found.expect("labels"), ["2024-03"]);
    }

    #[test]
    fn dates_and_ordered_categories_have_ends() {
        let ends = |top: &str| Recoding {
            top: [("x".to_owned(), Bound::Text(top.to_owned()))].into(),
            buffer: Some(1),
            ..Recoding::default()
        };
        let levels: Arc<crate::data::Levels> = Arc::new(["a", "b", "c", "d"].iter().collect());
        let grades = Column::Category(Categories::new(vec![0, 3, 2, MISSING], levels));
        let ordered = Kind::Category { ordered: true };
        for (role, expected) in [
            (Role::Quasi, ["a", "c..d", "c..d", "missing"]),
            (Role::Plain, ["a", "c", "c", "missing"]),
        ] {
            let of = (role, ordered.clone());
            let found = recoded(&ends("c"), of, &grades, || undeclared(false));
            assert_eq!(found.expect("ends"), expected, "{role:?}");
        }
        let day = |text: &str| DateFormat::ISO.parse(text).map(f64::from);
        let days = [day("1999-12-31"), day("2024-03-05")];
        let days = Column::Number(days.into_iter().collect());
        let of = (Role::Quasi, Kind::Date(DateFormat::ISO));
        let found = recoded(&ends("2000-01-01"), of, &days, || undeclared(false));
        assert_eq!(found.expect("ends"), ["1999-12-31", "2000-01-01.."]);
    }

    #[test]
    fn numbers_that_cannot_be_rounded_exactly_are_refused_and_not_shown() {
        let open = Recoding {
            bottom: Default::default(),
            top: Default::default(),
            ..steps(500.0)
        };
        let most = (1u64 << 53) as f64;
        let begins = (most / 500.0).floor() * 500.0;
        let column = |value: f64| Column::Number([Some(value)].into_iter().collect());
        let plain = || (Role::Plain, number(false));
        let found = recoded(&open, plain(), &column(most), || undeclared(false));
        assert_eq!(found.expect("exact"), [begins.to_string()]);
        let small = Recoding {
            round: [("x".to_owned(), 1.0)].into(),
            ..open.clone()
        };
        let far = (1u64 << 50) as f64;
        let found = recoded(&small, plain(), &column(far - 0.5), || undeclared(false));
        assert_eq!(found.expect("exact"), [(far - 1.0).to_string()]);
        for (open, value) in [
            (&open, most + 2.0),
            (&open, -most - 2.0),
            (&open, 1e18),
            (&open, 1e300),
            (&small, far),
            (&small, -1.7e15),
        ] {
            let refused = recoded(open, plain(), &column(value), || undeclared(false));
            let refused = refused.expect_err("too large");
            assert_eq!(refused.exit_code(), 4);
            assert!(refused.to_string().contains("`x`"), "{refused}");
            assert!(!refused.to_string().contains(&value.to_string()));
            let ended = Recoding {
                top: [("x".to_owned(), Bound::Number(1000.0))].into(),
                bottom: [("x".to_owned(), Bound::Number(-1000.0))].into(),
                ..open.clone()
            };
            let found = recoded(&ended, plain(), &column(value), || undeclared(false));
            assert_eq!(
                found.expect("an end"),
                [(1000.0 * value.signum()).to_string()]
            );
        }
    }
}
