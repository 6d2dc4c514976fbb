//! Audit events of transactions.

use crate::support::{Store, identity, session, store};
use portcullis_domain::api_session::TokenHash;
use portcullis_domain::audit::{Actor, AuditTrailId};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{ApiSessionId, RecordNumber};
use portcullis_storage::engine::{Engine as _, StoreError, submit_with};
use portcullis_storage::key::META_TAG;
use portcullis_storage::tables::*;
use serde_json::{Value, json};
use std::ops::ControlFlow;

/// Runs `body` on behalf of the controller, where rows before `written` are with the sink.
fn audited<T: Send + 'static>(
    store: &Store,
    written: u64,
    mut body: impl FnMut(&mut RowsMut<'_>) -> Result<T, WriteError> + Send + 'static,
) -> Result<T, WriteError> {
    let entry = AuditEntry {
        actor: Actor::controller(),
        time: Timestamp::UNIX_EPOCH,
    };
    let written = WrittenCursor {
        row: written,
        ..WrittenCursor::default()
    };
    submit_with(store, move |tx| {
        let mut rows = RowsMut::new(tx).audited(entry.clone());
        let done = body(&mut rows)?;
        rows.write_events(&written, None)?;
        Ok(done)
    })
    .unwrap()
    .wait()
    .unwrap()
}

/// Adds an identity under a number of its own.
fn add(store: &Store, number: u64, written: u64) -> Result<(), WriteError> {
    let identity = identity(&format!("i{number}"), &format!("laptop {number}"));
    audited(store, written, move |rows| {
        rows.insert(&identity_key(RecordNumber(number)), &identity)
    })
}

fn backlog(store: &Store) -> AuditBacklog {
    let view = store.snapshot().unwrap();
    AuditBacklog::read(Rows::new(&*view)).unwrap()
}

/// The events from a row on, each with its number.
fn events(store: &Store, from: u64) -> Vec<(u64, Value)> {
    let view = store.snapshot().unwrap();
    let mut events = Vec::new();
    events_from(Rows::new(&*view), from, &mut |_row, seq, lines| {
        let lines = lines
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        events.extend((seq..).zip(lines));
        ControlFlow::Continue(())
    })
    .unwrap();
    events
}

#[test]
fn events_are_numbered_without_gaps_whatever_is_refused_between() {
    let store = store();
    add(&store, 1, 0).unwrap();
    let twin = identity("i2", "laptop 1");
    let taken = audited(&store, 0, move |rows| {
        rows.insert(&identity_key(RecordNumber(2)), &twin)
    });
    assert!(matches!(taken, Err(WriteError::UniqueViolation(_))));
    add(&store, 3, 0).unwrap();
    let trail = events(&store, 0);
    let numbers: Vec<_> = trail.iter().map(|(seq, _)| *seq).collect();
    assert_eq!(numbers, [1, 2]);
    assert_eq!(trail[1].1["entityName"], "laptop 3");
}

#[test]
fn removing_tells_of_what_goes_along() {
    let store = store();
    let owner = identity("i", "laptop");
    audited(&store, 0, move |rows| {
        let key = identity_key(RecordNumber(1));
        rows.insert(&key, &owner)?;
        for token in 0..100 {
            let key = key.dependent(API_SESSION, u64::from(token) + 1);
            rows.insert(&key, &session(&owner, token))?;
        }
        Ok(())
    })
    .unwrap();
    let before = backlog(&store);
    audited(&store, 0, |rows| {
        rows.set_removal_verb("expire");
        let key = identity_key(RecordNumber(1));
        let entity: Identity = rows.rows().get(&key)?.unwrap();
        Ok(rows.remove_identity(&Found { key, entity })?)
    })
    .unwrap();
    let trail = events(&store, before.next_row);
    assert_eq!(trail.len(), 101);
    assert_eq!(trail[0].1["operation"], "identity.expire");
    // Beyond the limit, only the id.
    assert_eq!(trail[100].1["operation"], "api-session.expire");
    assert_eq!(trail[100].1["entity"], "s99");
    assert!(trail[100].1.get("changes").is_none(), "{}", trail[100].1);
    for (_, event) in &trail[1..] {
        // The owner is removed by the same transaction.
        assert_eq!(
            (&event["owner"], &event["ownerName"]),
            (&json!("i"), &json!("laptop"))
        );
    }
}

#[test]
fn removing_very_many_is_summed_up() {
    let store = store();
    let owner = identity("i", "laptop");
    audited(&store, 0, move |rows| {
        let key = identity_key(RecordNumber(1));
        rows.insert(&key, &owner)?;
        for number in 1..=1007_u64 {
            let key = key.dependent(API_SESSION, number);
            let mut session = session(&owner, 0);
            session.id = ApiSessionId::from_wire(format!("s{number}"));
            session.token_hash = TokenHash(u128::from(number).to_be_bytes());
            rows.insert(&key, &session)?;
        }
        Ok(())
    })
    .unwrap();
    let trail = events(&store, 0);
    assert_eq!(trail.len(), 1002);
    let (_, summed) = trail.last().unwrap();
    assert_eq!(
        (&summed["operation"], &summed["count"]),
        (&json!("api-session.create"), &json!(7))
    );
}

#[test]
fn what_waits_is_bounded_in_bytes() {
    let store = store();
    let before = backlog(&store).next_row;
    audited(&store, 0, |rows| {
        rows.set_operation("database.snapshot", &"x".repeat(10 * 1024));
        Ok(())
    })
    .unwrap();
    assert_eq!(backlog(&store).next_row - before, 11);
    assert_eq!(events(&store, 0).len(), 1);
    // The writer continues after it.
    let after = backlog(&store).next_row;
    assert_eq!(events(&store, after), []);
    assert_eq!(
        backlog(&store)
            .first_seq(Rows::new(&*store.snapshot().unwrap()))
            .unwrap(),
        1
    );
}

/// Damages the value under a key.
fn damage(store: &Store, key: Vec<u8>) {
    submit_with(store, move |tx| {
        tx.put(&key, b"nonsense");
        Ok::<_, StoreError>(())
    })
    .unwrap()
    .wait()
    .unwrap()
    .unwrap();
}

#[test]
fn damage_of_the_trail_stops_nobody_and_shows() {
    let store = store();
    for number in 1..=3 {
        add(&store, number, 0).unwrap();
    }
    // The state row is rebuilt from the event rows.
    damage(&store, vec![META_TAG, 4]);
    add(&store, 4, 0).unwrap();
    let numbers = || -> Vec<u64> { events(&store, 0).iter().map(|(seq, _)| *seq).collect() };
    assert_eq!(numbers(), [1, 2, 3, 4]);
    assert_eq!((backlog(&store).next_row, backlog(&store).next_seq), (4, 5));
    // A row.
    damage(&store, [&[META_TAG, 5][..], &1_u64.to_be_bytes()].concat());
    add(&store, 5, 0).unwrap();
    assert_eq!(numbers(), [1, 3, 4, 5]);
}

#[test]
fn state_of_earlier_versions_is_read() {
    let store = store();
    add(&store, 1, 0).unwrap();
    let key = [META_TAG, 4];
    let numbers = [0, 1, 2].map(u64::to_be_bytes).concat();
    submit_with(&store, move |tx| {
        tx.put(&key, &portcullis_storage::frame::encode(&key, &numbers));
        Ok::<_, StoreError>(())
    })
    .unwrap()
    .wait()
    .unwrap()
    .unwrap();
    let read = backlog(&store);
    assert_eq!((read.first_row, read.next_row, read.next_seq), (0, 1, 2));
    assert_eq!((read.trail, read.written), (None, None));
    let trail = AuditTrailId([7; 16]);
    let mark = WrittenCursor {
        row: 1,
        seq: 1,
        digest: [9; 32],
    };
    submit_with(&store, move |tx| {
        let mut rows = RowsMut::new(tx);
        rows.set_trail(trail)?;
        rows.trim_events(&mark)
    })
    .unwrap()
    .wait()
    .unwrap()
    .unwrap();
    let read = backlog(&store);
    assert_eq!(
        (read.trail, read.written),
        (Some(trail), Some((1, [9; 32])))
    );
    assert_eq!((read.first_row, read.next_seq), (1, 2));
}

#[test]
fn what_comes_and_goes_in_one_transaction_is_no_event() {
    let store = store();
    let passing = identity("i", "laptop");
    audited(&store, 0, move |rows| {
        let key = identity_key(RecordNumber(1));
        rows.insert(&key, &passing)?;
        Ok(rows.remove(&key, &passing)?)
    })
    .unwrap();
    assert_eq!(events(&store, 0), []);
    assert_eq!(backlog(&store).next_seq, 1);
}

#[test]
fn operation_without_a_change_is_told() {
    let store = store();
    audited(&store, 0, |rows| {
        rows.set_operation("database.snapshot", "copy");
        Ok(())
    })
    .unwrap();
    let trail = events(&store, 0);
    let [(1, event)] = trail.as_slice() else {
        panic!("one event")
    };
    assert_eq!(
        *event,
        json!({"timestamp": "1970-01-01T00:00:00Z", "operation": "database.snapshot",
            "entity": "copy", "actor": "controller"})
    );
}

#[test]
fn written_events_leave_the_store_and_numbers_go_on() {
    let store = store();
    for number in 1..=20 {
        add(&store, number, 0).unwrap();
    }
    assert_eq!(backlog(&store).first_row, 0);
    // Removed a few at a time, with each addition.
    add(&store, 21, 20).unwrap();
    assert_eq!(backlog(&store).first_row, 8);
    for number in 22..=24 {
        add(&store, number, 20).unwrap();
    }
    assert_eq!(backlog(&store).first_row, 20);
    assert_eq!(events(&store, 0).first().unwrap().0, 21);
    submit_with(&store, |tx| {
        RowsMut::new(tx).trim_events(&WrittenCursor {
            row: 24,
            ..WrittenCursor::default()
        })
    })
    .unwrap()
    .wait()
    .unwrap()
    .unwrap();
    let left = backlog(&store);
    assert_eq!((left.first_row, left.next_row, left.next_seq), (24, 24, 25));
    assert_eq!(events(&store, 0), []);
}
