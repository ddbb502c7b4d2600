//! What the users of a made-up graph write: profiles, posts and connections as JSON lines.
//!
//! Locations are spelt as persons do (`BARCELONA / spain`, `bcn`, `Madríd`), and topics of interest
//! are told by posts alone: 6 of a user's posts are about the first, 4 about the second and 2 about the
//! third one, one mentions any topic in passing, and one is about nothing. So what is extracted are
//! the users of [`super::users`] and the edges of [`super::follows`].

use super::{AREAS, COUNTRIES, User, follows, handle};
use crate::random::Random;
use moretta_data::error::{Error, Result};
use std::io::Write;

/// The names of the files.
pub const RAW_FILES: [&str; 5] = [
    "profiles.jsonl",
    "posts.jsonl",
    "connections.jsonl",
    "aliases.csv",
    "lexicon.csv",
];

/// Other names of places.
const ALIASES: [(&str, &str); 12] = [
    ("BCN", "Barcelona"),
    ("NYC", "New York"),
    ("Big Apple", "New York"),
    ("Warszawa", "Warsaw"),
    ("München", "Munich"),
    ("Kraków", "Krakow"),
    ("Bombay", "Mumbai"),
    ("España", "Spain"),
    ("Deutschland", "Germany"),
    ("Great Britain", "UK"),
    ("United States", "USA"),
    ("日本", "Japan"),
];

/// A word and a hashtag for each topic, in the order of the areas.
const WORDS: [(&str, &str); 24] = [
    ("penalty", "goal"),
    ("forehand", "grandslam"),
    ("marathon", "parkrun"),
    ("spinnaker", "regatta"),
    ("guitar solo", "nowplaying"),
    ("movie", "filmfestival"),
    ("watercolour", "fineart"),
    ("stage play", "openingnight"),
    ("quarks", "lhc"),
    ("evolution", "wildlife"),
    ("vaccine", "medtwitter"),
    ("telescope", "stargazing"),
    ("compiler", "100daysofcode"),
    ("smartphone", "android"),
    ("gripper", "automation"),
    ("speedrun", "indiegame"),
    ("sourdough", "foodie"),
    ("compost", "growyourown"),
    ("puppy", "caturday"),
    ("crochet", "handmade"),
    ("election", "parliament"),
    ("inflation", "stocks"),
    ("glacier", "climateaction"),
    ("empire", "onthisday"),
];

/// Posts of a user about the first, second and third topic.
const POSTS: [u64; 3] = [6, 4, 2];

/// All posts of a user.
const ALL_POSTS: u64 = 14;

/// Writes one of the [`RAW_FILES`], which depends on numbers of users and edges and on the seed alone.
///
/// # Errors
/// When it cannot be written, or there are too many edges.
pub fn write_raw(
    name: &str,
    (users, edges, seed): (usize, usize, u64),
    to: &mut impl Write,
) -> Result<()> {
    let failed = |e| Error::io("write", name, e);
    let mut text = String::new();
    let count = users as u64;
    match name {
        "profiles.jsonl" => {
            for number in 0..count {
                handle(&mut text, number);
                let joined = 2006 + Random::numbered(seed ^ 0x6a6f, number).below(18);
                let location = location(&User::new(seed, number, count), number, seed);
                writeln!(
                    to,
                    "{{\"id\":\"{text}\",\"location\":\"{location}\",\"joined\":{joined}}}"
                )
                .map_err(failed)?;
            }
        }
        "posts.jsonl" => {
            for post in 0..ALL_POSTS * count {
                let number = post % count;
                handle(&mut text, number);
                let user = User::new(seed, number, count);
                let fields = post_of(&user, number, post / count, seed);
                writeln!(to, "{{\"author\":\"{text}\",{fields}}}").map_err(failed)?;
            }
        }
        "connections.jsonl" => {
            let mut follows = follows(users, edges, seed)?;
            for _ in 0..edges {
                let (from, end) = follows.edge();
                handle(&mut text, from);
                write!(to, "{{\"from\":\"{text}\",").map_err(failed)?;
                handle(&mut text, end);
                writeln!(to, "\"to\":\"{text}\"}}").map_err(failed)?;
            }
        }
        "aliases.csv" => {
            for (alias, label) in ALIASES {
                writeln!(to, "{alias};{label}").map_err(failed)?;
            }
        }
        "lexicon.csv" => {
            for (topic, (word, hashtag)) in topics().zip(WORDS) {
                writeln!(to, "{topic};{topic}\n{word};{topic}\n#{hashtag};{topic}")
                    .map_err(failed)?;
            }
        }
        _ => return Err(Error::usage("there is no such file of made-up users")),
    }
    Ok(())
}

fn topics() -> impl Iterator<Item = &'static str> {
    AREAS.into_iter().flat_map(|area| area.1)
}

/// A city as a person writes it.
fn location(user: &User, number: u64, seed: u64) -> String {
    let (country, continent, cities) = COUNTRIES[(user.city / 3) as usize];
    let city = cities[(user.city % 3) as usize];
    let mut random = Random::numbered(seed ^ 0x706c_6163, number);
    let alias = |label: &str| {
        let known = ALIASES.iter().find(|(_, of)| *of == label);
        known.map_or(label, |(alias, _)| alias).to_owned()
    };
    match random.below(10) {
        0 | 1 => city.to_owned(),
        2 => city.to_uppercase(),
        3 => format!("{city}, {country}"),
        4 => format!("{} / {}", city.to_lowercase(), country.to_uppercase()),
        5 => format!("📍 {city} ({continent})"),
        6 => accented(city),
        7 => format!("living in {}!!", alias(city)),
        8 => format!("{}, {}", alias(city), alias(country)),
        _ => format!("  {city}   -- {country}, {continent}  "),
    }
}

/// With accents that nobody asked for.
fn accented(text: &str) -> String {
    let accent = |c: char| match c {
        'a' => 'á',
        'e' => 'è',
        'o' => 'ö',
        'u' => 'û',
        c => c,
    };
    text.chars().map(accent).collect()
}

/// The fields of a user's post besides the author.
fn post_of(user: &User, number: u64, post: u64, seed: u64) -> String {
    // Users write about their topics in orders of their own.
    let turn = (post + Random::numbered(seed ^ 0x7475_726e, number).below(ALL_POSTS)) % ALL_POSTS;
    let mut random = Random::numbered(seed ^ 0x706f_7374 ^ post << 32, number);
    let mut left = turn;
    for (topic, posts) in user.topics.into_iter().zip(POSTS) {
        match left.checked_sub(posts) {
            None => return about(topic, &mut random),
            Some(rest) => left = rest,
        }
    }
    match left {
        0 => about(random.below(24) as u32, &mut random),
        _ => "\"text\":\"good morning everyone 🌞\",\"hashtags\":[]".to_owned(),
    }
}

fn about(topic: u32, random: &mut Random) -> String {
    let label = topics().nth(topic as usize).unwrap_or_default();
    let (word, hashtag) = WORDS[topic as usize];
    match random.below(6) {
        0 => format!("\"text\":\"So much {label} this week. {label}!!\""),
        1 => format!(
            "\"text\":\"{} again?\",\"lang\":\"en\"",
            word.to_uppercase()
        ),
        2 => format!("\"text\":\"look at this #{hashtag}\""),
        3 => format!("\"hashtags\":[\"{hashtag}\",\"mood\"]"),
        4 => format!(
            "\"text\":null,\"hashtags\":[\"#{}\"]",
            hashtag.to_uppercase()
        ),
        _ => format!("\"text\":\"more {word}, less {label}\",\"likes\":3"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(name: &str, seed: u64) -> String {
        let mut bytes = Vec::new();
        write_raw(name, (300, 900, seed), &mut bytes).expect("written");
        String::from_utf8(bytes).expect("text")
    }

    #[test]
    fn files_follow_from_the_seed() {
        for name in RAW_FILES {
            assert_eq!(made(name, 3), made(name, 3));
        }
        assert_ne!(made("profiles.jsonl", 3), made("profiles.jsonl", 4));
        assert_eq!(made("profiles.jsonl", 3).lines().count(), 300);
        assert_eq!(made("posts.jsonl", 3).lines().count(), 300 * 14);
        assert_eq!(made("connections.jsonl", 3).lines().count(), 900);
        assert_eq!(made("lexicon.csv", 3).lines().count(), 72);
    }
}
