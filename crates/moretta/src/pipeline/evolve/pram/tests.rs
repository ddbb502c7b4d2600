//! Matrices and equations as individuals, against a slow reference and against each other.

use super::applications::Ground;
use super::matrices::Matrices;
use super::*;
use crate::data::{CategoricalTable, Variable};
use crate::measure::categorical::{ScoreSettings, Scorer};
use crate::optimize::evolution::{Fitness, Search, Selection, Settings, Stop};
use crate::optimize::programming::Initial;
use crate::optimize::{EquationRules, MatrixRules, PramForm};
use crate::protect::pram::Diagonal;
use proptest::prelude::*;

/// A table of three attributes whose categories are not equally frequent.
fn table(rows: usize, seed: u64) -> CategoricalTable {
    let variables = vec![
        Variable::ordinal(4),
        Variable::nominal(3),
        Variable::ordinal(5),
    ];
    let mut draws = Draws::new(seed);
    let column = |of: &Variable| {
        let code = |_| draws.below(of.levels).min(draws.below(of.levels)) as u32;
        (0..rows).map(code).collect()
    };
    let columns = variables.iter().map(column).collect();
    CategoricalTable::new(variables, columns).expect("codes")
}

fn breed<G: Genotype>(rows: usize, rules: G::Rules) -> Arc<Breed<G>> {
    let ground = Ground::new(&table(rows, 5), ScoreSettings::default(), 3, 11);
    Breed::new(ground.expect("rows"), rules)
}

/// The first members of a search.
fn members<G: Genotype>(breed: &Arc<Breed<G>>) -> Vec<Randomizer<G>> {
    let start = G::start(&breed.rules, breed.ground.all_frequencies(), 3);
    let start = start
        .into_iter()
        .map(|(_, genotype)| breed.individual(genotype));
    start.collect::<Result<_>>().expect("files")
}

/// The individual with the same genes, made anew.
fn anew<G: Genotype>(of: &Randomizer<G>) -> Randomizer<G> {
    of.breed.individual(of.genotype.clone()).expect("files")
}

/// Loss and risk by scoring each file from scratch.
fn by_hand<G: Genotype>(of: &Randomizer<G>, rows: usize) -> TradeOff {
    let scorer = Scorer::new(table(rows, 5), ScoreSettings::default()).expect("settings");
    let figures = of.files.iter().map(|file| {
        let mut scored = scorer.score(file.masked()).expect("fits");
        scored.figures()
    });
    applications::mean(figures)
}

fn matrix_rules(invariant: bool) -> MatrixRules {
    MatrixRules {
        invariant,
        diagonal: invariant.then_some(0.7),
        ..MatrixRules::default()
    }
}

fn equation_rules(diagonal_tree: bool) -> EquationRules {
    EquationRules {
        diagonal_tree,
        members: 12,
        ..EquationRules::default()
    }
}

fn check_incremental<G: Genotype + std::fmt::Debug + PartialEq>(rules: G::Rules) {
    let breed = breed::<G>(60, rules);
    let mut members = members(&breed);
    let mut draws = Draws::new(8);
    for round in 0..150 {
        let place = draws.below(members.len());
        let member = &mut members[place];
        let before = (member.genotype.clone(), member.trade_off());
        let gene = draws.below(member.len());
        let Some(change) = member.mutate(gene, &mut draws) else {
            continue;
        };
        let glance = member.glance();
        let mut same = anew(member);
        let of = member.trade_off();
        assert_eq!(of, same.trade_off());
        assert_eq!(of, by_hand(member, 60));
        assert_eq!(member.matrices, same.matrices);
        assert!(glance.is_none_or(|glance| glance.loss == of.loss));
        assert_eq!(member.fingerprint(), same.fingerprint());
        if round % 3 > 0 {
            member.undo(change);
            assert_eq!((member.genotype.clone(), member.trade_off()), before);
            assert_eq!(member.trade_off(), by_hand(member, 60));
        }
        let (one, other) = (&members[place], &members[(place + 1) % members.len()]);
        let exchange = one.exchange(other, Crossover::Points(1), &mut draws);
        for (mut child, parent) in [
            (one.crossed(other, &exchange[0]), one),
            (other.crossed(one, &exchange[1]), other),
        ] {
            let mut same = anew(&child);
            assert_eq!(child.trade_off(), same.trade_off());
            assert!(child.shared(parent) <= child.len().max(parent.len()));
        }
    }
}

#[test]
fn what_follows_a_mutation_or_a_crossing_equals_what_is_made_anew() {
    for invariant in [false, true] {
        check_incremental::<Matrices>(matrix_rules(invariant));
    }
    for diagonal_tree in [false, true] {
        check_incremental::<MatrixEquation>(equation_rules(diagonal_tree));
    }
}

#[test]
fn repaired_matrices_keep_frequencies_and_let_the_wanted_share_stay_after_every_operator() {
    let breed = breed::<Matrices>(90, matrix_rules(true));
    let mut members = members(&breed);
    let mut draws = Draws::new(2);
    for _ in 0..200 {
        let place = draws.below(members.len());
        let gene = draws.below(members[place].len());
        members[place].mutate(gene, &mut draws);
        let other = &members[(place + 5) % members.len()];
        let exchange = members[place].exchange(other, Crossover::Points(1), &mut draws);
        members[place] = members[place].crossed(other, &exchange[0]);
        let member = &members[place];
        for (column, matrix) in member.matrices.iter().enumerate() {
            let frequencies = breed.ground.frequencies(column);
            for (kept, count) in matrix.expected(frequencies).iter().zip(frequencies) {
                assert!((kept - count).abs() < 1e-9, "{kept} {count}");
            }
            let whole = TransitionMatrix::new(&member.genotype.0[column].probabilities());
            let free = whole.expect("a matrix").invariant(frequencies, 1.0);
            let expected = free.staying(frequencies).max(0.7);
            assert!((matrix.staying(frequencies) - expected).abs() < 1e-9);
        }
    }
}

fn settings(steps: u64) -> Settings {
    Settings {
        stop: Stop {
            steps: Some(steps),
            ..Stop::default()
        },
        ..Settings::default()
    }
}

fn forms() -> [PramForm; 4] {
    [
        PramForm::Matrices(matrix_rules(false)),
        PramForm::Matrices(MatrixRules {
            denominator: 1000,
            delta_max: 100,
            ..matrix_rules(true)
        }),
        PramForm::Equations(equation_rules(false)),
        PramForm::Equations(equation_rules(true)),
    ]
}

fn search(form: &PramForm, settings: Settings) -> PramSearch {
    PramSearch {
        settings,
        ..PramSearch::new(form.clone(), 4)
    }
}

#[test]
fn neither_the_best_nor_the_mean_ever_gets_worse_and_the_best_is_what_its_matrices_give() {
    for form in forms() {
        for fitness in [Fitness::Mean, Fitness::Max, Fitness::Front] {
            let settings = Settings {
                fitness,
                selection: Selection::Tournament(3),
                generation_gap: (fitness == Fitness::Max).then_some(1.0),
                ..settings(150)
            };
            let found = search(&form, settings).run(&table(70, 5), |_| Ok(false));
            let found = found.expect("found");
            let falls = |pair: &[crate::optimize::evolution::Moment]| {
                pair[1].best <= pair[0].best && pair[1].mean <= pair[0].mean
            };
            assert!(found.history.windows(2).all(falls), "{form:?} {fitness:?}");
            assert!(found.accepted > 0 && found.steps == 150);
            let ground = Ground::new(&table(70, 5), ScoreSettings::default(), 3, 4).expect("rows");
            let breed = Breed::<Matrices>::new(ground, MatrixRules::default());
            let of = breed.measured(&found.best.matrices).expect("files");
            assert_eq!(of, found.best.of);
            assert_eq!(found.designs.len(), 18);
        }
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    for form in forms() {
        for gap in [None, Some(0.5)] {
            let settings = Settings {
                generation_gap: gap,
                ..settings(80)
            };
            let with = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
                let run = || search(&form, settings.clone()).run(&table(50, 5), |_| Ok(false));
                pool.expect("threads").install(run).expect("found")
            };
            assert_eq!(with(1), with(2), "{form:?} {gap:?}");
        }
    }
}

#[test]
fn a_search_that_was_stopped_goes_on_as_if_it_had_not_been() {
    fn check<G: Genotype + PartialEq + std::fmt::Debug>(rules: G::Rules, gap: Option<f64>) {
        let breed = breed::<G>(40, rules);
        let settings = Settings {
            generation_gap: gap,
            ..settings(160)
        };
        let new = || Search::new(settings.clone(), 6, members(&breed)).expect("members");
        let found = |search: &Search<Randomizer<G>>| {
            let members = search.population().members().iter();
            let genes: Vec<G> = members.map(Individual::genes).collect();
            (genes, search.history().moments().to_vec(), search.saved())
        };
        let mut whole = new();
        whole.run(u64::MAX, |_| Ok(false)).expect("no error");
        for after in [0, 1, 70, 160] {
            let mut first = new();
            while first.steps() < after {
                first.advance();
            }
            let start = members(&breed);
            let second = Search::resume(settings.clone(), 6, start, &first.saved());
            let mut second = second.expect("the same search");
            second.run(u64::MAX, |_| Ok(false)).expect("no error");
            assert_eq!(found(&second), found(&whole), "after {after}");
        }
    }
    for gap in [None, Some(0.3)] {
        check::<Matrices>(matrix_rules(false), gap);
        check::<MatrixEquation>(equation_rules(true), gap);
    }
}

#[test]
fn a_probability_that_is_fixed_stays_and_the_start_is_as_it_is_asked_for() {
    let rules = EquationRules {
        p: Some(0.65),
        initial: Initial::Full,
        depth: 2,
        members: 9,
        diagonal_tree: false,
    };
    let found = search(&PramForm::Equations(rules), settings(200));
    let found = found.run(&table(50, 5), |_| Ok(false)).expect("found");
    assert_eq!(found.start.len(), 9);
    for solution in found.front.iter().chain([&found.best]) {
        let equation = solution.equation.as_ref().expect("an equation");
        assert_eq!(equation.diagonal, Diagonal::Constant(0.65));
        assert!(equation.weights.depth() <= 2);
    }
    let empty = CategoricalTable::new(vec![Variable::ordinal(2)], vec![vec![]]).expect("codes");
    let refused = search(&forms()[0], settings(5)).run(&empty, |_| Ok(false));
    assert!(refused.is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn whatever_operators_do_equations_keep_their_depth_and_matrices_their_sums(seed in 0..9999_u64, depth in 1..5_usize) {
        let mut draws = Draws::new(seed);
        let frequencies = vec![vec![4.0, 0.0, 9.0], vec![1.0, 30.0]];
        let rules = EquationRules { depth, diagonal_tree: seed % 2 == 0, members: 4, ..EquationRules::default() };
        let mut equations = MatrixEquation::start(&rules, &frequencies, seed);
        let whole = MatrixRules::default();
        let mut matrices = Matrices::start(&whole, &frequencies, seed);
        for _ in 0..60 {
            let (a, b) = (draws.below(4), draws.below(4));
            let one = equations[a].1.clone();
            let gene = draws.below(one.len(&rules));
            let mutant = one.mutated(gene, &rules, &mut draws).unwrap_or(one);
            let exchange = mutant.exchange(&equations[b].1, &rules, Crossover::Uniform, &mut draws);
            equations[a].1 = mutant.crossed(&equations[b].1, &exchange[0]);
            let equation = &equations[a].1;
            prop_assert!(equation.weights.depth() <= depth);
            match &equation.diagonal {
                Diagonal::Equation(tree) => prop_assert!(tree.depth() <= depth),
                Diagonal::Constant(p) => prop_assert!((0.0..=1.0).contains(p)),
            }
            let one = matrices[a].1.clone();
            let gene = draws.below(one.len(&whole));
            let mutant = one.mutated(gene, &whole, &mut draws).expect("two columns");
            let exchange = mutant.exchange(&matrices[b].1, &whole, Crossover::Points(2), &mut draws);
            matrices[a].1 = mutant.crossed(&matrices[b].1, &exchange[0]);
            let sums = matrices[a].1.0.iter().flat_map(|m| m.rows()).map(|row| row.iter().sum::<u32>());
            let whole_rows = { sums }.all(|sum| sum == 100);
            prop_assert!(whole_rows);
        }
    }
}
