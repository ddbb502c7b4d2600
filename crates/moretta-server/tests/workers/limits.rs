//! What a worker cannot do.

use crate::office::Office;
use moretta_server::db::Value as Cell;
use moretta_server::id::Id;
use moretta_server::job::{Spec, State};
use moretta_server::seal::SealedWriter;
use serde_json::json;
use std::io::Write;
use std::net::{TcpListener, UdpSocket};

/// All of them.
pub const TESTS: &[(&str, fn())] = &[(
    "a_worker_opens_its_own_files_only_and_reaches_no_network",
    limits,
)];

fn limits() {
    let office = Office::new();
    let data = upload(&office);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let other = office.path("other");
    std::fs::write(&other, "another file").expect("a file");
    let options = json!({
        "do": "limits",
        "other": other,
        "folder": office.path(""),
        "tcp": listener.local_addr().expect("an address").to_string(),
        "udp": socket.local_addr().expect("an address").to_string(),
    });
    let _dispatcher = office.open();
    let job = office.ended(office.ask_for(Spec {
        data: Some(data),
        options,
        ..Spec::default()
    }));
    assert_eq!(job.state, State::Done, "{:?}", job.problem);
    let told = job.result.expect("a result");
    assert_eq!(told["own"], true, "its own input: {told}");
    assert_eq!(told["removed"], true, "its own folder: {told}");
    assert_eq!(told["variables"], 0);
    if told["files"] == "KernelHasNone" {
        println!("note: this kernel has no Landlock: files are not limited");
    } else {
        for open in ["other", "listed", "written", "changed", "run"] {
            assert_eq!(told[open], false, "{open}: {told}");
        }
    }
    if told["network"] == "KernelHasNone" {
        println!("note: this kernel limits no network of a worker");
    } else {
        assert_eq!(told["tcp"], false, "{told}");
    }
    if told["network"] == "Whole" {
        assert_eq!(told["udp"], false, "{told}");
    }
}

/// A version of data, sealed.
fn upload(office: &Office) -> Id {
    let zone = moretta_server::zone::RawZone::of(&office.server.app).expect("a zone");
    let (object, mut writer): (_, SealedWriter) = zone.create().expect("an object");
    writer.write_all(b"age\n34\n").expect("a file");
    let written = writer.finish().expect("a file");
    let (dataset, version) = (Id::random(), Id::random());
    let recorded = office.server.app.store.act(|act| {
        zone.record(act, &object, &written, (office.project, None), 0)?;
        act.execute(
            "INSERT INTO datasets (id, project_id, name, identifiers, made_at, made_by) VALUES ($1, $2, 'march', '[]', 0, 'x')",
            &[Cell::from(dataset), Cell::from(office.project)],
        )?;
        act.execute(
            "INSERT INTO data_versions (id, dataset_id, number, file_name, place, object_id, bytes, sha256, \
             uploaded_by, uploaded_at) VALUES ($1, $2, 1, 'march.csv', 'data.csv', $3, $4, $5, $6, 0)",
            &[
                Cell::from(version),
                Cell::from(dataset),
                Cell::from(object.id),
                Cell::from(written.bytes as i64),
                Cell::from(&written.sha256[..]),
                Cell::from(Id::random()),
            ],
        )
    });
    recorded.expect("an upload");
    version
}
