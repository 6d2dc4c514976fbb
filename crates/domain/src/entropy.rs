//! Randomness as a port, and random tokens.

/// The source of randomness failed.
///
/// The request must be refused: there is no fallback to weaker secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the system's random number generator is unavailable")]
pub struct EntropyError;

/// Fills buffers with unpredictable bytes.
pub trait Entropy: Send + Sync {
    /// Fills all of `bytes`.
    ///
    /// # Errors
    ///
    /// [`EntropyError`] when the source fails; `bytes` must not be used then.
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError>;
}

/// Draws `N` random bytes.
pub fn bytes<const N: usize>(entropy: &dyn Entropy) -> Result<[u8; N], EntropyError> {
    let mut bytes = [0; N];
    entropy.fill(&mut bytes)?;
    Ok(bytes)
}

/// Draws a version 4 UUID in its lower-case text form (RFC 9562 section 5.4): 122 random bits.
pub fn uuid(entropy: &dyn Entropy) -> Result<String, EntropyError> {
    Ok(uuid_from_bytes(bytes::<16>(entropy)?))
}

/// Formats sixteen bytes as a version 4 UUID; six bits are overwritten.
pub fn uuid_from_bytes(mut bytes: [u8; 16]) -> String {
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    format_uuid(bytes)
}

/// Formats sixteen bytes as a UUID.
pub fn format_uuid(bytes: [u8; 16]) -> String {
    let mut text = String::with_capacity(36);
    for (index, byte) in bytes.iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        for digit in [byte >> 4, byte & 0x0f] {
            text.extend(char::from_digit(digit.into(), 16));
        }
    }
    text
}

/// Draws `length` characters of `alphabet`, each equally likely.
pub(crate) fn random_string(
    entropy: &dyn Entropy,
    alphabet: &[u8],
    length: usize,
) -> Result<String, EntropyError> {
    // Bytes at or above the largest multiple of the alphabet's size would bias the distribution.
    let limit = 256 - 256 % alphabet.len();
    let mut text = String::with_capacity(length);
    while text.len() < length {
        for byte in bytes::<16>(entropy)? {
            let byte = usize::from(byte);
            if byte < limit
                && text.len() < length
                && let Some(&character) = alphabet.get(byte % alphabet.len())
            {
                text.push(char::from(character));
            }
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    struct Counter(AtomicU64);

    impl Entropy for Counter {
        fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
            for byte in bytes {
                *byte = u8::try_from(self.0.fetch_add(1, Ordering::Relaxed) % 256).unwrap();
            }
            Ok(())
        }
    }

    #[test]
    fn uuid_has_version_and_variant() {
        let text = uuid(&Counter(AtomicU64::new(0))).unwrap();
        assert_eq!(text, "00010203-0405-4607-8809-0a0b0c0d0e0f");
    }

    #[test]
    fn characters_are_equally_likely() {
        let source = Counter(AtomicU64::new(0));
        let drawn = random_string(&source, b"0123456789", 2500).unwrap();
        for digit in '0'..='9' {
            assert_eq!(drawn.matches(digit).count(), 250, "{digit}");
        }
    }
}
