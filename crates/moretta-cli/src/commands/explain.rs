//! `moretta explain`: pages made from the methods' documentation, the lists of measures and
//! learners, and the texts beside this file about promises, roles, hierarchies, attackers and streams.

use crate::args::ExplainArgs;
use crate::console::{Console, table};
use crate::failure::Failure;
use moretta::config::{Parameter, unknown};
use moretta::learn::{LEARNERS, LearnerInfo};
use moretta::protect::{METHODS, MethodInfo};
use moretta::{Error, measure};
use serde::Serialize;
use std::fmt::Write;
use std::process::ExitCode;

/// A page about what methods and measures are about.
struct Topic {
    name: &'static str,
    kind: &'static str,
    /// Other words that lead to it.
    words: &'static [&'static str],
    page: &'static str,
}

#[rustfmt::skip]
const TOPICS: &[Topic] = &[
    Topic { name: "k", kind: "promise", words: &["k-anonymity"], page: include_str!("explain/k.md") },
    Topic { name: "l", kind: "promise", words: &["l-diversity"], page: include_str!("explain/l.md") },
    Topic { name: "t", kind: "promise", words: &["t-closeness"], page: include_str!("explain/t.md") },
    Topic { name: "p", kind: "promise", words: &["p-sensitivity"], page: include_str!("explain/p.md") },
    Topic {
        name: "beta", kind: "promise", words: &["β", "beta-likeness"],
        page: include_str!("explain/beta.md"),
    },
    Topic {
        name: "delta", kind: "promise", words: &["δ", "delta-disclosure"],
        page: include_str!("explain/delta.md"),
    },
    Topic {
        name: "risk", kind: "promise", words: &["maximum_risk"],
        page: include_str!("explain/risk.md"),
    },
    Topic { name: "k_map", kind: "promise", words: &["k-map"], page: include_str!("explain/k_map.md") },
    Topic {
        name: "presence", kind: "promise", words: &["delta-presence"],
        page: include_str!("explain/presence.md"),
    },
    Topic {
        name: "km", kind: "promise", words: &["k^m", "k^m-anonymity"],
        page: include_str!("explain/km.md"),
    },
    Topic { name: "z", kind: "promise", words: &[], page: include_str!("explain/z.md") },
    Topic {
        name: "epsilon", kind: "promise", words: &["ε", "differential-privacy"],
        page: include_str!("explain/epsilon.md"),
    },
    Topic {
        name: "roles", kind: "policy",
        words: &["role", "identifier", "subject", "quasi", "sensitive", "items", "class", "time", "key", "plain", "drop"],
        page: include_str!("explain/roles.md"),
    },
    Topic {
        name: "hierarchies", kind: "policy",
        words: &["hierarchy", "file", "intervals", "mask", "dates", "path", "grid", "h3"],
        page: include_str!("explain/hierarchies.md"),
    },
    Topic {
        name: "graph", kind: "policy", words: &["graphs", "edges", "nodes", "degree_k", "k-degree"],
        page: include_str!("explain/graph.md"),
    },
    Topic {
        name: "attackers", kind: "policy", words: &["attacker", "prosecutor", "journalist", "marketer", "linker"],
        page: include_str!("explain/attackers.md"),
    },
    Topic {
        name: "rules", kind: "policy", words: &["rule", "require", "when", "then"],
        page: include_str!("explain/rules.md"),
    },
    Topic { name: "checkpoint", kind: "policy", words: &["checkpoints", "resume"], page: include_str!("explain/checkpoint.md") },
    Topic { name: "goal", kind: "policy", words: &["goals", "minimize", "subject_to"], page: include_str!("explain/goal.md") },
    Topic {
        name: "evolve", kind: "policy", words: &["evolution", "genetic", "fitness"],
        page: include_str!("explain/evolve.md"),
    },
    Topic {
        name: "federation", kind: "policy", words: &["federations", "federated", "sites", "aggregator", "trouble"],
        page: include_str!("explain/federation.md"),
    },
    Topic { name: "ledger", kind: "policy", words: &["growth", "intersection"], page: include_str!("explain/ledger.md") },
    Topic { name: "levels", kind: "policy", words: &["nested", "nesting"], page: include_str!("explain/levels.md") },
    Topic { name: "lateness", kind: "policy", words: &["late"], page: include_str!("explain/lateness.md") },
    Topic { name: "manifest", kind: "policy", words: &["signature", "signed"], page: include_str!("explain/manifest.md") },
    Topic {
        name: "rotate", kind: "policy", words: &["rotation", "pseudonym", "pseudonyms"],
        page: include_str!("explain/rotate.md"),
    },
];

impl Topic {
    fn find(word: &str) -> Option<&'static Topic> {
        TOPICS
            .iter()
            .find(|topic| topic.name == word || topic.words.contains(&word))
    }

    /// The first line, which says what it is.
    fn about(&self) -> String {
        let head = self.page.lines().next().unwrap_or_default();
        head.split_once(": ")
            .map_or(head, |(_, about)| about)
            .to_owned()
    }
}

#[derive(Serialize)]
struct Page {
    name: String,
    page: String,
}

pub(crate) fn run(args: &ExplainArgs, console: &Console) -> Result<ExitCode, Failure> {
    let pages = match &args.topic {
        None => return list(console),
        Some(topic) => page(topic)?,
    };
    console.result(&pages, || pages.page.clone())
}

fn list(console: &Console) -> Result<ExitCode, Failure> {
    let mut rows = vec![vec![
        "topic".to_owned(),
        "kind".to_owned(),
        "about".to_owned(),
    ]];
    rows.extend(
        TOPICS
            .iter()
            .map(|topic| vec![topic.name.to_owned(), topic.kind.to_owned(), topic.about()]),
    );
    rows.extend(
        METHODS
            .iter()
            .map(|info| vec![info.name.to_owned(), "method".to_owned(), info.about()]),
    );
    rows.extend(measure::LIST.iter().map(|info| {
        vec![
            info.name.to_owned(),
            info.family.word().to_owned(),
            info.meaning.to_owned(),
        ]
    }));
    rows.extend(LEARNERS.iter().map(|info| {
        vec![
            info.name.to_owned(),
            "learner".to_owned(),
            info.meaning.to_owned(),
        ]
    }));
    console.result(&rows[1..].to_vec(), || table(&rows))
}

fn page(topic: &str) -> Result<Page, Failure> {
    if let Some(found) = Topic::find(topic) {
        return Ok(Page {
            name: found.name.to_owned(),
            page: found.page.trim_end().to_owned(),
        });
    }
    if let Some(method) = MethodInfo::find(topic) {
        return Ok(Page {
            name: topic.to_owned(),
            page: method_page(method),
        });
    }
    if let Some(info) = measure::LIST.iter().find(|info| info.name == topic) {
        let kind = info.family.word();
        return Ok(Page {
            name: topic.to_owned(),
            page: format!("{topic} ({kind}): {}", info.meaning),
        });
    }
    if let Some(info) = LEARNERS.iter().find(|info| info.name == topic) {
        return Ok(Page {
            name: topic.to_owned(),
            page: learner_page(info),
        });
    }
    let topics = TOPICS.iter().map(|topic| topic.name);
    let names: Vec<&str> = topics
        .chain(METHODS.iter().map(|m| m.name))
        .chain(measure::LIST.iter().map(|m| m.name))
        .chain(LEARNERS.iter().map(|l| l.name))
        .collect();
    Err(unknown(
        Error::usage(format!("there is no page about `{topic}`")),
        topic,
        &names,
    )
    .into())
}

fn method_page(method: &MethodInfo) -> String {
    let mut page = method.page();
    page.push_str("\n\nParameters\n");
    describe(&mut page, method.parameters, "  ");
    page
}

/// Each parameter, and below it those of its table.
fn describe(page: &mut String, parameters: &[Parameter], indent: &str) {
    for parameter in parameters {
        let (name, values, default) = (parameter.name, parameter.values(), parameter.default());
        let _ = write!(
            page,
            "\n{indent}{name} = {values} (default {default})\n{indent}    {}\n",
            parameter.meaning
        );
        describe(page, parameter.inner(), &format!("{indent}    "));
    }
}

fn learner_page(learner: &LearnerInfo) -> String {
    let name = learner.name;
    let mut page = format!("{name} (learner): {}", learner.meaning);
    let mut options = learner.options.iter().copied().flatten().peekable();
    if let Some(first) = options.peek() {
        let _ = write!(
            page,
            "\n\nOptions, in parentheses behind the name as in --learner '{name}({}=…)'\n",
            first.name
        );
    }
    for option in options {
        describe(&mut page, std::slice::from_ref(option), "  ");
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use moretta::data::Role;

    fn text(topic: &str) -> String {
        page(topic)
            .unwrap_or_else(|_| panic!("no page about {topic}"))
            .page
    }

    #[test]
    fn every_promise_role_and_kind_of_hierarchy_has_a_page() {
        for promise in ["k", "l", "t", "p", "z", "epsilon", "ε"] {
            text(promise);
        }
        for (_, role) in Role::ALL {
            let line = format!("\n    {role} ");
            assert!(
                text(role).contains(&line),
                "the page says nothing of {role}"
            );
        }
        for kind in ["file", "intervals", "mask", "dates", "path", "grid", "h3"] {
            let rule = format!("hierarchy = {{ {kind} = ");
            assert!(
                text(kind).contains(&rule),
                "the page says nothing of {kind}"
            );
        }
        assert_eq!(text("hierarchies"), text("mask"));
    }

    #[test]
    fn what_streams_need_has_pages() {
        for (word, told) in [
            ("checkpoint", "every = "),
            ("lateness", "lateness = \"10s\""),
            ("rotate", "rotate = \"6h\""),
            ("pseudonym", "keyed hash"),
        ] {
            assert!(text(word).contains(told), "{word}");
        }
    }

    #[test]
    fn every_learner_has_a_page_with_its_options() {
        for info in LEARNERS {
            let page = text(info.name);
            assert!(page.contains(info.meaning));
            for option in info.options.iter().copied().flatten() {
                assert!(page.contains(&format!("\n  {} = ", option.name)));
            }
        }
    }

    #[test]
    fn every_page_has_an_example_and_says_what_it_protects_against() {
        for topic in TOPICS {
            for part in [
                "An example",
                "Protects against: ",
                "Does not protect against: ",
            ] {
                assert!(topic.page.contains(part), "{} lacks {part}", topic.name);
            }
            let long = topic.page.lines().find(|line| line.chars().count() > 92);
            assert_eq!(long, None, "{} has a line too long to read", topic.name);
        }
    }

    #[test]
    fn no_word_leads_to_two_pages() {
        let topics = TOPICS
            .iter()
            .flat_map(|t| std::iter::once(&t.name).chain(t.words));
        let mut words: Vec<&str> = topics.copied().collect();
        words.extend(METHODS.iter().map(|method| method.name));
        words.extend(measure::LIST.iter().map(|measure| measure.name));
        words.sort_unstable();
        let n = words.len();
        words.dedup();
        assert_eq!(words.len(), n);
    }
}
