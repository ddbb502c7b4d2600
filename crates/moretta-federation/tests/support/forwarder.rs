//! A TCP proxy that does to connections what networks do: delay, cut in the middle, silence.
//!
//! It keeps every byte that passes, so that a test can look for what must not be readable.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What happens to connections, drawn from the seed.
#[derive(Clone, Copy, Default)]
pub(crate) struct Faults {
    pub(crate) seed: u64,
    /// Each piece waits up to that many milliseconds.
    pub(crate) delay: u64,
    /// A connection is cut after up to that many bytes; never where it is 0.
    pub(crate) cut_after: u64,
    /// This many connections are cut; those after them live.
    pub(crate) cuts: u64,
}

pub(crate) struct Forwarder {
    pub(crate) address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    faults: Faults,
    target: Mutex<SocketAddr>,
    wire: Mutex<Vec<u8>>,
    is_silent: AtomicBool,
    connections: AtomicU64,
    open: Mutex<Vec<TcpStream>>,
}

impl Forwarder {
    pub(crate) fn start(target: SocketAddr, faults: Faults) -> Self {
        Self::start_at("127.0.0.1:0", target, faults)
    }

    pub(crate) fn start_at(listen: &str, target: SocketAddr, faults: Faults) -> Self {
        let listener = TcpListener::bind(listen).expect("a port");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(Shared {
            faults,
            target: Mutex::new(target),
            wire: Mutex::default(),
            is_silent: AtomicBool::new(false),
            connections: AtomicU64::new(0),
            open: Mutex::default(),
        });
        let own = shared.clone();
        std::thread::spawn(move || {
            for near in listener.incoming().flatten() {
                own.forward(near);
            }
        });
        Forwarder { address, shared }
    }

    /// All bytes that passed, in both directions.
    pub(crate) fn wire(&self) -> Vec<u8> {
        self.shared.wire.lock().expect("no panic").clone()
    }

    pub(crate) fn connections(&self) -> u64 {
        self.shared.connections.load(Ordering::SeqCst)
    }

    /// From now on bytes of open connections disappear and the connections stay open; new ones work.
    pub(crate) fn silence_open(&self) {
        self.shared.is_silent.store(true, Ordering::SeqCst);
    }

    /// Cuts all open connections.
    pub(crate) fn cut(&self) {
        for stream in self.shared.open.lock().expect("no panic").drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

impl Shared {
    fn forward(self: &Arc<Self>, near: TcpStream) {
        let number = self.connections.fetch_add(1, Ordering::SeqCst);
        let target = *self.target.lock().expect("no panic");
        let Ok(far) = TcpStream::connect(target) else {
            return;
        };
        // Those that are silenced are the connections that were open then.
        self.is_silent.store(false, Ordering::SeqCst);
        let silent = Arc::new(AtomicBool::new(false));
        let draws = Draws(self.faults.seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let budget = match self.faults.cut_after {
            0 => u64::MAX,
            _ if number >= self.faults.cuts => u64::MAX,
            most => Draws(draws.0 ^ 1).below(most),
        };
        let budget = Arc::new(AtomicU64::new(budget));
        let mut open = self.open.lock().expect("no panic");
        for stream in [&near, &far] {
            let _ = stream.set_nodelay(true);
            open.push(stream.try_clone().expect("a socket"));
        }
        for (from, to, salt) in [(&near, &far, 2), (&far, &near, 3)] {
            let from = from.try_clone().expect("a socket");
            let to = to.try_clone().expect("a socket");
            let (shared, budget, silent) = (self.clone(), budget.clone(), silent.clone());
            let draws = Draws(draws.0 ^ salt);
            std::thread::spawn(move || shared.pump(from, to, draws, &budget, &silent));
        }
    }

    fn pump(
        &self,
        mut from: TcpStream,
        mut to: TcpStream,
        mut draws: Draws,
        budget: &AtomicU64,
        silent: &AtomicBool,
    ) {
        let mut piece = [0; 4096];
        loop {
            let n = match from.read(&mut piece) {
                Ok(n) if n > 0 => n,
                _ => break,
            };
            if self.is_silent.load(Ordering::SeqCst) {
                silent.store(true, Ordering::SeqCst);
            }
            if silent.load(Ordering::SeqCst) {
                continue;
            }
            if self.faults.delay > 0 {
                std::thread::sleep(Duration::from_millis(draws.below(self.faults.delay + 1)));
            }
            let left = budget.load(Ordering::SeqCst);
            let passes = n.min(usize::try_from(left).unwrap_or(usize::MAX));
            budget.store(left - passes as u64, Ordering::SeqCst);
            let mut wire = self.wire.lock().expect("no panic");
            wire.extend_from_slice(&piece[..passes]);
            drop(wire);
            if to.write_all(&piece[..passes]).is_err() || passes < n {
                let _ = from.shutdown(Shutdown::Both);
                break;
            }
        }
        if !silent.load(Ordering::SeqCst) {
            let _ = to.shutdown(Shutdown::Write);
        }
    }
}

/// SplitMix64.
struct Draws(u64);

impl Draws {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end.max(1)
    }
}
