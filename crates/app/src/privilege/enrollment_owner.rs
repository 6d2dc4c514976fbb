//! Owners of enrollments.

use crate::error::AppError;
use crate::records;
use portcullis_domain::access::Caller;
use portcullis_domain::identity::Identity;
use portcullis_domain::router::Router;
use portcullis_storage::engine::StoreError;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Found, ROUTER, Rows, StoredEnrollment};

/// Owner of an enrollment, for whom it creates a credential.
pub(crate) enum EnrollmentOwner {
    Identity(Box<Identity>),
    Router(Box<Router>),
}

impl EnrollmentOwner {
    /// Loads the owner of an enrollment. Enrollments are deleted with their owner, so a missing one
    /// is damage.
    pub(crate) fn get(rows: Rows<'_>, found: &Found<StoredEnrollment>) -> Result<Self, StoreError> {
        let (kind, number) = found.key.root_id();
        if kind != ROUTER {
            let identity = records::get_owner(rows, found)?.entity;
            return Ok(Self::Identity(Box::new(identity)));
        }
        let key = RecordKey::root(kind, number);
        let router: Option<Router> = rows.get(&key)?;
        let router =
            router.ok_or_else(|| StoreError::corrupt(format!("router {key} is missing")))?;
        Ok(Self::Router(Box::new(router)))
    }

    /// Whether a caller may obtain credentials of the owner: it must not gain privileges by it.
    /// Routers have no privileges on the management API.
    pub(crate) fn can_be_impersonated_by(&self, caller: &Caller) -> bool {
        match self {
            Self::Identity(identity) => super::can_impersonate(caller, identity),
            Self::Router(_) => true,
        }
    }

    /// Checks that a caller may manage credentials of the owner.
    pub(crate) fn check_may_impersonate(&self, caller: &Caller) -> Result<(), AppError> {
        match self {
            Self::Identity(identity) => super::check_may_impersonate(caller, identity),
            Self::Router(_) => Ok(()),
        }
    }
}
