//! Checks of the Windows domain.

use super::{check_count, check_text};
use crate::FieldError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Asks which Windows domain the machine belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DomainCheck {
    domains: BTreeSet<String>,
}

impl DomainCheck {
    /// Most domains of a check.
    pub const MOST: usize = 1000;
    /// Longest name of a domain, bytes (RFC 1035 section 2.3.4, without the root).
    pub const LONGEST: usize = 253;

    /// Reads the list `domains`, names in any case.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `domains` when it is empty or too long, or on the item at fault. A blank
    /// one is a fault, for it would be met by clients that belong to no domain.
    pub fn new(domains: Vec<String>) -> Result<Self, FieldError> {
        check_count("domains", domains.len(), Self::MOST)?;
        for (place, domain) in domains.iter().enumerate() {
            check_text(&format!("domains.{place}"), domain, Self::LONGEST)?;
        }
        let domains = domains.into_iter().collect();
        Ok(Self { domains })
    }

    /// The domains that will do, sorted by bytes.
    pub fn domains(&self) -> &BTreeSet<String> {
        &self.domains
    }

    pub(super) fn blank() -> Self {
        Self {
            domains: BTreeSet::new(),
        }
    }
}
