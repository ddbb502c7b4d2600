//! What happened interval by interval.
//!
//! Intervals are aligned: [n·every, (n + 1)·every). The latest time so far says
//! which is open, so a late row counts where it is decided; intervals in which
//! nothing is decided are left out. When there are more than [`MOST`] points,
//! intervals double in length and neighbours become one.

/// Points that are kept.
const MOST: usize = 2_000;

/// One interval of a stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// When it ended, in milliseconds since 1970; the last one, when its latest row was.
    pub time: i64,
    /// The z in use at its end.
    pub z: u32,
    /// Share of users of the window in groups of at least k with equal released sets, at its end.
    pub p: Option<f64>,
    /// Share of users of the window whose released set nobody else has, at its end.
    pub unique: Option<f64>,
    /// Attributes decided in it.
    pub read: u64,
    /// Attributes released in it, by the number of rungs climbed.
    pub levels: Vec<u64>,
    /// Attributes decided in it and not released.
    pub suppressed: u64,
}

/// The points so far and the interval that is open.
pub(super) struct Timeline {
    every: i64,
    /// The latest time so far, and the end of its interval.
    pub(super) latest: i64,
    pub(super) end: i64,
    pub(super) points: Vec<Point>,
}

impl Timeline {
    pub(super) fn new(every: i64) -> Self {
        Timeline {
            every: every.max(1),
            latest: i64::MIN,
            end: i64::MIN,
            points: Vec::new(),
        }
    }

    /// Whether a row of this time is past the open interval.
    #[inline]
    pub(super) fn is_past(&self, time: i64) -> bool {
        time >= self.end
    }

    /// Opens the interval of `time`, which is the latest.
    pub(super) fn open(&mut self, time: i64) {
        let number = time.div_euclid(self.every);
        self.end = number.saturating_add(1).saturating_mul(self.every);
    }

    /// Adds the point of an interval that is over.
    pub(super) fn push(&mut self, point: Point) {
        append(&mut self.points, point, self.every);
        while self.points.len() > MOST {
            self.every = self.every.saturating_mul(2);
            let points = std::mem::take(&mut self.points);
            for point in points {
                append(&mut self.points, point, self.every);
            }
        }
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        let levels = self.points.iter().map(|point| point.levels.capacity());
        self.points.capacity() * size_of::<Point>() + levels.sum::<usize>() * size_of::<u64>()
    }
}

/// Adds a point, to the last one when both are of one interval.
fn append(points: &mut Vec<Point>, point: Point, every: i64) {
    let number = |point: &Point| point.time.saturating_sub(1).div_euclid(every);
    match points.last_mut() {
        Some(last) if number(last) == number(&point) => last.extend(point),
        _ => points.push(point),
    }
}

impl Point {
    /// Goes on to the end of a later one.
    fn extend(&mut self, later: Point) {
        add(&mut self.levels, &later.levels);
        self.read += later.read;
        self.suppressed += later.suppressed;
        (self.time, self.z) = (later.time, later.z);
        (self.p, self.unique) = (later.p, later.unique);
    }
}

/// Adds counts by level.
pub(super) fn add(levels: &mut Vec<u64>, more: &[u64]) {
    if levels.len() < more.len() {
        levels.resize(more.len(), 0);
    }
    for (sum, count) in levels.iter_mut().zip(more) {
        *sum += count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(timeline: &mut Timeline, times: impl Iterator<Item = i64>) {
        for time in times {
            timeline.open(time);
            timeline.push(Point {
                time: timeline.end,
                z: 1,
                p: Some(0.5),
                unique: None,
                read: 1,
                levels: vec![1],
                suppressed: 0,
            });
        }
    }

    #[test]
    fn months_fit_however_dense_or_sparse() {
        let (minute, day) = (60_000, 86_400_000);
        let cases = [(minute, 200 * 1_440), (7 * minute, 30_000), (day, 9_000)];
        for (step, count) in cases {
            let mut timeline = Timeline::new(minute);
            let start = 1_700_000_000_000;
            fill(&mut timeline, (0..count).map(|n| start + n * step));
            let points = &timeline.points;
            assert!(points.len() <= MOST, "{} points", points.len());
            assert!(points.len() > MOST / 3, "{} points", points.len());
            assert!(points.windows(2).all(|two| two[0].time < two[1].time));
            assert_eq!(points.iter().map(|p| p.read).sum::<u64>(), count as u64);
            assert_eq!(
                points.iter().map(|p| p.levels[0]).sum::<u64>(),
                count as u64
            );
        }
    }

    #[test]
    fn the_ends_of_time_are_no_trouble() {
        for every in [1, 1_000, i64::MAX] {
            let mut timeline = Timeline::new(every);
            fill(&mut timeline, [i64::MIN, -1, 0, i64::MAX].into_iter());
            assert!(timeline.is_past(i64::MAX));
            let read: u64 = timeline.points.iter().map(|point| point.read).sum();
            assert_eq!(read, 4);
        }
    }

    #[test]
    fn intervals_are_aligned_also_before_1970() {
        let end = |time: i64| {
            let mut timeline = Timeline::new(10);
            timeline.open(time);
            timeline.end
        };
        assert_eq!([-11, -10, -1, 0, 9, 10].map(end), [-10, 0, 0, 10, 10, 20]);
    }
}
