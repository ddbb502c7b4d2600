//! The ledger of a data set: charged before a job, once, and never given back.

use super::hospital::{Hospital, Run};
use moretta_server::db::Value as Cell;
use moretta_server::id::Id;
use moretta_server::release::ledger::{charge, charges, spent};
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};

#[test]
fn a_thousand_parallel_charges_spend_exactly_the_budget() {
    let hospital = Hospital::new();
    let (store, at) = (&hospital.app().store, hospital.server.clock.now());
    let (done, refused) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|| {
                for _ in 0..50 {
                    let of = (hospital.dataset, Id::random(), None);
                    let charged = store.act(|act| charge(&mut **act, of, 0.1, Some(30.0), at));
                    match charged {
                        Ok(true) => done.fetch_add(1, Ordering::Relaxed),
                        Ok(false) => panic!("a new job was not charged"),
                        Err(problem) => {
                            assert_eq!((problem.status, problem.code), (409, "budget"));
                            refused.fetch_add(1, Ordering::Relaxed)
                        }
                    };
                }
            });
        }
    });
    assert_eq!(done.into_inner(), 300);
    assert_eq!(refused.into_inner(), 700);
    let spent = store.read(|sql| spent(sql, hospital.dataset, at));
    assert_eq!(spent, Ok(30_000_000_000));
    let (charges, _, holds) = store
        .read(|sql| charges(sql, hospital.dataset))
        .expect("read");
    assert!(holds && charges.len() == 300);
}

#[test]
fn a_job_is_charged_once_and_a_year_later_there_is_a_budget_again() {
    let hospital = Hospital::new();
    let (store, at) = (&hospital.app().store, hospital.server.clock.now());
    let job = Id::random();
    let of = (hospital.dataset, job, None);
    let one = |of, at| store.act(|act| charge(&mut **act, of, 0.75, Some(1.0), at));
    assert_eq!(one(of, at), Ok(true));
    assert_eq!(one(of, at), Ok(false));
    let next = (hospital.dataset, Id::random(), None);
    let day = 24 * 60 * 60 * 1000;
    assert_eq!(one(next, at + 364 * day).expect_err("spent").code, "budget");
    assert_eq!(one(next, at + 365 * day), Ok(true));
}

#[test]
fn a_changed_charge_is_found() {
    let hospital = Hospital::new();
    let store = &hospital.app().store;
    for _ in 0..5 {
        let of = (hospital.dataset, Id::random(), None);
        store
            .act(|act| charge(&mut **act, of, 0.5, None, 1))
            .expect("charged");
    }
    let holds = || {
        store
            .read(|sql| charges(sql, hospital.dataset))
            .expect("read")
            .2
    };
    assert!(holds());
    for change in [
        "UPDATE charges SET epsilon_nano = 1 WHERE number = 2",
        "UPDATE charges SET epsilon_nano = 500000000, at = 2 WHERE number = 2",
        "UPDATE charges SET at = 1 WHERE number = 2",
        "DELETE FROM charges WHERE number = 3",
    ] {
        hospital.change(change, &[]);
        assert_eq!(holds(), change.contains("at = 1 "), "{change}");
    }
}

#[test]
fn what_was_held_against_an_older_ledger_is_not_approved() {
    let hospital = Hospital::new();
    let first = hospital.ask();
    hospital.run(&Run::default());
    let second = hospital.ask();
    hospital.run(&Run::default());
    hospital.approve(first).expect(200);
    let review = hospital
        .see(&hospital.officer, &format!("/requests/{second}"))
        .expect(200);
    assert_eq!(review["together"]["overtaken"], true);
    hospital.approve(second).refused(409, "overtaken");
    let path = format!("/requests/{second}/refusal");
    hospital
        .send(&hospital.officer, &path, &json!({ "reason": "overtaken" }))
        .expect(200);
    // Asked for again, it is held against the first, whose ledger the job is given.
    let third = hospital.ask();
    let job = hospital.claim();
    assert!(job.spec.options["ledger"].is_string());
    let outcome = hospital.made(&job, &Run::default());
    hospital.end(&job, &outcome).expect("ended");
    hospital.approve(third).expect(200);
    let cells: [Cell; 1] = [hospital.dataset.into()];
    assert_eq!(
        hospital.number("SELECT version FROM ledgers WHERE dataset_id = $1", &cells),
        2
    );
}

#[test]
fn the_ledger_is_read_by_officers_and_auditors() {
    let hospital = Hospital::new();
    let release = hospital.published();
    let path = format!("/datasets/{}/ledger", hospital.dataset);
    let ledger = hospital.see(&hospital.officer, &path).expect(200);
    assert_eq!(ledger["holds"], true);
    assert_eq!(ledger["classes"], 1);
    assert_eq!(ledger["charges"][0]["release"], json!(release));
    assert_eq!(ledger["releases"][0]["id"], json!(release));
    hospital
        .see(&hospital.steward, &path)
        .refused(403, "forbidden");
    hospital
        .see(&hospital.near, &path)
        .refused(403, "forbidden");
    let other = format!("/datasets/{}/ledger", hospital.data);
    hospital
        .see(&hospital.officer, &other)
        .refused(404, "not-found");
}
