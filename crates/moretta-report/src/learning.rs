//! How learners did over time, on the original and on the protected rows, as one page.

use super::markup::Markup;
use super::number;
use super::page::{MASK, frame};
use super::pairs::details;
use super::plot::{Around, Curve, CurvePoint, Curves, curves};
use moretta::learn::prequential::ScorePoint;
use moretta::pipeline::{Arm, Learned, Side};
use serde::Serialize;

/// What the learners did with one policy or file.
#[derive(Serialize)]
pub struct Study {
    /// The policy or file.
    pub input: String,
    /// Records that were learnt.
    pub records: u64,
    /// Results that the points are taken over.
    pub window: u64,
    /// What was odd.
    pub notes: Vec<String>,
    /// Each learner on each side.
    pub learners: Vec<Learned>,
}

impl Study {
    /// Accuracy that a learner lost by learning from the protected rows.
    pub fn lost(&self, learned: &Learned) -> Option<f64> {
        let mut original = self
            .learners
            .iter()
            .filter(|other| other.side == Side::Original && other.learner == learned.learner);
        match learned.side {
            Side::Original => None,
            Side::Protected => Some(original.next()?.whole.accuracy? - learned.whole.accuracy?),
        }
    }

    /// The accuracy of a learner in an arm and, behind it, what it lost.
    fn cell(&self, name: &str, arm: Arm) -> String {
        let mut learners = self.learners.iter();
        let learned = learners.find(|learned| learned.learner == name && arm_of(learned) == arm);
        let told = |learned: &Learned| match self.lost(learned) {
            None => share(learned.whole.accuracy),
            lost => format!("{} ({} lost)", share(learned.whole.accuracy), share(lost)),
        };
        learned.map_or(number::NONE.to_owned(), told)
    }

    /// The learners in their order, each once.
    fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for learned in &self.learners {
            if !names.contains(&learned.learner.as_str()) {
                names.push(&learned.learner);
            }
        }
        names
    }
}

fn arm_of(learned: &Learned) -> Arm {
    Arm {
        learnt: learned.side,
        tested: learned.tested,
    }
}

/// What a learner learnt from and, where that is something else, was tested on.
pub fn arm_words(learned: &Learned) -> String {
    match learned.side == learned.tested {
        true => learned.side.word().to_owned(),
        false => format!(
            "{}, tested on {}",
            learned.side.word(),
            learned.tested.word()
        ),
    }
}

/// Several studies beside each other: a row for what was learnt from, a column for each
/// learner; accuracies, and what is lost of that on the original rows. The first row is
/// the head. None of a single study.
pub fn overview(studies: &[Study]) -> Option<Vec<Vec<String>>> {
    let names = studies.get(..2)?[0].names();
    let row = |study: &Study, said: String, arm: Arm| {
        let cells = names.iter().map(|&name| study.cell(name, arm));
        let cells: Vec<String> = cells.collect();
        let told = cells.iter().any(|cell| cell != number::NONE);
        told.then(|| std::iter::once(said).chain(cells).collect::<Vec<_>>())
    };
    let head = std::iter::once("learnt from").chain(names.iter().copied());
    let mut rows = vec![head.map(str::to_owned).collect::<Vec<_>>()];
    for study in studies {
        let original = row(study, format!("original of {}", study.input), Arm::ORIGINAL);
        // Policies about the same rows have one original.
        let known = rows.iter().any(|row| {
            let original = original.as_ref();
            original.is_some_and(|original| original[1..] == row[1..])
        });
        rows.extend(original.filter(|_| !known));
        rows.extend(row(study, study.input.clone(), Arm::PROTECTED));
        let applied = format!("{}, tested on original rows", study.input);
        rows.extend(row(study, applied, Arm::APPLIED));
    }
    Some(rows)
}

/// The page of some studies.
pub fn learning_html(studies: &[Study]) -> String {
    frame("Learning on protected data", |page| {
        page.element("header", &[], |page| {
            page.raw(MASK);
            page.raw("<div><p class=\"name\">Learning on protected data</p>");
            page.raw("<p class=\"note\">Each record is a test before it is a lesson; figures in percent.</p></div>");
        });
        page.element("main", &[], |page| {
            if let Some(rows) = overview(studies) {
                page.element("section", &[], |page| beside_each_other(&rows, page));
            }
            for study in studies {
                section(study, page);
            }
        });
        page.raw("<footer>This page shows no row of the data. Its figures are computed from the originals.</footer>");
    })
}

fn beside_each_other(rows: &[Vec<String>], page: &mut Markup) {
    page.leaf("h2", &[], "Accuracy");
    table(page, |page| {
        for (cell, rows) in [("th", &rows[..1]), ("td", &rows[1..])] {
            for row in rows {
                page.element("tr", &[], |page| {
                    row.iter().for_each(|text| page.leaf(cell, &[], text));
                });
            }
        }
    });
}

fn records(n: u64) -> String {
    let noun = if n == 1 { "record" } else { "records" };
    format!("{} {noun}", number::count(n))
}

fn section(study: &Study, page: &mut Markup) {
    page.element("section", &[], |page| {
        page.leaf("h2", &[], &study.input);
        page.element("p", &[("class", &"note")], |page| {
            page.text(records(study.records));
            page.raw("; the curves tell accuracy over the last ");
            page.text(number::count(study.window));
            page.raw(" results.");
        });
        page.raw("<p class=\"legend\"><span class=\"swatch before\"></span>original ");
        page.raw("<span class=\"swatch curve\"></span>protected ");
        page.raw("<span class=\"swatch edge\"></span>protected, tested on original</p>");
        page.element("div", &[("class", &"multiples")], |page| {
            for name in study.names() {
                card(study, name, page);
            }
        });
        figures(study, page);
        for note in &study.notes {
            page.element("p", &[("class", &"note")], |page| page.prose(note));
        }
    });
}

fn card(study: &Study, name: &str, page: &mut Markup) {
    let sides: Vec<&Learned> = study
        .learners
        .iter()
        .filter(|learned| learned.learner == name)
        .collect();
    let said =
        |learned: &&Learned| format!("{} {}", arm_words(learned), share(learned.whole.accuracy));
    let said = sides.iter().map(said).collect::<Vec<_>>().join(", ");
    page.element("figure", &[("class", &"card")], |page| {
        page.element("figcaption", &[], |page| {
            page.leaf("h3", &[], name);
            page.leaf("p", &[("class", &"note")], &said);
        });
        let longest = sides.iter().map(|learned| learned.points.len()).max();
        let places: Vec<usize> = (0..longest.unwrap_or(0)).collect();
        let plot = Curves {
            title: format!("Accuracy of {name} over the records"),
            description: said.clone(),
            axis: number::percent,
            from_zero: false,
            records: study.records,
            curves: sides.iter().map(|learned| curve(learned)).collect(),
            details: details(study.records, &places, |&place| detail(&sides, place)),
        };
        curves(page, &plot);
    });
}

fn curve(learned: &Learned) -> Curve {
    let point = |point: &ScorePoint| CurvePoint {
        at: point.results as f64,
        value: point.accuracy,
        distance: 0.0,
    };
    Curve {
        class: match arm_of(learned) {
            Arm::ORIGINAL => "mean",
            Arm::APPLIED => "edge",
            _ => "line",
        },
        points: learned.points.iter().map(point).collect(),
        around: Around::Nothing,
    }
}

fn detail(sides: &[&Learned], place: usize) -> (u64, String) {
    let mut at = 0;
    let mut texts = Vec::new();
    for learned in sides {
        if let Some(point) = learned.points.get(place) {
            at = point.results;
            texts.push(format!("{} {}", arm_words(learned), share(point.accuracy)));
        }
    }
    (at, format!("{}: {}", records(at), texts.join(", ")))
}

/// A table that is wider than a phone scrolls by itself, and the page does not.
fn table(page: &mut Markup, content: impl FnOnce(&mut Markup)) {
    page.element("div", &[("class", &"scroll")], |page| {
        page.element("table", &[], content);
    });
}

fn figures(study: &Study, page: &mut Markup) {
    table(page, |page| {
        page.raw("<thead><tr><th>learner</th><th>learnt from</th><th>tested on</th><th>accuracy</th><th>± SD</th>");
        page.raw(
            "<th>lost</th><th>kappa</th><th>kappa-M</th><th>kappa-T</th><th>F1</th><th>KiB</th></tr></thead>",
        );
        page.element("tbody", &[], |page| {
            for learned in &study.learners {
                page.element("tr", &[], |page| row(study, learned, page));
            }
        });
    });
}

fn row(study: &Study, learned: &Learned, page: &mut Markup) {
    page.leaf("td", &[], &learned.learner);
    page.leaf("td", &[], learned.side.word());
    page.leaf("td", &[], learned.tested.word());
    let whole = &learned.whole;
    let figures = [
        whole.accuracy,
        learned.deviation,
        study.lost(learned),
        whole.kappa,
        whole.kappa_m,
        whole.kappa_t,
        whole.f1,
    ];
    for figure in figures {
        page.leaf("td", &[], share(figure));
    }
    let memory = learned.memory.div_ceil(1024) as u64;
    page.leaf("td", &[], number::count(memory));
}

fn share(value: Option<f64>) -> String {
    value.map_or(number::NONE.to_owned(), |value| {
        format!("{:.2}", value * 100.0)
    })
}

#[cfg(test)]
mod tests {
    use super::super::page::tests::assert_balanced;
    use super::*;
    use moretta::learn::prequential::Figures;

    fn learned(learner: &str, side: Side, accuracy: Option<f64>) -> Learned {
        let point = |results: u64| ScorePoint {
            results,
            accuracy,
            kappa: None,
        };
        let figures = Figures {
            accuracy,
            ..Figures::default()
        };
        Learned {
            learner: learner.to_owned(),
            side,
            tested: side,
            results: 300,
            counted: 300,
            whole: figures.clone(),
            lately: figures.clone(),
            faded: figures,
            deviation: None,
            memory: 1,
            points: [50, 100, 150].map(point).to_vec(),
        }
    }

    fn study(accuracy: Option<f64>) -> Study {
        Study {
            input: "<script>.toml".to_owned(),
            records: 300,
            window: 100,
            notes: vec!["`x` is left out".to_owned()],
            learners: vec![
                learned("knn", Side::Original, Some(0.9)),
                learned("knn", Side::Protected, accuracy),
                learned("nb", Side::Original, None),
            ],
        }
    }

    #[test]
    fn each_learner_has_one_drawing_and_the_page_is_well_formed() {
        for accuracy in [None, Some(0.75), Some(f64::NAN)] {
            let page = learning_html(&[study(accuracy), study(Some(0.5))]);
            assert_balanced(&page);
            assert_eq!(page.matches("<svg class=\"plot").count(), 4);
            assert!(!page.contains("<script"));
            assert!(page.contains("<th>KiB</th>"), "memory is told");
            let tables = page.matches("<table").count();
            let scrolling = page.matches("<div class=\"scroll\"><table").count();
            assert_eq!((tables, scrolling), (3, 3), "no table widens the page");
        }
        assert_balanced(&learning_html(&[]));
    }

    #[test]
    fn several_studies_stand_beside_each_other_with_one_original() {
        assert!(overview(&[study(None)]).is_none() && overview(&[]).is_none());
        let mut second = study(Some(0.5));
        second.input = "b.toml".to_owned();
        let rows = overview(&[study(Some(0.75)), second]).expect("two");
        let said: Vec<&str> = rows.iter().map(|row| &*row[0]).collect();
        let first = "original of <script>.toml";
        assert_eq!(said, ["learnt from", first, "<script>.toml", "b.toml"]);
        assert_eq!(rows[0][1..], ["knn", "nb"]);
        let knn: Vec<&str> = rows[1..].iter().map(|row| &*row[1]).collect();
        assert_eq!(knn, ["90.00", "75.00 (15.00 lost)", "50.00 (40.00 lost)"]);
        let mut other = study(Some(0.5));
        other.learners[0].whole.accuracy = Some(0.8);
        assert_eq!(overview(&[study(Some(0.6)), other]).expect("two").len(), 5);
    }

    #[test]
    fn what_learnt_from_the_release_is_told_on_originals_too() {
        let mut applied = study(Some(0.5));
        let learned = Learned {
            tested: Side::Original,
            ..learned("knn", Side::Protected, Some(0.7))
        };
        applied.learners.push(learned);
        let rows = overview(&[study(Some(0.75)), applied]).expect("two");
        let last = rows.last().expect("rows");
        assert_eq!(last[0], "<script>.toml, tested on original rows");
        assert_eq!(last[1], "70.00 (20.00 lost)");
    }

    #[test]
    fn what_is_lost_is_the_difference_to_the_original() {
        let study = study(Some(0.75));
        let lost: Vec<Option<f64>> = study.learners.iter().map(|one| study.lost(one)).collect();
        assert_eq!((lost[0], lost[2]), (None, None));
        assert!((lost[1].expect("known") - 0.15).abs() < 1e-12);
    }
}
