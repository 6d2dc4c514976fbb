//! An identity and a service, about which access is asked together.

use super::AccessGuard;
use crate::slots::Slot;
use portcullis_domain::ids::Number;

impl AccessGuard<'_> {
    /// The places of an identity and a service, by the numbers of their records; `None` when either
    /// is not there, and so nothing is granted.
    pub fn pair(&self, identity: Number, service: Number) -> Option<(Slot, Slot)> {
        let identity = self.identities().slot(identity)?;
        Some((identity, self.services().slot(service)?))
    }
}
