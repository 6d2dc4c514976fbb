//! Authentication policies in a catalog.

use crate::catalog::{Catalogued, Columns};
use crate::held::Held;
use crate::slots::Slot;
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::clock::Timestamp;

impl Catalogued for AuthPolicy {
    type Columns = AuthPolicyColumns;

    fn id(&self) -> &str {
        self.id.as_str()
    }

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn created_at(&self) -> Timestamp {
        self.created_at
    }

    fn updated_at(&self) -> Timestamp {
        self.updated_at
    }
}

/// Nothing: policies are few, and their rules are read from the records.
#[derive(Debug, Default)]
pub struct AuthPolicyColumns;

impl Columns<AuthPolicy> for AuthPolicyColumns {
    fn set(&mut self, _slot: Slot, _policy: &AuthPolicy) {}

    fn held(&self, _symbol: &str) -> Option<Held<'_>> {
        None
    }

    fn clear(&mut self, _slot: Slot) {}

    fn heap_bytes(&self) -> usize {
        0
    }
}
