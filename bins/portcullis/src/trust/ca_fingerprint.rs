//! Fingerprints of CAs as people pass them on.

use portcullis_pki::{Certificate, Sha256Fingerprint};
use std::str::FromStr;

/// A SHA-256 fingerprint that the user got from the administrator of the controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CaFingerprint(Sha256Fingerprint);

impl CaFingerprint {
    pub(super) fn is_of(self, authority: &Certificate) -> bool {
        self.0 == authority.sha256()
    }
}

impl std::fmt::Display for CaFingerprint {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(formatter)
    }
}

impl FromStr for CaFingerprint {
    type Err = String;

    /// Reads 64 hex digits in any case. Colons and spaces between them do not count.
    fn from_str(text: &str) -> Result<Self, String> {
        let digits: String = text
            .chars()
            .filter(|character| !matches!(character, ':' | ' '))
            .collect();
        digits.parse().map(Self).map_err(|_error| {
            "a SHA-256 fingerprint has 64 hex digits, as `portcullis-controller` prints it for its \
             CA"
            .to_owned()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_are_read_in_each_form() {
        let fingerprint = CaFingerprint(Sha256Fingerprint::of_der(b"abc"));
        let text = fingerprint.to_string();
        for form in [
            text.clone(),
            text.to_lowercase(),
            text.replace(':', ""),
            text.replace(':', " "),
        ] {
            assert_eq!(form.parse(), Ok(fingerprint), "{form}");
        }
        for wrong in [
            "",
            "AA",
            &text[3..],
            &format!("{text}:00"),
            &text.replace('B', "x"),
        ] {
            assert!(wrong.parse::<CaFingerprint>().is_err(), "{wrong}");
        }
    }
}
