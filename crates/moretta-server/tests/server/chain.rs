//! The log of acts: every changed byte, cut and exchange is found, in the export and in the store.

use crate::support::Server;
use moretta_server::audit::{self, Entry, Head, verify, verify_export};
use moretta_server::http::{Given, Head as Asked, Request};
use moretta_server::id::Id;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// A server whose log has 60 entries and more.
fn server() -> Server {
    let server = Server::new();
    for number in 0..60_i64 {
        let entry = Entry {
            at: server.clock.now() + number,
            actor: (number % 3 > 0).then_some(number % 5),
            act: ["session.begin", "data.upload", "release.approve"][number as usize % 3],
            refused: number % 7 == 0,
            project: (number % 2 == 0).then(|| Id::from_bytes([number as u8; 16])),
            subject: None,
            facts: vec![("reason", format!("because of {number} \u{e4} \"\\ \n"))],
        };
        server
            .app
            .store
            .act(|act| act.log(&entry))
            .expect("entered");
    }
    server
}

fn head(server: &Server) -> Head {
    server.app.store.read(audit::head).expect("a head")
}

fn export(server: &Server) -> Vec<u8> {
    let auditor = server.auditor("auditor");
    let answered = server.see(&auditor, "/audit/export");
    assert_eq!(answered.status, 200);
    answered.body
}

fn holds(bytes: &[u8], seen: &Head) -> bool {
    let verified = verify_export(bytes, Some(seen)).expect("read");
    verified.fault.is_none()
}

#[test]
fn ten_thousand_changed_bytes_are_found() {
    let server = server();
    let bytes = export(&server);
    let head = head(&server);
    assert!(holds(&bytes, &head));
    let config = Config {
        cases: 10_000,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let strategy = (0..bytes.len(), 1..=255_u8);
    let ran = TestRunner::new_with_rng(config, rng).run(&strategy, |(place, change)| {
        let mut changed = bytes.clone();
        changed[place] ^= change;
        proptest::prop_assert!(!holds(&changed, &head), "byte {place} ^ {change}");
        Ok(())
    });
    ran.expect("each is found");
}

#[test]
fn cuts_exchanges_and_repeats_are_found() {
    let server = server();
    let bytes = export(&server);
    let head = head(&server);
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    for place in 0..lines.len() {
        let mut without = lines.clone();
        without.remove(place);
        assert!(!holds(&without.concat(), &head), "without {place}");
        let mut twice = lines.clone();
        twice.insert(place, lines[place]);
        assert!(!holds(&twice.concat(), &head), "{place} twice");
        assert!(!holds(&lines[..place].concat(), &head), "cut at {place}");
        for other in 0..place {
            let mut swapped = lines.clone();
            swapped.swap(place, other);
            assert!(!holds(&swapped.concat(), &head), "{place} for {other}");
        }
    }
    // Without a head that was seen, a cut end looks whole.
    let cut = lines[..lines.len() - 1].concat();
    assert_eq!(verify_export(&*cut, None).expect("read").fault, None);
}

#[test]
fn whatever_is_changed_in_the_store_is_found() {
    let server = server();
    let head = head(&server);
    let check = || {
        let verified = server.app.store.read(|sql| verify(sql, Some(&head)));
        verified.expect("read").fault
    };
    assert_eq!(check(), None);
    for (change, number) in [
        (
            "UPDATE audit SET entry = replace(entry, 'because', 'despite') WHERE number = 5",
            5,
        ),
        ("UPDATE audit SET actor = 4 WHERE number = 8", 8),
        ("UPDATE audit SET act = 'data.read' WHERE number = 9", 9),
        ("UPDATE audit SET at = at + 1 WHERE number = 10", 10),
        ("UPDATE audit SET project_id = NULL WHERE number = 11", 11),
        (
            "UPDATE audit SET hash = (SELECT hash FROM audit WHERE number = 13) WHERE number = 12",
            12,
        ),
        ("DELETE FROM audit WHERE number = 20", 20),
        ("DELETE FROM audit WHERE number >= 60", 60),
        ("DELETE FROM audit", 1),
    ] {
        let kept = server.app.store.read(|sql| {
            sql.query(
                "SELECT number, entry, hash, at, actor, act, project_id FROM audit",
                &[],
            )
        });
        let kept = kept.expect("read");
        let done = server.app.store.act(|act| act.execute(change, &[]));
        assert!(done.expect("changed") > 0, "{change}");
        assert_eq!(check().map(|fault| fault.number), Some(number), "{change}");
        let restored = server.app.store.act(|act| {
            act.execute("DELETE FROM audit", &[])?;
            for row in &kept {
                let cells = [
                    row.integer(0)?.into(),
                    row.text(1)?.into(),
                    row.bytes(2)?.into(),
                    row.integer(3)?.into(),
                    row.maybe_integer(4)?.into(),
                    row.text(5)?.into(),
                    row.maybe_text(6)?.into(),
                ];
                act.execute(
                    "INSERT INTO audit VALUES ($1, $2, $3, $4, $5, $6, $7)",
                    &cells,
                )?;
            }
            Ok(())
        });
        restored.expect("as it was");
        assert_eq!(check(), None);
    }
}

#[test]
fn the_interface_tells_of_a_cut_end_to_who_has_seen_a_later_head() {
    let server = server();
    let auditor = server.auditor("auditor");
    let seen = head(&server);
    let hash = moretta_server::secret::hex(&seen.hash);
    let path = format!("/audit/verification?number={}&hash={hash}", seen.number);
    let told = server.see(&auditor, &path).expect(200);
    assert_eq!(told["holds"], true);
    let cut = "DELETE FROM audit WHERE number = $1";
    let done = server
        .app
        .store
        .act(|act| act.execute(cut, &[seen.number.into()]));
    done.expect("cut");
    let told = server.see(&auditor, &path).expect(200);
    assert_eq!(
        (&told["holds"], &told["fault"]),
        (&false.into(), &seen.number.into())
    );
}

#[test]
fn officers_and_auditors_of_a_project_verify_and_export_its_log_and_no_other() {
    let ward = crate::ward::Ward::new();
    ward.upload("march.csv", b"age\n34\n", &[]);
    let elsewhere = Entry {
        at: ward.server.clock.now(),
        act: "data.version",
        project: Some(Id::random()),
        ..Entry::default()
    };
    let entered = ward.server.app.store.act(|act| act.log(&elsewhere));
    entered.expect("entered");
    let mut parts = String::new();
    for person in [&ward.officer, &ward.auditor] {
        let told = ward.see(person, "/audit/verification").expect(200);
        assert_eq!(told["holds"], true);
        let part = ward.see(person, "/audit/export");
        assert_eq!(part.status, 200);
        let part = String::from_utf8(part.body).expect("text");
        assert!(part.lines().count() > 3, "{part}");
        parts += &part;
    }
    let whole = String::from_utf8(export(&ward.server)).expect("text");
    for line in parts.lines() {
        assert!(line.contains(&ward.project.to_string()), "{line}");
        assert!(whole.lines().any(|other| other == line), "{line}");
    }
    for person in [&ward.steward, &ward.analyst] {
        ward.see(person, "/audit/export").refused(403, "forbidden");
        ward.see(person, "/audit/verification")
            .refused(403, "forbidden");
    }
}

#[test]
fn an_export_stops_when_the_right_to_it_ends() {
    let server = server();
    let auditor = server.auditor("auditor");
    let mut headers = http::HeaderMap::new();
    let cookie = http::HeaderValue::from_str(&auditor.cookie()).expect("a value");
    headers.insert("cookie", cookie);
    let peer = std::net::IpAddr::from([127, 0, 0, 1]);
    let mut head = Asked::new(http::Method::GET, "/audit/export", "", headers, peer);
    server
        .app
        .look(&mut head, Some("localhost"))
        .expect("a route");
    let body = Vec::new();
    let given = server.app.answer(Request { head, body });
    let Ok(Given::Download(download)) = given else {
        panic!("an export is a download");
    };
    assert!((download.still)());
    let dismiss = "UPDATE users SET auditor = 0";
    let done = server.app.store.act(|act| act.execute(dismiss, &[]));
    done.expect("no auditor any more");
    assert!(!(download.still)());
}
