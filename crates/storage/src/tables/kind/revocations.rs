//! Table of revocations. Their targets need not exist, so they have no references.

use super::managed::StoredSpec;
use super::{REVOCATION, UniqueIndex};
use crate::key::Kind;
use portcullis_domain::change::{Change, EntityChange};
use portcullis_domain::ids::RevocationId;
use portcullis_domain::revocation::{Revocation, RevocationSpec};

impl StoredSpec for RevocationSpec {
    type Id = RevocationId;
    const KIND: Kind = REVOCATION;
    const NAME: Option<UniqueIndex> = None;

    fn name(&self) -> Option<&str> {
        None
    }

    fn change(change: EntityChange<Revocation>) -> Change {
        Change::Revocation(change)
    }
}
