//! Numbers by which states know persons: tax, social security and identity numbers.
//!
//! Each is told by its shape and the check digits that its state publishes. Examples in the
//! tests are those that authorities and standards print; they belong to nobody.

/// The digits of a text that has nothing else but `separators`.
pub(super) fn digits(text: &str, separators: &str) -> Option<Vec<u32>> {
    let mut digits = Vec::new();
    for c in text.chars() {
        match c.to_digit(10) {
            Some(digit) => digits.push(digit),
            None if separators.contains(c) => {}
            None => return None,
        }
    }
    (!digits.is_empty()).then_some(digits)
}

/// Luhn's check: every second digit from the right is doubled, its digits are added.
pub(super) fn luhn(digits: &[u32]) -> bool {
    let doubled = |(i, &digit): (usize, &u32)| match (i % 2, digit * 2) {
        (0, _) => digit,
        (_, double @ 0..=9) => double,
        (_, double) => double - 9,
    };
    digits.iter().rev().enumerate().map(doubled).sum::<u32>() % 10 == 0
}

/// Exactly `n` digits, not all of them the same.
fn number(text: &str, separators: &str, n: usize) -> Option<Vec<u32>> {
    let digits = digits(text, separators)?;
    let differ = digits.iter().any(|digit| *digit != digits[0]);
    (digits.len() == n && differ).then_some(digits)
}

fn weighted(digits: &[u32], weights: &[u32]) -> u32 {
    digits
        .iter()
        .zip(weights)
        .map(|(digit, weight)| digit * weight)
        .sum()
}

fn value(digits: &[u32]) -> u64 {
    digits
        .iter()
        .fold(0, |value, &digit| value * 10 + u64::from(digit))
}

/// Whether two digits are a month and two a day.
fn is_day(month: &[u32], day: &[u32]) -> bool {
    (1..=12).contains(&value(month)) && (1..=31).contains(&value(day))
}

/// Capitals and digits, without spaces.
fn capitals(text: &str) -> Vec<u8> {
    let kept = text
        .bytes()
        .filter(|byte| !matches!(byte, b' ' | b'-' | b'.'));
    kept.map(|byte| byte.to_ascii_uppercase()).collect()
}

/// Whether `text` has letters where `shape` has `A` and digits where it has `0`.
fn has_shape(text: &[u8], shape: &[u8]) -> bool {
    text.len() == shape.len()
        && text.iter().zip(shape).all(|(byte, shape)| match shape {
            b'A' => byte.is_ascii_uppercase(),
            _ => byte.is_ascii_digit(),
        })
}

/// Italy, codice fiscale: six letters, the day of birth, the town, a check letter.
pub(super) fn is_codice_fiscale(text: &str) -> bool {
    const ODD: [u32; 26] = [
        1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24,
        23,
    ];
    let code = capitals(text);
    if code.len() != 16 || !code.iter().all(u8::is_ascii_alphanumeric) {
        return false;
    }
    let letters = |range: &[u8]| range.iter().all(u8::is_ascii_uppercase);
    let place = |byte: u8| match byte {
        b'0'..=b'9' => byte - b'0',
        _ => byte - b'A',
    };
    let sum: u32 = code[..15]
        .iter()
        .enumerate()
        .map(|(i, &byte)| match i % 2 {
            0 => ODD[usize::from(place(byte))],
            _ => u32::from(place(byte)),
        })
        .sum();
    letters(&code[..6])
        && letters(&code[8..9])
        && sum % 26 == u32::from(code[15].wrapping_sub(b'A'))
}

/// Spain, DNI and NIE: a number and the letter of its remainder by 23.
pub(super) fn is_dni(text: &str) -> bool {
    let mut code = capitals(text);
    if let Some(first @ b'X'..=b'Z') = code.first().copied() {
        code[0] = first - b'X' + b'0';
    }
    has_shape(&code, b"00000000A") && {
        let number = code[..8]
            .iter()
            .fold(0, |n, b| n * 10 + usize::from(b - b'0'));
        code[8] == b"TRWAGMYFPDXBNJZSQVHLCKE"[number % 23]
    }
}

/// United States, social security number, written in its three groups.
pub(super) fn is_ssn(text: &str) -> bool {
    let groups: Vec<&str> = text.split(['-', ' ']).collect();
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let lengths = groups.iter().map(|group| group.len());
    let given = |group: &str| !matches!(group, "00" | "000" | "0000" | "666");
    digits == 9
        && lengths.eq([3, 2, 4])
        && groups.iter().all(|group| given(group))
        && !text.starts_with('9')
}

/// United Kingdom, national insurance number.
pub(super) fn is_nino(text: &str) -> bool {
    let code = capitals(text);
    has_shape(&code, b"AA000000A")
        && matches!(code[8], b'A'..=b'D')
        && !b"DFIQUV".contains(&code[0])
}

/// United Kingdom, NHS number: ten digits, the last one by eleven.
pub(super) fn is_nhs(text: &str) -> bool {
    number(text, " -", 10).is_some_and(|n| {
        let check = 11 - weighted(&n[..9], &[10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11;
        check % 11 == n[9]
    })
}

/// Switzerland, AHV number: 756 and ten digits, checked as an EAN.
pub(super) fn is_ahv(text: &str) -> bool {
    number(text, " .", 13).is_some_and(|n| {
        let sum = weighted(&n[..12], &[1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3]);
        n[..3] == [7, 5, 6] && (10 - sum % 10) % 10 == n[12]
    })
}

/// France, NIR: sex, year and month of birth, place, order, and a key by 97.
pub(super) fn is_nir(text: &str) -> bool {
    // Corsica writes 2A and 2B, which count as 19 and 18.
    let text = text
        .to_ascii_uppercase()
        .replace("2A", "19")
        .replace("2B", "18");
    number(&text, " .", 15).is_some_and(|n| {
        matches!(n[0], 1 | 2 | 3 | 4 | 7 | 8) && value(&n[13..]) == 97 - value(&n[..13]) % 97
    })
}

/// Belgium, national register number: day of birth, order, and a key by 97.
pub(super) fn is_rijksregister(text: &str) -> bool {
    number(text, " .-", 11).is_some_and(|n| {
        let key = |number: u64| 97 - number % 97;
        let born = value(&n[..9]);
        [key(born), key(2_000_000_000 + born)].contains(&value(&n[9..]))
    })
}

/// Brazil, CPF: nine digits and two check digits by eleven.
pub(super) fn is_cpf(text: &str) -> bool {
    let check = |digits: &[u32]| {
        let weights: Vec<u32> = (2..=digits.len() as u32 + 1).rev().collect();
        weighted(digits, &weights) * 10 % 11 % 10
    };
    number(text, ".-", 11).is_some_and(|n| check(&n[..9]) == n[9] && check(&n[..10]) == n[10])
}

/// Germany, pension insurance number: area, day of birth, initial, serial, check digit.
pub(super) fn is_rentenversicherung(text: &str) -> bool {
    let code = capitals(text);
    has_shape(&code, b"00000000A000") && {
        let letter = u32::from(code[8] - b'A' + 1);
        let digits = |bytes: &[u8]| {
            bytes
                .iter()
                .map(|b| u32::from(b - b'0'))
                .collect::<Vec<u32>>()
        };
        let number = [
            digits(&code[..8]),
            vec![letter / 10, letter % 10],
            digits(&code[9..11]),
        ]
        .concat();
        let weights = [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1];
        let cross = |n: u32| n / 10 + n % 10;
        let sum: u32 = number
            .iter()
            .zip(weights)
            .map(|(digit, weight)| cross(digit * weight))
            .sum();
        sum % 10 == u32::from(code[11] - b'0')
    }
}

/// Germany, tax identification number: eleven digits, checked by ISO 7064 mod 11,10.
pub(super) fn is_identifikationsnummer(text: &str) -> bool {
    number(text, " ", 11).is_some_and(|n| {
        let product = n[..10].iter().fold(10, |product, digit| {
            let sum = (digit + product) % 10;
            (if sum == 0 { 10 } else { sum }) * 2 % 11
        });
        n[0] != 0 && (11 - product) % 10 == n[10]
    })
}

/// Poland, PESEL: day of birth, order, check digit.
pub(super) fn is_pesel(text: &str) -> bool {
    number(text, "", 11).is_some_and(|n| {
        let sum = weighted(&n[..10], &[1, 3, 7, 9, 1, 3, 7, 9, 1, 3]);
        // The century is added to the month in steps of twenty.
        let month = [n[2] % 2, n[3]];
        is_day(&month, &n[4..6]) && (10 - sum % 10) % 10 == n[10]
    })
}

/// Sweden, personnummer: day of birth, order, check digit of Luhn.
pub(super) fn is_personnummer(text: &str) -> bool {
    let short = number(text, "-+", 10);
    let long = || number(text, "-+", 12).map(|n| n[2..].to_vec());
    short
        .or_else(long)
        .is_some_and(|n| is_day(&n[2..4], &n[4..6]) && luhn(&n))
}

/// Netherlands, BSN: nine digits that pass the test by eleven.
pub(super) fn is_bsn(text: &str) -> bool {
    number(text, " .", 9).is_some_and(|n| {
        let sum = weighted(&n[..8], &[9, 8, 7, 6, 5, 4, 3, 2]);
        sum % 11 == n[8]
    })
}

/// Portugal, NIF: nine digits, the last one by eleven.
pub(super) fn is_nif(text: &str) -> bool {
    number(text, " ", 9).is_some_and(|n| {
        let check = 11 - weighted(&n[..8], &[9, 8, 7, 6, 5, 4, 3, 2]) % 11;
        matches!(n[0], 1..=3 | 5 | 6 | 8 | 9) && n[8] == if check > 9 { 0 } else { check }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_examples_are_right_and_wrong_digits_are_not() {
        type Is = fn(&str) -> bool;
        let cases: &[(Is, &[&str], &[&str])] = &[
            (
                is_codice_fiscale,
                &["RSSMRA85T10A562S", "rssmra85t10a562s"],
                &["RSSMRA85T10A562T", "RSSMRA"],
            ),
            (
                is_dni,
                &["12345678Z", "X1234567L", "12345678-z"],
                &["12345678A", "1234567Z"],
            ),
            (
                is_ssn,
                &["078-05-1120", "219 09 9999"],
                &["666-05-1120", "900-05-1120", "078051120", "07-805-1120"],
            ),
            (
                is_nino,
                &["AB123456C", "ab 12 34 56 c"],
                &["DB123456C", "AB123456E", "AB12345C"],
            ),
            (
                is_nhs,
                &["943 476 5919", "9434765919"],
                &["9434765918", "0000000000"],
            ),
            (
                is_ahv,
                &["756.9217.0769.85"],
                &["756.9217.0769.84", "757.9217.0769.85"],
            ),
            (
                is_nir,
                &["255081416802538", "2 55 08 14 168 025 38"],
                &["255081416802539", "655081416802538"],
            ),
            (
                is_rijksregister,
                &["85.07.30-033.28", "17 07 30-033.84"],
                &["85.07.30-033.29"],
            ),
            (
                is_cpf,
                &["111.444.777-35", "11144477735"],
                &["111.444.777-34", "111.111.111-11"],
            ),
            (
                is_rentenversicherung,
                &["65 170839 J 003", "15070649C103"],
                &["65 170839 J 004", "65170839J"],
            ),
            (
                is_identifikationsnummer,
                &["86095742719", "47036892816"],
                &["86095742718", "06095742719"],
            ),
            (
                is_pesel,
                &["44051401359", "02070803628"],
                &["44051401358", "44131401359"],
            ),
            (
                is_personnummer,
                &["811228-9874", "198112289874"],
                &["811228-9873", "811328-9874"],
            ),
            (
                is_bsn,
                &["111222333", "123456782"],
                &["111222334", "111111111"],
            ),
            (
                is_nif,
                &["123456789", "501442600"],
                &["123456788", "423456789"],
            ),
        ];
        for (i, (is, right, wrong)) in cases.iter().enumerate() {
            for text in *right {
                assert!(is(text), "{i}: {text}");
            }
            for text in wrong
                .iter()
                .chain(&["", "x", "-", "é", "12345678901234567890"])
            {
                assert!(!is(text), "{i}: {text}");
            }
        }
        assert!(luhn(&[7, 9, 9, 2, 7, 3, 9, 8, 7, 1, 3]));
        assert!(!luhn(&[7, 9, 9, 2, 7, 3, 9, 8, 7, 1, 4]));
    }
}
