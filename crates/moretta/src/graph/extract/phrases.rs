//! Phrases of one or more words, found in texts: the longest one wins.

use super::Words;
use std::collections::HashMap;

/// Phrases with a value each.
#[derive(Clone, Debug)]
pub(super) struct Phrases<T> {
    /// By the first word, with or without `#` before it; longer ones first.
    by_first: HashMap<Box<str>, Vec<Phrase<T>>>,
}

#[derive(Clone, Debug)]
struct Phrase<T> {
    /// The words after the first one.
    rest: Box<[Box<str>]>,
    value: T,
}

impl<T> Default for Phrases<T> {
    fn default() -> Self {
        Phrases {
            by_first: HashMap::new(),
        }
    }
}

impl<T: Default> Phrases<T> {
    /// The value of a phrase, which is new unless it is known; none of a text without words. A
    /// phrase that begins with `#` is found as a hashtag alone.
    pub(super) fn entry(&mut self, text: &str) -> Option<&mut T> {
        let words = Words::of(text);
        let mut all = words.iter();
        let first = all.next()?;
        let first = match words.is_hashtag(0) {
            true => format!("#{first}"),
            false => first.to_owned(),
        };
        let rest: Box<[Box<str>]> = all.map(Box::from).collect();
        let phrases = self.by_first.entry(first.into()).or_default();
        let known = phrases.iter().position(|phrase| phrase.rest == rest);
        let place = known.unwrap_or_else(|| {
            let place = phrases.partition_point(|phrase| phrase.rest.len() > rest.len());
            let value = T::default();
            phrases.insert(place, Phrase { rest, value });
            place
        });
        Some(&mut phrases[place].value)
    }
}

impl<T> Phrases<T> {
    /// The phrases of a text from left to right, of those that begin at one word the longest; with
    /// the number of words of each.
    pub(super) fn find<'a>(&'a self, words: &'a Words) -> impl Iterator<Item = (&'a T, usize)> {
        let mut place = 0;
        std::iter::from_fn(move || {
            while place < words.len() {
                if let Some((value, length)) = self.at(words, place) {
                    place += length;
                    return Some((value, length));
                }
                place += 1;
            }
            None
        })
    }

    fn at(&self, words: &Words, place: usize) -> Option<(&T, usize)> {
        let follows = |phrase: &&Phrase<T>| {
            let rest = phrase.rest.iter().enumerate();
            place + phrase.rest.len() < words.len()
                && rest
                    .into_iter()
                    .all(|(i, word)| words.get(place + 1 + i) == &**word)
        };
        let longest = |first: &str| {
            let found = self.by_first.get(first)?.iter().find(follows)?;
            Some((&found.value, found.rest.len() + 1))
        };
        let plain = longest(words.get(place));
        let tag = match words.is_hashtag(place) {
            true => longest(&format!("#{}", words.get(place))),
            false => None,
        };
        match (plain, tag) {
            (Some(plain), Some(tag)) if plain.1 > tag.1 => Some(plain),
            (plain, tag) => tag.or(plain),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[u32]) {
        let mut phrases: Phrases<u32> = Phrases::default();
        for (value, phrase) in
            (1..).zip(["york", "new york", "New York City", "#york", "city hall"])
        {
            *phrases.entry(phrase).expect("words") = value;
        }
        assert_eq!(phrases.entry("--"), None);
        let words = Words::of(text);
        let found: Vec<u32> = phrases.find(&words).map(|(value, _)| *value).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn the_longest_phrase_wins_and_words_count_once() {
        check("York", &[1]);
        check("in New York, USA", &[2]);
        check("new york city hall", &[3]);
        check("york city hall", &[1, 5]);
        check("new", &[]);
        check("#york york", &[4, 1]);
        check("#newyork", &[]);
    }
}
