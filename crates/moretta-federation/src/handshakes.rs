//! Handshakes that are under way: a limit for all of them, and one for each address.
//!
//! **Protects against** one address that opens connections and says nothing: it takes a quarter of
//! the places, and others are served. **Does not protect against** many addresses.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

/// The part of all places that one address may take.
const PART: usize = 4;

/// How many there are, by address.
#[derive(Clone)]
pub(crate) struct Handshakes {
    most: usize,
    under_way: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

/// A handshake; dropping it gives its place back.
pub(crate) struct Handshake {
    all: Handshakes,
    address: IpAddr,
}

impl Handshakes {
    /// At most so many, at least one an address.
    pub(crate) fn new(most: usize) -> Self {
        Handshakes {
            most,
            under_way: Arc::default(),
        }
    }

    /// Begins one, if there is a place for it.
    pub(crate) fn begin(&self, address: IpAddr) -> Option<Handshake> {
        let mut under_way = self
            .under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let all: usize = under_way.values().sum();
        let own = under_way.get(&address).copied().unwrap_or(0);
        if all >= self.most || own >= self.most.div_ceil(PART) {
            return None;
        }
        under_way.insert(address, own + 1);
        Some(Handshake {
            all: self.clone(),
            address,
        })
    }
}

impl Drop for Handshake {
    fn drop(&mut self) {
        let under_way = self.all.under_way.lock();
        let mut under_way = under_way.unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = under_way.get_mut(&self.address) {
            *own -= 1;
            if *own == 0 {
                under_way.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_cannot_take_all_places() {
        let handshakes = Handshakes::new(8);
        let address = |last: u8| IpAddr::from([10, 0, 0, last]);
        let own: Vec<_> = (0..3).map(|_| handshakes.begin(address(1))).collect();
        let begun: Vec<bool> = own.iter().map(Option::is_some).collect();
        assert_eq!(begun, [true, true, false]);
        let others: Vec<_> = (2..6).flat_map(|last| [last, last]).collect();
        let others: Vec<_> = others
            .into_iter()
            .map(|last| handshakes.begin(address(last)))
            .collect();
        assert_eq!(others.iter().flatten().count(), 6);
        drop(own);
        assert!(handshakes.begin(address(1)).is_some());
    }
}
