//! Posture checks of the Windows domain.

use super::{validate_count, validate_text};
use crate::FieldError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Requires one of several Windows domains.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DomainCheck {
    domains: BTreeSet<String>,
}

impl DomainCheck {
    pub const MAX_DOMAINS: usize = 1000;
    /// Maximum length of a domain name in bytes (RFC 1035 section 2.3.4, without the root).
    pub const MAX_LENGTH: usize = 253;

    /// Parses the list `domains`, case-insensitive names.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `domains` when it is empty or too long, or on the invalid item. Blank
    /// items are rejected, since clients without a domain would match them.
    pub fn new(domains: Vec<String>) -> Result<Self, FieldError> {
        validate_count("domains", domains.len(), Self::MAX_DOMAINS)?;
        for (place, domain) in domains.iter().enumerate() {
            validate_text(&format!("domains.{place}"), domain, Self::MAX_LENGTH)?;
        }
        let domains = domains.into_iter().collect();
        Ok(Self { domains })
    }

    /// The accepted domains, sorted by bytes.
    pub fn domains(&self) -> &BTreeSet<String> {
        &self.domains
    }

    pub(super) fn empty() -> Self {
        Self {
            domains: BTreeSet::new(),
        }
    }
}
