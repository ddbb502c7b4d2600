//! Zones: what is recorded opens in its zone, what is deleted opens nowhere, and nothing is left.

use crate::support::Server;
use crate::ward::{files, holds};
use moretta_server::id::Id;
use moretta_server::problem::Problem;
use moretta_server::seal::Written;
use moretta_server::zone::{
    Object, RawZone, ReleaseZone, StagingZone, VaultZone, Zone, ZoneKind, check_quota, sweep,
};
use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::time::Duration;

const TEXT: &[u8] = b"name,ward\ncanary-7f3a,7\n";

fn project() -> Id {
    Id::from_bytes([7; 16])
}

fn write<Z: ZoneKind>(zone: &Zone<Z>) -> (Object, Written) {
    let (object, mut writer) = zone.create().expect("begun");
    writer.write_all(TEXT).expect("written");
    (object, writer.finish().expect("finished"))
}

fn put<Z: ZoneKind>(server: &Server, zone: &Zone<Z>) -> Id {
    let (object, written) = write(zone);
    let store = &server.app.store;
    store
        .act(|act| zone.record(act, &object, &written, (project(), None), 1))
        .expect("recorded");
    object.id
}

fn read<Z: ZoneKind>(server: &Server, zone: &Zone<Z>, id: Id) -> Result<Vec<u8>, Problem> {
    let mut reader = server.app.store.read(|sql| zone.open(sql, id))?;
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).expect("read");
    Ok(bytes)
}

#[test]
fn an_object_opens_in_its_own_zone() {
    let server = Server::new();
    let raw = RawZone::of(&server.app).expect("a zone");
    let staging = StagingZone::of(&server.app).expect("a zone");
    let vault = VaultZone::of(&server.app).expect("a zone");
    let id = put(&server, &raw);
    assert_eq!(read(&server, &raw, id).expect("opened"), TEXT);
    for status in [
        read(&server, &staging, id)
            .expect_err("another zone")
            .status,
        read(&server, &vault, id).expect_err("another zone").status,
        read(&server, &raw, Id::random()).expect_err("none").status,
    ] {
        assert_eq!(status, 404);
    }
}

#[test]
fn an_object_that_was_not_recorded_does_not_exist() {
    let server = Server::new();
    let raw = RawZone::of(&server.app).expect("a zone");
    let (object, written) = write(&raw);
    let refused: Result<(), Problem> = server.app.store.act(|act| {
        raw.record(act, &object, &written, (project(), None), 1)?;
        Err(Problem::unavailable("no"))
    });
    assert!(refused.is_err());
    assert_eq!(
        read(&server, &raw, object.id).expect_err("none").status,
        404
    );
    assert_eq!(
        sweep(&server.app, Duration::from_secs(3600)).expect("swept"),
        0
    );
    assert_eq!(sweep(&server.app, Duration::ZERO).expect("swept"), 1);
    assert!(files(raw.folder()).is_empty());
}

#[test]
fn the_sweep_leaves_what_is_recorded() {
    let server = Server::new();
    let raw = RawZone::of(&server.app).expect("a zone");
    let id = put(&server, &raw);
    fs::write(raw.folder().join("notes.txt"), "not ours").expect("written");
    assert_eq!(sweep(&server.app, Duration::ZERO).expect("swept"), 0);
    assert_eq!(read(&server, &raw, id).expect("opened"), TEXT);
}

#[test]
fn a_deleted_object_opens_from_no_copy_with_the_store_and_the_keys() {
    let server = Server::new();
    let raw = RawZone::of(&server.app).expect("a zone");
    let id = put(&server, &raw);
    let copy = fs::read(raw.path(id)).expect("a file");
    let placed = server.app.store.read(|sql| raw.place(sql, id));
    let wrapped = server.app.store.read(|sql| {
        let row = sql.row("SELECT wrapped_key FROM objects", &[])?;
        Ok(row.expect("a row").bytes(0)?.to_vec())
    });
    let (placed, wrapped) = (placed.expect("placed"), wrapped.expect("a key"));
    assert!(placed.open().is_ok());
    let leftover = server.app.store.act(|act| raw.delete(act, id));
    leftover.expect("deleted").remove(&server.app.store);
    assert!(!placed.path.exists());
    fs::write(&placed.path, copy).expect("put back");
    assert_eq!(read(&server, &raw, id).expect_err("gone").status, 404);
    if server.postgres.is_none() {
        assert!(!holds(server.folder.path(), &wrapped));
    }
    let again = server.app.store.act(|act| raw.delete(act, id));
    assert_eq!(again.expect_err("gone").status, 404);
}

#[test]
fn publishing_moves_an_object_in_one_transaction() {
    let server = Server::new();
    let staging = StagingZone::of(&server.app).expect("a zone");
    let release = ReleaseZone::of(&server.app).expect("a zone");
    let id = put(&server, &staging);
    let undone: Result<(), Problem> = server.app.store.act(|act| {
        let _ = staging.publish(act, id, &release)?;
        Err(Problem::unavailable("no"))
    });
    assert!(undone.is_err());
    assert_eq!(read(&server, &staging, id).expect("still there"), TEXT);
    assert_eq!(
        read(&server, &release, id).expect_err("not yet").status,
        404
    );
    let leftover = server
        .app
        .store
        .act(|act| staging.publish(act, id, &release));
    let leftover = leftover.expect("published");
    assert_eq!(read(&server, &release, id).expect("published"), TEXT);
    assert_eq!(read(&server, &staging, id).expect_err("moved").status, 404);
    leftover.remove(&server.app.store);
    assert!(files(staging.folder()).is_empty());
    assert_eq!(read(&server, &release, id).expect("published"), TEXT);
}

#[test]
fn a_full_disk_refuses_what_is_new_and_lets_delete() {
    let server = Server::new();
    let raw = RawZone::of(&server.app).expect("a zone");
    let id = put(&server, &raw);
    let mut settings = server.app.settings.clone();
    settings.limits.reserve_bytes = u64::MAX / 2;
    let store = server.app.store.clone();
    let full = moretta_server::app::App::new(store, server.clock.clone(), settings);
    let raw = RawZone::of(&full).expect("a zone");
    let problem = raw.create().expect_err("full");
    assert_eq!((problem.status, problem.code), (507, "disk-full"));
    let leftover = full.store.act(|act| raw.delete(act, id));
    leftover.expect("deleted").remove(&full.store);
    assert!(files(raw.folder()).is_empty());
}

#[test]
fn the_quota_counts_objects_of_all_zones() {
    let server = Server::new();
    put(&server, &RawZone::of(&server.app).expect("a zone"));
    put(&server, &ReleaseZone::of(&server.app).expect("a zone"));
    let kept = 2 * TEXT.len() as u64;
    let check = |project, more| {
        let store = &server.app.store;
        store.read(|sql| check_quota(sql, project, more, kept + 1))
    };
    assert!(check(project(), 1).is_ok());
    assert_eq!(
        check(project(), 2).expect_err("too much").code,
        "project-full"
    );
    assert!(check(Id::random(), 2).is_ok());
}

#[test]
fn nothing_lies_on_disk_in_plain() {
    let server = Server::new();
    put(&server, &RawZone::of(&server.app).expect("a zone"));
    put(&server, &VaultZone::of(&server.app).expect("a zone"));
    assert!(!holds(server.folder.path(), b"canary"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let raw = RawZone::of(&server.app).expect("a zone");
        let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
        assert_eq!(mode(raw.folder()), 0o700);
        assert!(files(raw.folder()).iter().all(|file| mode(file) == 0o600));
    }
}

/// Files of the server that may name the raw zone, and the vault.
const MAY_NAME_RAW: &[&str] = &[
    "zone/mod.rs",
    "zone/kind.rs",
    "zone/sweep.rs",
    "data/ingest/",
    "data/raw_view/",
    "data/vault/",
    "data/deletion",
    "job/task",
    "stream/segment",
];

#[test]
fn only_ingest_raw_view_and_dispatcher_name_the_raw_zone() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut naming = Vec::new();
    for path in files(&sources) {
        let text = fs::read_to_string(&path).expect("a source");
        let named = path
            .strip_prefix(&sources)
            .expect("in it")
            .to_string_lossy();
        let names = [
            "RawZone",
            "VaultZone",
            "Zone<Raw",
            "Zone<Vault",
            "Zone::<Raw",
            "Zone::<Vault",
            "zone::*",
        ];
        if names.iter().any(|name| text.contains(name))
            && !MAY_NAME_RAW.iter().any(|may| named.starts_with(may))
        {
            naming.push(named.into_owned());
        }
    }
    assert!(naming.is_empty(), "{naming:?}");
}
