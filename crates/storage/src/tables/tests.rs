use super::*;
use crate::engine::{Engine as _, StoreError, submit_with};
use crate::feed::Group;
use crate::key::{RecordKey, UniqueKey};
use crate::redb_engine::{Options, RedbEngine};
use portcullis_domain::api_session::{ApiSession, OpenedBy, SessionTotp, TokenHash};
use portcullis_domain::change::Change;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::{Identity, IdentityName, IdentitySpec};
use portcullis_domain::ids::{
    ApiSessionId, AuthenticatorId, IdentityId, Number, SessionCertificateId,
};
use portcullis_domain::session_certificate::{CertificateFacts, SessionCertificate};
use std::ops::ControlFlow;
use std::sync::Arc;

type Store = RedbEngine<Change>;

fn store() -> Store {
    RedbEngine::in_memory(Options::default()).unwrap()
}

fn identity(id: &str, name: &str) -> Identity {
    let spec = IdentitySpec::named(IdentityName::new(name).unwrap());
    Identity::new(IdentityId::from_wire(id), spec, Timestamp::UNIX_EPOCH)
}

fn session(identity: &Identity, token: u8) -> ApiSession {
    ApiSession {
        id: ApiSessionId::from_wire(format!("s{token}")),
        created_at: Timestamp::UNIX_EPOCH,
        last_activity_at: Timestamp::UNIX_EPOCH,
        identity: identity.id.clone(),
        opened_by: OpenedBy::Authenticator(AuthenticatorId::from_wire("a")),
        terms: None,
        certificate: None,
        token_hash: TokenHash([token; 16]),
        config_types: Vec::new(),
        ip_address: "127.0.0.1".to_owned(),
        totp: SessionTotp::default(),
        is_cert_extendable: false,
        improper_client_cert_chain: false,
    }
}

/// Runs `body` in a transaction of its own.
fn write<T: Send + 'static>(
    store: &Store,
    mut body: impl FnMut(&mut RowsMut<'_>) -> Result<T, WriteError> + Send + 'static,
) -> Result<T, WriteError> {
    submit_with(store, move |tx| body(&mut RowsMut::new(tx)))
        .unwrap()
        .wait()
        .unwrap()
}

fn insert(store: &Store, number: u64, identity: &Identity) -> Result<(), WriteError> {
    let identity = identity.clone();
    write(store, move |rows| {
        rows.insert(&identity_key(Number(number)), &identity)
    })
}

fn find(store: &Store, index: Index, value: &str) -> Option<Found<Identity>> {
    let snapshot = store.snapshot().unwrap();
    Rows::new(&*snapshot)
        .find(&UniqueValue::new(index, value))
        .unwrap()
}

fn changes(store: &Store, since: u64) -> Vec<Change> {
    let groups: Vec<Arc<Group<Change>>> = store.feed().since(since).unwrap();
    groups
        .iter()
        .flat_map(|group| group.changes.clone())
        .collect()
}

fn shortfalls(store: &Store) -> Vec<Shortfall> {
    Census::check(&*store.snapshot().unwrap()).unwrap()
}

#[test]
fn entity_is_found_by_each_of_its_unique_values() {
    let store = store();
    let mut laptop = identity("i1", "laptop");
    laptop.spec.external_id = Some("ext".to_owned());
    insert(&store, 7, &laptop).unwrap();
    for (index, value) in [
        (Index::IdentityId, "i1"),
        (Index::IdentityName, "laptop"),
        (Index::IdentityExternalId, "ext"),
    ] {
        let found = find(&store, index, value).unwrap();
        assert_eq!(
            (found.number(), &found.entity),
            (Number(7), &laptop),
            "{index:?}"
        );
    }
    assert_eq!(find(&store, Index::IdentityName, "Laptop"), None);
    assert!(matches!(
        changes(&store, 0).as_slice(),
        [Change::Identity(change)] if change.number == Number(7) && change.now.is_some()
    ));
}

#[test]
fn taken_value_leaves_nothing_behind() {
    let store = store();
    insert(&store, 1, &identity("i1", "laptop")).unwrap();
    let before = store.feed().revision();
    let error = insert(&store, 2, &identity("i2", "laptop")).unwrap_err();
    assert!(matches!(error, WriteError::Taken(value) if value.index == Index::IdentityName));
    assert_eq!(find(&store, Index::IdentityId, "i2"), None);
    assert!(changes(&store, before).is_empty());
    assert!(shortfalls(&store).is_empty());
}

#[test]
fn replacement_moves_unique_values() {
    let store = store();
    let before = identity("i1", "laptop");
    insert(&store, 1, &before).unwrap();
    insert(&store, 2, &identity("i2", "phone")).unwrap();
    let key = identity_key(Number(1));

    let (old, taken) = (before.clone(), identity("i1", "phone"));
    let error = write(&store, move |rows| rows.replace(&key, &old, &taken)).unwrap_err();
    assert!(matches!(error, WriteError::Taken(_)));

    let (old, renamed) = (before.clone(), identity("i1", "tablet"));
    write(&store, move |rows| rows.replace(&key, &old, &renamed)).unwrap();
    assert_eq!(find(&store, Index::IdentityName, "laptop"), None);
    assert_eq!(
        find(&store, Index::IdentityName, "tablet")
            .unwrap()
            .number(),
        Number(1)
    );
    // The free name can be taken at once.
    insert(&store, 3, &identity("i3", "laptop")).unwrap();
    assert!(shortfalls(&store).is_empty());
}

#[test]
fn identity_goes_with_all_that_is_its_own() {
    let store = store();
    let (laptop, phone) = (identity("i1", "laptop"), identity("i2", "phone"));
    insert(&store, 1, &laptop).unwrap();
    insert(&store, 2, &phone).unwrap();
    for (owner, of, number) in [(1, &laptop, 1), (1, &laptop, 2), (2, &phone, 3)] {
        let session = session(of, number);
        write(&store, move |rows| {
            let key = identity_key(Number(owner)).dependent(API_SESSION, u64::from(number));
            rows.insert(&key, &session)
        })
        .unwrap();
    }
    let before = store.feed().revision();
    write(&store, |rows| {
        let found = rows
            .rows()
            .find(&UniqueValue::new(Index::IdentityId, "i1"))?
            .unwrap();
        Ok(rows.remove_identity(&found)?)
    })
    .unwrap();

    assert_eq!(find(&store, Index::IdentityName, "laptop"), None);
    let snapshot = store.snapshot().unwrap();
    let rows = Rows::new(&*snapshot);
    let by_token = |token: u8| UniqueValue::new(Index::ApiSessionToken, [token; 16]);
    assert_eq!(rows.find::<ApiSession>(&by_token(1)).unwrap(), None);
    assert_eq!(rows.find::<ApiSession>(&by_token(2)).unwrap(), None);
    assert!(rows.find::<ApiSession>(&by_token(3)).unwrap().is_some());
    assert_eq!(
        changes(&store, before).len(),
        3,
        "an identity and two sessions"
    );
    assert!(shortfalls(&store).is_empty());
}

#[test]
fn there_is_one_administrator_by_birth() {
    let store = store();
    let mut first = identity("i1", "admin");
    first.is_default_admin = true;
    let mut second = identity("i2", "other");
    second.is_default_admin = true;
    insert(&store, 1, &first).unwrap();
    let error = insert(&store, 2, &second).unwrap_err();
    assert!(matches!(error, WriteError::Taken(v) if v.index == Index::DefaultAdministrator));
}

#[test]
fn lost_rows_are_found() {
    let store = store();
    insert(&store, 1, &identity("i1", "laptop")).unwrap();
    submit_with(&store, |tx| {
        tx.delete(identity_key(Number(1)).as_bytes());
        Ok::<_, StoreError>(())
    })
    .unwrap()
    .wait()
    .unwrap()
    .unwrap();
    let found = shortfalls(&store);
    assert!(
        found.contains(&Shortfall::Records {
            kind: IDENTITY.byte(),
            found: 0,
            stated: 1
        }),
        "{found:?}"
    );
    assert_eq!(found.len(), 3, "the count and two unique rows: {found:?}");
    let snapshot = store.snapshot().unwrap();
    let lost = Rows::new(&*snapshot)
        .find::<Identity>(&UniqueValue::new(Index::IdentityName, "laptop"))
        .unwrap_err();
    assert!(
        matches!(lost, StoreError::Corrupt { .. }),
        "absence is not permission: {lost}"
    );
}

#[test]
fn lost_unique_values_are_found() {
    let store = store();
    let mut laptop = identity("i1", "laptop");
    laptop.spec.external_id = Some("ext".to_owned());
    laptop.is_default_admin = true;
    insert(&store, 1, &laptop).unwrap();
    insert(&store, 2, &identity("i2", "phone")).unwrap();
    for (value, stated) in [
        (UniqueValue::new(Index::IdentityName, "phone"), 2),
        (UniqueValue::new(Index::IdentityExternalId, "ext"), 1),
        (UniqueValue::new(Index::DefaultAdministrator, ""), 1),
    ] {
        let key = value.key();
        let row = store
            .snapshot()
            .unwrap()
            .get(key.as_bytes())
            .unwrap()
            .unwrap();
        set(&store, &key, None);
        let index = value.index as u8;
        let found = stated - 1;
        assert_eq!(
            shortfalls(&store),
            [Shortfall::Values {
                index,
                found,
                stated
            }]
        );
        set(&store, &key, Some(row));
        assert!(shortfalls(&store).is_empty());
    }
}

/// Sets or removes one row, as damage would.
fn set(store: &Store, key: &UniqueKey, row: Option<Vec<u8>>) {
    let key = key.clone();
    submit_with(store, move |tx| {
        match &row {
            Some(row) => tx.put(key.as_bytes(), row),
            None => tx.delete(key.as_bytes()),
        }
        Ok::<_, StoreError>(())
    })
    .unwrap()
    .wait()
    .unwrap()
    .unwrap();
}

#[test]
fn scan_passes_over_other_kinds() {
    let store = store();
    let laptop = identity("i1", "laptop");
    insert(&store, 1, &laptop).unwrap();
    let key = identity_key(Number(1)).dependent(API_SESSION, 1);
    let one = session(&laptop, 1);
    write(&store, move |rows| rows.insert(&key, &one)).unwrap();
    insert(&store, 2, &identity("i2", "phone")).unwrap();

    let snapshot = store.snapshot().unwrap();
    let mut names = Vec::new();
    Rows::new(&*snapshot)
        .each_in::<Identity>(&RecordKey::all(IDENTITY), &mut |found| {
            names.push(found.entity.name().to_owned());
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    assert_eq!(names, ["laptop", "phone"]);
}

fn certificate(session: &ApiSession, id: &str) -> SessionCertificate {
    SessionCertificate {
        id: SessionCertificateId::from_wire(id),
        created_at: Timestamp::UNIX_EPOCH,
        session: session.token_hash,
        certificate: CertificateFacts {
            fingerprint: "00".repeat(20),
            subject: "CN=i1".to_owned(),
            not_before: Timestamp::UNIX_EPOCH,
            not_after: Timestamp::UNIX_EPOCH,
            pem: String::new(),
        },
    }
}

#[test]
fn what_goes_along_is_gone_with_every_row() {
    type Removal = fn(&mut RowsMut<'_>, &RecordKey) -> Result<(), WriteError>;
    let removals: [Removal; 3] = [
        |rows, root| Ok(rows.remove_at::<ApiSession>(&root.dependent(API_SESSION, 1))?),
        |rows, root| {
            rows.remove_dependents::<ApiSession>(root, |session| session.token_hash.0[0] == 1)?;
            Ok(())
        },
        |rows, root| {
            let entity = rows.rows().get(root)?.unwrap();
            Ok(rows.remove_identity(&Found { key: *root, entity })?)
        },
    ];
    for (number, remove) in removals.into_iter().enumerate() {
        let store = store();
        let laptop = identity("i1", "laptop");
        insert(&store, 1, &laptop).unwrap();
        let root = identity_key(Number(1));
        let sessions = [session(&laptop, 1), session(&laptop, 2)];
        write(&store, move |rows| {
            for (number, session) in (1..).zip(&sessions) {
                rows.insert(&root.dependent(API_SESSION, number), session)?;
            }
            for (number, session) in [(1, 0), (2, 0), (3, 1)] {
                let key = root.dependent(SESSION_CERTIFICATE, number);
                let certificate = certificate(&sessions[session], &format!("c{number}"));
                rows.insert(&key, &certificate)?;
            }
            Ok(())
        })
        .unwrap();
        assert_eq!(shortfalls(&store), []);

        write(&store, move |rows| remove(rows, &root)).unwrap();
        assert_eq!(shortfalls(&store), [], "{number}");
        let snapshot = store.snapshot().unwrap();
        let rows = Rows::new(&*snapshot);
        let left: Vec<Found<SessionCertificate>> = rows.dependents(&root).unwrap();
        let left: Vec<_> = left.iter().map(|found| found.entity.id.as_str()).collect();
        let expected: &[&str] = if number == 2 { &[] } else { &["c3"] };
        assert_eq!(left, expected, "{number}");
        let target = root.dependent(API_SESSION, 1);
        let referrers = rows.referrers(&target, SESSION_CERTIFICATE, 9).unwrap();
        assert_eq!(referrers, [], "{number}");
        let value = UniqueValue::new(Index::SessionCertificateId, "c1");
        assert_eq!(rows.locate(&value).unwrap(), None, "{number}");
    }
}

#[test]
fn what_goes_along_needs_what_it_goes_with() {
    let store = store();
    let laptop = identity("i1", "laptop");
    insert(&store, 1, &laptop).unwrap();
    let orphan = certificate(&session(&laptop, 1), "c1");
    let key = identity_key(Number(1)).dependent(SESSION_CERTIFICATE, 1);
    let error = write(&store, move |rows| rows.insert(&key, &orphan)).unwrap_err();
    assert!(matches!(error, WriteError::Missing(value) if value.index == Index::ApiSessionToken));
}
