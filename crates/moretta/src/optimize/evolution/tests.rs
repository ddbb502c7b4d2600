//! Searches on a small problem whose best solution is known.

use super::*;
use crate::error::Result;
use proptest::prelude::*;

/// Values of genes that should stay near an original, and should not equal it where that is risky.
#[derive(Clone)]
struct Toy {
    genes: Vec<u32>,
    /// Sum of distances to the originals, and of weights of genes that equal them.
    distance: u32,
    equal: u32,
    print: u64,
}

const LEVELS: u32 = 5;

fn original(gene: usize) -> u32 {
    (gene as u32 * 7 + 3) % LEVELS
}

fn weight(gene: usize) -> u32 {
    gene as u32 % 4
}

impl Toy {
    fn new(genes: Vec<u32>) -> Self {
        let mut toy = Toy {
            distance: 0,
            equal: 0,
            print: 0,
            genes,
        };
        for gene in 0..toy.genes.len() {
            toy.count(gene, 1);
        }
        toy
    }

    fn count(&mut self, gene: usize, sign: u32) {
        let value = self.genes[gene];
        let distance = value.abs_diff(original(gene));
        self.distance = self.distance.wrapping_add(sign.wrapping_mul(distance));
        if distance == 0 {
            self.equal = self.equal.wrapping_add(sign.wrapping_mul(weight(gene)));
        }
        let part = (gene as u64 * 64 + u64::from(value) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.print ^= part.rotate_left(gene as u32 % 63);
    }

    fn set(&mut self, gene: usize, value: u32) -> u32 {
        self.count(gene, u32::MAX);
        let before = std::mem::replace(&mut self.genes[gene], value);
        self.count(gene, 1);
        before
    }

    /// `size` members of `genes` genes.
    fn start(size: usize, genes: usize) -> Vec<Toy> {
        let member = |of: usize| {
            let mut draws = Draws::new(of as u64);
            Toy::new(
                (0..genes)
                    .map(|_| draws.below(LEVELS as usize) as u32)
                    .collect(),
            )
        };
        (0..size).map(member).collect()
    }
}

impl Individual for Toy {
    type Undo = (usize, u32);
    type Genes = Vec<u32>;
    type Exchange = Exchange;

    fn len(&self) -> usize {
        self.genes.len()
    }

    fn trade_off(&mut self) -> TradeOff {
        let genes = self.genes.len() as f64;
        TradeOff {
            loss: 100.0 * f64::from(self.distance) / f64::from(LEVELS) / genes,
            risk: 100.0 * f64::from(self.equal) / 3.0 / genes,
        }
    }

    fn mutate(&mut self, gene: usize, draws: &mut Draws) -> Option<Self::Undo> {
        let other = draws.below(LEVELS as usize - 1) as u32;
        let value = other + u32::from(other >= self.genes[gene]);
        Some((gene, self.set(gene, value)))
    }

    fn undo(&mut self, (gene, value): Self::Undo) {
        self.set(gene, value);
    }

    fn exchange(&self, _: &Self, crossover: Crossover, draws: &mut Draws) -> [Exchange; 2] {
        crossover.exchange(self.len(), draws).for_both()
    }

    fn crossed(&self, other: &Self, exchange: &Exchange) -> Self {
        let mut child = self.clone();
        for gene in exchange.iter() {
            child.set(gene, other.genes[gene]);
        }
        child
    }

    fn shared(&self, other: &Self) -> usize {
        let pairs = self.genes.iter().zip(&other.genes);
        pairs.filter(|(one, other)| one == other).count()
    }

    fn fingerprint(&self) -> u64 {
        self.print
    }

    fn genes(&self) -> Vec<u32> {
        self.genes.clone()
    }
}

/// Every setting that changes how a search goes, each once.
fn variants() -> Vec<(&'static str, Settings)> {
    let usual = Settings::default;
    let of = |count| Mutation { genes: 2.5, count };
    vec![
        ("usual", usual()),
        (
            "max",
            Settings {
                fitness: Fitness::Max,
                ..usual()
            },
        ),
        (
            "front",
            Settings {
                fitness: Fitness::Front,
                ..usual()
            },
        ),
        (
            "tournament",
            Settings {
                selection: Selection::Tournament(3),
                ..usual()
            },
        ),
        (
            "rank",
            Settings {
                selection: Selection::Rank,
                ..usual()
            },
        ),
        (
            "one point",
            Settings {
                crossover: Crossover::Points(1),
                ..usual()
            },
        ),
        (
            "five points",
            Settings {
                crossover: Crossover::Points(5),
                ..usual()
            },
        ),
        (
            "uniform",
            Settings {
                crossover: Crossover::Uniform,
                ..usual()
            },
        ),
        (
            "together",
            Settings {
                operators: Variations::Together,
                ..usual()
            },
        ),
        (
            "poisson",
            Settings {
                mutation: of(Count::Poisson),
                ..usual()
            },
        ),
        (
            "several",
            Settings {
                mutation: of(Count::Fixed),
                ..usual()
            },
        ),
        (
            "adaptive",
            Settings {
                mutation: of(Count::Adaptive),
                adaptive: true,
                operators: Variations::Together,
                ..usual()
            },
        ),
        (
            "gap",
            Settings {
                generation_gap: Some(0.4),
                ..usual()
            },
        ),
        (
            "all at once",
            Settings {
                generation_gap: Some(1.0),
                adaptive: true,
                fitness: Fitness::Front,
                ..usual()
            },
        ),
        (
            "no duplicates",
            Settings {
                no_duplicates: true,
                ..usual()
            },
        ),
        (
            "only mutation",
            Settings {
                crossover_rate: 0.0,
                ..usual()
            },
        ),
        (
            "only crossover",
            Settings {
                crossover_rate: 1.0,
                ..usual()
            },
        ),
    ]
}

fn steps(settings: Settings, steps: u64) -> Settings {
    let stop = Stop {
        steps: Some(steps),
        ..settings.stop
    };
    Settings { stop, ..settings }
}

fn run(settings: &Settings, seed: u64) -> Search<Toy> {
    let mut search = Search::new(settings.clone(), seed, Toy::start(20, 30)).expect("members");
    search.run(u64::MAX, |_| Ok(false)).expect("no error");
    search
}

/// Everything that a search has found.
fn found(search: &Search<Toy>) -> ([Vec<Vec<u32>>; 2], Vec<Moment>, Saved) {
    let members = search.population().members().iter();
    let archive = search.archive().found().iter();
    (
        [
            members.map(|member| member.genes.clone()).collect(),
            archive.map(|found| found.genes.clone()).collect(),
        ],
        search.history().moments().to_vec(),
        search.saved(),
    )
}

#[test]
fn neither_the_best_nor_the_mean_score_nor_any_place_ever_gets_worse() {
    for (name, settings) in variants() {
        let mut search = Search::new(settings, 11, Toy::start(20, 30)).expect("members");
        let mut before = (search.now(), search.population().scores().to_vec());
        for _ in 0..600 {
            search.advance();
            let now = (search.now(), search.population().scores().to_vec());
            assert!(now.0.best <= before.0.best, "{name}");
            assert!(now.0.mean <= before.0.mean, "{name}");
            assert!(now.1.iter().zip(&before.1).all(|(a, b)| a <= b), "{name}");
            before = now;
        }
        assert!(search.accepted() > 0, "{name}");
        assert!(search.history().moments()[0].best > before.0.best, "{name}");
    }
}

#[test]
fn scores_of_members_are_those_of_their_genes() {
    for (name, settings) in variants() {
        let search = run(&steps(settings.clone(), 700), 5);
        let population = search.population();
        for (place, member) in population.members().iter().enumerate() {
            let mut anew = Toy::new(member.genes.clone());
            assert_eq!(anew.trade_off(), population.trade_offs()[place], "{name}");
            assert_eq!(anew.print, member.print, "{name}");
            let score = settings.fitness.score(anew.trade_off(), place, 20);
            assert_eq!(score, population.scores()[place], "{name}");
        }
        for found in search.archive().found() {
            assert_eq!(
                Toy::new(found.genes.clone()).trade_off(),
                found.of,
                "{name}"
            );
        }
    }
}

#[test]
fn a_long_search_finds_the_best_solution() {
    // Of genes with weight 2 and 3 a neighbouring value costs 20 and saves 67 or 100.
    let best: Vec<u32> = (0..30).map(weight).collect();
    let saved = best.iter().filter(|&&weight| weight >= 1).count();
    let best = 100.0 * saved as f64 / f64::from(LEVELS) / 30.0 / 2.0;
    for (name, settings) in variants() {
        if ["front", "all at once", "max", "only crossover"].contains(&name) {
            continue;
        }
        let search = run(&steps(settings, 20_000), 3);
        assert!(
            (search.now().best - best).abs() < 1e-9,
            "{name}: {}",
            search.now().best
        );
    }
}

#[test]
fn a_front_spreads_from_little_loss_to_little_risk() {
    let (_, settings) = variants().swap_remove(2);
    let search = run(&steps(settings, 20_000), 3);
    let found = search.archive().found();
    assert!(found.len() > 10, "{}", found.len());
    let (first, last) = (found[0].of, found[found.len() - 1].of);
    assert!(first.loss < 4.0 && last.risk < 1.0, "{first:?} {last:?}");
    let falls = |pair: &[Found<Vec<u32>>]| {
        pair[0].of.loss < pair[1].of.loss && pair[0].of.risk > pair[1].of.risk
    };
    assert!(found.windows(2).all(falls));
}

#[test]
fn the_number_of_threads_changes_nothing() {
    for (name, settings) in variants() {
        let settings = steps(settings, 400);
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("threads").install(|| found(&run(&settings, 9)))
        };
        let one = with(1);
        assert_eq!(one, with(2), "{name}");
        assert_eq!(one, with(4), "{name}");
    }
}

#[test]
fn a_search_that_was_stopped_goes_on_as_if_it_had_not_been() {
    for (name, settings) in variants() {
        let settings = steps(settings, 1000);
        let whole = found(&run(&settings, 4));
        for after in [0, 1, 40, 128, 600, 999, 1000] {
            let mut first = Search::new(settings.clone(), 4, Toy::start(20, 30)).expect("members");
            while first.steps() < after {
                first.advance();
            }
            let saved = serde_json::to_string(&first.saved()).expect("JSON");
            let saved: Saved = serde_json::from_str(&saved).expect("what was written");
            let start = Toy::start(20, 30);
            let second = Search::resume(settings.clone(), 4, start, &saved);
            let mut second = second.expect("the same search");
            assert_eq!(found(&first), found(&second), "{name} after {after}");
            second.run(u64::MAX, |_| Ok(false)).expect("no error");
            assert_eq!(found(&second), whole, "{name} after {after}");
        }
    }
}

#[test]
fn a_search_that_was_stopped_ends_for_the_same_reason_at_the_same_step() {
    for stop in [
        Stop {
            diversity: Some(0.6),
            ..Stop::default()
        },
        Stop {
            stagnation: Some(3),
            ..Stop::default()
        },
    ] {
        let settings = Settings {
            stop,
            ..Settings::default()
        };
        let run = |mut search: Search<Toy>| {
            let why = search.run(u64::MAX, |_| Ok(false)).expect("no error");
            (why, search.steps())
        };
        let new = || Search::new(settings.clone(), 2, Toy::start(20, 12)).expect("members");
        let whole = run(new());
        for after in (0..whole.1).step_by(20).chain([1, 19, whole.1 - 1]) {
            let mut first = new();
            while first.steps() < after {
                first.advance();
            }
            let start = Toy::start(20, 12);
            let second = Search::resume(settings.clone(), 2, start, &first.saved());
            assert_eq!(
                run(second.expect("the same search")),
                whole,
                "after {after}"
            );
        }
    }
}

#[test]
fn steps_of_another_search_are_refused() {
    let settings = steps(Settings::default(), 300);
    let saved = run(&settings, 4).saved();
    let resumed = |seed, start| Search::resume(settings.clone(), seed, start, &saved).map(drop);
    assert!(resumed(4, Toy::start(20, 30)).is_ok());
    assert!(resumed(5, Toy::start(20, 30)).is_err());
    assert!(resumed(4, Toy::start(19, 30)).is_err());
    assert!(Search::<Toy>::new(settings.clone(), 1, Vec::new()).is_err());
    let short = Saved {
        steps: 1,
        ..saved.clone()
    };
    assert!(Search::resume(settings.clone(), 4, Toy::start(20, 30), &short).is_err());
}

#[test]
fn without_duplicates_no_two_members_become_equal() {
    let settings = Settings {
        no_duplicates: true,
        ..Settings::default()
    };
    let start = || Toy::start(20, 4);
    let distinct = |search: &Search<Toy>| {
        let mut genes: Vec<_> = search
            .population()
            .members()
            .iter()
            .map(|m| &m.genes)
            .collect();
        genes.sort();
        genes.dedup();
        genes.len()
    };
    for (settings, expected) in [(settings, true), (Settings::default(), false)] {
        let mut search = Search::new(steps(settings, 5000), 2, start()).expect("members");
        assert_eq!(distinct(&search), 20);
        search.run(u64::MAX, |_| Ok(false)).expect("no error");
        assert_eq!(distinct(&search) == 20, expected);
    }
}

#[test]
fn a_search_ends_when_members_are_alike_or_nothing_becomes_better() {
    let run = |stop: Stop| -> (Stopped, Search<Toy>) {
        let settings = Settings {
            stop,
            ..Settings::default()
        };
        let mut search = Search::new(settings, 2, Toy::start(20, 12)).expect("members");
        let why = search
            .run(50, |search| Ok(search.steps() > 100_000))
            .expect("no error");
        (why, search)
    };
    let none = Stop::default();
    let (why, search) = run(Stop {
        diversity: Some(0.3),
        ..none
    });
    assert_eq!(why, Stopped::Diversity);
    assert!(diversity::diversity(search.population().members()) < 0.3);
    let (why, search) = run(Stop {
        stagnation: Some(30),
        ..none
    });
    assert_eq!(
        (why, search.steps() % 20),
        (Stopped::Stagnation, search.steps() % 20)
    );
    let (why, _) = run(Stop {
        score: Some(20.0),
        ..none
    });
    assert_eq!(why, Stopped::Score);
    let (why, search) = run(Stop {
        evaluations: Some(500),
        ..none
    });
    assert_eq!(why, Stopped::Evaluations);
    assert!((500..502).contains(&search.evaluations()));
    assert_eq!(run(none).0, Stopped::Asked);
}

#[test]
fn an_error_of_the_caller_ends_the_search() {
    let mut search = Search::new(Settings::default(), 2, Toy::start(5, 5)).expect("members");
    let ended: Result<Stopped> = search.run(10, |_| Err(crate::error::Error::bug("no")));
    assert!(ended.is_err());
    assert_eq!(search.steps(), 10);
}

proptest! {
    #[test]
    fn a_mutation_is_undone_to_the_last_bit(genes in 1..20_usize, changes in 1..8_usize, seed in 0..999_u64) {
        let before = Toy::start(1, genes).swap_remove(0);
        let mut after = before.clone();
        let undo = step::mutate(&mut after, changes, &mut Draws::new(seed));
        for change in undo.into_iter().rev() {
            after.undo(change);
        }
        prop_assert_eq!(&after.genes, &before.genes);
        prop_assert_eq!((after.distance, after.equal, after.print), (before.distance, before.equal, before.print));
    }
}
