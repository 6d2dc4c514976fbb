//! Encryption from end to end: keys, and what cannot be opened.

use crate::support::{SERVICE_JWT, Sdk, bind, data, dial, dial_keys, header, modern, pair, token};
use bytes::Bytes;
use portcullis_e2e_encryption::{OpenError, Role, Sealer};
use portcullis_sdk_proto::{
    BindRequest, CloseReason, DialFailure, DialRequest, EdgeEvent, ReadError, WriteError,
};
use portcullis_wire::Secret;
use portcullis_wire::edge::{BindSuccess, ConnectionId, Data, Dial, EdgeMessage, StateConnected};
use std::sync::Arc;

fn public(secret: u8) -> Bytes {
    Bytes::copy_from_slice(pair(secret).public_key().as_bytes())
}

fn dials(sdk: &mut Sdk) -> ConnectionId {
    let connection = sdk.dials(DialRequest {
        keys: Some(dial_keys(1)),
        ..dial()
    });
    let EdgeMessage::ConnectV2(connect) = sdk.says_one() else {
        panic!("not a ConnectV2");
    };
    assert_eq!(connect.public_key, Some(public(1)));
    assert_eq!(connect.crypto_method.as_deref(), Some(&[0][..]));
    connection
}

fn connected(connection: ConnectionId, public_key: Option<Bytes>) -> EdgeMessage {
    EdgeMessage::StateConnected(StateConnected {
        connection,
        circuit_id: Some("abc".to_owned()),
        public_key,
        ..StateConnected::default()
    })
}

fn data_message(connection: ConnectionId, bytes: impl Into<Bytes>) -> EdgeMessage {
    EdgeMessage::Data(Data {
        connection,
        data: Secret::new(bytes.into()),
        ..Data::default()
    })
}

fn said_data(sdk: &mut Sdk) -> Vec<Bytes> {
    let said = sdk.says();
    let data = said.into_iter().map(|message| match message {
        EdgeMessage::Data(data) => data.data.into_inner(),
        other => panic!("{other:?}"),
    });
    data.collect()
}

/// An encrypted connection, and what the hosting end seals with.
fn encrypted() -> (Sdk, ConnectionId, Sealer) {
    let mut sdk = Sdk::new(modern());
    let connection = dials(&mut sdk);
    sdk.hears(&connected(connection, Some(public(2))));
    let EdgeEvent::Connected(event) = sdk.event() else {
        panic!("not connected");
    };
    assert!(event.is_encrypted);
    let keys = pair(2).agree(Role::Server, &pair(1).public_key()).unwrap();
    (sdk, connection, Sealer::new(&keys.send, &header(2)))
}

#[test]
fn the_header_comes_first_and_then_what_only_the_other_end_can_read() {
    let (mut sdk, connection, mut sealer) = encrypted();
    assert_eq!(said_data(&mut sdk), [Bytes::from(header(1).0.to_vec())]);
    sdk.writes(connection, "hello");
    let keys = pair(1).agree(Role::Client, &pair(2).public_key()).unwrap();
    let mut own = Sealer::new(&keys.send, &header(1));
    assert_eq!(said_data(&mut sdk), [own.seal(b"hello")]);

    sdk.hears(&data_message(connection, header(2).0.to_vec()));
    assert_eq!(sdk.reads(connection), None, "nothing comes out of it");
    sdk.events();
    sdk.hears(&data_message(connection, sealer.seal(b"hello")));
    sdk.hears(&data_message(connection, sealer.seal(b"world")));
    assert_eq!(sdk.event(), EdgeEvent::Readable(connection));
    assert_eq!(sdk.reads(connection), Some(data("hello")));
    assert_eq!(sdk.reads(connection), Some(data("world")));
}

#[test]
fn what_the_other_end_has_not_sealed_ends_the_connection() {
    let first = sealed_by_host(1);
    let wrong: [(Vec<Bytes>, OpenError); 4] = [
        (vec![Bytes::from_static(b"in clear")], OpenError::Header),
        (
            vec![
                host_header(),
                Bytes::from_static(b"in clear, and long enough"),
            ],
            OpenError::Message,
        ),
        // Out of order.
        (
            vec![host_header(), sealed_by_host(2).remove(1)],
            OpenError::Message,
        ),
        // Twice.
        (
            vec![host_header(), first[0].clone(), first[0].clone()],
            OpenError::Message,
        ),
    ];
    for (messages, error) in wrong {
        let (mut sdk, connection, _) = encrypted();
        sdk.says();
        for bytes in messages {
            sdk.hears(&data_message(connection, bytes));
        }
        let failure = loop {
            match sdk.channel.read(connection, sdk.now) {
                Ok(Some(_)) => {},
                Ok(None) => panic!("all of it was taken"),
                Err(failure) => break failure,
            }
        };
        let why = CloseReason::NotAuthentic(error);
        assert_eq!(failure, ReadError::Closed(why.clone()));
        let events = sdk.events();
        let closed = EdgeEvent::Closed { connection, why };
        assert_eq!(events.last(), Some(&closed));
        assert!(matches!(sdk.says_one(), EdgeMessage::StateClosed(_)));
        let written = sdk.channel.write(connection, &mut "x".into(), sdk.now);
        assert!(matches!(written, Err(WriteError::Closed(_))));
        sdk.channel.close(connection, sdk.now);
        assert_eq!(sdk.channel.connections(), 0);
    }
}

fn host_header() -> Bytes {
    Bytes::from(header(2).0.to_vec())
}

fn sealed_by_host(count: usize) -> Vec<Bytes> {
    let (_, _, mut sealer) = encrypted();
    (0..count).map(|_| sealer.seal(b"message")).collect()
}

#[test]
fn a_host_without_a_usable_key_is_not_talked_to_in_clear() {
    for (key, why) in [
        (None, DialFailure::NotEncrypted),
        (Some(Bytes::from_static(b"short")), DialFailure::UnusableKey),
        // Leads to the same secret whatever the other key is.
        (Some(Bytes::from(vec![0; 32])), DialFailure::UnusableKey),
    ] {
        let mut sdk = Sdk::new(modern());
        let connection = dials(&mut sdk);
        sdk.hears(&connected(connection, key));
        assert_eq!(sdk.event(), EdgeEvent::DialFailed { connection, why });
        assert!(matches!(sdk.says_one(), EdgeMessage::StateClosed(_)));
        assert_eq!(sdk.channel.connections(), 0);
    }
}

#[test]
fn a_host_takes_no_dial_without_a_usable_key() {
    let mut sdk = Sdk::new(modern());
    let request = BindRequest {
        keys: Some(Arc::new(pair(2))),
        ..bind()
    };
    let bound = sdk.channel.bind(request, sdk.now).unwrap();
    sdk.says();
    sdk.hears(&EdgeMessage::BindSuccess(BindSuccess {
        connection: bound.0,
    }));
    sdk.events();
    let child = ConnectionId(1 << 31);
    let offer = |public_key| {
        EdgeMessage::Dial(Dial {
            connection: bound.0,
            session_token: token(SERVICE_JWT),
            new_connection: Some(child),
            public_key,
            ..Dial::default()
        })
    };
    for key in [
        None,
        Some(Bytes::from_static(b"short")),
        Some(vec![0; 32].into()),
    ] {
        sdk.hears(&offer(key));
        assert!(matches!(sdk.says_one(), EdgeMessage::DialFailed(_)));
        assert_eq!(sdk.events(), []);
    }
    sdk.hears(&offer(Some(public(1))));
    let EdgeEvent::Offered(offered) = sdk.event() else {
        panic!("no offer");
    };
    assert!(offered.is_encrypted);
    sdk.channel.accept(child, &header(2), sdk.now).unwrap();
    sdk.writes(child, "hello");
    let said = sdk.says();
    let EdgeMessage::DialSuccess(success) = &said[0] else {
        panic!("{said:?}");
    };
    assert_eq!(success.public_key, Some(public(2)));
    let keys = pair(2).agree(Role::Server, &pair(1).public_key()).unwrap();
    let sealed = Sealer::new(&keys.send, &header(2)).seal(b"hello");
    assert_eq!(
        said[1..],
        [
            data_message(child, host_header()),
            data_message(child, sealed)
        ]
    );
}

/// The dialing end would take it for an encrypted connection.
#[test]
fn a_host_without_a_key_takes_no_dial_with_one() {
    let mut sdk = Sdk::new(modern());
    let bound = sdk.channel.bind(bind(), sdk.now).unwrap();
    sdk.says();
    sdk.hears(&EdgeMessage::BindSuccess(BindSuccess {
        connection: bound.0,
    }));
    sdk.events();
    let offer = |public_key| {
        EdgeMessage::Dial(Dial {
            connection: bound.0,
            session_token: token(SERVICE_JWT),
            new_connection: Some(ConnectionId(1 << 31)),
            public_key,
            ..Dial::default()
        })
    };
    sdk.hears(&offer(Some(public(1))));
    assert!(matches!(sdk.says_one(), EdgeMessage::DialFailed(_)));
    assert_eq!(sdk.events(), []);
    sdk.hears(&offer(None));
    assert!(matches!(sdk.event(), EdgeEvent::Offered(offered) if !offered.is_encrypted));
}
