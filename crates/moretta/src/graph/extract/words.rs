//! Texts as words that are compared: without case, accents and punctuation.

use std::ops::Range;
use unicode_normalization::UnicodeNormalization;

/// The words of a text. Two spellings of one place have the same words: `MÁLAGA`, `Malaga` and
/// `malaga!` do, and so do `U.S.A.` and `usa`.
///
/// ```
/// use moretta::graph::extract::Words;
/// let words = Words::of("Winston-Salem, U.S.A. — #CaféLife");
/// let found: Vec<&str> = words.iter().collect();
/// assert_eq!(found, ["winston", "salem", "usa", "cafelife"]);
/// assert!(words.is_hashtag(3) && !words.is_hashtag(2));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Words {
    text: String,
    words: Vec<(Range<usize>, bool)>,
}

impl Words {
    /// The words of a text.
    pub fn of(text: &str) -> Self {
        let mut words = Words::default();
        words.read(text);
        words
    }

    /// Takes the words of another text instead, in the same memory.
    pub fn read(&mut self, text: &str) {
        self.text.clear();
        self.words.clear();
        let mut word = Word::default();
        match text.is_ascii() {
            true => text.chars().for_each(|c| self.take(c, &mut word)),
            false => {
                let plain = text
                    .nfkd()
                    .filter(|c| !is_accent(*c))
                    .flat_map(without_stroke);
                plain.for_each(|c| self.take(c, &mut word));
            }
        }
        self.end(&mut word);
    }

    fn take(&mut self, c: char, word: &mut Word) {
        if c.is_alphanumeric() || c == '_' && word.is_hashtag && !self.is_empty_since(word) {
            word.letters += 1;
            return match c.is_ascii() {
                true => self.text.push(c.to_ascii_lowercase()),
                // Some letters have several small forms, or none of one letter.
                false => {
                    let upper = c.to_uppercase().flat_map(char::to_lowercase);
                    self.text.extend(upper.filter(|c| !is_accent(*c)));
                }
            };
        }
        match c {
            '\'' | '\u{2019}' if !self.is_empty_since(word) => {}
            // A point after a single letter: an abbreviation goes on.
            '.' if word.letters == 1 => word.letters = 0,
            c => {
                self.end(word);
                word.is_hashtag = c == '#';
            }
        }
    }

    fn is_empty_since(&self, word: &Word) -> bool {
        self.text.len() == word.start
    }

    fn end(&mut self, word: &mut Word) {
        if !self.is_empty_since(word) {
            self.words
                .push((word.start..self.text.len(), word.is_hashtag));
        }
        *word = Word {
            start: self.text.len(),
            ..Word::default()
        };
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// One of the words.
    pub fn get(&self, place: usize) -> &str {
        &self.text[self.words[place].0.clone()]
    }

    /// Whether a word has a `#` before it.
    pub fn is_hashtag(&self, place: usize) -> bool {
        self.words[place].1
    }

    /// The words in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|place| self.get(place))
    }
}

/// The word that is being read.
#[derive(Default)]
struct Word {
    start: usize,
    /// Letters since the word or its last point.
    letters: usize,
    is_hashtag: bool,
}

/// Accents of Latin, Greek and Cyrillic letters, and selectors of forms; marks of other scripts are
/// letters.
fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{fe00}'..='\u{fe0f}')
}

/// Letters that no accent can be taken off.
fn without_stroke(c: char) -> impl Iterator<Item = char> {
    let plain = match c {
        'ł' | 'Ł' => "l",
        'ø' | 'Ø' => "o",
        'đ' | 'Đ' | 'ð' | 'Ð' => "d",
        'æ' | 'Æ' => "ae",
        'œ' | 'Œ' => "oe",
        'ı' => "i",
        'þ' | 'Þ' => "th",
        _ => "",
    };
    let itself = plain.is_empty().then_some(c);
    plain.chars().chain(itself)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_place_have_the_same_words() {
        for (text, expected) in [
            ("New York", "new york"),
            ("  NEW--york!! ", "new york"),
            ("Malaga", "malaga"),
            ("MÁLAGA", "malaga"),
            ("Ma\u{301}laga", "malaga"),
            ("Łódź", "lodz"),
            ("Tromsø", "tromso"),
            ("Straße", "strasse"),
            ("L’Hospitalet", "lhospitalet"),
            ("U.S.A.", "usa"),
            ("Washington,D.C.", "washington dc"),
            ("Hello.World", "hello world"),
            ("St. Gallen", "st gallen"),
            ("東京", "東京"),
            ("ＬＯＮＤＯＮ", "london"),
            ("a_b", "a b"),
            ("❤️ 🇪🇸", ""),
            ("...", ""),
            ("", ""),
        ] {
            let words: Vec<String> = Words::of(text).iter().map(str::to_owned).collect();
            assert_eq!(words.join(" "), expected, "{text:?}");
        }
    }

    #[test]
    fn hashtags_are_known_by_their_sign() {
        let words = Words::of("#Foot_Ball is #1; # not, c#");
        let found: Vec<(String, bool)> = (0..words.len())
            .map(|i| (words.get(i).to_owned(), words.is_hashtag(i)))
            .collect();
        let expected = [
            ("foot_ball", true),
            ("is", false),
            ("1", true),
            ("not", false),
            ("c", false),
        ];
        assert_eq!(found, expected.map(|(word, tag)| (word.to_owned(), tag)));
    }
}
