//! Signature algorithms of tokens (RFC 7518 section 3.1).

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256, Sha384, Sha512};

/// An algorithm that tokens of this controller are signed with; the type of the key decides which.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum SigningAlgorithm {
    Es256,
    Es384,
    Es512,
    Rs256,
}

impl SigningAlgorithm {
    pub const ALL: [Self; 4] = [Self::Es256, Self::Es384, Self::Es512, Self::Rs256];

    /// Its name (`alg`).
    pub const fn name(self) -> &'static str {
        match self {
            Self::Es256 => "ES256",
            Self::Es384 => "ES384",
            Self::Es512 => "ES512",
            Self::Rs256 => "RS256",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|algorithm| algorithm.name() == name)
    }

    /// The claims `at_hash` and `c_hash` of an ID token that comes with `value`: the left half of its hash
    /// (OpenID Connect Core sections 3.1.3.6 and 3.3.2.11).
    pub fn half_hash(self, value: &str) -> String {
        match self {
            Self::Es256 | Self::Rs256 => half_digest::<Sha256>(value),
            Self::Es384 => half_digest::<Sha384>(value),
            Self::Es512 => half_digest::<Sha512>(value),
        }
    }
}

fn half_digest<D: Digest>(value: &str) -> String {
    let digest = D::digest(value);
    let (half, _) = digest.split_at(digest.len() / 2);
    URL_SAFE_NO_PAD.encode(half)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_match_a_published_vector() {
        // OpenID Connect Core, appendices A.3 and A.4: the code of one, the access token of the other.
        let algorithm = SigningAlgorithm::Rs256;
        let code = "Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk";
        assert_eq!(algorithm.half_hash(code), "LDktKdoQak3Pk0cnXxCltA");
        let token = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y";
        assert_eq!(algorithm.half_hash(token), "77QmUPtjPfzWtF2AnpK9RQ");
    }

    #[test]
    fn hash_follows_the_algorithm() {
        use SigningAlgorithm::{Es256, Es384, Es512, Rs256};
        for (algorithm, length, name) in [
            (Es256, 22, "\"ES256\""),
            (Rs256, 22, "\"RS256\""),
            (Es384, 32, "\"ES384\""),
            (Es512, 43, "\"ES512\""),
        ] {
            assert_eq!(algorithm.half_hash("x").len(), length);
            assert_eq!(serde_json::to_string(&algorithm).unwrap(), name);
        }
    }
}
