//! The time of a stream of events: its beginning, its length, its days and nights.

/// When a stream begins, how long it is and how it counts time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// A midnight, in seconds since 1970.
    pub(super) midnight: u64,
    /// How long the stream is.
    pub(super) hours: u32,
    /// How many sessions begin at each full hour, in proportion; straight lines between.
    pub(super) day: [u32; 24],
    /// Whether time is counted and written in milliseconds rather than seconds.
    pub(super) milliseconds: bool,
}

impl Clock {
    /// How many minutes the stream has.
    pub(super) fn minutes(&self) -> u32 {
        self.hours * 60
    }

    /// 1 or 1000.
    pub(super) fn ticks_of_a_second(&self) -> u32 {
        if self.milliseconds { 1000 } else { 1 }
    }

    /// 60 or 60,000.
    pub(super) fn ticks_of_a_minute(&self) -> u32 {
        60 * self.ticks_of_a_second()
    }

    /// How much of the stream begins in a minute, in proportion.
    pub(super) fn weight(&self, minute: u32) -> u64 {
        let (hour, past) = ((minute / 60) as usize % 24, minute % 60);
        u64::from(self.day[hour] * (60 - past) + self.day[(hour + 1) % 24] * past)
    }

    /// Appends the time `ticks` after the beginning.
    pub(super) fn write(&self, ticks: u32, text: &mut String) {
        let second = u64::from(ticks / self.ticks_of_a_second());
        text.push_str(itoa::Buffer::new().format(self.midnight + second));
        if self.milliseconds {
            // The leading one keeps the zeros and is cut off.
            let fraction = 1000 + ticks % 1000;
            text.push('.');
            text.push_str(&itoa::Buffer::new().format(fraction)[1..]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_in_full() {
        let seconds = Clock {
            midnight: 1_494_806_400,
            hours: 26,
            day: [1; 24],
            milliseconds: false,
        };
        let milliseconds = Clock {
            milliseconds: true,
            ..seconds
        };
        for (clock, ticks, expected) in [
            (seconds, 0, "1494806400"),
            (seconds, 3338, "1494809738"),
            (milliseconds, 0, "1494806400.000"),
            (milliseconds, 7, "1494806400.007"),
            (milliseconds, 3_338_217, "1494809738.217"),
        ] {
            let mut text = String::new();
            clock.write(ticks, &mut text);
            assert_eq!(text, expected);
        }
    }

    #[test]
    fn the_day_runs_in_straight_lines_through_midnight() {
        let mut day = [10; 24];
        day[0] = 70;
        let clock = Clock {
            midnight: 0,
            hours: 48,
            day,
            milliseconds: false,
        };
        let weights = [0, 30, 60, 23 * 60 + 30, 24 * 60].map(|minute| clock.weight(minute) / 60);
        assert_eq!(weights, [70, 40, 10, 40, 70]);
    }
}
