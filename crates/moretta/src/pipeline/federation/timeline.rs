//! A course of events in few moments: however long it gets, they become wider and not more.

/// Moments at most.
const MOST: usize = 240;

/// What can be added up over neighbouring moments.
pub(super) trait Moment: Default {
    /// Takes in the moment after it.
    fn merge(&mut self, later: Self);
}

/// Moments of equal width, in batches.
#[derive(Clone, Debug)]
pub(super) struct Timeline<M> {
    first: Option<u64>,
    width: u64,
    moments: Vec<M>,
}

impl<M: Moment> Default for Timeline<M> {
    fn default() -> Self {
        Timeline {
            first: None,
            width: 1,
            moments: Vec::new(),
        }
    }
}

impl<M: Moment> Timeline<M> {
    /// The moment of a batch; batches before the first count for it.
    pub(super) fn at(&mut self, batch: u64) -> &mut M {
        let first = *self.first.get_or_insert(batch);
        let since = batch.saturating_sub(first);
        while since / self.width >= MOST as u64 {
            self.halve();
        }
        let place = (since / self.width) as usize;
        while self.moments.len() <= place {
            self.moments.push(M::default());
        }
        &mut self.moments[place]
    }

    /// Moments with their first batches.
    pub(super) fn moments(&self) -> impl DoubleEndedIterator<Item = (u64, &M)> + ExactSizeIterator {
        let first = self.first.unwrap_or(0);
        let from = move |place: usize| first + place as u64 * self.width;
        let moments = self.moments.iter().enumerate();
        moments.map(move |(place, moment)| (from(place), moment))
    }

    /// Batches of a moment.
    pub(super) fn width(&self) -> u64 {
        self.width
    }

    fn halve(&mut self) {
        self.width *= 2;
        let mut halved: Vec<M> = Vec::with_capacity(MOST);
        for (place, moment) in std::mem::take(&mut self.moments).into_iter().enumerate() {
            match halved.last_mut().filter(|_| place % 2 == 1) {
                Some(last) => last.merge(moment),
                None => halved.push(moment),
            }
        }
        self.moments = halved;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Count(u64);

    impl Moment for Count {
        fn merge(&mut self, later: Self) {
            self.0 += later.0;
        }
    }

    #[test]
    fn nothing_is_lost_and_moments_stay_few() {
        for (first, batches) in [(0, 1), (7, 240), (7, 241), (3, 100_000)] {
            let mut timeline = Timeline::<Count>::default();
            for batch in first..first + batches {
                timeline.at(batch).0 += 1;
            }
            let counts: Vec<(u64, u64)> = timeline.moments().map(|(at, m)| (at, m.0)).collect();
            assert_eq!(counts.iter().map(|(_, count)| count).sum::<u64>(), batches);
            assert!(counts.len() <= MOST, "{}", counts.len());
            let full = &counts[..counts.len() - 1];
            let width = timeline.width();
            assert!(full.iter().all(|(_, count)| *count == width), "{counts:?}");
            assert_eq!(counts[0].0, first);
        }
    }

    #[test]
    fn a_jump_far_ahead_costs_no_more_than_a_timeline() {
        let mut timeline = Timeline::<Count>::default();
        timeline.at(5).0 += 1;
        timeline.at(u64::MAX / 4).0 += 1;
        timeline.at(0).0 += 1;
        assert!(timeline.moments().len() <= MOST);
        assert_eq!(timeline.moments().map(|(_, m)| m.0).sum::<u64>(), 3);
    }
}
