//! Cascading removal of identities and sessions.

use crate::support::{
    certificate, changes, find, identity, insert, session, shortfalls, store, write,
};
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::ids::RecordNumber;
use portcullis_domain::session_certificate::SessionCertificate;
use portcullis_storage::engine::Engine as _;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::*;

#[test]
fn identity_goes_with_all_that_is_its_own() {
    let store = store();
    let (laptop, phone) = (identity("i1", "laptop"), identity("i2", "phone"));
    insert(&store, 1, &laptop).unwrap();
    insert(&store, 2, &phone).unwrap();
    for (owner, of, number) in [(1, &laptop, 1), (1, &laptop, 2), (2, &phone, 3)] {
        let session = session(of, number);
        write(&store, move |rows| {
            let key = identity_key(RecordNumber(owner)).dependent(API_SESSION, u64::from(number));
            rows.insert(&key, &session)
        })
        .unwrap();
    }
    let before = store.feed().revision();
    write(&store, |rows| {
        let found = rows
            .rows()
            .find(&UniqueValue::new(UniqueIndex::IdentityId, "i1"))?
            .unwrap();
        Ok(rows.remove_identity(&found)?)
    })
    .unwrap();

    assert_eq!(find(&store, UniqueIndex::IdentityName, "laptop"), None);
    let snapshot = store.snapshot().unwrap();
    let rows = Rows::new(&*snapshot);
    let by_token = |token: u8| UniqueValue::new(UniqueIndex::ApiSessionToken, [token; 16]);
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
        let root = identity_key(RecordNumber(1));
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
        let value = UniqueValue::new(UniqueIndex::SessionCertificateId, "c1");
        assert_eq!(rows.locate(&value).unwrap(), None, "{number}");
    }
}

#[test]
fn what_goes_along_needs_what_it_goes_with() {
    let store = store();
    let laptop = identity("i1", "laptop");
    insert(&store, 1, &laptop).unwrap();
    let orphan = certificate(&session(&laptop, 1), "c1");
    let key = identity_key(RecordNumber(1)).dependent(SESSION_CERTIFICATE, 1);
    let error = write(&store, move |rows| rows.insert(&key, &orphan)).unwrap_err();
    assert!(
        matches!(error, WriteError::MissingReference(value) if value.index == UniqueIndex::ApiSessionToken)
    );
}
