//! How many opinions become one answer.

use super::node::Opinion;
use moretta::math::java_random::JavaRandom;

/// The first of the most confident.
pub(super) fn most_confident(sites: &[Opinion]) -> Opinion {
    let more = |best: Opinion, next: &Opinion| match next.confidence > best.confidence {
        true => *next,
        false => best,
    };
    sites.iter().fold(sites[0], more)
}

/// The class of most sites, with their mean confidence. Of several classes, taken in the order in
/// which they appear, chance decides.
pub(super) fn elected(sites: &[Opinion], random: &mut JavaRandom) -> Opinion {
    let mut counts: Vec<(u32, usize)> = Vec::new();
    for site in sites {
        match counts.iter_mut().find(|(class, _)| *class == site.class) {
            Some((_, count)) => *count += 1,
            None => counts.push((site.class, 1)),
        }
    }
    let most = counts.iter().map(|(_, count)| *count).max();
    counts.retain(|(_, count)| Some(*count) == most);
    random.shuffle(&mut counts);
    let sum: f64 = sites.iter().map(|site| site.confidence).sum();
    Opinion::new(counts[0].0, sum / sites.len() as f64)
}

/// The place of the first of the most confident trouble nodes that count; none unless it is more
/// confident than the sites together.
pub(super) fn best_node(
    candidate: &Opinion,
    opinions: &[Option<Opinion>],
    counts: impl Fn(usize) -> bool,
) -> Option<usize> {
    let (mut best, mut confidence) = (None, candidate.confidence);
    for (place, opinion) in opinions.iter().enumerate() {
        if let Some(opinion) = opinion
            && opinion.confidence > confidence
            && counts(place)
        {
            (best, confidence) = (Some(place), opinion.confidence);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_equals_answers_but_votes_are_drawn() {
        let sites = [(2, 0.5), (1, 0.7), (0, 0.7), (1, 0.1), (2, 0.0)];
        let sites = sites.map(|(class, confidence)| Opinion::new(class, confidence));
        assert_eq!(most_confident(&sites).class, 1);
        let mut expected = [2, 1];
        JavaRandom::new(1).shuffle(&mut expected);
        let elected = elected(&sites, &mut JavaRandom::new(1));
        assert_eq!(elected.class, expected[0]);
        assert!((elected.confidence - 0.4).abs() < 1e-12);
    }

    #[test]
    fn a_node_answers_if_it_is_more_confident_than_all_before_it() {
        let check = |nodes: &[Option<f64>], expected| {
            let opinion = |confidence: &Option<f64>| confidence.map(|c| Opinion::new(0, c));
            let opinions: Vec<Option<Opinion>> = nodes.iter().map(opinion).collect();
            let best = best_node(&Opinion::new(1, 0.6), &opinions, |place| place != 3);
            assert_eq!(best, expected, "{nodes:?}");
        };
        check(&[], None);
        check(&[Some(0.6), None], None);
        check(&[Some(0.7), None, Some(0.7)], Some(0));
        check(&[Some(0.7), None, Some(0.8), Some(0.9)], Some(2));
    }
}
