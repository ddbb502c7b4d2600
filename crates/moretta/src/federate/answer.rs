//! From the answers of sites to one, and from that and those of trouble nodes to the final one.

use super::classify::Judgement;
use crate::math::java_random::JavaRandom;

/// The answer of the most confident site, the first of several.
pub(super) fn most_confident(answers: &[Option<Judgement>]) -> Option<Judgement> {
    let mut best = None::<Judgement>;
    for &answer in answers.iter().flatten() {
        if best.is_none_or(|best| answer.confidence > best.confidence) {
            best = Some(answer);
        }
    }
    best
}

/// The answer of most sites, each with its weight. Of several, taken in the order in which sites
/// name them, chance decides; the confidence is the mean of all. What `counts` held is lost.
pub(super) fn elected(
    answers: &[Option<Judgement>],
    weight: impl Fn(usize) -> f64,
    random: &mut JavaRandom,
    counts: &mut Vec<(u32, f64)>,
) -> Option<Judgement> {
    counts.clear();
    let (mut sum, mut voters) = (0.0, 0);
    for (site, answer) in answers.iter().enumerate() {
        let Some(answer) = answer else { continue };
        match counts.iter_mut().find(|(class, _)| *class == answer.class) {
            Some((_, count)) => *count += weight(site),
            None => counts.push((answer.class, weight(site))),
        }
        sum += answer.confidence;
        voters += 1;
    }
    let most = counts
        .iter()
        .map(|(_, count)| *count)
        .fold(f64::NEG_INFINITY, f64::max);
    counts.retain(|(_, count)| *count == most);
    random.shuffle(counts);
    let (class, _) = *counts.first()?;
    Some(Judgement {
        class,
        confidence: sum / f64::from(voters),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(list: &[(u32, f64)]) -> Vec<Option<Judgement>> {
        let judgement = |&(class, confidence)| Some(Judgement { class, confidence });
        list.iter().map(judgement).collect()
    }

    #[test]
    fn the_first_of_the_most_confident_wins() {
        let found = most_confident(&answers(&[(0, 0.5), (1, 0.9), (2, 0.9)]));
        assert_eq!(found.map(|found| found.class), Some(1));
        assert_eq!(most_confident(&[None, None]), None);
    }

    #[test]
    fn most_votes_win_and_silent_sites_do_not_count() {
        let mut random = JavaRandom::new(1);
        let mut list = answers(&[(2, 0.9), (1, 0.3), (1, 0.6)]);
        list.push(None);
        let found = elected(&list, |_| 1.0, &mut random, &mut Vec::new()).expect("votes");
        assert_eq!(found.class, 1);
        assert!((found.confidence - 0.6).abs() < 1e-12);
        let found = elected(
            &list,
            |site| [0.9, 0.3, 0.4, 1.0][site],
            &mut random,
            &mut Vec::new(),
        );
        assert_eq!(found.expect("votes").class, 2, "weights decide");
    }

    #[test]
    fn ties_are_shuffled_in_the_order_of_appearance() {
        let (mut a, mut b) = (JavaRandom::new(1), JavaRandom::new(1));
        for _ in 0..50 {
            let found = elected(
                &answers(&[(3, 0.5), (0, 0.5)]),
                |_| 1.0,
                &mut a,
                &mut Vec::new(),
            );
            let mut order = [3, 0];
            b.shuffle(&mut order);
            assert_eq!(found.expect("votes").class, order[0]);
        }
    }
}
