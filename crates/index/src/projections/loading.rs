//! What is collected while the store is scanned.

use crate::catalog::{Catalog, CatalogBuilder, Catalogued};
use crate::sessions::Sessions;
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::authenticator::Authenticator;
use portcullis_domain::ca::Ca;
use portcullis_domain::change::{Change, EntityChange};
use portcullis_domain::enrollment::Enrollment;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::Number;
use portcullis_domain::signer::Signer;
use std::sync::Arc;

/// How far the projections are.
pub(super) enum Phase {
    /// Not all records are in; changes wait.
    Loading(Pending),
    /// Everything up to the revision is in.
    Ready(u64),
}

impl Default for Phase {
    fn default() -> Self {
        Self::Loading(Pending::default())
    }
}

/// The changes of one revision.
pub(super) struct Batch {
    pub(super) revision: u64,
    pub(super) changes: Vec<Change>,
}

/// Changes that came while loading.
#[derive(Default)]
pub(super) struct Pending(Vec<Batch>);

impl Pending {
    pub(super) fn push(&mut self, revision: u64, changes: &[Change]) {
        self.0.push(Batch {
            revision,
            changes: changes.to_vec(),
        });
    }

    pub(super) fn take(&mut self) -> Vec<Batch> {
        std::mem::take(&mut self.0)
    }
}

/// The records of a scan.
#[derive(Default)]
pub(super) struct Loader {
    identities: CatalogBuilder<Identity>,
    enrollments: CatalogBuilder<Enrollment>,
    authenticators: CatalogBuilder<Authenticator>,
    auth_policies: CatalogBuilder<AuthPolicy>,
    cas: CatalogBuilder<Ca>,
    signers: CatalogBuilder<Signer>,
    sessions: Vec<(Number, Number, Arc<ApiSession>)>,
}

/// The projections of a scan.
pub(super) struct Scanned {
    pub(super) identities: Catalog<Identity>,
    pub(super) enrollments: Catalog<Enrollment>,
    pub(super) authenticators: Catalog<Authenticator>,
    pub(super) auth_policies: Catalog<AuthPolicy>,
    pub(super) cas: Catalog<Ca>,
    pub(super) signers: Catalog<Signer>,
    pub(super) sessions: Sessions,
}

impl Loader {
    pub(super) fn put(&mut self, record: &Change) {
        match record {
            Change::Identity(record) => put(&mut self.identities, record),
            Change::Enrollment(record) => put(&mut self.enrollments, record),
            Change::Authenticator(record) => put(&mut self.authenticators, record),
            Change::AuthPolicy(record) => put(&mut self.auth_policies, record),
            Change::Ca(record) => put(&mut self.cas, record),
            Change::Signer(record) => put(&mut self.signers, record),
            // What is never listed on its own is read from the store.
            Change::SessionCertificate(_) | Change::Mfa(_) => {},
            Change::ApiSession(record) => {
                if let (Some(session), Some(owner)) = (&record.now, record.owner) {
                    self.sessions.push((record.number, owner, session.clone()));
                }
            },
        }
    }

    pub(super) fn finish(self) -> Scanned {
        Scanned {
            identities: self.identities.build(),
            enrollments: self.enrollments.build(),
            authenticators: self.authenticators.build(),
            auth_policies: self.auth_policies.build(),
            cas: self.cas.build(),
            signers: self.signers.build(),
            sessions: Sessions::from_records(self.sessions),
        }
    }
}

fn put<E: Catalogued>(builder: &mut CatalogBuilder<E>, record: &EntityChange<E>) {
    if let Some(entity) = &record.now {
        builder.put(record.number, record.owner, entity);
    }
}
