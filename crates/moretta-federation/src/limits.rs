//! What a peer may ask of us, in bytes, numbers and seconds.

use std::time::Duration;

/// The longest frame, header included.
pub const FRAME_BYTES: usize = 1 << 20;
/// Parties that may be linked to a listener at the same time.
pub const LINKS: usize = 1024;
/// What a link may hold of frames that its reader has not taken.
pub const CREDITS: usize = 64;
/// A frame takes a credit for each such piece of it that is begun.
pub const CREDIT_BYTES: usize = 32 << 10;

/// Limits of a network. The default is what a federation runs with; tests use shorter times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Bytes of a frame, checked before memory is taken.
    pub frame_bytes: usize,
    /// Links to a listener at the same time.
    pub links: usize,
    /// Credits of a link, in each direction. A peer whose credits are used up is not read until the
    /// party has handled some of its frames; then flow control stops the sender.
    pub credits: usize,
    /// Credits' worth of frames that wait for a slow peer before its link is cut. Larger ones
    /// take more memory and cut later.
    pub backlog: usize,
    /// From connecting to a link that is admitted, and from its end to a closed connection.
    pub handshake: Duration,
    /// A quiet peer is asked for a sign of life this often.
    pub keepalive: Duration,
    /// A peer that gives no sign of life for so long is dead.
    pub dead: Duration,
    /// The first pause before dialling again; it doubles, with a random part, up to `longest_pause`.
    pub first_pause: Duration,
    /// The longest pause before dialling again.
    pub longest_pause: Duration,
    /// How long a party that has failed waits for links on which it has not said so.
    pub last_words: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            frame_bytes: FRAME_BYTES,
            links: LINKS,
            credits: CREDITS,
            backlog: 16 * CREDITS,
            handshake: Duration::from_secs(5),
            keepalive: Duration::from_secs(10),
            dead: Duration::from_secs(30),
            first_pause: Duration::from_millis(100),
            longest_pause: Duration::from_secs(10),
            last_words: Duration::from_secs(5),
        }
    }
}

impl Limits {
    /// How many credits a frame of that many bytes takes: at least one, at most all of them, so that
    /// every frame that may be sent can pass.
    pub fn cost(&self, bytes: usize) -> usize {
        bytes.div_ceil(CREDIT_BYTES).clamp(1, self.credits.max(1))
    }

    /// The pause before attempt `attempt` (from 0) to dial again. `share` in 0..=255 moves it between
    /// half and all of that, so that sites that lost their listener together come back spread out.
    pub fn pause(&self, attempt: u32, share: u8) -> Duration {
        let doubled = self.first_pause.saturating_mul(1 << attempt.min(16));
        let whole = doubled.min(self.longest_pause);
        whole / 2 + (whole / 2).mul_f64(f64::from(share) / 255.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_takes_a_credit_for_each_piece() {
        let limits = Limits::default();
        let check = |bytes, credits| assert_eq!(limits.cost(bytes), credits, "{bytes}");
        check(0, 1);
        check(32, 1);
        check(2848, 1);
        check(CREDIT_BYTES, 1);
        check(CREDIT_BYTES + 1, 2);
        check(FRAME_BYTES, 32);
        check(usize::MAX, 64);
    }

    #[test]
    fn pauses_double_up_to_the_longest() {
        let limits = Limits::default();
        let check = |attempt, share, milliseconds| {
            let pause = limits.pause(attempt, share);
            assert_eq!(pause, Duration::from_millis(milliseconds), "{attempt}");
        };
        check(0, 0, 50);
        check(0, 255, 100);
        check(1, 255, 200);
        check(3, 0, 400);
        check(20, 0, 5_000);
        check(u32::MAX, 255, 10_000);
    }
}
