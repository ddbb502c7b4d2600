//! Federations of processes in flow mode, and what ends a party: silence, and a lack of consent.
#![cfg(all(feature = "federation", unix))]

mod support;

use ed25519_dalek::{Signer, SigningKey};
use moretta::federate::frame::{
    Body, End, Header, Hello, Join, Kind, NO_NODE, Refusal, decode, encode,
};
use moretta::federate::{Event, FragmentKind, Node, PartyId, Ratio, SiteColumns, Time, Topology};
use moretta::policy::{FederationPolicy, FederationRole, Root};
use moretta_federation::{
    Credential, Driver, Endpoint, Identity, Limits, Member, Name, Network, Outbox, Pin, Protocol,
    Role, Roster,
};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use support::PROGRAM;
use support::federation::{PARTIES, change, example, make_keys, moretta, start, wait, wait_until};

fn answers(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("out/answers.csv")).unwrap_or_default()
}

#[test]
fn answers_are_partial_while_a_site_is_down() {
    let folder = example(12_000);
    let folder = folder.path();
    for party in PARTIES {
        let policy = format!("{party}.toml");
        change(folder, &policy, "mode = \"lockstep\"", "mode = \"flow\"");
        change(folder, &policy, "batch = 64", "batch = 4");
        let answer = "rule = \"vote\", after = \"100ms\", patience = \"200ms\"";
        change(folder, &policy, "rule = \"vote\"", answer);
    }
    make_keys(folder);
    let others = PARTIES.into_iter().filter(|party| *party != "hub");
    let mut running: Vec<_> = others.map(|party| (party, start(folder, party))).collect();
    let hub = Command::new(PROGRAM)
        .args(["aggregate", "hub.toml"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    running.push(("hub", hub.expect("the program starts")));
    wait_until("answers", || answers(folder).lines().count() > 10);
    let place = running.iter().position(|(id, _)| *id == "lab");
    let (_, mut lab) = running.swap_remove(place.expect("it runs"));
    lab.kill().expect("killed");
    lab.wait().expect("killed");
    wait_until("partial answers", || answers(folder).contains("partial"));
    running.push(("lab", start(folder, "lab")));
    for (party, output) in wait(running) {
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{party}: {told}");
        let late = told.matches("of lab came too late").count();
        assert!(late <= 1, "{party}: {told}");
    }
    let answers = answers(folder);
    let rows: Vec<&str> = answers.lines().skip(1).collect();
    assert_eq!(rows.len(), 12_000);
    for (place, row) in rows.iter().enumerate() {
        let record = row.split(',').next();
        assert_eq!(
            record,
            Some(&*(place + 1).to_string()),
            "one each, in order"
        );
    }
    let last = rows[11_000..].iter().filter(|row| row.contains("partial"));
    assert_eq!(last.count(), 0, "the site is back");
}

#[test]
fn a_silent_site_ends_lockstep_and_is_named() {
    let folder = example(200);
    let folder = folder.path();
    change(folder, "hub.toml", "stall = \"1m\"", "stall = \"2s\"");
    make_keys(folder);
    let others = PARTIES
        .into_iter()
        .filter(|id| !["hub", "lab"].contains(id));
    let running: Vec<_> = others.map(|party| (party, start(folder, party))).collect();
    let hub = moretta(folder, &["aggregate", "hub.toml"]);
    let told = String::from_utf8_lossy(&hub.stderr);
    assert_eq!(hub.status.code(), Some(5), "{told}");
    assert!(
        told.contains("nothing has come for 2000 ms from lab"),
        "{told}"
    );
    for (_, mut child) in running {
        child.kill().expect("ended");
        child.wait().expect("ended");
    }
}

/// The run that the false aggregator tells.
const RUN: u32 = 5;

/// An aggregator that asks sites for what they do not consent to.
struct Greedy {
    policy: FederationPolicy,
    key: SigningKey,
}

impl Greedy {
    fn frame(&self, run: u32, body: &Body) -> Vec<u8> {
        let federation = self.policy.terms.federation_number() & u64::from(u32::MAX);
        let header = Header {
            kind: body.kind(),
            federation: federation | u64::from(run) << 32,
            epoch: 0,
            sender: PartyId::AGGREGATOR,
            node: NO_NODE,
            batch: 0,
        };
        encode(&header, body)
    }

    /// A topology with a node over all sites, signed.
    fn topology(&self, columns: Vec<moretta::federate::Column>) -> Vec<u8> {
        let sites = &self.policy.terms.sites;
        let site = |&id: &u16| SiteColumns {
            id,
            columns: columns.clone(),
        };
        let mut topology = Topology::of_sites(sites.iter().map(site).collect());
        topology.nodes.push(Node {
            id: sites.len() as u16,
            order: 1,
            sources: sites.clone(),
            length: columns.len() as u64,
            factor: Ratio::ONE,
            second: None,
            kind: FragmentKind::Raw,
            two_phase: false,
            width: columns.len() as u16,
            host: PartyId::AGGREGATOR,
            first: 0,
        });
        let unsigned = self.frame(RUN, &Body::Topology(topology.clone()));
        let said = &unsigned[32..unsigned.len() - 64];
        let federation = &self.policy.terms.federation;
        let run = RUN.to_le_bytes();
        let text = [b"moretta/topology/1", &federation[..], &run[..], said].concat();
        topology.signature = self.key.sign(&text).to_bytes();
        self.frame(RUN, &Body::Topology(topology))
    }
}

impl Endpoint for Greedy {
    fn handle(&mut self, event: Event<'_>, _: Time, out: &mut Outbox) -> moretta::Result<()> {
        let Event::Frame { from, bytes } = event else {
            return Ok(());
        };
        let (header, body) = decode(bytes).map_err(|flaw| flaw.error())?;
        match body {
            Body::Join(join) => {
                let join = Body::Join(Join { run: RUN, ..join });
                out.frames.push((from, self.frame(0, &join)));
            }
            Body::Hello(hello) => out.frames.push((from, self.topology(hello.columns))),
            Body::Refuse(_) => {
                out.finished = true;
            }
            _ => {}
        }
        let told = matches!(
            header.kind,
            Kind::Fragment | Kind::Masked | Kind::Keys | Kind::Answers
        );
        assert!(!told, "nothing of its records leaves the site");
        Ok(())
    }

    fn lost(&mut self, _: PartyId, _: Time, out: &mut Outbox) -> moretta::Result<()> {
        out.finished = true;
        Ok(())
    }
}

/// An aggregator that passes on what other sites have signed: mask keys that make no secret.
struct Relaying {
    greedy: Greedy,
    folder: PathBuf,
    refused: usize,
}

impl Relaying {
    /// A hello that a site has signed, with the mask key 0.
    fn hello_of(&self, id: &str, hello: &Hello) -> Vec<u8> {
        let policy = &self.greedy.policy;
        let party = policy.parties.iter().find(|party| party.id == id);
        let sender = party.expect("a site").number;
        let mut hello = hello.clone();
        let stride = (1 << 16) / policy.terms.sites.len() as u64;
        (hello.mask, hello.signature) = ([0; 32], [0; 64]);
        for (place, column) in (0..).zip(&mut hello.columns) {
            column.id = u64::from(sender.0) * stride + place;
        }
        let frame = |hello: Hello| {
            let mut bytes = self.greedy.frame(RUN, &Body::Hello(hello));
            bytes[16..18].copy_from_slice(&sender.0.to_le_bytes());
            bytes
        };
        let unsigned = frame(hello.clone());
        let said = &unsigned[32..unsigned.len() - 64];
        let (run, epoch) = (RUN.to_le_bytes(), 0_u32.to_le_bytes());
        let federation = &policy.terms.federation;
        let by = sender.0.to_le_bytes();
        let parts: [&[u8]; 6] = [b"moretta/hello/1", federation, &run, &epoch, &by, said];
        let (credential, _) = credential_of(&policy_of(&self.folder, id));
        let key = SigningKey::from_bytes(&credential.signing_secret().expect("a secret"));
        hello.signature = key.sign(&parts.concat()).to_bytes();
        frame(hello)
    }
}

impl Endpoint for Relaying {
    fn handle(&mut self, event: Event<'_>, now: Time, out: &mut Outbox) -> moretta::Result<()> {
        let Event::Frame { from, bytes } = event else {
            return Ok(());
        };
        let (_, body) = decode(bytes).map_err(|flaw| flaw.error())?;
        match body {
            Body::Hello(hello) => {
                for id in ["home", "icu", "ward"] {
                    out.frames.push((from, self.hello_of(id, &hello)));
                }
            }
            Body::Refuse(why) => {
                assert_eq!(why, Refusal::Value);
                self.refused += 1;
                if self.refused == 3 {
                    let end = Body::End(End { batches: 0 });
                    out.frames.push((from, self.greedy.frame(RUN, &end)));
                }
            }
            _ => return self.greedy.handle(event, now, out),
        }
        Ok(())
    }

    fn lost(&mut self, _: PartyId, _: Time, out: &mut Outbox) -> moretta::Result<()> {
        out.finished = true;
        Ok(())
    }

    fn left(&mut self, _: PartyId, _: Time, out: &mut Outbox) -> moretta::Result<()> {
        out.finished = true;
        Ok(())
    }
}

/// The key of the site that is the third party's fault is refused, and who passes it on is heard.
#[test]
fn mask_keys_without_a_secret_that_are_passed_on_count_for_nobody() {
    let folder = example(200);
    let path = folder.path().to_owned();
    make_keys(&path);
    let hub = {
        let folder = path.clone();
        std::thread::spawn(move || {
            let make = |greedy| Relaying {
                greedy,
                folder: folder.clone(),
                refused: 0,
            };
            assert_eq!(run_false(&folder, make).refused, 3);
        })
    };
    let run = moretta(&path, &["site", "lab.toml"]);
    let told = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(0), "{told}");
    assert_eq!(told.matches("was refused: Value").count(), 3, "{told}");
    assert!(!told.contains("not listened to"), "{told}");
    hub.join().expect("no panic");
}

fn policy_of(folder: &Path, id: &str) -> FederationPolicy {
    let path = folder.join(format!("{id}.toml"));
    let root = Root::of_policy(&path, None).expect("a folder");
    FederationPolicy::load(&path, &root).expect("a policy")
}

fn role_of(role: FederationRole) -> Role {
    match role {
        FederationRole::Site => Role::Site,
        FederationRole::Aggregator => Role::Aggregator,
        FederationRole::Trouble => Role::Trouble,
        FederationRole::Labels => Role::Labels,
        FederationRole::Consumer => Role::Consumer,
    }
}

fn credential_of(policy: &FederationPolicy) -> (Credential, Identity) {
    let name = |text: &str| Name::new(text).expect("a name");
    let identity = Identity {
        federation: name(&policy.federation),
        role: role_of(policy.role),
        id: name(&policy.id),
    };
    let files = policy.identity.clone().expect("files");
    let credential = Credential::read(&files.certificate, &files.key, &files.authority, &identity);
    (credential.expect("a credential"), identity)
}

/// Runs a false aggregator until a site has ended.
fn run_false<E: Endpoint>(folder: &Path, make: impl FnOnce(Greedy) -> E) -> E {
    let policy = policy_of(folder, "hub");
    let (credential, identity) = credential_of(&policy);
    let name = |text: &str| Name::new(text).expect("a name");
    let members = policy.parties.iter().map(|party| Member {
        number: party.number,
        role: role_of(party.role),
        id: name(&party.id),
        pin: Pin(party.pin.expect("a public key")),
    });
    let roster = Roster::new(identity.federation, members.collect()).expect("a list");
    let protocol = Protocol::of(&policy.terms);
    let driver = Driver::new(PartyId::AGGREGATOR, roster, protocol, Limits::default());
    let mut network = Network::start(1).expect("threads");
    let address = policy.addresses.listen.clone().expect("an address");
    network
        .listen(&driver, &credential, &address)
        .expect("a listener");
    let secret = credential.signing_secret().expect("a secret");
    let mut party = make(Greedy {
        policy,
        key: SigningKey::from_bytes(&secret),
    });
    driver.run(&mut party).expect("an end");
    party
}

#[test]
fn a_site_that_does_not_consent_ends_and_sends_nothing() {
    let folder = example(200);
    let path = folder.path().to_owned();
    make_keys(&path);
    let hub = {
        let path = path.clone();
        std::thread::spawn(move || drop(run_false(&path, |greedy| greedy)))
    };
    let run = moretta(&path, &["site", "lab.toml"]);
    let told = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(7), "{told}");
    assert!(
        told.contains("asks for more than this site consents to"),
        "{told}"
    );
    hub.join().expect("no panic");
}
