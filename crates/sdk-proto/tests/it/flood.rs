//! A router that says anything, and an owner that does anything.

use crate::support::{Sdk, bind, dial, header, modern, oidc, token};
use bytes::Bytes;
use portcullis_channel::{ContentType, HeaderKey, Headers, Message};
use portcullis_sdk_proto::{BindId, DialRequest, EdgeEvent, EdgeOptions};
use portcullis_seeded_random::{Random, Seeds, run_seed};
use portcullis_wire::Secret;
use portcullis_wire::edge::{
    BindSuccess, ConnectionId, Data, DataFlags, Dial, EdgeMessage, StateClosed, StateConnected,
};
use portcullis_wire::xgress::{
    Acknowledgement, Payload, PayloadFlags, PayloadSequence, payload_header,
};
use portcullis_xgress::Options;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

const SEEDS: u64 = 300;
const STEPS: usize = 400;
const LIMIT: usize = 8;

fn limited() -> Sdk {
    let xgress = Options {
        max_window: 64 << 10,
        receive_buffer: 64 << 10,
        ..Options::default()
    };
    let options = EdgeOptions {
        xgress: Arc::new(xgress),
        max_connections: LIMIT,
        max_binds: 2,
        receive_buffer: 32 << 10,
        send_buffer: 32 << 10,
        ..EdgeOptions::default()
    };
    Sdk::with(&oidc(), modern(), options)
}

/// A number that may be in use.
fn number(random: &mut Random) -> ConnectionId {
    let low = u32::try_from(random.below(12)).unwrap();
    let base = if random.one_in(3) { 1 << 31 } else { 0 };
    ConnectionId(base + low)
}

fn bytes(random: &mut Random) -> Bytes {
    let most = if random.one_in(4) { 20_000 } else { 30 };
    let length = random.index(most);
    Bytes::from(vec![random.next().to_le_bytes()[0]; length])
}

fn anything(random: &mut Random) -> Message {
    let connection = number(random);
    let circuit_id = format!("circuit-{}", random.below(3));
    let uses_xgress = random.one_in(2);
    let flags = PayloadFlags::from_bits(random.word() & 0x7f);
    let sequence = PayloadSequence::new(u32::try_from(random.below(40)).unwrap()).unwrap();
    let message = match random.below(9) {
        0 => EdgeMessage::StateConnected(StateConnected {
            connection,
            circuit_id: Some(circuit_id),
            uses_xgress,
            ..StateConnected::default()
        }),
        1 => EdgeMessage::StateClosed(StateClosed {
            connection: Some(connection),
            reason: if uses_xgress { "close called" } else { "no" }.to_owned(),
            ..StateClosed::default()
        }),
        2 | 3 => EdgeMessage::Data(Data {
            connection,
            flags: DataFlags::from_bits(random.word() & 0x1f),
            data: Secret::new(bytes(random)),
            ..Data::default()
        }),
        4 => EdgeMessage::Dial(Dial {
            connection,
            session_token: token(crate::support::SERVICE_JWT),
            new_connection: (!random.one_in(4)).then(|| number(random)),
            circuit_id: Some(circuit_id),
            uses_xgress,
            ..Dial::default()
        }),
        5 => EdgeMessage::BindSuccess(BindSuccess { connection }),
        6 => EdgeMessage::Acknowledgement(Acknowledgement {
            connection: Some(connection),
            circuit_id,
            flags,
            receive_buffer_bytes: Some(random.word() & 0xffff),
            rtt_millis: Some(1),
            sequences: vec![sequence],
        }),
        _ => EdgeMessage::Payload(Payload {
            connection: Some(connection),
            circuit_id,
            sequence,
            flags,
            headers: [(payload_header::CAPABILITIES, vec![0, 0, 1, 0].into())].into(),
            data: Secret::new(bytes(random)),
            ..Payload::default()
        }),
    };
    message.encode().unwrap()
}

/// How often each dial, bind and connection was told to be over.
#[derive(Default)]
struct Endings(BTreeMap<&'static str, BTreeMap<ConnectionId, u32>>);

impl Endings {
    fn note(&mut self, kind: &'static str, id: ConnectionId) {
        *self.0.entry(kind).or_default().entry(id).or_default() += 1;
    }

    /// A number may be used again by another connection.
    fn begin(&mut self, kind: &'static str, id: ConnectionId) {
        self.0.entry(kind).or_default().insert(id, 0);
    }
}

fn owner(sdk: &mut Sdk, random: &mut Random, endings: &mut Endings) {
    let (id, now) = (number(random), sdk.now);
    match random.below(10) {
        0 => {
            if let Ok(id) = sdk.channel.dial(dial(), now) {
                endings.begin("dial", id);
            }
        },
        1 => {
            if let Ok(bind) = sdk.channel.bind(bind(), now) {
                endings.begin("bind", bind.0);
            }
        },
        2 => {
            let _written = sdk.channel.write(id, &mut bytes(random), now);
        },
        3 | 4 => {
            let _read = sdk.channel.read(id, now);
        },
        5 => sdk.channel.finish(id, now),
        6 if random.one_in(2) => sdk.channel.close(id, now),
        6 => sdk.channel.abort(id, now),
        7 => {
            let _accepted = sdk.channel.accept(id, &header(0), now);
        },
        8 => {
            let _refused = sdk.channel.refuse(id, "no");
        },
        _ if random.one_in(20) => {
            let _ended = sdk.channel.unbind(BindId(id));
        },
        _ => sdk.passes(Duration::from_micros(random.below(2_000_000))),
    }
}

fn run(seed: u64) {
    let mut random = Random::new(seed, "flood");
    let mut sdk = limited();
    let mut endings = Endings::default();
    for _ in 0..STEPS {
        if random.one_in(2) {
            owner(&mut sdk, &mut random, &mut endings);
        } else {
            // Whether it wants any or not.
            let message = anything(&mut random);
            sdk.hears_raw(message);
        }
        if random.one_in(3) {
            sdk.says();
        }
        for event in sdk.events() {
            match event {
                EdgeEvent::Connected(connected) => endings.begin("open", connected.connection),
                EdgeEvent::Offered(offer) => {
                    endings.begin("offer", offer.connection);
                    endings.begin("open", offer.connection);
                },
                EdgeEvent::DialFailed { connection, .. } => endings.note("dial", connection),
                EdgeEvent::BindEnded { bind, .. } => endings.note("bind", bind.0),
                EdgeEvent::OfferEnded(connection) => endings.note("offer", connection),
                EdgeEvent::Closed { connection, .. } => endings.note("open", connection),
                _ => {},
            }
        }
        for (kind, ended) in &endings.0 {
            assert!(ended.values().all(|times| *times <= 1), "{kind}: {ended:?}");
        }
        assert!(sdk.channel.connections() <= LIMIT);
        assert!(
            sdk.channel.weight() <= LIMIT * (5 << 20),
            "{}",
            sdk.channel.weight()
        );
    }
    sdk.channel.handle_disconnect(sdk.now);
    for base in [0, 1 << 31] {
        for low in 0..2_000 {
            sdk.channel.close(ConnectionId(base + low), sdk.now);
        }
    }
    assert_eq!(sdk.channel.connections(), 0);
    assert_eq!(sdk.channel.weight(), 0);
    assert_eq!(sdk.says(), []);
}

#[test]
fn a_router_that_says_anything_is_borne() {
    match Seeds::chosen(SEEDS) {
        Seeds::One(seed) => run(seed),
        Seeds::Many { first, count } => {
            for seed in first..first + count {
                run_seed(seed, || run(seed));
            }
        },
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Whatever the frame: nothing panics, and a connection that it does not name goes on.
    #[test]
    fn frames_of_any_kind_end_only_what_they_are_about(
        kind in prop_oneof![60_780..60_810_i32, 1_098..1_105_i32, 10_800..10_910_i32, any::<i32>()],
        headers in proptest::collection::vec(
            (prop_oneof![1_000..1_040_i32, 2_254..2_262_i32, any::<i32>()],
             proptest::collection::vec(any::<u8>(), 0..9)),
            0..6,
        ),
        body in proptest::collection::vec(any::<u8>(), 0..40),
    ) {
        let mut sdk = Sdk::new(modern());
        let connection = sdk.connects(false);
        let mut all = Headers::builder();
        for (key, value) in headers {
            let names_it = value == connection.0.to_le_bytes();
            if !names_it {
                all = all.bytes(HeaderKey(key), &value);
            }
        }
        let message = Message::new(ContentType(kind)).with_headers(all.build()).with_body(body);
        sdk.hears_raw(message);
        if sdk.channel.end().is_none() {
            sdk.says();
            sdk.writes(connection, "still here");
            prop_assert!(matches!(sdk.says_one(), EdgeMessage::Data(_)));
        }
    }

    /// Whatever a dial names, the message says the same.
    #[test]
    fn a_dial_says_what_was_asked_for(
        instance_id in proptest::option::of(".{0,40}"),
        caller_id in proptest::option::of(".{0,40}"),
        app_data in proptest::collection::vec(any::<u8>(), 0..200),
    ) {
        let mut sdk = Sdk::new(modern());
        sdk.dials(DialRequest {
            instance_id: instance_id.clone(),
            caller_id: caller_id.clone(),
            app_data: Some(Secret::new(app_data.clone().into())),
            ..dial()
        });
        let EdgeMessage::ConnectV2(connect) = sdk.says_one() else {
            panic!("not a ConnectV2");
        };
        prop_assert_eq!(connect.instance_id, instance_id);
        prop_assert_eq!(connect.caller_id, caller_id);
        prop_assert_eq!(connect.app_data.unwrap().into_inner(), app_data);
    }
}
