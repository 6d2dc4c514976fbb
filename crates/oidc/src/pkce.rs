//! Proof key for code exchange (RFC 7636).
//!
//! Only the method `S256` exists here. A missing method means `plain` (RFC 7636 section 4.3), which proves
//! nothing to whoever can read the authorization request, and is refused like a missing challenge (RFC 9700
//! section 2.1.1).

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

const METHOD: &str = "S256";

/// What the client committed to in its authorization request: the SHA-256 digest of its verifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeChallenge([u8; 32]);

/// An authorization request has no usable challenge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ChallengeError {
    #[error("code_challenge is missing")]
    Missing,
    #[error("code_challenge_method must be S256")]
    Method,
    #[error("code_challenge must be a SHA-256 digest in base64url, 43 characters without padding")]
    Malformed,
}

impl CodeChallenge {
    /// Reads the parameters `code_challenge` and `code_challenge_method`.
    pub fn from_parameters(
        challenge: Option<&str>,
        method: Option<&str>,
    ) -> Result<Self, ChallengeError> {
        let challenge = challenge.ok_or(ChallengeError::Missing)?;
        if method != Some(METHOD) {
            return Err(ChallengeError::Method);
        }
        let digest = URL_SAFE_NO_PAD.decode(challenge).ok();
        let digest = digest.and_then(|digest| digest.try_into().ok());
        digest.map(Self).ok_or(ChallengeError::Malformed)
    }

    /// Whether this is the challenge of `verifier`. The comparison takes constant time.
    pub fn is_met_by(&self, verifier: &CodeVerifier) -> bool {
        verifier.digest().ct_eq(&self.0).into()
    }
}

/// The secret that a client shows when it redeems a code.
#[derive(Debug, Clone)]
pub struct CodeVerifier(SecretString);

/// A text is no code verifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("code_verifier must be 43 to 128 letters, digits and characters out of -._~")]
pub struct VerifierError;

impl CodeVerifier {
    /// Checks the form (RFC 7636 section 4.1).
    pub fn parse(text: &str) -> Result<Self, VerifierError> {
        let is_unreserved = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        if (43..=128).contains(&text.len()) && text.bytes().all(is_unreserved) {
            Ok(Self(text.into()))
        } else {
            Err(VerifierError)
        }
    }

    fn digest(&self) -> [u8; 32] {
        Sha256::digest(self.0.expose_secret()).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 7636 appendix B.
    const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

    fn challenge(text: &str) -> Result<CodeChallenge, ChallengeError> {
        CodeChallenge::from_parameters(Some(text), Some("S256"))
    }

    #[test]
    fn published_vector_holds() {
        let challenge = challenge(CHALLENGE).unwrap();
        assert!(challenge.is_met_by(&CodeVerifier::parse(VERIFIER).unwrap()));
        let other = VERIFIER.replace("jXk", "jXl");
        assert!(!challenge.is_met_by(&CodeVerifier::parse(&other).unwrap()));
        // The challenge has the form of a verifier, but is none of its own.
        assert!(!challenge.is_met_by(&CodeVerifier::parse(CHALLENGE).unwrap()));
    }

    #[test]
    fn only_s256_is_accepted() {
        let read = CodeChallenge::from_parameters;
        for (given, method, error) in [
            (None, None, ChallengeError::Missing),
            (None, Some("S256"), ChallengeError::Missing),
            (Some(CHALLENGE), None, ChallengeError::Method),
            (Some(CHALLENGE), Some("plain"), ChallengeError::Method),
            (Some(CHALLENGE), Some("s256"), ChallengeError::Method),
            (Some(CHALLENGE), Some(""), ChallengeError::Method),
        ] {
            assert_eq!(read(given, method), Err(error), "{given:?} {method:?}");
        }
    }

    #[test]
    fn challenge_has_one_form() {
        for malformed in [
            "",
            &CHALLENGE[1..],
            &format!("{CHALLENGE}A"),
            &format!("{CHALLENGE}="),
            &CHALLENGE.replace('-', "+"),
            // The last character has two bits to spare, which must be zero.
            &CHALLENGE.replace("cM", "cN"),
            &" ".repeat(43),
        ] {
            assert_eq!(
                challenge(malformed),
                Err(ChallengeError::Malformed),
                "{malformed}"
            );
        }
    }

    #[test]
    fn verifier_is_bounded_and_unreserved() {
        for good in ["a".repeat(43), "~".repeat(128), VERIFIER.to_owned()] {
            assert!(CodeVerifier::parse(&good).is_ok(), "{good}");
        }
        for bad in [
            "a".repeat(42),
            "a".repeat(129),
            "é".repeat(30),
            "a+".repeat(30),
        ] {
            assert!(CodeVerifier::parse(&bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn verifier_does_not_show_itself() {
        let shown = format!("{:?}", CodeVerifier::parse(VERIFIER).unwrap());
        assert!(!shown.contains("dBjft"), "{shown}");
    }
}
