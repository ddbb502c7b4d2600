//! Words of ChaCha20, as RFC 8439 has it.

use chacha20::ChaCha20;
use chacha20::cipher::{KeyIvInit, StreamCipher};

/// Whether a mask is added or taken away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::federate) enum Sign {
    /// Added.
    Plus,
    /// Taken away.
    Minus,
}

/// Bytes of the stream that are made at a time.
const CHUNK: usize = 2048;

/// Adds the stream of a key to words, or takes it away, modulo 2⁶⁴.
pub(in crate::federate) fn combine(key: &[u8; 32], sign: Sign, words: &mut [u64]) {
    let mut cipher = ChaCha20::new(key.into(), &[0; 12].into());
    let mut bytes = [0; CHUNK];
    for words in words.chunks_mut(CHUNK / 8) {
        let bytes = &mut bytes[..words.len() * 8];
        cipher.write_keystream(bytes);
        let masks = bytes.as_chunks().0.iter().copied().map(u64::from_le_bytes);
        match sign {
            Sign::Plus => {
                let each = words.iter_mut().zip(masks);
                each.for_each(|(word, mask)| *word = word.wrapping_add(mask));
            }
            Sign::Minus => {
                let each = words.iter_mut().zip(masks);
                each.for_each(|(word, mask)| *word = word.wrapping_sub(mask));
            }
        }
    }
}

/// Fills bytes with the stream of a key and the number of a record, or of another thing.
pub(in crate::federate) fn fill(key: &[u8; 32], number: u64, bytes: &mut [u8]) {
    let mut nonce = [0; 12];
    nonce[..8].copy_from_slice(&number.to_le_bytes());
    ChaCha20::new(key.into(), &nonce.into()).write_keystream(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8439, appendix A.1, cases 1 and 2: the first two blocks of the key and nonce 0.
    const BLOCKS: [[u64; 8]; 2] = [
        [
            0x903d_f1a0_ade0_b876,
            0x28bd_8653_e56a_5d40,
            0x1aed_8da0_b819_d2bd,
            0xc70d_778b_ccef_36a8,
            0x8d48_5751_7c59_41da,
            0x374a_d8b8_3fe0_2477,
            0x1ca1_1815_f4b8_436a,
            0x8665_eeb2_69b6_87c3,
        ],
        [
            0x7a38_5155_bee7_079f,
            0x0d08_2d73_7c97_ba98,
            0x6965_e348_a029_0fcb,
            0xed7a_ee32_3e53_c612,
            0x434e_e69c_7621_b729,
            0xd539_d874_b033_71d5,
            0x45fb_0a51_281f_ed31,
            0x6f4d_794b_1f0a_e1ac,
        ],
    ];

    #[test]
    fn the_stream_is_that_of_the_standard() {
        let mut words = vec![0; 16];
        combine(&[0; 32], Sign::Plus, &mut words);
        assert_eq!(words, BLOCKS.concat());
        let mut bytes = [0; 128];
        fill(&[0; 32], 0, &mut bytes);
        let words = bytes.as_chunks().0.iter().copied().map(u64::from_le_bytes);
        assert_eq!(words.collect::<Vec<u64>>(), BLOCKS.concat());
    }

    #[test]
    fn what_is_added_can_be_taken_away_over_many_chunks() {
        let before: Vec<u64> = (0..3 * CHUNK as u64).map(|i| i << 40).collect();
        let mut words = before.clone();
        combine(&[9; 32], Sign::Plus, &mut words);
        assert!(words.iter().zip(&before).all(|(a, b)| a != b));
        combine(&[9; 32], Sign::Minus, &mut words);
        assert_eq!(words, before);
    }

    #[test]
    fn every_number_has_a_stream_of_its_own() {
        let mut streams = std::collections::BTreeSet::new();
        for number in [0, 1, 2, 255, 256, 1 << 32, u64::MAX] {
            let mut bytes = [0; 16];
            fill(&[3; 32], number, &mut bytes);
            assert!(streams.insert(bytes), "{number}");
        }
    }
}
