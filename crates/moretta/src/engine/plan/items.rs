//! Sets of items: which columns, methods and promises they go with.

use super::{ColumnPolicy, Plan};
use crate::data::Role;
use crate::error::{Error, Result};
use crate::guarantee::{Guarantee, ItemColumn, ItemsetChecker};

impl Plan {
    /// The column of items.
    pub(crate) fn items(&self) -> Option<&ColumnPolicy> {
        self.columns
            .iter()
            .find(|column| column.role == Role::Items)
    }

    /// Counts the sets of items of a release; none where nothing is promised of them.
    pub(crate) fn itemset_checker(&self) -> Option<ItemsetChecker> {
        let (km, column) = (self.guarantee.km?, self.items()?);
        let column = ItemColumn {
            name: column.name.clone(),
            separator: column.separator.clone(),
        };
        Some(ItemsetChecker::new(km, column))
    }
}

/// Items need a hierarchy, a promise and the method that keeps it; nothing else is protected
/// beside them.
pub(super) fn check(plan: &Plan) -> Result<()> {
    let method = plan.protect.iter().find(|method| method.covers_items());
    let Some(column) = plan.items() else {
        return match (method, plan.guarantee.km) {
            (None, None) => Ok(()),
            _ => Err(
                Error::policy("k^m-anonymity is about items, and no column has that role")
                    .help("give the column of items role = \"items\" and a hierarchy"),
            ),
        };
    };
    let refuse = |what: String, help: &str| {
        let error = Error::policy(what).at(column.span.clone());
        Err(error.help(help.to_owned()))
    };
    let name = &column.name;
    let items = plan
        .columns
        .iter()
        .filter(|column| column.role == Role::Items);
    if items.count() > 1 {
        return refuse("two columns have the role items".to_owned(), "keep one");
    }
    let (Some(method), Some(_)) = (method, plan.guarantee.km) else {
        let what = format!("nothing protects the items of `{name}`");
        return refuse(
            what,
            "add km = { k = 5, m = 2 } under [guarantee] and method = \"km-anonymity\"",
        );
    };
    if column.hierarchy.is_none() {
        let what = format!("the items of `{name}` have no hierarchy");
        return refuse(what, "for example hierarchy = { file = \"items.csv\" }");
    }
    let persons = plan
        .columns
        .iter()
        .find(|column| column.role == Role::Subject);
    if column.separator.is_none() && persons.is_none() {
        let what = format!("`{name}` holds one item a row, and no column tells whose it is");
        return refuse(
            what,
            "give a column role = \"subject\", or, where a cell holds all items of a person, a `separator`",
        );
    }
    if plan.protect.len() > 1 {
        let what = format!(
            "{} stands alone, and there are other methods",
            method.name()
        );
        return refuse(what, "keep one [[protect]]");
    }
    if let Some(quasi) = plan
        .columns
        .iter()
        .find(|column| column.role == Role::Quasi)
    {
        let what = format!("nothing protects `{}` beside the items", quasi.name);
        let error = Error::policy(what).at(quasi.span.clone());
        return Err(
            error.help("release the quasi-identifiers and the items apart, or drop one of them")
        );
    }
    let more = Guarantee {
        km: None,
        ..plan.guarantee.clone()
    };
    if more != Guarantee::default() || !plan.levels.is_empty() || plan.ledger.is_some() {
        return refuse(
            "sets of items keep k^m-anonymity, and no other promise, [levels] or ledger".to_owned(),
            "take these out",
        );
    }
    Ok(())
}
