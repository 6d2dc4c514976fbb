//! Test helpers: a store in memory and its contents.

use portcullis_domain::api_session::{ApiSession, OpenedBy, TokenHash};
use portcullis_domain::change::Change;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::{Identity, IdentityName, IdentitySpec};
use portcullis_domain::ids::{
    ApiSessionId, AuthenticatorId, IdentityId, RecordNumber, SessionCertificateId,
};
use portcullis_domain::session_certificate::{CertificateInfo, SessionCertificate};
use portcullis_storage::engine::{Engine as _, submit_with};
use portcullis_storage::feed::CommitGroup;
use portcullis_storage::tables::*;
use portcullis_storage_redb::{Options, RedbEngine};
use std::sync::Arc;

pub(crate) type Store = RedbEngine<Change>;

pub(crate) fn store() -> Store {
    RedbEngine::in_memory(Options::default()).unwrap()
}

pub(crate) fn identity(id: &str, name: &str) -> Identity {
    let spec = IdentitySpec::named(IdentityName::new(name).unwrap());
    Identity::new(IdentityId::from_wire(id), spec, Timestamp::UNIX_EPOCH)
}

pub(crate) fn session(identity: &Identity, token: u8) -> ApiSession {
    ApiSession::new(
        ApiSessionId::from_wire(format!("s{token}")),
        identity.id.clone(),
        OpenedBy::Authenticator(AuthenticatorId::from_wire("a")),
        TokenHash([token; 16]),
        Timestamp::UNIX_EPOCH,
    )
}

pub(crate) fn certificate(session: &ApiSession, id: &str) -> SessionCertificate {
    SessionCertificate {
        id: SessionCertificateId::from_wire(id),
        created_at: Timestamp::UNIX_EPOCH,
        session: session.token_hash,
        certificate: CertificateInfo {
            fingerprint: "00".repeat(20),
            subject: "CN=i1".to_owned(),
            not_before: Timestamp::UNIX_EPOCH,
            not_after: Timestamp::UNIX_EPOCH,
            pem: String::new(),
        },
    }
}

/// Runs `body` in a transaction of its own.
pub(crate) fn write<T: Send + 'static>(
    store: &Store,
    mut body: impl FnMut(&mut RowsMut<'_>) -> Result<T, WriteError> + Send + 'static,
) -> Result<T, WriteError> {
    submit_with(store, move |tx| body(&mut RowsMut::new(tx)))
        .unwrap()
        .wait()
        .unwrap()
}

pub(crate) fn insert(store: &Store, number: u64, identity: &Identity) -> Result<(), WriteError> {
    let identity = identity.clone();
    write(store, move |rows| {
        rows.insert(&identity_key(RecordNumber(number)), &identity)
    })
}

pub(crate) fn find(store: &Store, index: UniqueIndex, value: &str) -> Option<Found<Identity>> {
    let snapshot = store.snapshot().unwrap();
    Rows::new(&*snapshot)
        .find(&UniqueValue::new(index, value))
        .unwrap()
}

pub(crate) fn changes(store: &Store, since: u64) -> Vec<Change> {
    let groups: Vec<Arc<CommitGroup<Change>>> = store.feed().since(since).unwrap();
    groups
        .iter()
        .flat_map(|group| group.changes.clone())
        .collect()
}

pub(crate) fn shortfalls(store: &Store) -> Vec<CountMismatch> {
    RecordCounts::verify(&*store.snapshot().unwrap()).unwrap()
}
