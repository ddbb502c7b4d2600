//! Which columns of a party's rows are learnt, join records, or hold the class.

use super::{FederationPolicy, FederationRole};
use crate::config::Placed;
use crate::data::{ColumnPlan, ReadAs, Role};
use crate::engine::ColumnPolicy;
use crate::error::{Error, Result};
use crate::federate::{
    Column, FragmentKind, MOST_COLUMNS, Range, most_values, own_numbers, values_of, widest,
};
use crate::policy::columns::OfSite;

/// A column that a site learns from.
#[derive(Clone, Debug, PartialEq)]
pub struct Feature {
    /// Its name, which never leaves the site.
    pub name: String,
    /// What others are told of it; its number is one that no column of another site has, and
    /// another one takes its place on links where other sites have the column, too.
    pub column: Column,
    /// How all sites that hold it call it, which never leaves a site either.
    pub common: Option<String>,
    /// Its categories in order; none of a number.
    pub categories: Vec<String>,
    /// What its values can be, where it is shared.
    pub range: Option<Range>,
}

impl FederationPolicy {
    /// Gives each column of the rows its part.
    pub(super) fn take_columns(
        &mut self,
        columns: Vec<(ColumnPolicy, OfSite)>,
        share: Option<Vec<Placed>>,
        section: &Placed,
    ) -> Result<()> {
        for (column, of_site) in &columns {
            self.columns.push(self.plan(column)?);
            self.check_of_site(column, of_site)?;
            match column.role {
                Role::Key => put(&mut self.key, column)?,
                Role::Class => put(&mut self.class, column)?,
                _ => {}
            }
        }
        let named = |role| match role {
            Role::Key => &self.key,
            _ => &self.class,
        };
        for (role, needed) in self.needed() {
            match (needed, named(*role)) {
                (true, None) => {
                    let what = format!("no column has the role {}", role.word());
                    return Err(section.error(what).help(match role {
                        Role::Key => "give it to the column that joins the records of all sites, in one order everywhere",
                        _ => "give it to the column with the true classes",
                    }));
                }
                (false, Some(name)) => {
                    let what = format!(
                        "`{name}` has the role {}, which makes no sense for {}",
                        role.word(),
                        self.role.word()
                    );
                    return Err(section.error(what).help("give it the role drop"));
                }
                _ => {}
            }
        }
        if self.role == FederationRole::Site {
            self.features = self.read_features(&columns, share.as_deref(), section)?;
        } else if share.is_some() {
            return Err(section
                .error("`share` is for sites")
                .help("take it out of `fragments`"));
        }
        Ok(())
    }

    /// The roles that columns of this party have, or must not have.
    fn needed(&self) -> &'static [(Role, bool)] {
        match self.role {
            FederationRole::Site => &[(Role::Key, true), (Role::Class, false)],
            FederationRole::Labels => &[(Role::Key, true), (Role::Class, true)],
            _ => &[(Role::Key, false), (Role::Class, false)],
        }
    }

    /// Whether what is said for a federation makes sense for a column of this party.
    fn check_of_site(&self, column: &ColumnPolicy, of_site: &OfSite) -> Result<()> {
        let Some(key) = of_site.key() else {
            return Ok(());
        };
        if self.role == FederationRole::Site && is_learnt(column) {
            return Ok(());
        }
        Err(Error::policy(format!(
            "`{key}` of `{}` is for columns that a site learns from",
            column.name
        ))
        .at(of_site.span.clone())
        .help("take it out, or give the column of a site the role quasi or sensitive"))
    }

    /// How a column is read.
    fn plan(&self, column: &ColumnPolicy) -> Result<ColumnPlan> {
        let site = self.role == FederationRole::Site;
        let read = match column.role {
            Role::Drop => ReadAs::Skip,
            Role::Key => ReadAs::Category,
            Role::Class => ReadAs::Ordered(self.classes.clone()),
            Role::Quasi | Role::Sensitive if site => match &column.read {
                // What a column is must not depend on its first rows: all parties were told.
                ReadAs::Infer => ReadAs::Number,
                ReadAs::Category => {
                    let what = format!(
                        "the categories of `{}` must be known beforehand",
                        column.name
                    );
                    return Err(Error::policy(what)
                        .at(column.span.clone())
                        .help("list them: order = [\"low\", \"high\"]"));
                }
                other => other.clone(),
            },
            role => {
                let what = format!(
                    "`{}` has the role {}, which makes no sense for {} of a federation",
                    column.name,
                    role.word(),
                    match self.role {
                        FederationRole::Site => "a site",
                        FederationRole::Labels => "the label holder",
                        _ => "this party",
                    }
                );
                let help = match site {
                    true => "use quasi or sensitive for what is learnt, key, or drop",
                    false => "use key, class or drop",
                };
                return Err(Error::policy(what).at(column.span.clone()).help(help));
            }
        };
        Ok(ColumnPlan {
            name: column.name.clone(),
            role: column.role,
            read,
        })
    }

    fn read_features(
        &self,
        columns: &[(ColumnPolicy, OfSite)],
        share: Option<&[Placed]>,
        section: &Placed,
    ) -> Result<Vec<Feature>> {
        let learnt = columns.iter().filter(|(column, _)| is_learnt(column));
        let learnt: Vec<&(ColumnPolicy, OfSite)> = learnt.collect();
        check_common_names(&learnt)?;
        if learnt.is_empty() {
            return Err(section
                .error("this site has no column to learn from")
                .help("give columns the role quasi or sensitive"));
        }
        for placed in share.unwrap_or_default() {
            let name = placed.text("share")?;
            if !learnt.iter().any(|(column, _)| column.name == name) {
                return Err(placed
                    .error(format!(
                        "`share` names `{name}`, which this site does not learn from"
                    ))
                    .help("name columns with the role quasi or sensitive"));
            }
        }
        let is_shared = |name: &str| {
            share.is_none_or(|share| {
                share
                    .iter()
                    .any(|p| p.text("share").is_ok_and(|s| s == name))
            })
        };
        // Numbers of columns are spread over the sites, so that no two share one.
        let own = self.own().map_or(0, |own| own.number.0);
        let numbers = own_numbers(own, self.terms.sites.len());
        let most = usize::try_from(numbers.end - numbers.start).unwrap_or(usize::MAX);
        let most = most.min(MOST_COLUMNS);
        if learnt.len() > most {
            return Err(section
                .error(format!(
                    "a site of this federation has at most {most} columns"
                ))
                .help("drop some"));
        }
        let kind = self
            .terms
            .trouble
            .as_ref()
            .map_or(FragmentKind::None, |t| t.fragments);
        let values = match kind {
            FragmentKind::Raw => learnt.len(),
            _ => self
                .terms
                .trouble
                .as_ref()
                .and_then(|trouble| trouble.projected_width)
                .map_or(0, usize::from),
        };
        if values > usize::from(widest(self.terms.batch)) {
            return Err(section
                .error(format!(
                    "a batch of {} records with {values} values each does not fit into a frame",
                    self.terms.batch
                ))
                .help("let `batch` or `k` be smaller at all parties"));
        }
        let projects = matches!(kind, FragmentKind::Masked | FragmentKind::Projected);
        let feature = |(place, (column, of_site)): (usize, &&(ColumnPolicy, OfSite))| {
            let categories = match &column.read {
                ReadAs::Ordered(categories) => categories.clone(),
                _ => Vec::new(),
            };
            let range = match (categories.len(), column.range) {
                (0, Some((least, most))) => Some(Range::Bounds(least, most)),
                (0, None) => None,
                (count, _) => Some(Range::Categories(count as u32)),
            };
            let is_shared = is_shared(&column.name);
            if projects && is_shared && range.is_none() {
                let what = format!(
                    "`{}` is shared, and nothing says what its values can be",
                    column.name
                );
                return Err(Error::policy(what).at(column.span.clone()).help(
                    "add range = [0, 100] for numbers or order = [\"no\", \"yes\"] for texts, or name other columns in `share`",
                ));
            }
            Ok(Feature {
                name: column.name.clone(),
                column: Column {
                    id: numbers.start + place as u64,
                    size: of_site.size.unwrap_or(1),
                    values: categories.len() as u32,
                },
                common: of_site.common.clone(),
                categories,
                range: range.filter(|_| is_shared),
            })
        };
        let features = learnt.iter().enumerate().map(feature);
        let features = features.collect::<Result<Vec<Feature>>>()?;
        let values = values_of(features.iter().map(|feature| &feature.column));
        match most_values(&self.terms).filter(|most| values > *most) {
            None => Ok(features),
            Some(most) => Err(section
                .error(format!(
                    "the columns of this site have {values} values, and with raw fragments a site of this federation has room for {most}"
                ))
                .help("group categories or drop columns with many; other kinds of fragments have no such limit")),
        }
    }
}

fn is_learnt(column: &ColumnPolicy) -> bool {
    matches!(column.role, Role::Quasi | Role::Sensitive)
}

/// One name stands for one column of a site.
fn check_common_names(learnt: &[&(ColumnPolicy, OfSite)]) -> Result<()> {
    for (place, (column, of_site)) in learnt.iter().enumerate() {
        let same = |(_, other): &&&(ColumnPolicy, OfSite)| other.common == of_site.common;
        let Some((first, _)) = learnt[..place].iter().find(same) else {
            continue;
        };
        if let Some(common) = &of_site.common {
            return Err(Error::policy(format!(
                "`{}` and `{}` are both the common column `{common}`",
                first.name, column.name
            ))
            .at(of_site.span.clone())
            .help("give each the name that other sites call the same column by"));
        }
    }
    Ok(())
}

fn put(place: &mut Option<String>, column: &ColumnPolicy) -> Result<()> {
    match place.replace(column.name.clone()) {
        None => Ok(()),
        Some(first) => Err(Error::policy(format!(
            "`{first}` and `{}` both have the role {}",
            column.name,
            column.role.word()
        ))
        .at(column.span.clone())
        .help("give it to one of them and drop the other")),
    }
}
