//! What the values of a column turn out to be, whatever its name says.
//!
//! Values are tested by their shape and, where they have one, their check digit. A column is
//! of a kind when nearly all of its distinct values are: a few may be mistyped.

use super::personal_numbers as numbers;
use std::net::IpAddr;

/// Distinct values that are looked at.
const LOOK: usize = 10_000;

/// The share of them that must be of a kind.
const SHARE: f64 = 0.9;

/// Values that name a person, a household or a device.
struct Kind {
    /// As a steward calls them.
    what: &'static str,
    is: fn(&str) -> bool,
    /// Distinct values without which chance could have made them.
    at_least: usize,
}

/// A digit more than this many values deep is right by chance once in 10⁸ columns.
const CHECKED: usize = 8;

#[rustfmt::skip]
const KINDS: &[Kind] = &[
    Kind { what: "e-mail addresses", is: is_email, at_least: 1 },
    Kind { what: "IBANs", is: is_iban, at_least: 1 },
    Kind { what: "IP addresses", is: is_ip, at_least: 3 },
    Kind { what: "addresses of network devices", is: is_mac, at_least: 1 },
    Kind { what: "universal identifiers", is: is_uuid, at_least: 1 },
    Kind { what: "credit card numbers", is: is_card, at_least: CHECKED },
    Kind { what: "Italian tax codes", is: numbers::is_codice_fiscale, at_least: 1 },
    Kind { what: "Spanish identity numbers", is: numbers::is_dni, at_least: 3 },
    Kind { what: "American social security numbers", is: numbers::is_ssn, at_least: 3 },
    Kind { what: "British national insurance numbers", is: numbers::is_nino, at_least: 3 },
    Kind { what: "Swiss social security numbers", is: numbers::is_ahv, at_least: 1 },
    Kind { what: "French social security numbers", is: numbers::is_nir, at_least: 3 },
    Kind { what: "Belgian national numbers", is: numbers::is_rijksregister, at_least: 3 },
    Kind { what: "Brazilian tax numbers", is: numbers::is_cpf, at_least: 3 },
    Kind { what: "German pension insurance numbers", is: numbers::is_rentenversicherung, at_least: 3 },
    Kind { what: "Polish identity numbers", is: numbers::is_pesel, at_least: CHECKED },
    Kind { what: "Swedish identity numbers", is: numbers::is_personnummer, at_least: CHECKED },
    Kind { what: "German tax numbers", is: numbers::is_identifikationsnummer, at_least: CHECKED },
    Kind { what: "Dutch citizen service numbers", is: numbers::is_bsn, at_least: CHECKED },
    Kind { what: "Portuguese tax numbers", is: numbers::is_nif, at_least: CHECKED },
    Kind { what: "British health service numbers", is: numbers::is_nhs, at_least: CHECKED },
    Kind { what: "phone numbers", is: is_phone, at_least: 3 },
];

/// What the distinct values of a column name persons, households or devices by, if they do.
pub(super) fn recognise<'a>(values: impl Iterator<Item = &'a str> + Clone) -> Option<&'static str> {
    let values = values.take(LOOK).map(str::trim);
    let n = values.clone().count();
    let nearly_all = |kind: &&Kind| {
        let allowed = n as f64 * (1.0 - SHARE);
        let others = values.clone().filter(|value| !(kind.is)(value));
        n >= kind.at_least && others.take(allowed as usize + 1).count() as f64 <= allowed
    };
    KINDS.iter().find(nearly_all).map(|kind| kind.what)
}

/// Whether the values are sentences rather than words.
pub(super) fn is_free_text<'a>(values: impl Iterator<Item = &'a str> + Clone) -> bool {
    let values = values.take(LOOK);
    let n = values.clone().count() as f64;
    let words: usize = values.clone().map(|v| v.split_whitespace().count()).sum();
    let letters: usize = values.map(|v| v.chars().count()).sum();
    n > 0.0 && words as f64 / n >= 4.0 && letters as f64 / n >= 20.0
}

/// Whether the values look like first and last names.
pub(super) fn are_names_of_persons<'a>(values: impl Iterator<Item = &'a str> + Clone) -> bool {
    let values = values.take(LOOK);
    let n = values.clone().count() as f64;
    n > 0.0 && values.filter(|value| is_name_of_person(value)).count() as f64 >= n * SHARE
}

/// Two to four words that begin with a capital, of letters and what stands in names.
fn is_name_of_person(value: &str) -> bool {
    let words: Vec<&str> = value.split([' ', ',']).filter(|w| !w.is_empty()).collect();
    let is_part = |word: &&str| {
        let of_letters = word
            .chars()
            .all(|c| c.is_alphabetic() || matches!(c, '\'' | '’' | '-' | '.'));
        let particle = word.chars().count() <= 3 && word.chars().all(char::is_lowercase);
        of_letters && (particle || word.starts_with(char::is_uppercase))
    };
    (2..=4).contains(&words.len()) && words.iter().all(is_part)
}

fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    let in_name = |c: char| c.is_alphanumeric() || ".!#$%&'*+-/=?^_`{|}~".contains(c);
    let labels = || domain.split('.');
    !local.is_empty()
        && local.chars().all(in_name)
        && labels().count() > 1
        && labels().all(|label| {
            !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-')
        })
        && labels()
            .next_back()
            .is_some_and(|top| top.len() > 1 && !top.contains(char::is_numeric))
}

fn is_ip(text: &str) -> bool {
    text.parse::<IpAddr>().is_ok()
}

fn is_mac(text: &str) -> bool {
    let parts: Vec<&str> = text.split([':', '-']).collect();
    parts.len() == 6
        && parts
            .iter()
            .all(|part| part.len() == 2 && part.bytes().all(|b| b.is_ascii_hexdigit()))
}

fn is_uuid(text: &str) -> bool {
    let lengths = text.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12]) && text.bytes().all(|b| b == b'-' || b.is_ascii_hexdigit())
}

/// Country, check digits and account, of which the remainder by 97 is 1 (ISO 7064).
fn is_iban(text: &str) -> bool {
    let text: String = text.split(' ').collect::<String>().to_ascii_uppercase();
    let bytes = text.as_bytes();
    let shape = (15..=34).contains(&bytes.len())
        && bytes[..2].iter().all(u8::is_ascii_uppercase)
        && bytes[2..4].iter().all(u8::is_ascii_digit)
        && bytes.iter().all(u8::is_ascii_alphanumeric);
    let turned = || bytes[4..].iter().chain(&bytes[..4]);
    shape
        && turned().fold(0_u32, |remainder, &byte| match byte {
            b'0'..=b'9' => (remainder * 10 + u32::from(byte - b'0')) % 97,
            _ => (remainder * 100 + u32::from(byte - b'A') + 10) % 97,
        }) == 1
}

fn is_card(text: &str) -> bool {
    numbers::digits(text, " -").is_some_and(|digits| {
        (13..=19).contains(&digits.len()) && matches!(digits[0], 3..=6) && numbers::luhn(&digits)
    })
}

/// Digits of a number to dial: with a country code, a leading zero, or in the groups of the
/// North American plan.
fn is_phone(text: &str) -> bool {
    let marked = text.strip_prefix('+').unwrap_or(text);
    let Some(digits) = numbers::digits(marked, " -./()") else {
        return false;
    };
    let grouped: Vec<usize> = marked
        .split(|c: char| !c.is_ascii_digit())
        .map(str::len)
        .filter(|&length| length > 0)
        .collect();
    let looks_like_a_date =
        grouped.len() == 3 && grouped.iter().all(|&length| length <= 4) && digits.len() <= 8;
    let dialled = text.starts_with('+') && (8..=15).contains(&digits.len());
    let national = digits.first() == Some(&0) && (9..=14).contains(&digits.len());
    let american = matches!(grouped[..], [3, 3, 4] | [1, 3, 3, 4]);
    !looks_like_a_date && (dialled || national || american)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(is: fn(&str) -> bool, yes: &[&str], no: &[&str]) {
        for text in yes {
            assert!(is(text), "{text}");
        }
        for text in no {
            assert!(!is(text), "{text}");
        }
    }

    #[test]
    fn shapes_are_told() {
        check(
            is_email,
            &[
                "ada@example.org",
                "a.b+c@mail.example.co.uk",
                "jürgen@müller.de",
            ],
            &[
                "ada@example",
                "@example.org",
                "ada example.org",
                "a@b.1",
                "a b@example.org",
                "",
            ],
        );
        check(
            is_ip,
            &["10.161.47.9", "::1", "2001:db8::7"],
            &["1.2.3", "1.2.3.400", "10"],
        );
        check(
            is_mac,
            &["00:1b:44:11:3a:b7", "00-1B-44-11-3A-B7"],
            &["00:1b:44", "zz:1b:44:11:3a:b7"],
        );
        check(
            is_uuid,
            &["123e4567-e89b-12d3-a456-426614174000"],
            &["123e4567-e89b-12d3-a456", "1-2-3-4-5"],
        );
        check(
            is_phone,
            &[
                "+49 170 1234567",
                "+1 (555) 010-9999",
                "(555) 123-4567",
                "555-123-4567",
                "0039 06 1234567",
                "030/1234567",
                "06 12 34 56 78",
                "01711234567",
            ],
            &[
                "2024-03-01",
                "01.03.2024",
                "01/03/24",
                "12345",
                "1234567.5",
                "123-45-6789",
                "n/a",
                "",
                "+",
                "12 34",
                "10.161.47.9",
            ],
        );
        check(
            is_name_of_person,
            &[
                "Ada Lovelace",
                "de la Cruz, Juana",
                "O'Neill Mary-Ann",
                "Ludwig van Beethoven",
            ],
            &["upper secondary", "Ada", "Room 7", "A B C D E", ""],
        );
    }

    #[test]
    fn check_digits_are_checked() {
        check(
            is_iban,
            &[
                "DE89 3704 0044 0532 0130 00",
                "GB82WEST12345698765432",
                "fr1420041010050500013m02606",
            ],
            &["DE88 3704 0044 0532 0130 00", "DE89", "4111111111111111"],
        );
        check(
            is_card,
            &[
                "4111111111111111",
                "5500 0000 0000 0004",
                "3782-822463-10005",
            ],
            &["4111111111111112", "1234567890123", "4111"],
        );
    }

    #[test]
    fn a_few_mistyped_values_do_not_hide_a_kind() {
        let of = |good: usize, bad: usize| {
            let values: Vec<String> = (0..good)
                .map(|i| format!("p{i}@example.org"))
                .chain((0..bad).map(|i| format!("p{i}")))
                .collect();
            recognise(values.iter().map(String::as_str))
        };
        assert_eq!(of(95, 5), Some("e-mail addresses"));
        assert_eq!(of(80, 20), None);
        assert_eq!(of(0, 0), None);
    }

    #[test]
    fn sentences_are_free_text() {
        let notes = [
            "Came with her sister, wants a call",
            "Lives above the bakery in town",
        ];
        assert!(is_free_text(notes.into_iter()));
        assert!(!is_free_text(["upper secondary", "primary"].into_iter()));
    }
}
