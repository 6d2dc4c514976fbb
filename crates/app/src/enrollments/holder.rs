//! Whoever is to obtain a credential by an enrollment.

use crate::error::AppError;
use crate::identities;
use crate::rank;
use portcullis_domain::access::Caller;
use portcullis_domain::identity::Identity;
use portcullis_domain::router::Router;
use portcullis_storage::engine::StoreError;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Found, ROUTER, Rows, StoredEnrollment};

/// Whoever is to obtain a credential.
pub(crate) enum Holder {
    /// An identity.
    Identity(Box<Identity>),
    /// A router.
    Router(Box<Router>),
}

impl Holder {
    /// Whose enrollment it is. It does not outlive its holder, whose absence is damage.
    pub(crate) fn of(rows: Rows<'_>, found: &Found<StoredEnrollment>) -> Result<Self, StoreError> {
        let (kind, number) = found.key.root_id();
        if kind != ROUTER {
            let identity = identities::owner(rows, found)?.entity;
            return Ok(Self::Identity(Box::new(identity)));
        }
        let key = RecordKey::root(kind, number);
        let router: Option<Router> = rows.get(&key)?;
        let router = router.ok_or_else(|| StoreError::corrupt(format!("router {key} is lost")))?;
        Ok(Self::Router(Box::new(router)))
    }

    /// Whether a caller may hold the means to become the holder: it must not gain by it. Routers have
    /// no rights on the management API.
    pub(crate) fn is_outranked_by(&self, caller: &Caller) -> bool {
        match self {
            Self::Identity(identity) => rank::outranks(caller, identity),
            Self::Router(_) => true,
        }
    }

    /// Checks that a caller may hold the means to become the holder.
    pub(crate) fn check_rank(&self, caller: &Caller) -> Result<(), AppError> {
        match self {
            Self::Identity(identity) => rank::check_way_in(caller, identity),
            Self::Router(_) => Ok(()),
        }
    }
}
