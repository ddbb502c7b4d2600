//! The worst class of a release for a promise, and how many miss it.

use super::findings::ClaimFinding;

/// A figure for each class, the worst of them and how many fail.
pub(super) struct Worst {
    figure: Option<f64>,
    failing: u64,
}

impl Worst {
    /// Of figures that say by themselves whether they hold.
    pub(super) fn of(
        figures: impl Iterator<Item = f64>,
        holds: impl Fn(f64) -> bool,
        worse: impl Fn(f64, f64) -> f64,
    ) -> Self {
        let judged = figures.map(|figure| Judged {
            figure,
            holds: holds(figure),
        });
        Worst::of_judged(judged, worse)
    }

    /// Of figures and whether they hold.
    pub(super) fn of_judged(
        figures: impl Iterator<Item = Judged>,
        worse: impl Fn(f64, f64) -> f64,
    ) -> Self {
        let mut worst = Worst {
            figure: None,
            failing: 0,
        };
        for Judged { figure, holds } in figures {
            worst.failing += u64::from(!holds);
            worst.figure = Some(worst.figure.map_or(figure, |w| worse(w, figure)));
        }
        worst
    }

    pub(super) fn claim(self, name: String, promised: String, promised_value: f64) -> ClaimFinding {
        ClaimFinding {
            name,
            promised,
            promised_value,
            found: self.figure,
            found_text: self.figure.map_or("no rows".to_owned(), figure_text),
            holds: self.failing == 0,
            failing_classes: self.failing,
        }
    }
}

/// A figure of a class and whether it keeps the promise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Judged {
    pub(super) figure: f64,
    pub(super) holds: bool,
}

fn figure_text(figure: f64) -> String {
    if figure.is_infinite() {
        "too few values".to_owned()
    } else if figure.fract() == 0.0 {
        format!("{figure}")
    } else {
        format!("{figure:.4}")
    }
}
