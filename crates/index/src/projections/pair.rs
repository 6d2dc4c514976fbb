//! Look-up of an identity and a service together.

use super::AccessGuard;
use crate::slots::Slot;
use portcullis_domain::ids::RecordNumber;

impl AccessGuard<'_> {
    /// The slots of an identity and a service by their record numbers; `None` when either does not
    /// exist, so that nothing is granted.
    pub fn pair(&self, identity: RecordNumber, service: RecordNumber) -> Option<(Slot, Slot)> {
        let identity = self.identities().slot(identity)?;
        Some((identity, self.services().slot(service)?))
    }
}
