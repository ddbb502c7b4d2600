//! Measures links, and is the other process in tests: an aggregator that answers each frame, and
//! sites that send them.
//!
//! ```text
//! federation_echo keys FOLDER SITES
//! federation_echo serve FOLDER SITES ADDRESS
//! federation_echo load FOLDER SITES ADDRESS FRAMES [FRAMES_A_SECOND]
//! ```
//!
//! `serve` prints its address and runs until its standard input ends, then prints its CPU seconds.
//! `load` runs all sites in one process; each sends FRAMES frames of 256 answers with at most 64
//! without an answer, or at a rate for all sites together, and prints what it took. A site that loses
//! its link sends again what was not answered, so `serve` may be killed and started again.

use std::io::Read;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use moretta_data::{Error, Result};
use moretta_federation::keys::{Order, make};
use moretta_federation::{
    Credential, Driver, Endpoint, Event, Identity, Limits, Member, Name, Network, Outbox, PartyId,
    Protocol, Role, Roster, Time, header,
};

/// 256 answers of a class and a confidence in 64 bits, with bits beside them, and the header.
const FRAME_BYTES: usize = 2848;
const RECORDS: f64 = 256.0;
const WINDOW: u64 = 64;
const HUB: PartyId = PartyId(0);
const PROTOCOL: Protocol = Protocol {
    magic: 0x464d,
    version: 1,
    federation: 1,
};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments.iter().map(String::as_str).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tell(&format!("error: {error}"));
            ExitCode::from(error.exit_code())
        }
    }
}

#[expect(clippy::print_stdout, reason = "a program that is run by scripts")]
fn tell(line: &str) {
    println!("{line}");
}

fn run(arguments: &[&str]) -> Result<()> {
    match arguments {
        ["keys", folder, sites] => keys(Path::new(folder), number(sites)? as u16),
        ["serve", folder, sites, address] => {
            serve(Path::new(folder), number(sites)? as u16, address)
        }
        ["load", folder, sites, address, frames, rate @ ..] => {
            let rate = rate.first().map(|rate| number(rate)).transpose()?;
            let sites = number(sites)? as u16;
            load(Path::new(folder), sites, address, number(frames)?, rate)
        }
        _ => Err(Error::usage("keys, serve or load, see the source")),
    }
}

fn number(text: &str) -> Result<u64> {
    text.parse().map_err(|_| Error::usage("a number is wanted"))
}

fn keys(folder: &Path, sites: u16) -> Result<()> {
    let parties = (0..=sites).map(|i| (role(i), id(i))).collect();
    make(folder, &Order::new(federation(), parties)).map(drop)
}

fn federation() -> Name {
    Name::new("echo").expect("a name that fits")
}

fn role(party: u16) -> Role {
    if party == HUB.0 {
        Role::Aggregator
    } else {
        Role::Site
    }
}

fn id(party: u16) -> Name {
    Name::new(&format!("party-{party}")).expect("a name that fits")
}

fn credential(folder: &Path, party: u16) -> Result<Credential> {
    let identity = Identity {
        federation: federation(),
        role: role(party),
        id: id(party),
    };
    let file = |ending: &str| folder.join(format!("{}.{ending}", identity.id));
    Credential::read(
        &file("pem"),
        &file("key"),
        &folder.join("ca.pem"),
        &identity,
    )
}

fn roster(credentials: &[Credential]) -> Result<Roster> {
    let member = |(number, own): (usize, &Credential)| Member {
        number: PartyId(number as u16),
        role: own.identity().role,
        id: own.identity().id.clone(),
        pin: own.pin(),
    };
    let members = credentials.iter().enumerate().map(member).collect();
    Roster::new(federation(), members)
}

fn all(folder: &Path, sites: u16) -> Result<(Vec<Credential>, Roster)> {
    let credentials = (0..=sites).map(|party| credential(folder, party));
    let credentials = credentials.collect::<Result<Vec<_>>>()?;
    let roster = roster(&credentials)?;
    Ok((credentials, roster))
}

fn serve(folder: &Path, sites: u16, address: &str) -> Result<()> {
    let (credentials, roster) = all(folder, sites)?;
    let driver = Driver::new(HUB, roster, PROTOCOL, Limits::default());
    let mut network = Network::start(2)?;
    let address = network.listen(&driver, &credentials[0], address)?;
    tell(&address.to_string());
    let (stopper, refusals) = (driver.stopper(), driver.refusals());
    std::thread::spawn(move || {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        stopper.stop();
    });
    driver.run(&mut Answering)?;
    network.close(Duration::from_secs(5));
    tell(&format!("serve: {:.2} CPU s", cpu_seconds()));
    for (refusal, times) in refusals.all() {
        tell(&format!("refused {times} times: {refusal}"));
    }
    Ok(())
}

/// Sends each frame back under its own number.
struct Answering;

impl Endpoint for Answering {
    fn handle(&mut self, event: Event<'_>, _: Time, out: &mut Outbox) -> Result<()> {
        if let Event::Frame { from, bytes } = event {
            let mut answer = bytes.to_vec();
            answer[16..18].copy_from_slice(&HUB.0.to_le_bytes());
            out.frames.push((from, answer));
        }
        Ok(())
    }
}

fn load(folder: &Path, sites: u16, address: &str, frames: u64, rate: Option<u64>) -> Result<()> {
    let (credentials, roster) = all(folder, sites)?;
    let mut network = Network::start(2)?;
    let start = Instant::now();
    let mut threads = Vec::new();
    for site in 1..=sites {
        let limits = Limits::default();
        let driver = Driver::new(PartyId(site), roster.clone(), PROTOCOL, limits);
        network.dial(&driver, &credentials[usize::from(site)], address, HUB)?;
        let mut sending = Sending::new(PartyId(site), frames);
        sending.pause = rate.map(|rate| 1e3 * f64::from(sites) / rate.max(1) as f64);
        threads.push(std::thread::spawn(move || {
            driver.run(&mut sending).map(|_| sending)
        }));
    }
    let (mut began, mut delays, mut links) = (None::<Instant>, Vec::new(), 0);
    for thread in threads {
        let ended = thread.join().map_err(|_| Error::bug("a site panicked"))??;
        began = began.into_iter().chain(ended.began).min();
        delays.extend(ended.delays);
        links += ended.links;
    }
    let seconds = began.unwrap_or(start).elapsed().as_secs_f64();
    network.close(Duration::from_secs(5));
    let sent = f64::from(sites) * frames as f64;
    delays.sort_unstable();
    let delay = |share: f64| {
        let place = (delays.len() as f64 * share) as usize;
        delays.get(place).map_or(0.0, |delay| *delay as f64 / 1e3)
    };
    tell(&format!(
        "load: {sites} sites, {links} links, {sent} frames answered, {:.2} s since the first link, \
         {:.2} M site-records/s, {:.2} CPU s ({:.1} us a frame), delay p50 {:.2} ms, p99 {:.2} ms",
        seconds,
        sent * RECORDS / seconds / 1e6,
        cpu_seconds(),
        cpu_seconds() * 1e6 / sent,
        delay(0.5),
        delay(0.99),
    ));
    Ok(())
}

/// Sends frames and counts answers.
struct Sending {
    own: PartyId,
    frames: u64,
    answered: u64,
    sent: u64,
    links: u64,
    /// Milliseconds between frames; none to send as fast as answers come.
    pause: Option<f64>,
    began: Option<Instant>,
    delays: Vec<u64>,
    body: Vec<u8>,
}

impl Sending {
    fn new(own: PartyId, frames: u64) -> Self {
        Sending {
            own,
            frames,
            answered: 0,
            sent: 0,
            links: 0,
            pause: None,
            began: None,
            delays: Vec::new(),
            body: (0..FRAME_BYTES - 32).map(|i| (i * 31) as u8).collect(),
        }
    }

    fn send(&mut self, out: &mut Outbox, elapsed: Duration) {
        let due = match self.pause {
            None => self.frames,
            Some(pause) => (elapsed.as_secs_f64() * 1e3 / pause) as u64 + 1,
        };
        while self.sent < self.frames.min(due).min(self.answered + WINDOW) {
            let length = self.body.len() as u32;
            let header = PROTOCOL.header(1, self.own, self.sent, length);
            let stamp = (elapsed.as_micros() as u64).to_le_bytes();
            self.body[..8].copy_from_slice(&stamp);
            let frame = [&header[..], &self.body].concat();
            out.frames.push((HUB, frame));
            self.sent += 1;
        }
    }
}

impl Endpoint for Sending {
    fn handle(&mut self, event: Event<'_>, now: Time, out: &mut Outbox) -> Result<()> {
        match event {
            Event::Linked(_) => {
                self.links += 1;
                self.sent = self.answered;
            }
            Event::Frame { bytes, .. } if header::batch(bytes) == Some(self.answered) => {
                self.answered += 1;
                if let (Some(began), Some(stamp)) = (self.began, bytes[32..].first_chunk()) {
                    let sent = u64::from_le_bytes(*stamp);
                    let elapsed = began.elapsed().as_micros() as u64;
                    self.delays.push(elapsed.saturating_sub(sent));
                }
            }
            Event::Frame { .. } | Event::Timer | Event::Rows(_) | Event::RowsEnded => {}
        }
        if self.links > 0 {
            let began = *self.began.get_or_insert_with(Instant::now);
            self.send(out, began.elapsed());
        }
        if let (Some(pause), Some(began)) = (self.pause, self.began) {
            let next = self.sent as f64 * pause - began.elapsed().as_secs_f64() * 1e3;
            out.wake = Some(now + next.max(1.0).ceil() as Time);
        }
        out.finished = self.answered == self.frames;
        Ok(())
    }
}

/// CPU seconds of this process, in user and system mode; 0 where the system does not tell.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit(") ").next().unwrap_or_default();
    let ticks = fields.split(' ').skip(11).take(2);
    ticks
        .filter_map(|ticks| ticks.parse::<f64>().ok())
        .sum::<f64>()
        / 100.0
}
