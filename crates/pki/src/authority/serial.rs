//! Serial numbers.

use portcullis_domain::entropy::{self, Entropy, EntropyError};

/// Draws a number from 1 to 2^159 - 1, big-endian: 159 random bits in the 20 bytes that RFC 5280
/// section 4.1.2.2 allows for a positive one.
pub(super) fn draw(entropy: &dyn Entropy) -> Result<[u8; 20], EntropyError> {
    let mut serial = entropy::bytes::<20>(entropy)?;
    if let Some(top) = serial.first_mut() {
        *top &= 0x7f;
    }
    // Zero does not come up by chance, only out of a source that is broken.
    if serial.iter().all(|byte| *byte == 0) {
        Err(EntropyError)
    } else {
        Ok(serial)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed(u8);

    impl Entropy for Fixed {
        fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
            bytes.fill(self.0);
            Ok(())
        }
    }

    #[test]
    fn numbers_are_positive_and_fit() {
        assert_eq!(draw(&Fixed(0xff)).unwrap()[..2], [0x7f, 0xff]);
        assert_eq!(draw(&Fixed(0x01)).unwrap(), [1; 20]);
        assert_eq!(draw(&Fixed(0)), Err(EntropyError));
    }
}
