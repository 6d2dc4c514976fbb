//! Checksummed frames around stored values.
//!
//! A frame is the format version (one byte), the XXH3-64 of version, key and body (eight bytes,
//! big-endian), and the body. Since the checksum covers the key, a valid frame under a wrong key
//! counts as damage too.

use std::fmt::Write as _;
use xxhash_rust::xxh3::Xxh3;

/// The version of the frame that [`encode`] writes.
pub const FRAME_VERSION: u8 = 1;

const CHECKSUM_BYTES: usize = 8;

/// A stored row is damaged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the row {} is damaged: {reason}", hex(key))]
pub struct DamagedRowError {
    pub key: Vec<u8>,
    pub reason: DamageReason,
}

/// The kind of damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DamageReason {
    /// Shorter than any frame.
    #[error("it is too short")]
    Short,
    /// Of a version that this program does not know.
    #[error("its format {0} is unknown")]
    Version(u8),
    /// The checksum differs.
    #[error("its checksum does not match")]
    Checksum,
}

impl From<DamagedRowError> for crate::engine::StoreError {
    fn from(damaged: DamagedRowError) -> Self {
        Self::corrupt(damaged.to_string())
    }
}

/// Encodes `body` for the row under `key`.
pub fn encode(key: &[u8], body: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(1 + CHECKSUM_BYTES + body.len());
    frame.push(FRAME_VERSION);
    frame.extend_from_slice(&checksum(FRAME_VERSION, key, body));
    frame.extend_from_slice(body);
    frame
}

/// Decodes the body of a frame stored under `key`.
///
/// # Errors
///
/// [`DamagedRowError`] when `frame` was not encoded for this key.
pub fn decode<'f>(key: &[u8], frame: &'f [u8]) -> Result<&'f [u8], DamagedRowError> {
    let damaged = |reason| DamagedRowError {
        key: key.to_vec(),
        reason,
    };
    let (version, rest) = frame
        .split_first()
        .ok_or_else(|| damaged(DamageReason::Short))?;
    let (sum, body) = rest
        .split_at_checked(CHECKSUM_BYTES)
        .ok_or_else(|| damaged(DamageReason::Short))?;
    if *version != FRAME_VERSION {
        return Err(damaged(DamageReason::Version(*version)));
    }
    if sum != checksum(*version, key, body) {
        return Err(damaged(DamageReason::Checksum));
    }
    Ok(body)
}

fn checksum(version: u8, key: &[u8], body: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let mut sum = Xxh3::new();
    sum.update(&[version]);
    // The length makes the boundary between key and body unambiguous.
    let length = u64::try_from(key.len()).unwrap_or(u64::MAX);
    sum.update(&length.to_be_bytes());
    sum.update(key);
    sum.update(body);
    sum.digest().to_be_bytes()
}

/// Formats bytes as lower-case hex.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn decode_reads_back(key: Vec<u8>, body: Vec<u8>) {
            let frame = encode(&key, &body);
            prop_assert_eq!(decode(&key, &frame), Ok(body.as_slice()));
        }

        #[test]
        fn any_flipped_bit_is_found(
            key in proptest::collection::vec(any::<u8>(), 1..24),
            body in proptest::collection::vec(any::<u8>(), 0..200),
        ) {
            let frame = encode(&key, &body);
            for bit in 0..frame.len() * 8 {
                let mut flipped = frame.clone();
                flipped[bit / 8] ^= 1 << (bit % 8);
                prop_assert!(decode(&key, &flipped).is_err(), "frame bit {bit}");
            }
            for bit in 0..key.len() * 8 {
                let mut flipped = key.clone();
                flipped[bit / 8] ^= 1 << (bit % 8);
                prop_assert!(decode(&flipped, &frame).is_err(), "key bit {bit}");
            }
        }

        #[test]
        fn any_truncation_is_found(key: Vec<u8>, body: Vec<u8>) {
            let frame = encode(&key, &body);
            for length in 0..frame.len() {
                prop_assert!(decode(&key, &frame[..length]).is_err(), "{length}");
            }
        }
    }

    #[test]
    fn format_stays_as_it_is() {
        // Old stores are read by this layout; a change needs a new version, not a new test.
        let frame = encode(b"key", b"body");
        assert_eq!(hex(&frame), "01afffe1386dcd7bca626f6479");
    }

    #[test]
    fn damage_names_the_row() {
        let error = decode(&[0x01, 0xab], &[9; 20]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the row 01ab is damaged: its format 9 is unknown"
        );
    }
}
