//! Table of revocations. Their targets need not exist, so they have no references.

use super::managed::Kept;
use super::{Index, REVOCATION};
use crate::key::Kind;
use portcullis_domain::change::{Change, EntityChange};
use portcullis_domain::ids::RevocationId;
use portcullis_domain::revocation::{Revocation, RevocationSpec};

impl Kept for RevocationSpec {
    type Id = RevocationId;
    const KIND: Kind = REVOCATION;
    const NAME: Option<Index> = None;

    fn name(&self) -> Option<&str> {
        None
    }

    fn change(change: EntityChange<Revocation>) -> Change {
        Change::Revocation(change)
    }
}
