//! What a plan may say beside a method that masks records.

use super::{Level, Order, Plan};
use crate::error::{Error, Result};
use crate::guarantee::Guarantee;
use crate::protect::{Masking, Method};

/// Puts what the methods promise into the guarantee; what they cannot promise is refused.
pub(crate) fn promise(
    methods: &[Method],
    guarantee: &mut Guarantee,
    levels: &[Level],
) -> Result<()> {
    let k = |method: &Method| method.as_masking().and_then(|masking| masking.k());
    let groups = methods.iter().find(|method| k(method).is_some());
    let Some(method) = groups.or(methods.first()) else {
        return Ok(());
    };
    let (name, k) = (method.name(), k(method));
    let parts = method.as_masking().and_then(|masking| masking.parts());
    let apart = parts.is_some_and(|parts| parts.len() > 1);
    let more = Guarantee {
        k: None,
        ..guarantee.clone()
    };
    if more != Guarantee::default() || !levels.is_empty() && method.nests().is_none() {
        let what = match (method.nests(), k) {
            (Some(_), _) => format!("{name} can promise k alone"),
            (None, Some(_)) => format!("{name} can promise k alone, and no [levels]"),
            (None, None) => format!("{name} promises nothing of [guarantee], and has no [levels]"),
        };
        return Err(Error::policy(what).help("take the rest out, or use method = \"mondrian\""));
    }
    if let (Some(level), Some(k)) = (levels.first(), k)
        && level.k < k
    {
        return Err(Error::policy(format!(
            "level `{}` has k={}, less than the k={k} of {name}",
            level.name, level.k
        ))
        .help("raise it, or lower the k of the method: each level has its own"));
    }
    match (guarantee.k, k) {
        (Some(_), None) => Err(Error::policy(format!("{name} cannot promise k"))
            .help("take k out, or use microaggregation or mondrian")),
        (Some(_), Some(_)) if apart => Err(Error::policy(format!(
            "k is promised of all quasi-identifiers, and the `groups` of {name} keep it in each list of columns only"
        ))
        .help("take k out of [guarantee], or put all columns into one list")),
        (None, Some(_)) if apart => Ok(()),
        (Some(promised), Some(k)) if promised > k => Err(Error::policy(format!(
            "k = {promised} is promised and the groups of {name} have k = {k}"
        ))
        .help("give both the same k")),
        _ => {
            guarantee.k = k;
            Ok(())
        }
    }
}

/// Drift can only be seen where rows stay in their order.
pub(super) fn check(plan: &Plan) -> Result<()> {
    if plan.is_buffered() {
        refuse_made(plan)?;
    }
    plan.maskings()
        .try_for_each(|masking| check_masking(plan, masking))?;
    refuse_twice(plan)
}

/// Two matrices one after the other are neither of them the one by which a column was changed.
fn refuse_twice(plan: &Plan) -> Result<()> {
    let prams: Vec<&Method> = (plan.protect.iter())
        .filter(|method| method.as_pram().is_some())
        .collect();
    if prams.len() < 2 {
        return Ok(());
    }
    let schema = plan.declared_schema()?;
    let mut changed: Vec<usize> = Vec::new();
    for method in prams {
        let places = method.as_masking().map(|masking| masking.places(&schema));
        for place in places.transpose()?.unwrap_or_default() {
            if changed.contains(&place) {
                let name = &schema.fields()[place].name;
                return Err(Error::policy(format!("pram changes `{name}` twice"))
                    .help("change each column once, with a smaller `p` or a matrix of your own"));
            }
            changed.push(place);
        }
    }
    Ok(())
}

/// Cells are made of two columns for methods that generalise them.
fn refuse_made(plan: &Plan) -> Result<()> {
    let made = plan.columns.iter().find(|column| column.from.is_some());
    match (made, plan.covers_quasi()) {
        (Some(column), false) => Err(Error::policy(format!(
            "column `{}` is made from two, which goes with generalising methods only",
            column.name
        ))
        .at(column.span.clone())
        .help("mask the two columns themselves")),
        _ => Ok(()),
    }
}

fn check_masking(plan: &Plan, masking: &dyn Masking) -> Result<()> {
    if masking.buffer().is_none() && plan.pairs.buffer.is_some() {
        return Err(Error::policy(
            "`buffer` under [measure] is for streams: of a table an attacker may know every original",
        )
        .help("take it out, or give the method a `buffer`"));
    }
    let shuffled = plan.order == Order::Shuffled;
    if let (Some(setting), None, true) = (masking.needs_order(), masking.buffer(), shuffled) {
        return Err(Error::policy(format!(
            "{setting} needs the order of the input, and the rows of a table are shuffled"
        ))
        .help("write order = \"input\" under [sink], or give the method a `buffer`"));
    }
    if masking.loss().is_some() && !plan.fail_above.is_empty() {
        return Err(Error::policy(
            "`fail_above` would make a private release depend on the originals beyond its budget",
        )
        .help("take it out"));
    }
    refuse_made(plan)
}
