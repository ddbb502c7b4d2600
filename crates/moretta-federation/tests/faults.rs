//! Networks that delay, cut and fall silent: links come back, and parties that acknowledge lose
//! nothing. What passes on the wire is not readable.

mod support;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use moretta_data::Result;
use moretta_federation::{Event, Limits, Network, Outbox, PartyId, Time, header};
use support::forwarder::{Faults, Forwarder};
use support::{Federation, HUB, Running, close, echo, frame, quick, wait_until};

const SITE: PartyId = PartyId(1);

/// A site that has at most 16 frames without answer, and after each link sends those again.
fn acknowledged(
    frames: u64,
    links: Arc<AtomicU64>,
) -> impl FnMut(Event<'_>, Time, &mut Outbox) -> Result<()> + Send + 'static {
    let (mut answered, mut sent) = (0, 0);
    move |event, _, out| {
        match event {
            Event::Linked(_) => {
                links.fetch_add(1, Ordering::SeqCst);
                sent = answered;
            }
            Event::Frame { bytes, .. } if header::batch(bytes) == Some(answered) => answered += 1,
            Event::Frame { .. } | Event::Timer | Event::Rows(_) | Event::RowsEnded => {}
        }
        while links.load(Ordering::SeqCst) > 0 && sent < frames.min(answered + 16) {
            out.frames.push((HUB, frame(SITE, sent, &[9; 700])));
            sent += 1;
        }
        out.finished = answered == frames;
        Ok(())
    }
}

struct Hub {
    network: Network,
    running: Running,
    seen: Arc<Mutex<Vec<Vec<u64>>>>,
}

fn hub(federation: &Federation, limits: Limits) -> (Hub, std::net::SocketAddr) {
    let mut network = Network::start(1).expect("threads");
    let driver = federation.driver(HUB, limits);
    let address = network.listen(&driver, &federation.credential(HUB), "127.0.0.1:0");
    let seen = Arc::default();
    let running = Running::start(driver, echo(Arc::clone(&seen)));
    let hub = Hub {
        network,
        running,
        seen,
    };
    (hub, address.expect("a port"))
}

impl Hub {
    /// The batches that came, each for the first time.
    fn end(self) -> Vec<u64> {
        self.running.stop().expect("an orderly end");
        close(self.network);
        let seen = self.seen.lock().expect("no panic");
        let mut first: Vec<u64> = Vec::new();
        for batch in seen.get(1).into_iter().flatten() {
            if !first.contains(batch) {
                first.push(*batch);
            }
        }
        first
    }
}

#[test]
fn connections_that_are_cut_anywhere_lose_nothing_that_is_acknowledged() {
    let federation = Federation::new(1);
    for seed in 1..=6 {
        let (hub, address) = hub(&federation, quick());
        let faults = Faults {
            seed,
            delay: seed % 3,
            cut_after: 40_000,
            cuts: 12,
        };
        let forwarder = Forwarder::start(address, faults);
        let mut network = Network::start(1).expect("threads");
        let driver = federation.driver(SITE, quick());
        let through = forwarder.address.to_string();
        network
            .dial(&driver, &federation.credential(SITE), &through, HUB)
            .expect("dials");
        let links = Arc::new(AtomicU64::new(0));
        let site = Running::start(driver, acknowledged(400, links.clone()));
        site.finish().expect("an orderly end");
        close(network);
        assert_eq!(hub.end(), (0..400).collect::<Vec<u64>>(), "seed {seed}");
        assert!(forwarder.connections() > 1, "seed {seed} cuts nothing");
        assert!(links.load(Ordering::SeqCst) <= forwarder.connections());
    }
}

#[test]
fn a_connection_that_falls_silent_is_found_dead_by_both_sides() {
    let federation = Federation::new(1);
    let (hub, address) = hub(&federation, quick());
    let forwarder = Forwarder::start(address, Faults::default());
    let mut network = Network::start(1).expect("threads");
    let driver = federation.driver(SITE, quick());
    let through = forwarder.address.to_string();
    network
        .dial(&driver, &federation.credential(SITE), &through, HUB)
        .expect("dials");
    let links = Arc::new(AtomicU64::new(0));
    let count = links.clone();
    let site = Running::start(driver, move |event, _, out| {
        if let Event::Linked(_) = event {
            let batch = count.fetch_add(1, Ordering::SeqCst);
            out.frames.push((HUB, frame(SITE, batch, b"")));
        }
        Ok(())
    });
    let came = || {
        hub.seen
            .lock()
            .expect("no panic")
            .get(1)
            .map_or(0, Vec::len)
    };
    wait_until("a frame", || came() == 1);
    forwarder.silence_open();
    wait_until("a frame of a second link", || came() >= 2);
    assert!(links.load(Ordering::SeqCst) >= 2);
    site.stop().expect("an orderly end");
    close(network);
    hub.end();
}

#[test]
fn a_site_waits_for_a_listener_that_is_not_there_yet() {
    let federation = Federation::new(1);
    let reserved = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = reserved.local_addr().expect("an address").to_string();
    drop(reserved);
    let mut network = Network::start(1).expect("threads");
    let driver = federation.driver(SITE, quick());
    network
        .dial(&driver, &federation.credential(SITE), &address, HUB)
        .expect("dials");
    let site = Running::start(driver, acknowledged(3, Arc::default()));
    std::thread::sleep(std::time::Duration::from_millis(300));
    let mut hub_network = Network::start(1).expect("threads");
    let driver = federation.driver(HUB, quick());
    let bound = hub_network.listen(&driver, &federation.credential(HUB), &address);
    bound.expect("the port is free again");
    let hub = Running::start(driver, echo(Arc::default()));
    site.finish().expect("an orderly end");
    close(network);
    hub.stop().expect("an orderly end");
    close(hub_network);
}

/// The forwarder's record is complete, for the bytes of a frame are found in a plain connection.
#[test]
fn nothing_of_a_frame_or_a_name_is_readable_on_the_wire() {
    let federation = Federation::new(1);
    let (hub, address) = hub(&federation, quick());
    let forwarder = Forwarder::start(address, Faults::default());
    let mut network = Network::start(1).expect("threads");
    let driver = federation.driver(SITE, quick());
    let through = forwarder.address.to_string();
    network
        .dial(&driver, &federation.credential(SITE), &through, HUB)
        .expect("dials");
    let canary = |batch: u64| {
        let mix = move |i: u64| (batch * 1000 + i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (0..100).map(mix).flat_map(u64::to_le_bytes)
    };
    let mut answers = 0;
    let site = Running::start(driver, move |event, _, out| {
        match event {
            Event::Linked(_) => {
                let body = |batch| canary(batch).collect::<Vec<u8>>();
                let all = (0..50).map(|batch| (HUB, frame(SITE, batch, &body(batch))));
                out.frames.extend(all);
            }
            Event::Frame { .. } => {
                answers += 1;
                out.finished = answers == 50;
            }
            Event::Timer | Event::Rows(_) | Event::RowsEnded => {}
        }
        Ok(())
    });
    site.finish().expect("an orderly end");
    close(network);
    assert_eq!(hub.end().len(), 50);
    let wire = forwarder.wire();
    assert!(wire.len() > 2 * 50 * 800, "{} bytes", wire.len());
    let holds = |needle: &[u8]| wire.windows(needle.len()).any(|window| window == needle);
    let canaries: Vec<[u8; 8]> = (0..50)
        .flat_map(|batch| {
            let body: Vec<u8> = canary(batch).collect();
            body.as_chunks::<8>().0.to_vec()
        })
        .collect();
    let windows: std::collections::HashSet<&[u8]> = wire.windows(8).collect();
    let found = canaries.iter().filter(|cell| windows.contains(&cell[..]));
    assert_eq!(found.count(), 0);
    assert!(!holds(&frame(SITE, 0, b"")[..12]));
    for name in ["site-1", "ward-7", "moretta://", "moretta.federation"] {
        assert!(!holds(name.as_bytes()), "{name} is readable");
    }
}

/// What the search above would find if frames were sent as they are.
#[test]
fn the_forwarder_records_what_passes() {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let forwarder = Forwarder::start(listener.local_addr().expect("a port"), Faults::default());
    let plain = frame(SITE, 7, b"in the clear");
    let mut near = std::net::TcpStream::connect(forwarder.address).expect("a connection");
    let (mut far, _) = listener.accept().expect("a connection");
    near.write_all(&plain).expect("sent");
    let mut came = vec![0; plain.len()];
    far.read_exact(&mut came).expect("received");
    assert_eq!(came, plain);
    assert!(
        forwarder
            .wire()
            .windows(plain.len())
            .any(|window| window == plain)
    );
}
