//! Certificates of routers.

use serde::{Deserialize, Serialize};

/// The certificate of a router.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RouterCertificate {
    /// PEM; empty if only the fingerprint is known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub pem: String,
    /// Lower-case hex SHA-1 of its DER; unique.
    pub fingerprint: String,
    /// Fingerprint of the certificate with which the router enrolled, if it was extended since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    enrolled: Option<String>,
    /// Fingerprint of the certificate that it replaced for the same key, when the router confirmed
    /// that it has this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    replaced: Option<String>,
}

impl RouterCertificate {
    /// The certificate of an enrollment.
    pub const fn new(pem: String, fingerprint: String) -> Self {
        Self {
            pem,
            fingerprint,
            enrolled: None,
            replaced: None,
        }
    }

    /// A certificate known only by its fingerprint.
    pub const fn from_fingerprint(fingerprint: String) -> Self {
        Self::new(String::new(), fingerprint)
    }

    /// This certificate as an extension of `before`.
    #[must_use]
    pub fn extending(self, before: &Self) -> Self {
        Self {
            enrolled: Some(before.enrollment().to_owned()),
            ..self
        }
    }

    /// This certificate after the router confirmed that it has it in place of `before`.
    #[must_use]
    pub(super) fn confirmed(self, before: Option<Self>) -> Self {
        Self {
            replaced: before.map(|before| before.fingerprint),
            ..self
        }
    }

    /// Whether the certificate with this fingerprint identifies the router: this one, or the one that
    /// it replaced. The router has not stored this one if it never got the answer to its confirmation;
    /// both are for one key, so refusing the old one would keep nobody out but the router.
    pub fn identifies(&self, fingerprint: &str) -> bool {
        self.fingerprint == fingerprint || self.replaced.as_deref() == Some(fingerprint)
    }

    /// Identifies the enrollment that it goes back to: whoever holds an earlier certificate of the
    /// same enrollment is the same router.
    pub fn enrollment(&self) -> &str {
        self.enrolled.as_deref().unwrap_or(&self.fingerprint)
    }
}
