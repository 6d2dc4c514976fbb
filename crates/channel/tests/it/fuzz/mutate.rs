//! New streams out of known ones.

use portcullis_seeded_random::Random;

/// Numbers at which something changes.
const LENGTHS: [u32; 14] = [
    0,
    1,
    7,
    8,
    9,
    127,
    128,
    129,
    4_192,
    4_193,
    8_193,
    16_385,
    1 << 31,
    u32::MAX,
];

/// Headers of the channel itself.
const KEYS: [u32; 12] = [0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 128];

/// A stream with a few changes.
pub(super) fn mutate(streams: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut stream = streams[random.index(streams.len())].clone();
    for _ in 0..=random.index(5) {
        let at = random.index(stream.len() + 1);
        match random.below(8) {
            0 => flip(&mut stream, at, random),
            1 => {
                let end = stream.len().min(at + random.index(30));
                stream.drain(at..end);
            },
            2 => {
                let byte = random.next().to_le_bytes()[0];
                stream.insert(at, byte);
            },
            3 => put(
                &mut stream,
                at / 4 * 4,
                LENGTHS[random.index(LENGTHS.len())],
            ),
            // Content type and both lengths of the first frame.
            4 => put(
                &mut stream,
                [4, 12, 16][random.index(3)],
                LENGTHS[random.index(9)],
            ),
            5 => header(&mut stream, random),
            6 => {
                let other = &streams[random.index(streams.len())];
                stream.extend_from_slice(other);
            },
            _ => {
                let other = &streams[random.index(streams.len())];
                let from = random.index(other.len());
                let piece = &other[from..other.len().min(from + 40)];
                stream.splice(at..at, piece.iter().copied());
            },
        }
    }
    stream
}

fn flip(stream: &mut [u8], at: usize, random: &mut Random) {
    if let Some(byte) = stream.get_mut(at) {
        *byte ^= 1 << random.below(8);
    }
}

fn put(stream: &mut [u8], at: usize, number: u32) {
    if let Some(place) = stream.get_mut(at..at + 4) {
        place.copy_from_slice(&number.to_le_bytes());
    }
}

/// One more header in the first frame, whose length is put right.
fn header(stream: &mut Vec<u8>, random: &mut Random) {
    let Some(length) = stream.get(12..16) else {
        return;
    };
    let length = u32::from_le_bytes(length.try_into().unwrap());
    let value: Vec<u8> = (0..[0, 1, 4, 8, 16][random.index(5)])
        .map(|_| random.next().to_le_bytes()[0] & 3)
        .collect();
    let key = KEYS[random.index(KEYS.len())];
    let mut entry = key.to_le_bytes().to_vec();
    entry.extend(u32::try_from(value.len()).unwrap().to_le_bytes());
    entry.extend(value);
    let longer = length.wrapping_add(u32::try_from(entry.len()).unwrap());
    put(stream, 12, longer);
    let at = 20.min(stream.len());
    stream.splice(at..at, entry);
}
