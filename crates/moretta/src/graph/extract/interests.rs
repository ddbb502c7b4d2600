//! What persons write about: topics of posts by a list of words, and the topics of each person by
//! the share of posts that mention them.
//!
//! **Costs** a few bytes for each person and topic that come together, however many posts there are.

use super::phrases::Phrases;
use super::{Words, named};
use crate::data::Taxonomy;
use crate::error::{Error, Result};
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// Words and hashtags with the topic that each means.
#[derive(Clone, Debug)]
pub struct Lexicon(Phrases<Option<u32>>);

impl Lexicon {
    /// Lines of a list, each with a keyword, a phrase or a hashtag (`#worldcup`) and its topic, a
    /// label of the taxonomy. A keyword is found as a hashtag, too.
    ///
    /// # Errors
    /// When a line names no label, has no word, or has the word of another line.
    pub fn new(taxonomy: &Taxonomy, lines: &[(u64, Vec<String>)]) -> Result<Self> {
        let mut lexicon = Lexicon(Phrases::default());
        for (line, cells) in lines {
            let at = |what: &str| Error::input(what).on_line(*line);
            let [word, topic] = &cells[..] else {
                return Err(at("a line is a keyword and a topic"));
            };
            let topic = named(taxonomy, *line, topic)?;
            let known = lexicon.0.entry(word);
            let known = known.ok_or_else(|| at("the keyword has no word"))?;
            match known.replace(topic) {
                Some(other) if other != topic => {
                    return Err(at("the keyword has another topic on an earlier line"));
                }
                _ => {}
            }
        }
        Ok(lexicon)
    }

    /// The labels of a taxonomy below its top as words of their own.
    pub fn of_labels(taxonomy: &Taxonomy) -> Self {
        let mut lexicon = Lexicon(Phrases::default());
        for node in 1..taxonomy.missing() {
            let label = taxonomy.shown(node).unwrap_or_default();
            if let Some(topic) = lexicon.0.entry(label) {
                topic.get_or_insert(node);
            }
        }
        lexicon
    }

    /// Adds the topics of a text to those of a post, each once.
    pub fn topics_of(&self, words: &Words, topics: &mut Vec<u32>) {
        for (topic, _) in self.0.find(words) {
            let topic = topic.filter(|topic| !topics.contains(topic));
            topics.extend(topic);
        }
    }
}

/// How many posts of each person mention each topic.
#[derive(Clone, Debug, Default)]
pub struct Interests {
    posts: HashMap<(u32, u32), u32, FixedState>,
}

impl Interests {
    /// Counts a post of a person with its topics.
    pub fn observe(&mut self, person: u32, topics: &[u32]) {
        for &topic in topics {
            *self.posts.entry((person, topic)).or_insert(0) += 1;
        }
    }

    /// The topics of each of so many persons, those that most posts mention first, at most `most`;
    /// of equally frequent ones the one that comes first in the taxonomy.
    pub fn strongest(&self, persons: usize, most: usize) -> Vec<Vec<Option<u32>>> {
        let mut counts: Vec<(u32, std::cmp::Reverse<u32>, u32)> = self
            .posts
            .iter()
            .map(|(&(person, topic), &posts)| (person, std::cmp::Reverse(posts), topic))
            .collect();
        counts.sort_unstable();
        let mut columns = vec![vec![None; persons]; most];
        for of_person in counts.chunk_by(|a, b| a.0 == b.0) {
            for (column, (person, _, topic)) in columns.iter_mut().zip(of_person) {
                if let Some(cell) = column.get_mut(*person as usize) {
                    *cell = Some(*topic);
                }
            }
        }
        columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::hierarchy::Hierarchy;

    fn taxonomy() -> Taxonomy {
        let rows = ["football;sport;any", "tennis;sport;any", "music;arts;any"];
        let chains: Vec<Vec<&str>> = rows.iter().map(|row| row.split(';').collect()).collect();
        Taxonomy::of_hierarchy(&Hierarchy::from_chains(&chains).expect("a tree"))
    }

    fn lines(rows: &[[&str; 2]]) -> Vec<(u64, Vec<String>)> {
        let cells = rows.iter().map(|row| row.map(str::to_owned).to_vec());
        (1..).zip(cells).collect()
    }

    fn topics<'a>(taxonomy: &'a Taxonomy, lexicon: &Lexicon, text: &str) -> Vec<&'a str> {
        let mut topics = Vec::new();
        lexicon.topics_of(&Words::of(text), &mut topics);
        let shown = |&topic: &u32| taxonomy.shown(topic).unwrap_or("missing");
        topics.iter().map(shown).collect()
    }

    #[test]
    fn topics_of_a_post_are_found_once_each() {
        let taxonomy = taxonomy();
        let rows = [
            ["goal", "football"],
            ["offside trap", "football"],
            ["#wimbledon", "tennis"],
            ["sport", "sport"],
        ];
        let lexicon = Lexicon::new(&taxonomy, &lines(&rows)).expect("a lexicon");
        let check = |text: &str, expected: &[&str]| {
            assert_eq!(topics(&taxonomy, &lexicon, text), expected, "{text}");
        };
        check("GOAL! What a goal!! #Goal", &["football"]);
        check("the off-side trap", &[]);
        check("an Offside Trap at #wimbledon", &["football", "tennis"]);
        check("Wimbledon is in London", &[]);
        check("sport, sport", &["sport"]);
        check("nothing", &[]);
        let labels = Lexicon::of_labels(&taxonomy);
        assert_eq!(
            topics(&taxonomy, &labels, "Music and #tennis"),
            ["music", "tennis"]
        );
    }

    #[test]
    fn bad_lines_are_told_by_their_number() {
        let taxonomy = taxonomy();
        for (rows, told) in [
            ([["goal", "football"], ["goal", "tennis"]], "another topic"),
            ([["goal", "football"], ["x", "chess"]], "no label"),
            ([["goal", "football"], ["!", "tennis"]], "no word"),
        ] {
            let error = Lexicon::new(&taxonomy, &lines(&rows)).expect_err(told);
            let text = error.to_string();
            assert!(text.contains(told) && text.contains("line 2"), "{text}");
            assert!(!text.contains("goal"), "{text}");
        }
    }

    #[test]
    fn topics_of_a_person_are_ordered_by_the_share_of_posts() {
        let mut interests = Interests::default();
        for (person, topics) in [
            (0, &[3, 1][..]),
            (0, &[1]),
            (2, &[2, 1]),
            (0, &[5]),
            (0, &[5]),
        ] {
            interests.observe(person, topics);
        }
        // Topics 1 and 5 are in two posts each.
        let expected = [
            vec![Some(1), None, Some(1)],
            vec![Some(5), None, Some(2)],
            vec![Some(3), None, None],
        ];
        assert_eq!(interests.strongest(3, 3), expected);
        assert_eq!(interests.strongest(3, 1), expected[..1]);
    }
}
