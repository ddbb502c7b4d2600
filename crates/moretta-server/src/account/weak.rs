//! Passwords that are guessed first: common words, words of this place, runs, years, repetitions.
//!
//! A password has 12 to 128 characters, of any kind. What is easy to guess counts as one character,
//! however long it is: a word of the list below, the name of the account, a run such as `abcd` or
//! `qwert`, a year, one character again and again. What is left must count for eight. Letters may be
//! written as the digits and signs that look like them. It does not know passwords that were stolen
//! elsewhere: no such list is shipped.

use super::password::normal;
use crate::problem::{Problem, Result};

/// How many characters a password has.
const LENGTH: (usize, usize) = (12, 128);
/// How much must be left to guess.
const LEFT: usize = 8;

/// Words of many passwords, in several languages.
const COMMON: &str = "password passwort passwd kennwort motdepasse contrasena contraseña senha parola \
    welcome willkommen bienvenue bienvenido welkom letmein login logon signin access entry open \
    admin administrator root user username guest test testing tester demo default change changeme \
    secret secreto geheim private hidden master manager boss super superman batman spider hero \
    hello hallo hola bonjour ciao love iloveyou lovely liebe amour amor sweet honey darling angel \
    sunshine sonnenschein princess prinzessin queen king prince dragon monkey tiger lion eagle \
    football fussball soccer baseball basketball hockey tennis golf liverpool chelsea arsenal \
    summer sommer winter spring autumn herbst monday tuesday wednesday thursday friday saturday \
    sunday january february march april june july august september october november december \
    shadow killer hunter ranger soldier trust trustno freedom whatever nothing something computer \
    internet google apple windows linux samsung android microsoft facebook amazon qwerty qwertz \
    azerty flower blume butterfly cookie cheese chocolate coffee banana orange pepper ginger \
    michael jordan daniel thomas andrew robert william jessica michelle nicole charlie maggie \
    starwars pokemon matrix ninja samurai mustang ferrari porsche mercedes harley yankees merlin \
    money dollar euro gold silver diamond lucky happy smile peace jesus heaven blessed family";

/// Words of this place.
const CONTEXT: &str = "moretta server hospital krankenhaus hopital clinic klinik ward station patient doctor \
    doktor nurse surgery medicine health care data daten privacy secure security officer steward \
    analyst operator auditor release";

/// Rows of keyboards.
const ROWS: [&str; 6] = [
    "1234567890",
    "qwertyuiop",
    "qwertzuiop",
    "azertyuiop",
    "asdfghjkl",
    "zxcvbnm",
];

/// Fails when a password is too short, too long or too easy for the account of this name.
pub(super) fn check(password: &str, name: &str) -> Result<()> {
    let password = normal(password);
    let characters = password.chars().count();
    if !(LENGTH.0..=LENGTH.1).contains(&characters) {
        return Err(weak("a password has 12 to 128 characters"));
    }
    let lower: Vec<char> = password.to_lowercase().chars().collect();
    match left(&lower, &words(name)) >= LEFT {
        true => Ok(()),
        false => Err(weak(
            "the password consists of words, runs or repetitions that are guessed first",
        )),
    }
}

fn weak(what: &str) -> Problem {
    Problem::new(422, "weak-password", what)
        .help("take four or five words that have nothing to do with each other, or let a password manager choose")
}

/// All words that count as one character, the parts of the name among them.
fn words(name: &str) -> Vec<Vec<char>> {
    let name = normal(name).to_lowercase();
    let parts = name.split(|c: char| !c.is_alphanumeric());
    let parts = parts
        .chain([&*name])
        .filter(|part| part.chars().count() >= 3);
    let listed = COMMON.split_whitespace().chain(CONTEXT.split_whitespace());
    let all = listed.chain(parts);
    all.map(|word| word.chars().collect()).collect()
}

/// For how many characters a password counts.
fn left(password: &[char], words: &[Vec<char>]) -> usize {
    let mut rest = without_repetition(password);
    let mut left = 0;
    while !rest.is_empty() {
        let word = words.iter().filter(|word| begins_with(rest, word));
        let longest = word.map(Vec::len).max().unwrap_or(1);
        rest = &rest[longest.max(run(rest)).max(year(rest))..];
        left += 1;
    }
    left
}

/// The block that a password repeats, or all of it.
fn without_repetition(password: &[char]) -> &[char] {
    let repeats = |length: &usize| {
        let (block, rest) = password.split_at(*length);
        rest.iter().zip(block.iter().cycle()).all(|(a, b)| a == b)
    };
    let block = (1..=password.len() / 2).find(repeats);
    &password[..block.unwrap_or(password.len())]
}

fn begins_with(rest: &[char], word: &[char]) -> bool {
    let pairs = rest.iter().zip(word);
    rest.len() >= word.len()
        && pairs
            .into_iter()
            .all(|(typed, letter)| is_like(*typed, *letter))
}

/// Whether a character is a letter or looks like it.
fn is_like(typed: char, letter: char) -> bool {
    let alike = match typed {
        '0' => "o",
        '1' | '!' | '|' => "il",
        '3' => "e",
        '4' | '@' => "a",
        '5' | '$' => "s",
        '7' | '+' => "t",
        '8' => "b",
        '9' | '6' => "g",
        _ => "",
    };
    typed == letter || alike.contains(letter)
}

/// How long the run at the beginning is: one character, neighbours of the alphabet or of a keyboard.
fn run(rest: &[char]) -> usize {
    let steps = [0, 1, -1].map(|step| {
        let follows =
            |pair: &&[char]| i64::from(u32::from(pair[1])) - i64::from(u32::from(pair[0])) == step;
        1 + rest.windows(2).take_while(follows).count()
    });
    let rows = ROWS.iter().flat_map(|row| {
        let back: String = row.chars().rev().collect();
        [row.to_string(), back]
    });
    let keys = rows.map(|row| {
        let follows = |pair: &&[char]| row.contains(&pair.iter().collect::<String>());
        1 + rest.windows(2).take_while(follows).count()
    });
    steps
        .into_iter()
        .chain(keys)
        .max()
        .filter(|run| *run >= 3)
        .unwrap_or(1)
}

fn year(rest: &[char]) -> usize {
    let digits = rest.iter().take(4).filter(|c| c.is_ascii_digit()).count() == 4;
    let century = matches!(rest, ['1', '9', ..] | ['2', '0', ..]);
    if digits && century { 4 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_and_context_words_runs_years_and_repetitions_are_refused() {
        for password in [
            "password1234",
            "P4$$w0rd2026",
            "Summer2026!!!!",
            "qwertyuiop12",
            "aaaaaaaaaaaaaaaa",
            "abcabcabcabcabc",
            "abcdefghijklmnop",
            "9876543210987654321",
            "hospital-ward-7",
            "Moretta-Server-2026",
            "ana.kovac.1987",
            "letmeinletmein",
            "welcome admin 123",
            "xq7xq7xq7xq7xq7xq7",
            "monkey dragon king",
        ] {
            let refused = check(password, "Ana.Kovac");
            assert_eq!(
                refused.err().map(|e| e.code),
                Some("weak-password"),
                "{password}"
            );
        }
    }

    #[test]
    fn other_words_and_random_characters_pass() {
        for password in [
            "correct horse battery staple",
            "t7#kQ2vv!mZp",
            "vier kalte Lampen im Regal",
            "\u{43f}\u{44f}\u{442}\u{44c} \u{441}\u{438}\u{43d}\u{438}\u{445} \u{43b}\u{438}\u{441}",
        ] {
            assert_eq!(check(password, "ana"), Ok(()), "{password}");
        }
    }

    #[test]
    fn a_password_has_12_to_128_characters() {
        let long = "kx3#Wm9!tR".repeat(12) + "pqz7Lu4e";
        assert_eq!(long.chars().count(), 128);
        for (password, fits) in [
            ("t7#kQ2vv!mZ".to_owned(), false),
            ("t7#kQ2vv!mZp".to_owned(), true),
            (long.clone(), true),
            (format!("{long}x"), false),
            ("\u{1f980}\u{fb01}\u{df}\u{142}kQ2vv!m".to_owned(), true),
        ] {
            assert_eq!(check(&password, "ana").is_ok(), fits, "{password}");
        }
    }
}
