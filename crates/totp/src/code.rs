//! Submitted codes: TOTP codes and recovery codes.

use std::io::Write as _;
use subtle::{Choice, ConstantTimeEq};
use zeroize::ZeroizeOnDrop;

/// Characters of either kind of code.
pub(crate) const LENGTH: usize = 6;

/// A text that has the form of neither code. It carries nothing of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a TOTP code or a recovery code")]
pub struct CodeFormatError;

/// A TOTP code: six ASCII digits, leading zeros kept.
///
/// Codes are compared in constant time; `Debug` does not show them.
#[derive(Clone, ZeroizeOnDrop)]
pub struct Code([u8; LENGTH]);

/// A recovery code: six characters of `A`–`Z` and `2`–`7` (RFC 4648 section 6), at least one of
/// them a letter. So no text is both a recovery code and a [`Code`].
///
/// Codes are compared in constant time; `Debug` does not show them.
#[derive(Clone, ZeroizeOnDrop)]
pub struct RecoveryCode([u8; LENGTH]);

/// A submitted code, classified by its form alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SubmittedCode {
    Totp(Code),
    Recovery(RecoveryCode),
}

impl SubmittedCode {
    /// Parses a code exactly as submitted; nothing is trimmed, folded or repaired.
    ///
    /// # Errors
    ///
    /// [`CodeFormatError`] for everything else. A text of another length is not examined.
    ///
    /// # Examples
    ///
    /// ```
    /// use portcullis_totp::{CodeFormatError, SubmittedCode};
    ///
    /// assert!(matches!(SubmittedCode::parse("012345"), Ok(SubmittedCode::Totp(_))));
    /// assert!(matches!(SubmittedCode::parse("AB2C3D"), Ok(SubmittedCode::Recovery(_))));
    /// assert_eq!(SubmittedCode::parse("12345"), Err(CodeFormatError));
    /// assert_eq!(SubmittedCode::parse("ab2c3d"), Err(CodeFormatError));
    /// ```
    pub fn parse(text: &str) -> Result<Self, CodeFormatError> {
        let Ok(bytes) = <[u8; LENGTH]>::try_from(text.as_bytes()) else {
            return Err(CodeFormatError);
        };
        let totp = Code::new(bytes).map(Self::Totp);
        totp.or_else(|| RecoveryCode::new(bytes).map(Self::Recovery))
            .ok_or(CodeFormatError)
    }
}

impl Code {
    fn new(bytes: [u8; LENGTH]) -> Option<Self> {
        bytes.iter().all(u8::is_ascii_digit).then_some(Self(bytes))
    }

    pub(crate) fn from_token(token: &totp_rs::Token) -> Self {
        let mut digits = [b'0'; LENGTH];
        // A token of six digits fills the buffer exactly.
        let _ = write!(digits.as_mut_slice(), "{token}");
        Self(digits)
    }

    /// The six digits.
    pub fn as_str(&self) -> &str {
        as_str(&self.0)
    }
}

impl RecoveryCode {
    /// Each character stands for five bits.
    const ALPHABET: [u8; 32] = *b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

    pub(crate) fn new(bytes: [u8; LENGTH]) -> Option<Self> {
        let is_known = |byte: &u8| matches!(byte, b'A'..=b'Z' | b'2'..=b'7');
        let is_code = bytes.iter().all(is_known) && bytes.iter().any(u8::is_ascii_uppercase);
        is_code.then_some(Self(bytes))
    }

    /// The code for the lower 30 bits of `bits`, unless it is all digits.
    pub(crate) fn from_bits(bits: u32) -> Option<Self> {
        let mut rest = bits;
        Self::new([(); LENGTH].map(|()| {
            let character = Self::ALPHABET.get(rest as usize % Self::ALPHABET.len());
            rest >>= 5;
            character.copied().unwrap_or_default()
        }))
    }

    pub(crate) fn as_bytes(&self) -> &[u8; LENGTH] {
        &self.0
    }

    /// The six characters.
    pub fn as_str(&self) -> &str {
        as_str(&self.0)
    }
}

/// The text of a code, which is always ASCII.
pub(crate) fn as_str(bytes: &[u8; LENGTH]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

/// Implements constant-time comparison, and a `Debug` that hides the code.
macro_rules! secret_code {
    ($name:ident) => {
        impl ConstantTimeEq for $name {
            fn ct_eq(&self, other: &Self) -> Choice {
                self.0.ct_eq(&other.0)
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.ct_eq(other).into()
            }
        }

        impl Eq for $name {}

        impl std::fmt::Debug for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(concat!(stringify!($name), "([redacted])"))
            }
        }
    };
}

secret_code!(Code);
secret_code!(RecoveryCode);

#[cfg(test)]
mod tests;
