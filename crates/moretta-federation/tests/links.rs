//! Links on loopback with real TLS: frames arrive once and in order, slow readers hold senders up.

mod support;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use moretta_federation::{Event, Limits, Network, Outbox, PartyId, Refusal, header};
use support::{Federation, HUB, Running, Scripted, close, echo, frame, quick, wait_until};

/// Each site sends `frames` frames at once and waits for as many answers.
fn exchange(sites: u16, frames: u64) {
    let federation = Federation::new(sites);
    let mut hub_network = Network::start(2).expect("threads");
    let driver = federation.driver(HUB, Limits::default());
    let credential = federation.credential(HUB);
    let address = hub_network
        .listen(&driver, &credential, "127.0.0.1:0")
        .expect("a port");
    let seen = Arc::default();
    let hub = Running::start(driver, echo(Arc::clone(&seen)));

    let mut network = Network::start(2).expect("threads");
    let mut running = Vec::new();
    for site in (1..=sites).map(PartyId) {
        let driver = federation.driver(site, Limits::default());
        let credential = federation.credential(site);
        let dialled = network.dial(&driver, &credential, &address.to_string(), HUB);
        dialled.expect("dials");
        let mut answered = 0;
        running.push(Running::start(driver, move |event, _, out| {
            match event {
                Event::Linked(peer) => {
                    assert_eq!((peer, answered), (HUB, 0));
                    let body = site.0.to_le_bytes();
                    let all = (0..frames).map(|batch| (HUB, frame(site, batch, &body)));
                    out.frames.extend(all);
                }
                Event::Frame { from, bytes } => {
                    assert_eq!((from, header::batch(bytes)), (HUB, Some(answered)));
                    assert_eq!(bytes[32..], site.0.to_le_bytes());
                    answered += 1;
                    out.finished = answered == frames;
                }
                Event::Timer | Event::Rows(_) | Event::RowsEnded => {}
            }
            Ok(())
        }));
    }
    for site in running {
        assert_eq!(site.refusals.all(), []);
        assert_eq!(site.finish().expect("an orderly end"), 0);
    }
    close(network);
    assert_eq!(hub.refusals.all(), []);
    assert_eq!(hub.stop().expect("an orderly end"), 0);
    close(hub_network);
    let seen = seen.lock().expect("no panic");
    let expected: Vec<u64> = (0..frames).collect();
    assert_eq!(seen.len(), usize::from(sites) + 1);
    assert!(seen[1..].iter().all(|batches| *batches == expected));
}

#[test]
fn four_sites_get_all_answers_in_order() {
    exchange(4, 1000);
}

#[test]
fn a_hundred_sites_get_all_answers_in_order() {
    exchange(100, 40);
}

#[test]
fn a_network_on_the_thread_of_its_party_carries_frames_and_wakes_it() {
    let federation = Federation::new(1);
    let mut hub_network = Network::start(1).expect("threads");
    let driver = federation.driver(HUB, Limits::default());
    let credential = federation.credential(HUB);
    let address = hub_network
        .listen(&driver, &credential, "127.0.0.1:0")
        .expect("a port");
    let hub = Running::start(driver, echo(Arc::default()));

    let site = PartyId(1);
    let mut network = Network::on_the_thread_of_the_party().expect("a network");
    let driver = federation.driver(site, Limits::default());
    let credential = federation.credential(site);
    let dialled = network.dial(&driver, &credential, &address.to_string(), HUB);
    dialled.expect("dials");
    let (mut answered, mut woken) = (0, false);
    let mut party = Scripted(|event: Event<'_>, now, out: &mut Outbox| {
        match event {
            Event::Linked(_) => out
                .frames
                .extend((0..500).map(|at| (HUB, frame(site, at, &[])))),
            Event::Frame { bytes, .. } => {
                assert_eq!(header::batch(bytes), Some(answered));
                answered += 1;
                // The last answer is not the end: only a timer is.
                out.wake = (answered == 500).then_some(now + 50);
            }
            Event::Timer => woken = answered == 500,
            Event::Rows(_) | Event::RowsEnded => {}
        }
        out.finished = woken;
        Ok(())
    });
    assert_eq!(network.run(driver, &mut party).expect("an orderly end"), 0);
    close(network);
    assert_eq!(hub.stop().expect("an orderly end"), 0);
    close(hub_network);
    assert_eq!((answered, woken), (500, true));
}

#[test]
fn what_is_queued_at_the_end_still_arrives() {
    let federation = Federation::new(1);
    let site = PartyId(1);
    let mut hub_network = Network::start(1).expect("threads");
    let driver = federation.driver(HUB, Limits::default());
    let address = hub_network
        .listen(&driver, &federation.credential(HUB), "127.0.0.1:0")
        .expect("a port");
    let arrived = Arc::new(AtomicU64::new(0));
    let count = arrived.clone();
    let hub = Running::start(driver, move |event, _, _| {
        if let Event::Frame { .. } = event {
            count.fetch_add(1, Ordering::SeqCst);
        }
        Ok(())
    });
    let mut network = Network::start(1).expect("threads");
    let driver = federation.driver(site, Limits::default());
    network
        .dial(
            &driver,
            &federation.credential(site),
            &address.to_string(),
            HUB,
        )
        .expect("dials");
    let sender = Running::start(driver, move |event, _, out| {
        if let Event::Linked(_) = event {
            out.frames
                .extend((0..900).map(|batch| (HUB, frame(site, batch, &[7; 3000]))));
            out.finished = true;
        }
        Ok(())
    });
    sender.finish().expect("an orderly end");
    close(network);
    hub.stop().expect("an orderly end");
    close(hub_network);
    assert_eq!(arrived.load(Ordering::SeqCst), 900);
}

#[test]
fn long_frames_pass_up_to_the_limit() {
    let federation = Federation::new(1);
    let site = PartyId(1);
    let mut hub_network = Network::start(1).expect("threads");
    let driver = federation.driver(HUB, Limits::default());
    let address = hub_network
        .listen(&driver, &federation.credential(HUB), "127.0.0.1:0")
        .expect("a port");
    let seen = Arc::default();
    let hub = Running::start(driver, echo(Arc::clone(&seen)));
    let mut network = Network::start(1).expect("threads");
    let driver = federation.driver(site, Limits::default());
    network
        .dial(
            &driver,
            &federation.credential(site),
            &address.to_string(),
            HUB,
        )
        .expect("dials");
    let body = (1 << 20) - 32;
    let mut answers = 0;
    let sender = Running::start(driver, move |event, _, out| {
        match event {
            Event::Linked(_) => out
                .frames
                .extend((0..20).map(|batch| (HUB, frame(site, batch, &vec![batch as u8; body])))),
            Event::Frame { bytes, .. } => {
                assert_eq!(bytes.len(), 1 << 20);
                assert!(bytes[32..].iter().all(|byte| *byte == answers));
                answers += 1;
                out.finished = answers == 20;
            }
            Event::Timer | Event::Rows(_) | Event::RowsEnded => {}
        }
        Ok(())
    });
    sender.finish().expect("an orderly end");
    close(network);
    hub.stop().expect("an orderly end");
    close(hub_network);
}

/// A site that feeds frames in while there is no pressure, and a hub that takes none for a while.
#[test]
fn a_slow_reader_stops_the_sender() {
    let federation = Federation::new(1);
    let site = PartyId(1);
    let mut hub_network = Network::start(1).expect("threads");
    let driver = federation.driver(HUB, Limits::default());
    let address = hub_network
        .listen(&driver, &federation.credential(HUB), "127.0.0.1:0")
        .expect("a port");
    let (is_open, taken) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicU64::new(0)),
    );
    let (opened, count) = (is_open.clone(), taken.clone());
    let hub = Running::start(driver, move |event, _, _| {
        if let Event::Frame { bytes, .. } = event {
            wait_until("the hub may go on", || opened.load(Ordering::SeqCst));
            assert_eq!(
                header::batch(bytes),
                Some(count.fetch_add(1, Ordering::SeqCst))
            );
        }
        Ok(())
    });

    let mut network = Network::start(1).expect("threads");
    let driver = federation.driver(site, Limits::default());
    network
        .dial(
            &driver,
            &federation.credential(site),
            &address.to_string(),
            HUB,
        )
        .expect("dials");
    let pressure = driver.pressure();
    let sent = Arc::new(AtomicU64::new(0));
    let (count, mut is_linked, felt) = (sent.clone(), false, driver.pressure());
    let sender = Running::start(driver, move |event, now, out| {
        is_linked |= matches!(event, Event::Linked(_));
        if is_linked && !felt.is_full() {
            let batch = count.fetch_add(1, Ordering::SeqCst);
            out.frames.push((HUB, frame(site, batch, &[1; 30_000])));
            out.finished = batch == 1999;
            out.wake = Some(now);
        }
        Ok(())
    });
    wait_until("the sender feels pressure", || {
        pressure.is_full() && sent.load(Ordering::SeqCst) > 64
    });
    // Time in which a sender that nothing holds up would send all of them.
    std::thread::sleep(std::time::Duration::from_secs(2));
    let held = sent.load(Ordering::SeqCst);
    // 64 credits on each side, the windows of HTTP/2 and what the two systems buffer.
    assert!(held < 600, "{held} frames are under way");
    is_open.store(true, Ordering::SeqCst);
    sender.finish().expect("an orderly end");
    close(network);
    hub.stop().expect("an orderly end");
    close(hub_network);
    assert_eq!(taken.load(Ordering::SeqCst), 2000);
}

/// A site that sends on though nobody reads loses its link, not its memory.
#[test]
fn a_backlog_above_the_limit_cuts_the_link() {
    let federation = Federation::new(1);
    let site = PartyId(1);
    let mut hub_network = Network::start(1).expect("threads");
    let driver = federation.driver(HUB, Limits::default());
    let address = hub_network
        .listen(&driver, &federation.credential(HUB), "127.0.0.1:0")
        .expect("a port");
    let is_open = Arc::new(AtomicBool::new(false));
    let opened = is_open.clone();
    let hub = Running::start(driver, move |event, _, _| {
        if let Event::Frame { .. } = event {
            wait_until("the hub may go on", || opened.load(Ordering::SeqCst));
        }
        Ok(())
    });
    let mut network = Network::start(1).expect("threads");
    let driver = federation.driver(site, quick());
    network
        .dial(
            &driver,
            &federation.credential(site),
            &address.to_string(),
            HUB,
        )
        .expect("dials");
    let links = Arc::new(AtomicU64::new(0));
    let count = links.clone();
    let sender = Running::start(driver, move |event, _, out| {
        if let Event::Linked(_) = event
            && count.fetch_add(1, Ordering::SeqCst) == 0
        {
            let all = (0..2000).map(|batch| (HUB, frame(site, batch, &[1; 30_000])));
            out.frames.extend(all);
        }
        Ok(())
    });
    wait_until("the link is cut", || {
        sender.refusals.of(Refusal::SlowReader) == 1
    });
    is_open.store(true, Ordering::SeqCst);
    wait_until("it links again", || links.load(Ordering::SeqCst) >= 2);
    assert!(
        sender.stop().expect("an orderly end") > 0,
        "frames were dropped"
    );
    close(network);
    hub.stop().expect("an orderly end");
    close(hub_network);
}

/// The second process of the same party is the one that counts: the first may be dead.
#[test]
fn a_party_that_links_again_replaces_its_old_link() {
    let federation = Federation::new(1);
    let site = PartyId(1);
    let mut hub_network = Network::start(1).expect("threads");
    let driver = federation.driver(HUB, Limits::default());
    let address = hub_network
        .listen(&driver, &federation.credential(HUB), "127.0.0.1:0")
        .expect("a port");
    let hub = Running::start(driver, |event, _, out| {
        if let Event::Linked(peer) = event {
            out.frames.push((peer, frame(HUB, 5, b"hello")));
        }
        Ok(())
    });
    let order = Arc::new(Mutex::new(Vec::new()));
    let site = |name: &'static str| {
        let mut network = Network::start(1).expect("threads");
        let slow = Limits {
            first_pause: support::LONG,
            longest_pause: support::LONG,
            ..Limits::default()
        };
        let driver = federation.driver(site, slow);
        network
            .dial(
                &driver,
                &federation.credential(site),
                &address.to_string(),
                HUB,
            )
            .expect("dials");
        let order = order.clone();
        let running = Running::start(driver, move |event, _, _| {
            if let Event::Frame { bytes, .. } = event {
                assert_eq!(&bytes[32..], b"hello");
                order.lock().expect("no panic").push(name);
            }
            Ok(())
        });
        (network, running)
    };
    let heard = |n: usize| wait_until("a greeting", || order.lock().expect("no panic").len() == n);
    let first = site("first");
    heard(1);
    let second = site("second");
    heard(2);
    assert_eq!(*order.lock().expect("no panic"), ["first", "second"]);
    for (network, running) in [second, first] {
        running.stop().expect("an orderly end");
        close(network);
    }
    hub.stop().expect("an orderly end");
    close(hub_network);
}
