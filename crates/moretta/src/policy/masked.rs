//! What a policy may say beside a method that masks records.

use super::{Level, Order, Policy};
use crate::error::{Error, Result};
use crate::guarantee::Guarantee;
use crate::protect::{Masking, Method};
use std::path::Path;

/// Puts what the methods promise into the guarantee; what they cannot promise is refused.
pub(super) fn promise(
    methods: &[Method],
    guarantee: &mut Guarantee,
    levels: &[Level],
) -> Result<()> {
    let k = |method: &Method| method.as_masking().and_then(|masking| masking.k());
    let masks = |method: &&Method| method.as_masking().is_some();
    let groups = methods.iter().find(|method| k(method).is_some());
    let Some(method) = groups.or(methods.iter().find(masks)) else {
        return Ok(());
    };
    let (name, k) = (method.name(), k(method));
    let more = Guarantee {
        k: None,
        ..guarantee.clone()
    };
    if more != Guarantee::default() || !levels.is_empty() {
        return Err(
            Error::policy(format!("{name} cannot promise l, t, p or [levels]"))
                .help("take them out, or use method = \"mondrian\""),
        );
    }
    match (guarantee.k, k) {
        (Some(_), None) => Err(Error::policy(format!("{name} cannot promise k"))
            .help("take k out, or use microaggregation or mondrian")),
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

/// Limits can only be kept where nothing has left before they are measured, and drift
/// can only be seen where rows stay in their order.
pub(super) fn check(policy: &Policy) -> Result<()> {
    policy
        .maskings()
        .try_for_each(|masking| check_masking(policy, masking))
}

fn check_masking(policy: &Policy, masking: &dyn Masking) -> Result<()> {
    let standard = policy
        .sink
        .as_ref()
        .is_some_and(|sink| sink.path == Path::new("-"));
    if masking.buffer().is_some() && standard && !policy.fail_above.is_empty() {
        return Err(Error::policy(
            "`fail_above` is for files: what went to standard output has left before it is measured",
        )
        .help("write to a file, or take it out"));
    }
    if masking.buffer().is_none() && policy.pairs.buffer.is_some() {
        return Err(Error::policy(
            "`buffer` under [measure] is for streams: of a table an attacker may know every original",
        )
        .help("take it out, or give the method a `buffer`"));
    }
    let sink = policy.sink.as_ref();
    let shuffled = sink.is_some_and(|sink| sink.order == Order::Shuffled);
    if let (Some(setting), None, true) = (masking.needs_order(), masking.buffer(), shuffled) {
        return Err(Error::policy(format!(
            "{setting} needs the order of the input, and the rows of a table are shuffled"
        ))
        .help("write order = \"input\" under [sink], or give the method a `buffer`"));
    }
    if masking.loss().is_some() && !policy.fail_above.is_empty() {
        return Err(Error::policy(
            "`fail_above` would make a private release depend on the originals beyond its budget",
        )
        .help("take it out"));
    }
    let made = policy.columns.iter().find(|column| column.from.is_some());
    if let (Some(column), false) = (made, policy.keeps_guarantee()) {
        return Err(Error::policy(format!(
            "column `{}` is made from two, which goes with generalising methods only",
            column.name
        ))
        .at(column.span.clone())
        .help("mask the two columns themselves"));
    }
    Ok(())
}
