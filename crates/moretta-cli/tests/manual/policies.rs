//! Every policy of the manual is one that the program reads.

use super::pages::{Page, manual, refresh, replace_block, root};
use moretta::policy::{FederationPolicy, Policy, Root, is_federation};
use std::fs;
use toml::{Table, Value};

#[test]
fn every_policy_is_read() {
    let mut policies = 0;
    for page in manual() {
        for block in page
            .blocks()
            .iter()
            .filter(|block| block.language == "toml")
        {
            let place = format!("{}: line {}", page.path, block.line);
            let whole = match block.mark("part") {
                Some(of) => completed(&block.text, of),
                None => block.text.clone(),
            };
            let beside = block
                .mark("part")
                .or(block.mark("like"))
                .unwrap_or("policy.toml");
            let folder = Root::of_policy(&root().join(beside), None).expect("a folder");
            let read = match is_federation(&whole) {
                true => FederationPolicy::parse(&whole, &folder).map(drop),
                false => Policy::parse(&whole, &folder).map(drop),
            };
            if let Err(error) = read {
                panic!("{place}: {error}");
            }
            policies += 1;
        }
    }
    assert!(policies >= 10, "only {policies} policies");
}

#[test]
fn the_policies_of_examples_are_shown_as_they_are() {
    for page in manual() {
        for (index, block) in page.blocks().iter().enumerate() {
            let Some(example) = block.mark("like") else {
                continue;
            };
            let policy = without_head(&Page::read(example).text);
            if block.text == policy {
                continue;
            }
            assert!(refresh(), "{} shows {example} otherwise", page.path);
            replace_block(&page.path, index, &policy);
        }
    }
}

/// The policy without the comment above its first key.
fn without_head(policy: &str) -> String {
    let lines = policy.lines().skip_while(|line| line.starts_with('#'));
    lines.map(|line| format!("{line}\n")).collect()
}

/// The policy `of`, changed by a part: keys of sections replace keys, lists replace lists.
fn completed(part: &str, of: &str) -> String {
    let policy = fs::read_to_string(root().join(of)).expect(of);
    let mut policy: Table = policy.parse().expect(of);
    let part: Table = part.parse().expect("TOML");
    for (name, value) in part {
        match (policy.get_mut(&name), value) {
            (Some(Value::Table(section)), Value::Table(keys)) => section.extend(keys),
            (_, value) => {
                policy.insert(name, value);
            }
        }
    }
    toml::to_string(&policy).expect("TOML")
}

#[test]
fn a_part_changes_what_it_names() {
    let of = "examples/hospital/policy.toml";
    let whole: Table = completed("[guarantee]\nk = 7", of).parse().expect("TOML");
    assert_eq!(whole["guarantee"]["k"], Value::Integer(7));
    assert!(whole["guarantee"].get("l").is_some());
    let wrong = completed("[guarantee]\nkk = 7", of);
    let folder = Root::of_policy(&root().join(of), None).expect("a folder");
    assert!(Policy::parse(&wrong, &folder).is_err());
}
