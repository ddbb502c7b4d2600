//! Who and what is refused: each is counted, told in plain words, and does no harm to others.

mod support;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use moretta_federation::{Credential, PartyId};
use moretta_federation::{
    Driver, Event, Limits, Member, Name, Network, Pin, Protocol, Refusal, Roster,
};
use support::{Federation, HUB, PROTOCOL, Running, close, frame, quick, wait_until};

const SITE: PartyId = PartyId(1);

/// A hub that answers nothing.
struct Hub {
    network: Network,
    running: Running,
    address: SocketAddr,
    frames: Arc<AtomicU64>,
}

impl Hub {
    fn start(credential: &Credential, roster: Roster, limits: Limits) -> Self {
        let mut network = Network::start(1).expect("threads");
        let driver = Driver::new(HUB, roster, PROTOCOL, limits);
        let address = network.listen(&driver, credential, "127.0.0.1:0");
        let frames = Arc::new(AtomicU64::new(0));
        let count = frames.clone();
        let running = Running::start(driver, move |event, _, _| {
            if let Event::Frame { .. } = event {
                count.fetch_add(1, Ordering::SeqCst);
            }
            Ok(())
        });
        Hub {
            network,
            running,
            address: address.expect("a port"),
            frames,
        }
    }

    fn of(federation: &Federation) -> Self {
        Hub::start(
            &federation.credential(HUB),
            federation.roster(),
            Limits::default(),
        )
    }

    /// Waits until that was refused `times`, and nothing else was.
    fn refused(&self, refusal: Refusal, times: u64) {
        wait_until("a refusal", || self.running.refusals.of(refusal) >= times);
        assert_eq!(self.running.refusals.all(), [(refusal, times)]);
    }

    fn end(self) -> u64 {
        self.running.stop().expect("an orderly end");
        close(self.network);
        self.frames.load(Ordering::SeqCst)
    }
}

/// A site dials and sends one frame; the error with which its driver ends.
fn dial(driver: Driver, credential: &Credential, address: SocketAddr, bytes: Vec<u8>) -> String {
    let mut network = Network::start(1).expect("threads");
    network
        .dial(&driver, credential, &address.to_string(), HUB)
        .expect("dials");
    let running = Running::start(driver, move |event, _, out| {
        if let Event::Linked(_) = event {
            out.frames.push((HUB, bytes.clone()));
        }
        Ok(())
    });
    let error = running.finish().expect_err("refused");
    assert_eq!(error.exit_code(), 5);
    close(network);
    let error = error.to_string();
    let told = error.split_once(&format!(" at {address}: "));
    let (party, why) = told.expect("the party and its address are named");
    assert!(party.starts_with("cannot link to ") && party.ends_with("hub"));
    why.to_owned()
}

fn site(federation: &Federation) -> (Driver, Credential) {
    let driver = federation.driver(SITE, quick());
    (driver, federation.credential(SITE))
}

fn changed(federation: &Federation, change: impl Fn(&mut Vec<Member>)) -> Roster {
    let mut members = federation.members();
    change(&mut members);
    Roster::new(federation.name.clone(), members).expect("a roster")
}

#[test]
fn the_roster_of_the_hub_decides() {
    let federation = Federation::new(2);
    let check = |roster: Roster, refusal: Refusal| {
        let hub = Hub::start(&federation.credential(HUB), roster, Limits::default());
        let (driver, credential) = site(&federation);
        let error = dial(driver, &credential, hub.address, frame(SITE, 0, b""));
        assert_eq!(error, format!("it refuses us: {refusal}"));
        hub.refused(refusal, 1);
        assert_eq!(hub.end(), 0);
    };
    check(
        changed(&federation, |members| members[1].pin = Pin([7; 32])),
        Refusal::OtherKey,
    );
    check(
        changed(&federation, |members| drop(members.remove(1))),
        Refusal::UnknownParty,
    );
}

#[test]
fn the_roster_of_the_site_decides_as_well() {
    let federation = Federation::new(1);
    let hub = Hub::of(&federation);
    let check = |roster: Roster, refusal: Refusal| {
        let driver = Driver::new(SITE, roster, PROTOCOL, quick());
        let credential = federation.credential(SITE);
        let error = dial(driver, &credential, hub.address, frame(SITE, 0, b""));
        assert_eq!(error, format!("refused: {refusal}"));
    };
    check(
        changed(&federation, |members| members[0].pin = Pin([7; 32])),
        Refusal::OtherKey,
    );
    let impostor = |members: &mut Vec<Member>| {
        members[0].number = PartyId(9);
        let mut other = members[0].clone();
        other.number = HUB;
        other.id = Name::new("other-hub").expect("a name");
        other.pin = Pin([8; 32]);
        members.push(other);
    };
    check(changed(&federation, impostor), Refusal::OtherParty);
    assert_eq!(hub.end(), 0);
}

const WAY_OUT: &str = "; let `authority` of all parties be the ca.pem that `moretta federation keys` made with their certificates";

/// Same authority in all but name: another federation with a key of its own authority.
#[test]
fn another_authority_is_refused_by_both_sides() {
    let (ours, theirs) = (Federation::new(1), Federation::new(1));
    let hub = Hub::of(&ours);
    let (driver, credential) = site(&theirs);
    let error = dial(driver, &credential, hub.address, frame(SITE, 0, b""));
    let told = |error: String, cause: &str| {
        assert!(error.starts_with(cause), "{error}");
        assert!(error.ends_with(WAY_OUT), "{error}");
    };
    told(
        error,
        "its certificate is refused: it is of another authority than `authority` of this party's policy",
    );
    let driver = theirs.driver(SITE, quick());
    let believing = theirs.credential_of(SITE, &ours.made.authority);
    let own_roster = Driver::new(
        SITE,
        changed(&theirs, |members| members[0] = ours.members()[0].clone()),
        PROTOCOL,
        quick(),
    );
    drop(driver);
    let error = dial(own_roster, &believing, hub.address, frame(SITE, 0, b""));
    told(
        error,
        "it refuses our certificate: it is of another authority than `authority` of its policy",
    );
    hub.refused(Refusal::Tls, 2);
    assert_eq!(hub.end(), 0);
}

#[test]
fn another_federation_of_the_same_authority_is_refused() {
    let federation = Federation::new(1);
    let members = federation.members();
    let other = Roster::new(Name::new("ward-8").expect("a name"), members).expect("a roster");
    let driver = Driver::new(SITE, other, PROTOCOL, quick());
    let mut network = Network::start(1).expect("threads");
    let error = network
        .dial(&driver, &federation.credential(SITE), "127.0.0.1:1", HUB)
        .expect_err("refused before anything is sent");
    assert!(error.to_string().contains("another federation"), "{error}");
    drop(driver);
    close(network);
}

#[test]
fn expired_certificates_are_refused_by_both_sides() {
    let then = SystemTime::now() - Duration::from_secs(800 * 86_400);
    let (ours, old) = (Federation::new(1), Federation::made("ward-7", 1, then));
    // A hub whose own certificate has expired.
    let hub = Hub::of(&old);
    let (driver, credential) = site(&old);
    let error = dial(driver, &credential, hub.address, frame(SITE, 0, b""));
    assert_eq!(error, "its certificate is refused: it has expired");
    hub.refused(Refusal::Tls, 1);
    assert_eq!(hub.end(), 0);
    // A site whose certificate has expired, at a hub that believes its authority.
    let roster = changed(&ours, |members| members[1] = old.members()[1].clone());
    let believing = ours.credential_of(HUB, &old.made.authority);
    let hub = Hub::start(&believing, roster.clone(), Limits::default());
    let credential = old.credential_of(SITE, &ours.made.authority);
    let driver = Driver::new(SITE, roster, PROTOCOL, quick());
    let error = dial(driver, &credential, hub.address, frame(SITE, 0, b""));
    assert_eq!(error, "it refuses our certificate: it has expired");
    hub.refused(Refusal::Tls, 1);
    assert_eq!(hub.end(), 0);
}

/// What a site with another idea of frames sends is refused, none of it reaches the party, and the
/// site is told.
#[test]
fn frames_that_are_none_of_ours_end_their_link() {
    let federation = Federation::new(1);
    let limits = Limits {
        frame_bytes: 8 << 20,
        ..quick()
    };
    let check = |own: PartyId, protocol: Protocol, length: u32, refusal: Refusal| {
        let hub = Hub::of(&federation);
        let roster = changed(&federation, |members| members[1].number = own);
        let driver = Driver::new(own, roster, protocol, limits);
        let header = protocol.header(1, own, 0, length);
        let bytes = [&header[..], &vec![0; length as usize]].concat();
        let credential = federation.credential(SITE);
        let error = dial(driver, &credential, hub.address, bytes);
        assert_eq!(error, format!("it refuses us: {refusal}"));
        hub.refused(refusal, 1);
        assert_eq!(hub.end(), 0);
    };
    let version = Protocol {
        version: 99,
        ..PROTOCOL
    };
    let elsewhere = Protocol {
        federation: 1,
        ..PROTOCOL
    };
    let magic = Protocol {
        magic: 0,
        ..PROTOCOL
    };
    check(SITE, version, 10, Refusal::OtherVersion);
    check(SITE, elsewhere, 10, Refusal::OtherFederation);
    check(SITE, magic, 10, Refusal::NoFrame);
    check(PartyId(5), PROTOCOL, 10, Refusal::OtherSender);
    check(SITE, PROTOCOL, (1 << 20) - 31, Refusal::FrameTooLong);
    check(SITE, PROTOCOL, 7 << 20, Refusal::FrameTooLong);
}

#[test]
fn a_party_that_sends_what_all_would_refuse_has_a_bug() {
    let federation = Federation::new(1);
    let check = |bytes: Vec<u8>, reason: &str| {
        let driver = federation.driver(SITE, quick());
        let running = Running::start(driver, move |_, _, out| {
            out.frames.push((HUB, bytes.clone()));
            Ok(())
        });
        let error = running.finish().expect_err("refused");
        assert_eq!(error.exit_code(), 8);
        assert!(error.to_string().ends_with(reason), "{error}");
    };
    check(frame(HUB, 0, b""), "a frame names another sender");
    check(vec![1; 31], "bytes are not a frame");
    check(frame(SITE, 0, &vec![0; 1 << 20]), "a frame is too long");
}

#[test]
fn one_link_more_than_allowed_is_refused_until_another_ends() {
    let federation = Federation::new(2);
    let limits = Limits {
        links: 1,
        ..Limits::default()
    };
    let hub = Hub::start(&federation.credential(HUB), federation.roster(), limits);
    let start = |site: PartyId| {
        let mut network = Network::start(1).expect("threads");
        let driver = federation.driver(site, quick());
        let address = hub.address.to_string();
        network
            .dial(&driver, &federation.credential(site), &address, HUB)
            .expect("dials");
        let running = Running::start(driver, move |event, _, out| {
            if let Event::Linked(_) = event {
                out.frames.push((HUB, frame(site, 0, b"")));
            }
            Ok(())
        });
        (network, running)
    };
    let arrived = |n| wait_until("a frame", || hub.frames.load(Ordering::SeqCst) == n);
    let end = |(network, running): (Network, Running)| {
        running.stop().expect("an orderly end");
        close(network);
    };
    let first = start(PartyId(1));
    arrived(1);
    let second = start(PartyId(2));
    let refusals = hub.running.refusals.clone();
    wait_until("a refusal", || refusals.of(Refusal::TooManyLinks) > 0);
    assert_eq!(hub.frames.load(Ordering::SeqCst), 1);
    end(first);
    arrived(2);
    end(second);
    hub.end();
}

/// Garbage, connections that say nothing and ones that stop in the middle cost a place for the
/// time of a handshake only, while others are served.
#[test]
fn strangers_are_cut_off_and_others_are_served() {
    let federation = Federation::new(1);
    let limits = Limits {
        handshake: Duration::from_secs(2),
        ..Limits::default()
    };
    let hub = Hub::start(&federation.credential(HUB), federation.roster(), limits);
    let connect = || TcpStream::connect(hub.address).expect("a connection");
    let garbage: [&[u8]; 4] = [
        b"GET / HTTP/1.1\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        &[0; 4096],
        &[0xff; 4096],
    ];
    for bytes in garbage {
        let mut stream = connect();
        stream.write_all(bytes).expect("sent");
        // It is answered by an alert at most, and closed.
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        assert!(answer.len() < 16, "{} bytes", answer.len());
    }
    let mut half: Vec<TcpStream> = (0..20).map(|_| connect()).collect();
    for stream in &mut half[10..] {
        // The beginning of a hello of TLS that never ends.
        stream.write_all(&[22, 3, 1, 2, 0, 1, 0]).expect("sent");
    }
    let mut network = Network::start(1).expect("threads");
    let driver = federation.driver(SITE, quick());
    let address = hub.address.to_string();
    network
        .dial(&driver, &federation.credential(SITE), &address, HUB)
        .expect("dials");
    let running = Running::start(driver, |event, _, out| {
        if let Event::Linked(_) = event {
            out.frames.push((HUB, frame(SITE, 0, b"")));
            out.finished = true;
        }
        Ok(())
    });
    running.finish().expect("an orderly end");
    close(network);
    wait_until("a frame", || hub.frames.load(Ordering::SeqCst) == 1);
    let refusals = hub.running.refusals.clone();
    wait_until("all are cut off", || {
        refusals.of(Refusal::HandshakeTime) >= 20 && refusals.of(Refusal::Tls) >= 4
    });
    for stream in &mut half {
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
    }
    assert_eq!(hub.end(), 1);
}

/// A connection from an address of this machine that is not the usual one.
#[cfg(target_os = "linux")]
fn connect_from(runtime: &tokio::runtime::Runtime, from: &str, to: SocketAddr) -> TcpStream {
    let connected = runtime.block_on(async {
        let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
        let from = from.parse().expect("an address");
        socket.bind(SocketAddr::new(from, 0)).expect("an address");
        socket.connect(to).await.expect("a connection")
    });
    let stream = connected.into_std().expect("a stream");
    stream.set_nonblocking(false).expect("a stream that waits");
    stream
}

/// One address opens connections and says nothing, more of them than there are places: it takes
/// a quarter, a party of another address is linked meanwhile, and what is silent is closed.
#[cfg(target_os = "linux")]
#[test]
fn a_flood_from_one_address_keeps_no_party_of_another_out() {
    const PLACES: usize = 64;
    const FLOOD: usize = 300;
    let federation = Federation::new(1);
    let limits = Limits {
        // While the party links no place may become free, however slow the machine is.
        handshake: Duration::from_secs(10),
        links: PLACES,
        ..Limits::default()
    };
    let hub = Hub::start(&federation.credential(HUB), federation.roster(), limits);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let mut flood: Vec<TcpStream> = (0..FLOOD)
        .map(|_| connect_from(&runtime, "127.0.0.2", hub.address))
        .collect();
    let refusals = hub.running.refusals.clone();
    let own = PLACES / 4;
    wait_until("the flood is turned away", || {
        refusals.of(Refusal::TooManyLinks) >= (FLOOD - own) as u64
    });
    let (driver, credential) = site(&federation);
    let mut network = Network::start(1).expect("threads");
    network
        .dial(&driver, &credential, &hub.address.to_string(), HUB)
        .expect("dials");
    let running = Running::start(driver, |event, _, out| {
        if let Event::Linked(_) = event {
            out.frames.push((HUB, frame(SITE, 0, b"")));
            out.finished = true;
        }
        Ok(())
    });
    running.finish().expect("an orderly end");
    close(network);
    wait_until("a frame", || hub.frames.load(Ordering::SeqCst) == 1);
    assert_eq!(refusals.of(Refusal::TooManyLinks), (FLOOD - own) as u64);
    // All are closed: most at once, the rest when the time of a handshake is over.
    for stream in &mut flood {
        let mut rest = Vec::new();
        let patience = Some(support::LONG);
        stream.set_read_timeout(patience).expect("a limit");
        let ended = stream.read_to_end(&mut rest);
        let waits = |error: std::io::Error| error.kind() == std::io::ErrorKind::WouldBlock;
        assert!(rest.is_empty() && !ended.is_err_and(waits), "it is open");
    }
    wait_until("the silent are cut off", || {
        refusals.of(Refusal::HandshakeTime) >= own as u64
    });
    let again = connect_from(&runtime, "127.0.0.2", hub.address);
    drop(again);
    wait_until("its place is free again", || refusals.of(Refusal::Tls) > 0);
    assert_eq!(hub.end(), 1);
}

#[test]
fn sites_do_not_listen() {
    let federation = Federation::new(2);
    let driver = federation.driver(SITE, quick());
    let mut network = Network::start(1).expect("threads");
    let error = network
        .dial(
            &driver,
            &federation.credential(SITE),
            "127.0.0.1:1",
            PartyId(2),
        )
        .expect_err("refused");
    assert_eq!(error.exit_code(), 3);
    drop(driver);
    close(network);
}
