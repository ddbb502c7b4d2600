use super::*;
use crate::federate::{ScoreForm, ScoreTerms};

const SITE: &str = r#"
    version = 1
    [source]
    path = "lab.csv"
    [columns]
    visit = { role = "key" }
    lactate = { role = "quasi", range = [0, 10] }
    mobility = { role = "quasi", order = ["bed", "walks"] }
    [federation]
    name = "ward-7"
    role = "site"
    id = "lab"
    parties = { hub = "aggregator", desk = "labels", icu = "site", lab = "site", ward = "site" }
    classes = ["stable", "critical"]
    trouble = { factor = 4 }
    fragments = { share = ["lactate"] }
"#;

fn read(text: &str) -> Result<FederationPolicy> {
    FederationPolicy::parse(text, &Root::of_policy(Path::new("policy.toml"), None)?)
}

#[test]
fn a_site_is_numbered_by_its_id_and_protects_by_default() {
    let policy = read(SITE).expect("a policy");
    assert_eq!(policy.own().map(|own| own.number), Some(PartyId(1)));
    assert_eq!(policy.terms.sites, [0, 1, 2]);
    assert_eq!(policy.terms.coarse, Coarse::Bits8);
    let trouble = policy.terms.trouble.as_ref().expect("trouble nodes");
    assert_eq!(
        (trouble.fragments, trouble.group),
        (FragmentKind::Masked, 3)
    );
    assert_eq!(policy.consent.min_sources, 3);
    let shared: Vec<bool> = policy.features.iter().map(|f| f.range.is_some()).collect();
    assert_eq!(shared, [true, false]);
    assert_eq!(policy.features[1].column.values, 2);
    assert!(policy.warnings().is_empty());
}

#[test]
fn only_what_all_agree_on_changes_the_sum_of_terms() {
    let sum = |from: &str, to: &str| {
        let text = SITE.replacen(from, to, 1);
        assert_ne!(text, SITE, "{from}");
        read(&text).expect(to).terms.sum()
    };
    let own = read(SITE).expect("a policy").terms.sum();
    let id = "id = \"lab\"";
    assert_eq!(sum(id, "id = \"icu\""), own);
    assert_eq!(sum(id, "id = \"lab\"\nlearner = \"ht\""), own);
    assert_eq!(sum("share = ", "min_sources = 4, share = "), own);
    assert_ne!(sum("ward-7", "ward-8"), own);
    assert_ne!(sum("factor = 4", "factor = 5"), own);
    assert_ne!(sum(id, "id = \"lab\"\nbatch = 64"), own);
}

#[test]
fn the_state_is_beside_the_policy_and_record_keys_are_for_those_with_records() {
    let policy = read(SITE).expect("a policy");
    assert_eq!(policy.state, Path::new("lab.state"));
    assert_eq!(policy.checkpoint, 4096);
    let identity = r#"identity = { certificate = "file:k/a.pem", key = "file:k/a.key", authority = "file:k/ca.pem", records = "file:k/r" }"#;
    let site = SITE.replacen("id = \"lab\"", &format!("id = \"lab\"\n{identity}"), 1);
    let files = read(&site).expect("a policy").identity.expect("files");
    assert_eq!(files.records, Path::new("k/r"));
    let hub = site.replace(
        "role = \"site\"\n    id = \"lab\"",
        "role = \"aggregator\"\n    id = \"hub\"",
    );
    let refused = read(&hub).expect_err("refused").to_string();
    assert!(refused.contains("must not have the secret"), "{refused}");
}

#[test]
fn raw_columns_have_no_more_values_than_a_trouble_node_has_room_for() {
    let with = |values: usize, kind: &str| {
        let texts: Vec<String> = (0..values).map(|at| format!("\"v{at}\"")).collect();
        let order = format!("order = [{}]", texts.join(", "));
        let text = SITE.replacen("order = [\"bed\", \"walks\"]", &order, 1);
        read(&text.replacen("share = [\"lactate\"]", kind, 1))
    };
    let raw = "kind = \"raw\", allow = \"raw\"";
    // A third of 65,536, of which one is the number.
    assert!(with(21_844, raw).is_ok());
    let refused = with(21_845, raw).expect_err("refused");
    let told = refused.to_string();
    assert!(
        told.contains("have 21846 values") && told.contains("21845"),
        "{told}"
    );
    assert!(
        refused
            .help_text()
            .is_some_and(|help| help.contains("group categories"))
    );
    assert!(with(21_845, "share = [\"lactate\"]").is_ok());
}

#[test]
fn telling_settings_are_warned_of() {
    let check = |from: &str, to: &str, told: &str| {
        let text = SITE.replacen(from, to, 1);
        let warnings = read(&text).expect(told).warnings();
        assert!(
            warnings.iter().any(|w| w.contains(told)),
            "{told}: {warnings:?}"
        );
    };
    check(
        "mobility = { role = \"quasi\", order = [\"bed\", \"walks\"] }",
        "",
        "one column",
    );
    check(
        "mobility = { role = \"quasi\", order = [\"bed\", \"walks\"] }",
        "",
        "bits that say whether a record is forwarded",
    );
    check(
        "id = \"lab\"",
        "id = \"lab\"\nconfidence_bits = 64",
        "confidence_bits = 64",
    );
    check(
        "share = [\"lactate\"]",
        "kind = \"raw\"",
        "fragments are raw",
    );
    check("share = ", "min_sources = 4, share = ", "feeds none");
}

/// Exact confidences tell all that bits could, and without trouble nodes there are none.
#[test]
fn bits_are_warned_of_where_there_are_some_that_tell_more() {
    let warns = |changes: &[(&str, &str)]| {
        let one = "mobility = { role = \"quasi\", order = [\"bed\", \"walks\"] }";
        let text = SITE.replacen(one, "", 1);
        let change = |text: String, (from, to): &(&str, &str)| {
            assert!(text.contains(from), "{from}");
            text.replacen(from, to, 1)
        };
        let policy = read(&changes.iter().fold(text, change)).expect("a policy");
        let warnings = policy.warnings();
        assert!(warnings[0].contains("one column"), "{warnings:?}");
        warnings[0].contains("bits that say")
    };
    assert!(warns(&[]));
    let id = "id = \"lab\"";
    assert!(warns(&[(id, "id = \"lab\"\nconfidence_bits = 16")]));
    assert!(!warns(&[(id, "id = \"lab\"\nconfidence_bits = 64")]));
    assert!(!warns(&[("trouble = { factor = 4 }", "")]));
}

#[test]
fn t_of_two_sources_is_warned_of() {
    let mut policy = read(SITE).expect("a policy");
    let mut warns = |group: u8, score: Option<ScoreTerms>| {
        let trouble = policy.terms.trouble.as_mut().expect("trouble nodes");
        (trouble.group, trouble.score) = (group, score);
        let warnings = policy.warnings();
        warnings.iter().any(|warning| warning.contains("T - C²"))
    };
    let score = ScoreTerms {
        form: ScoreForm::Sum,
        every: 1,
        by_mean: false,
    };
    assert!(warns(2, Some(score)));
    assert!(!warns(3, Some(score)));
    assert!(!warns(2, None));
}

#[test]
fn what_does_not_fit_is_refused_at_its_place() {
    for (from, to, told) in [
        (
            "name = \"ward-7\"",
            "name = \"ward 7\"",
            "`name` is 1 to 64",
        ),
        ("id = \"lab\"", "id = \"labo\"", "not among `parties`"),
        (
            "role = \"site\"\n",
            "role = \"consumer\"\n",
            "says that `lab` is site",
        ),
        ("desk = \"labels\", ", "", "no label holder"),
        ("desk = \"labels\"", "desk = \"aggregator\"", "two parties"),
        ("ward = \"site\"", "ward = \"king\"", "king"),
        (
            "classes = [\"stable\", \"critical\"]",
            "classes = [\"stable\"]",
            "classes",
        ),
        ("factor = 4", "factor = 0", "`factor` must"),
        ("factor = 4", "factor = 4, group = 2", "three sources"),
        ("factor = 4", "factor = 4, phases = \"one\"", "two phases"),
        (
            "share = [\"lactate\"]",
            "share = [\"visit\"]",
            "does not learn from",
        ),
        ("share = [\"lactate\"]", "min_sources = 2", "hide nothing"),
        (
            "range = [0, 10]",
            "type = \"number\"",
            "what its values can be",
        ),
        (
            "order = [\"bed\", \"walks\"]",
            "type = \"category\"",
            "known beforehand",
        ),
        (
            "visit = { role = \"key\" }",
            "visit = { role = \"drop\" }",
            "no column has the role key",
        ),
        (
            "visit = { role = \"key\" }",
            "visit = { role = \"subject\" }",
            "makes no sense",
        ),
        (
            "mobility = { role = \"quasi\", order = [\"bed\", \"walks\"] }",
            "mobility = { role = \"class\" }",
            "makes no sense",
        ),
        (
            "id = \"lab\"",
            "id = \"lab\"\nconfidence_bits = 12",
            "8, 16 or 64",
        ),
        (
            "id = \"lab\"",
            "id = \"lab\"\naggregator = \"hub\"",
            "a host and a port",
        ),
        (
            "id = \"lab\"",
            "id = \"lab\"\nbatches = 64",
            "unknown key `batches`",
        ),
        (
            "[federation]",
            "[sink]\npath = \"a.csv\"\n[federation]",
            "gets no answers",
        ),
        (
            "[federation]",
            "[guarantee]\nk = 2\n[federation]",
            "makes no release",
        ),
        ("version = 1", "version = 2", "version 1"),
    ] {
        let text = SITE.replacen(from, to, 1);
        assert_ne!(text, SITE, "{from}");
        let error = read(&text).expect_err(told);
        assert!(error.to_string().contains(told), "{told}: {error}");
        assert_eq!(error.exit_code(), 3, "{told}");
    }
}

/// A `share` that raw fragments did not heed would give away what it leaves out.
#[test]
fn raw_fragments_hold_all_columns_and_say_so() {
    let with = |fragments: &str| {
        let text = SITE.replacen("{ share = [\"lactate\"] }", fragments, 1);
        assert_ne!(text, SITE);
        read(&text)
    };
    for fragments in [
        r#"{ kind = "raw", share = ["lactate"] }"#,
        r#"{ kind = "raw", share = ["lactate", "mobility"] }"#,
        r#"{ kind = "raw", share = [] }"#,
        r#"{ kind = "raw", allow = "projected", share = ["lactate"] }"#,
    ] {
        let error = with(fragments).expect_err(fragments);
        assert_eq!(error.exit_code(), 3, "{fragments}");
        let told = error.to_string();
        assert!(told.contains("raw fragments hold all columns"), "{told}");
        let help = error.help_text().unwrap_or_default();
        assert!(help.contains("drop columns that must not leave"), "{help}");
    }
    with(r#"{ kind = "raw" }"#).expect("all columns are given");
    // Who shares a part of its columns in projections consents to no raw ones.
    for kind in ["masked", "projected"] {
        let policy = with(&format!(r#"{{ kind = "{kind}", share = ["lactate"] }}"#));
        let policy = policy.expect(kind);
        assert!(policy.consent.allows < FragmentKind::Raw, "{kind}");
        let shared = policy
            .features
            .iter()
            .map(|feature| feature.range.is_some());
        assert_eq!(shared.collect::<Vec<_>>(), [true, false], "{kind}");
    }
    let both = r#"{ kind = "projected", allow = "raw", share = ["lactate"] }"#;
    let policy = with(both).expect("terms are projected");
    let kind = policy
        .terms
        .trouble
        .as_ref()
        .map(|trouble| trouble.fragments);
    assert_eq!(kind, Some(FragmentKind::Projected));
}

#[test]
fn no_more_colluders_are_tolerated_than_leave_two_sources() {
    let check = |group: u16, colluders: u16, fits: bool| {
        let text = SITE
            .replacen("factor = 4", &format!("factor = 4, group = {group}"), 1)
            .replacen("share = ", &format!("colluders = {colluders}, share = "), 1);
        match read(&text) {
            Ok(policy) => {
                assert!(fits, "{colluders} of {group}");
                let trouble = policy.terms.trouble.expect("trouble nodes");
                assert_eq!(trouble.colluders, colluders);
            }
            Err(error) => {
                assert!(!fits && error.exit_code() == 3, "{error}");
                let told = format!("{colluders} colluders of {group} sources cannot be tolerated");
                assert!(error.to_string().contains(&told), "{error}");
                let help = error.help_text().unwrap_or_default();
                assert!(help.contains("let `colluders` be smaller"), "{help}");
            }
        }
    };
    check(3, 0, true);
    check(3, 1, true);
    check(3, 2, false);
    check(3, 3, false);
    check(4, 2, true);
    check(4, 3, false);
    check(4, 1023, false);
}

#[test]
fn text_that_is_no_toml_may_be_a_policy_of_a_federation() {
    let check = |text: &str, is: bool, may: bool| {
        assert_eq!((is_federation(text), may_be_federation(text)), (is, may));
    };
    check("version = 1\n[federation]\n", true, true);
    check("version = 1\n[sink]\n", false, false);
    check("version = 1\n[federation\n", false, true);
    // A date is TOML, though no policy has one.
    check("[federation]\nname = 2026-01-01\n", true, true);
    check("day = 2026-01-01\n", false, false);
}

#[test]
fn sizes_and_common_columns_are_read() {
    let check = |keys: &str, size: u32, common: Option<&str>| {
        let text = SITE.replacen("range = [0, 10]", &format!("range = [0, 10]{keys}"), 1);
        let policy = read(&text).expect(keys);
        let feature = &policy.features[0];
        assert_eq!(feature.column.size, size, "{keys}");
        assert_eq!(feature.common.as_deref(), common, "{keys}");
        assert_eq!(policy.features[1].column.size, 1, "{keys}");
        // Sites say them in a hello; they are no terms.
        assert_eq!(policy.terms, read(SITE).expect("a policy").terms);
    };
    check("", 1, None);
    check(", size = 2", 2, None);
    check(
        ", common = \"lactate in blood\"",
        1,
        Some("lactate in blood"),
    );
    check(", size = 1048576, common = \"l\"", 1 << 20, Some("l"));
}

#[test]
fn sizes_and_common_columns_that_make_no_sense_are_refused() {
    let check = |from: &str, to: &str, told: &str| {
        let text = SITE.replacen(from, to, 1);
        assert_ne!(text, SITE, "{from}");
        let error = read(&text).expect_err(told);
        assert!(error.to_string().contains(told), "{told}: {error}");
        assert!(error.help_text().is_some(), "{told}");
        assert_eq!(error.exit_code(), 3, "{told}");
    };
    let range = "range = [0, 10]";
    let with = |keys: &str| format!("range = [0, 10], {keys}");
    check(range, &with("size = 0"), "`size` must");
    check(range, &with("size = -2"), "`size` must");
    check(range, &with("size = 1048577"), "`size` must");
    check(range, &with("size = 1.5"), "`size` must");
    check(range, &with("common = \" \""), "`common` is a text");
    check(range, &with("common = 3"), "`common`");
    let key = "role = \"key\"";
    check(key, "role = \"key\", size = 8", "`size` of `visit`");
    check(key, "role = \"key\", common = \"v\"", "`common` of `visit`");
    let twice = "range = [0, 10], common = \"l\" }\n    spo2 = { role = \"quasi\", common = \"l\"";
    check(
        range,
        twice,
        "`lactate` and `spo2` are both the common column `l`",
    );
}

#[test]
fn releases_have_no_columns_of_sites() {
    let release = |keys: &str| {
        format!(
            "version = 1\n[source]\npath = \"a.csv\"\n[sink]\npath = \"b.csv\"\n[columns]\nage = {{ role = \"quasi\"{keys} }}\n[guarantee]\nk = 2\n[[protect]]\nmethod = \"mondrian\"\n"
        )
    };
    let root = Root::of_policy(Path::new("policy.toml"), None).expect("a folder");
    let read = |keys: &str| super::super::Policy::parse(&release(keys), &root);
    read("").expect("a release");
    for (keys, told) in [
        (", size = 2", "`size` is for"),
        (", common = \"a\"", "`common` is for"),
    ] {
        let error = read(keys).expect_err(told);
        assert!(error.to_string().contains(told), "{error}");
        assert_eq!(error.exit_code(), 3);
    }
}

#[test]
fn a_release_has_no_federation() {
    let root = Root::of_policy(Path::new("policy.toml"), None).expect("a folder");
    let error = super::super::Policy::parse(SITE, &root).expect_err("refused");
    assert!(error.to_string().contains("makes no release"), "{error}");
    assert!(is_federation(SITE) && !is_federation("version = 1"));
}

/// A key with a letter twice.
fn misspelt(key: &str) -> String {
    let (first, rest) = key.split_at(key.len() - 1);
    format!("{first}{rest}{rest}")
}

#[test]
fn every_misspelt_key_is_told_with_the_right_one() {
    let mut tried = 0;
    let mut check = |text: &str, key: &str| {
        let wrong = misspelt(key);
        let error = read(text).expect_err(key);
        assert!(
            error
                .to_string()
                .contains(&format!("unknown key `{wrong}`")),
            "{error}"
        );
        let help = error.help_text().unwrap_or_default();
        assert!(help.contains(&format!("`{key}`")), "{key}: {help}");
        tried += 1;
    };
    let with = |line: &str| SITE.replacen("id = \"lab\"", &format!("id = \"lab\"\n{line}"), 1);
    for parameter in keys::KEYS {
        check(
            &with(&format!("{} = 1", misspelt(parameter.name))),
            parameter.name,
        );
        let (table, empty) = (parameter.name, format!("{} = {{", parameter.name));
        for inner in parameter.inner() {
            let wrong = format!("{} = 1", misspelt(inner.name));
            let text = match SITE.contains(&empty) {
                // It is there already with the keys that it needs.
                _ if table == "identity" => with(&format!(
                    "identity = {{ certificate = \"file:a\", key = \"file:b\", authority = \"file:c\", {wrong} }}"
                )),
                true => SITE.replacen(&empty, &format!("{empty} {wrong},"), 1),
                false => with(&format!("{table} = {{ {wrong} }}")),
            };
            check(&text, inner.name);
        }
    }
    assert_eq!(tried, 59);
}

#[test]
fn a_key_that_must_be_given_and_is_misspelt_is_named_before_the_one_that_is_missing() {
    let identity =
        "identity = { certificate = \"file:a\", key = \"file:b\", authority = \"file:c\" }";
    let whole = SITE.replacen("id = \"lab\"", &format!("id = \"lab\"\n{identity}"), 1);
    read(&whole).expect("a policy");
    for (key, wrong) in [
        ("version = 1", "versoin"),
        ("path = ", "pth"),
        ("role = \"key\"", "rol"),
        ("name = ", "nam"),
        ("role = \"site\"", "rle"),
        ("id = \"lab\"", "idd"),
        ("parties = ", "partys"),
        ("classes = ", "clases"),
        ("certificate = ", "certifcate"),
        ("key = ", "kye"),
        ("authority = ", "autority"),
    ] {
        let (right, value) = key.split_once(" = ").expect("a key");
        let text = whole.replacen(key, &format!("{wrong} = {value}"), 1);
        assert_ne!(text, whole, "{key}");
        let error = read(&text).expect_err(wrong);
        assert!(
            error
                .to_string()
                .contains(&format!("unknown key `{wrong}`")),
            "{error}"
        );
        let suggested = format!("did you mean `{right}`?");
        assert_eq!(error.help_text(), Some(&*suggested));
        let Error::Policy(error) = error else {
            panic!("{wrong}: another error");
        };
        let place = error.span.expect("a place").start;
        assert!(text[place..].starts_with(wrong), "{wrong}");
    }
}
