//! The points of a stream as pieces of time, few enough to draw.
//!
//! Of points that share a piece the worst is told, the lowest z and p, and the
//! mean of the counts, so that pieces of more and of fewer points compare.

use super::by_colour;
use crate::number::told;
use crate::plot::Stack;
use moretta::pipeline::report::StreamPoint;

/// Pieces that a drawing can hold.
const MOST: usize = 400;

/// A piece of time.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Interval {
    pub(super) from: i64,
    pub(super) to: i64,
    /// How many points it stands for.
    pub(super) points: usize,
    /// The lowest.
    pub(super) z: u32,
    /// The lowest; none when no point has it.
    pub(super) p: Option<f64>,
    /// The highest; none when no point has it.
    pub(super) unique: Option<f64>,
    /// The mean of the counts.
    pub(super) stack: Stack,
}

/// At most [`MOST`] pieces, in the order of time. The first point is as long as
/// most others, or as `window` when it is alone.
pub(super) fn intervals(points: &[StreamPoint], window: i64) -> Vec<Interval> {
    let mut points: Vec<&StreamPoint> = points.iter().collect();
    points.sort_by_key(|point| point.time);
    let length = length(&points).unwrap_or(window).max(1);
    let together = points.len().div_ceil(MOST).max(1);
    let mut end = None;
    let chunks = points.chunks(together).map(|chunk| {
        let from = start(end, chunk[0].time, length);
        let interval = merge(from, chunk);
        end = Some(interval.to);
        interval
    });
    chunks.collect()
}

/// Of most points, in milliseconds: the median of the times between them.
pub(super) fn length(points: &[&StreamPoint]) -> Option<i64> {
    let pairs = points.windows(2);
    let lengths = pairs.map(|pair| pair[1].time.saturating_sub(pair[0].time));
    let mut lengths: Vec<i64> = lengths.filter(|length| *length > 0).collect();
    lengths.sort_unstable();
    lengths.get(lengths.len() / 2).copied()
}

/// Where a point begins that ends at `time`: where the one before it ended, but
/// a long silence between them belongs to neither.
fn start(end: Option<i64>, time: i64, length: i64) -> i64 {
    let own = time.saturating_sub(length);
    match end {
        Some(end) if own.saturating_sub(end) < length => end,
        _ => own,
    }
}

fn merge(from: i64, points: &[&StreamPoint]) -> Interval {
    let lowest = |value: fn(&StreamPoint) -> Option<f64>| {
        let values = points.iter().filter_map(|point| value(point));
        values.min_by(f64::total_cmp)
    };
    Interval {
        from,
        to: points.last().map_or(from, |point| point.time),
        points: points.len(),
        z: points.iter().map(|point| point.z).min().unwrap_or(0),
        p: lowest(|point| point.p),
        unique: lowest(|point| point.unique.map(|share| -share)).map(|share| -share),
        stack: stack(points),
    }
}

fn stack(points: &[&StreamPoint]) -> Stack {
    let each = 1.0 / points.len().max(1) as f64;
    let mut stack = Stack {
        total: Some(0.0),
        ..Stack::default()
    };
    for point in points {
        let bands = by_colour(&point.levels);
        if stack.parts.len() < bands.len() {
            stack.parts.resize(bands.len(), 0.0);
        }
        for (part, (known, hidden)) in stack.parts.iter_mut().zip(bands) {
            *part += known as f64 * each;
            stack.hidden |= hidden;
        }
        match told(point.suppressed) {
            Some(count) => stack.suppressed += count as f64 * each,
            None => stack.hidden = true,
        }
        let read = told(point.read).map(|count| count as f64 * each);
        stack.total = stack.total.zip(read).map(|(sum, read)| sum + read);
    }
    stack
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(time: i64, z: u32, p: Option<f64>, read: Option<u64>) -> StreamPoint {
        StreamPoint {
            time,
            z,
            p,
            unique: p.map(|p| 1.0 - p),
            read,
            levels: vec![read.map(|read| read / 2), Some(20)],
            suppressed: Some(0),
        }
    }

    #[test]
    fn points_become_pieces_of_time_that_join_except_over_a_silence() {
        let times = [10, 20, 30, 200, 210];
        let points: Vec<StreamPoint> = times.map(|time| point(time, 5, None, None)).to_vec();
        let ends = intervals(&points, 7).into_iter();
        let ends: Vec<(i64, i64)> = ends.map(|piece| (piece.from, piece.to)).collect();
        assert_eq!(ends, [(0, 10), (10, 20), (20, 30), (190, 200), (200, 210)]);
        assert_eq!(intervals(&points[..1], 7)[0].from, 3);
        assert_eq!(intervals(&[], 7), []);
    }

    #[test]
    fn many_points_share_pieces_that_tell_the_worst_and_the_mean() {
        let points: Vec<StreamPoint> = (0..2000)
            .map(|number| {
                let p = (number % 5 != 0).then_some(0.5 + f64::from(number % 5) / 10.0);
                point(i64::from(number), 10 + number % 5, p, Some(100))
            })
            .collect();
        let pieces = intervals(&points, 1);
        assert_eq!(pieces.len(), 400);
        for piece in &pieces {
            assert_eq!((piece.points, piece.z, piece.p), (5, 10, Some(0.6)));
            assert_eq!(piece.unique, Some(0.4));
            assert!((piece.stack.total.expect("it is known") - 100.0).abs() < 1e-9);
            assert!(!piece.stack.hidden);
        }
        assert_eq!(intervals(&points[..1999], 1).len(), 400);
        assert_eq!(intervals(&points[..401], 1).len(), 201);
    }

    #[test]
    fn what_one_point_hides_is_not_counted_as_nothing() {
        let mut points = vec![point(0, 5, None, Some(100)); 2000];
        points[0].levels[0] = None;
        points[5].levels[0] = Some(4);
        points[10].read = Some(7);
        points[15].suppressed = None;
        let pieces = intervals(&points, 1);
        let hidden: Vec<bool> = pieces.iter().map(|piece| piece.stack.hidden).collect();
        assert_eq!(hidden[..5], [true, true, false, true, false]);
        assert_eq!(pieces[2].stack.total, None);
        assert!(pieces[3].stack.total.is_some());
    }
}
