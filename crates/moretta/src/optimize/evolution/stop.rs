//! When a search ends.

/// When a search ends: at the first of these.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stop {
    /// After so many steps.
    pub steps: Option<u64>,
    /// After so many generations: as many steps as there are members.
    pub generations: Option<u64>,
    /// After so many mutants and children were evaluated.
    pub evaluations: Option<u64>,
    /// When the best score is at most this.
    pub score: Option<f64>,
    /// When members differ in a smaller share of their genes.
    pub diversity: Option<f64>,
    /// When the best score has not become better for so many generations.
    pub stagnation: Option<u64>,
}

/// Why a search has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// It has done all its steps.
    Steps,
    /// It has done all its generations.
    Generations,
    /// It has done all its evaluations.
    Evaluations,
    /// The best score is good enough.
    Score,
    /// Members are nearly alike.
    Diversity,
    /// The best score does not become better.
    Stagnation,
    /// The caller has ended it.
    Asked,
}

impl Stopped {
    /// Why, in words.
    pub fn words(self) -> &'static str {
        match self {
            Stopped::Steps => "all steps were done",
            Stopped::Generations => "all generations were done",
            Stopped::Evaluations => "all evaluations were done",
            Stopped::Score => "the score was reached",
            Stopped::Diversity => "the population became alike",
            Stopped::Stagnation => "the best score did not become better any more",
            Stopped::Asked => "the time was over",
        }
    }
}

/// How far a search is.
pub(super) struct Far {
    pub(super) steps: u64,
    pub(super) members: u64,
    pub(super) evaluations: u64,
    pub(super) best: f64,
    /// The step that made the best score what it is.
    pub(super) improved: u64,
}

impl Stop {
    /// Why a search ends now, diversity aside; none where it goes on.
    pub(super) fn reached(&self, far: &Far) -> Option<Stopped> {
        let members = far.members.max(1);
        let all = |limit: Option<u64>, done: u64| limit.is_some_and(|limit| done >= limit);
        let stagnant = (far.steps - far.improved) / members;
        [
            (all(self.steps, far.steps), Stopped::Steps),
            (
                all(self.generations, far.steps / members),
                Stopped::Generations,
            ),
            (all(self.evaluations, far.evaluations), Stopped::Evaluations),
            (
                self.score.is_some_and(|score| far.best <= score),
                Stopped::Score,
            ),
            (all(self.stagnation, stagnant), Stopped::Stagnation),
        ]
        .into_iter()
        .find_map(|(reached, why)| reached.then_some(why))
    }

    /// How many more steps may be done at once.
    pub(super) fn steps_left(&self, steps: u64) -> u64 {
        self.steps
            .map_or(u64::MAX, |limit| limit.saturating_sub(steps))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn far() -> Far {
        Far {
            steps: 400,
            members: 100,
            evaluations: 500,
            best: 12.5,
            improved: 150,
        }
    }

    #[test]
    fn each_limit_ends_the_search_when_it_is_reached_and_not_before() {
        let none = Stop::default();
        assert_eq!(none.reached(&far()), None);
        for (stop, later, why) in [
            (
                Stop {
                    steps: Some(400),
                    ..none
                },
                Stop {
                    steps: Some(401),
                    ..none
                },
                Stopped::Steps,
            ),
            (
                Stop {
                    generations: Some(4),
                    ..none
                },
                Stop {
                    generations: Some(5),
                    ..none
                },
                Stopped::Generations,
            ),
            (
                Stop {
                    evaluations: Some(500),
                    ..none
                },
                Stop {
                    evaluations: Some(501),
                    ..none
                },
                Stopped::Evaluations,
            ),
            (
                Stop {
                    score: Some(12.5),
                    ..none
                },
                Stop {
                    score: Some(12.4),
                    ..none
                },
                Stopped::Score,
            ),
            (
                Stop {
                    stagnation: Some(2),
                    ..none
                },
                Stop {
                    stagnation: Some(3),
                    ..none
                },
                Stopped::Stagnation,
            ),
        ] {
            assert_eq!(stop.reached(&far()), Some(why));
            assert_eq!(later.reached(&far()), None, "{why:?}");
        }
        let steps = Stop {
            steps: Some(401),
            ..none
        };
        assert_eq!((steps.steps_left(400), steps.steps_left(500)), (1, 0));
    }
}
