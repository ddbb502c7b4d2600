//! Who attacks a release, and how often they succeed.

use super::method::Perturbed;
use super::results::Settings;
use moretta::Result;
use moretta::attack::reconstruction::{Optimizer, Stream, Study, StudySettings, Success, study};

/// Relative errors below these are breaches.
pub(super) const EPSILONS: [f64; 2] = [0.1, 0.2];

/// How many records an attacker knows, of m features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    AllButOne,
    Half,
    One,
}

impl Known {
    pub(super) const ALL: [Known; 3] = [Known::AllButOne, Known::Half, Known::One];

    pub(super) fn name(self) -> &'static str {
        match self {
            Known::AllButOne => "m-1",
            Known::Half => "m/2",
            Known::One => "1",
        }
    }

    /// In names of files.
    pub(super) fn word(self) -> &'static str {
        match self {
            Known::AllButOne => "most",
            Known::Half => "half",
            Known::One => "one",
        }
    }

    pub(super) fn count(self, features: usize) -> usize {
        match self {
            Known::AllButOne => (features - 1).max(1),
            Known::Half => features.div_ceil(2),
            Known::One => 1,
        }
    }
}

/// Whose attacks; of each attacker the best counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attacker {
    /// A-RP, A-RPIN, A-RPCN, with -1 and MAX, searched for by a simplex, as published.
    Published,
    /// The same along gradients, and the marginal attack.
    Ours,
}

impl Attacker {
    pub(super) const ALL: [Attacker; 2] = [Attacker::Published, Attacker::Ours];

    pub(super) fn name(self) -> &'static str {
        match self {
            Attacker::Published => "published",
            Attacker::Ours => "ours",
        }
    }

    fn optimizer(self) -> Optimizer {
        match self {
            Attacker::Published => Optimizer::NelderMead,
            Attacker::Ours => Optimizer::Lbfgs,
        }
    }

    fn has(self, attack: &str) -> bool {
        let is_published = attack.starts_with("A-") || attack.starts_with("MAX(");
        is_published || self == Attacker::Ours
    }
}

/// All attacks of those who know so many records.
#[derive(Clone, Debug)]
pub(super) struct Attacked {
    pub(super) known: Known,
    /// How many records that is.
    pub(super) count: usize,
    pub(super) attacks: Vec<(Attacker, Success)>,
}

impl Attacked {
    /// The attack of an attacker that breaches most.
    pub(super) fn best(&self, attacker: Attacker, epsilon: f64) -> &Success {
        let own = self.attacks.iter().filter(|(whose, _)| *whose == attacker);
        let breach = |success: &Success| success.breach_at(epsilon).0;
        // Of several the first: the simplest.
        own.map(|(_, success)| success)
            .reduce(|best, other| match breach(other) > breach(best) {
                true => other,
                false => best,
            })
            .expect("each attacker has an attack")
    }

    /// The probability of a breach by an attacker.
    pub(super) fn breach(&self, attacker: Attacker, epsilon: f64) -> f64 {
        self.best(attacker, epsilon).breach_at(epsilon).0
    }
}

/// Attacks a release by all who know some records of it.
pub(super) fn attack(perturbed: &Perturbed, settings: &Settings) -> Result<Vec<Attacked>> {
    let stream = Stream {
        inputs: &perturbed.features,
        outputs: &perturbed.released,
        blur: perturbed.blur,
        translated: false,
    };
    let study = |known: usize, attacker: Attacker| -> Result<Study> {
        let settings = StudySettings {
            known,
            attacks: settings.attacks,
            epsilon: EPSILONS[0],
            optimizer: attacker.optimizer(),
            starts: 3,
            accuracy: None,
            seed: settings.seed,
        };
        study(&stream, &settings)
    };
    let attack = |known: Known| {
        let count = known.count(perturbed.features.width());
        let mut attacks = Vec::new();
        for attacker in Attacker::ALL {
            let all = study(count, attacker)?.attacks.into_iter();
            let own = all.filter(|success| attacker.has(&success.attack));
            attacks.extend(own.map(|success| (attacker, success)));
        }
        Ok(Attacked {
            known,
            count,
            attacks,
        })
    };
    Known::ALL.into_iter().map(attack).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ours_are_the_published_attacks_and_more() {
        for (attack, is_published) in [
            ("A-RP", true),
            ("A-RPCN-1", true),
            ("MAX(A-RPIN, A-RPIN-1)", true),
            ("marginal", false),
        ] {
            assert_eq!(Attacker::Published.has(attack), is_published, "{attack}");
            assert!(Attacker::Ours.has(attack), "{attack}");
        }
    }

    #[test]
    fn an_attacker_knows_one_record_at_least() {
        let counts = |m| Known::ALL.map(|known| known.count(m));
        assert_eq!(counts(10), [9, 5, 1]);
        assert_eq!(counts(3), [2, 2, 1]);
        assert_eq!(counts(1), [1, 1, 1]);
    }
}
