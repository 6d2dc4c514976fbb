//! New messages out of known ones.

use super::Raw;
use portcullis_seeded_random::Random;

/// Content types, at the ends of the ranges and between them.
const CONTENT_TYPES: [std::ops::Range<i32>; 6] = [
    1_000..1_110,
    10_040..10_126,
    10_800..10_910,
    20_000..20_020,
    20_200..20_510,
    60_783..60_808,
];

/// Beginnings of fields: lengths that are too long, numbers without end, groups, fields of all kinds.
const PIECES: [&[u8]; 12] = [
    b"\x0a\x00",
    b"\x12\xff\xff\xff\xff\x0f",
    b"\x1a\x03\x0a\x01k",
    b"\x22\x05\x0a\x01k\x12\x00",
    b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    b"\x18\x01",
    b"\x1b\x1c",
    b"\x13",
    b"\x19\0\0\0\0\0\0\xf8\x7f",
    b"\x2a\x02\xc3\x28",
    b"\x52\x04\x0a\x02id",
    b"\x32\x06\x0a\x01k\x12\x01v",
];

/// A message with a few changes.
pub(super) fn mutate(messages: &[Raw], random: &mut Random) -> Raw {
    let mut raw = messages[random.index(messages.len())].clone();
    for _ in 0..=random.index(5) {
        let at = random.index(raw.body.len() + 1);
        match random.below(9) {
            0 => {
                let range = &CONTENT_TYPES[random.index(CONTENT_TYPES.len())];
                let within = random.below(u64::from(range.end.abs_diff(range.start)));
                raw.content_type = range.start + i32::try_from(within).unwrap();
            },
            1 => flip(&mut raw.body, at, random),
            2 => {
                let end = raw.body.len().min(at + random.index(20));
                raw.body.drain(at..end);
            },
            3 => {
                let byte = random.next().to_le_bytes()[0];
                raw.body.insert(at, byte);
            },
            4 | 5 => {
                let piece = PIECES[random.index(PIECES.len())];
                raw.body.splice(at..at, piece.iter().copied());
            },
            6 => {
                let other = &messages[random.index(messages.len())].body;
                raw.body.extend_from_slice(other);
            },
            7 => {
                let at = random.index(raw.headers.len() + 1);
                flip(&mut raw.headers, at, random);
            },
            _ => header(&mut raw, messages, random),
        }
    }
    raw
}

fn flip(bytes: &mut [u8], at: usize, random: &mut Random) {
    if let Some(byte) = bytes.get_mut(at) {
        *byte ^= 1 << random.below(8);
    }
}

/// One more header: the ones of another message, or one of the numbers that messages use.
fn header(raw: &mut Raw, messages: &[Raw], random: &mut Random) {
    if random.below(3) == 0 {
        let other = &messages[random.index(messages.len())].headers;
        raw.headers.extend_from_slice(other);
        return;
    }
    let first = [10, 1000, 1100, 2000, 2250][random.index(5)];
    let key = first + u32::try_from(random.below(45)).unwrap();
    let length = [0, 1, 2, 4, 8, 9][random.index(6)];
    raw.headers.extend(key.to_le_bytes());
    raw.headers
        .extend(u32::try_from(length).unwrap().to_le_bytes());
    raw.headers
        .extend((0..length).map(|_| random.next().to_le_bytes()[0] & 3));
}
