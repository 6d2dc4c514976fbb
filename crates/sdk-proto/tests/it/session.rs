//! Tokens, probes, and how a channel is over.

use crate::support::{JWT, Sdk, at, bind, data, dial, modern, oidc, token};
use portcullis_channel::headers::key;
use portcullis_channel::{ContentType, Headers, Message, Moment};
use portcullis_sdk_proto::{
    ApiSession, BindEnd, ChannelEnd, CloseReason, DialError, DialFailure, EdgeEvent, EdgeOptions,
    ReadError, Retry, TokenError,
};
use portcullis_wire::ErrorCode;
use portcullis_wire::Secret;
use portcullis_wire::edge::{
    ConnectionId, Data, Dial, EdgeMessage, StateConnected, UpdateToken, UpdateTokenFailure,
};
use std::time::Duration;

fn expiring(seconds: u64) -> Sdk {
    let session = ApiSession {
        expires_at: Some(Moment::ZERO + Duration::from_secs(seconds)),
        ..oidc()
    };
    let options = EdgeOptions {
        probe_interval: Duration::from_secs(100_000),
        ..EdgeOptions::default()
    };
    Sdk::with(&session, modern(), options)
}

fn in_secs(sdk: &Sdk, seconds: u64) -> Moment {
    sdk.now.mono + Duration::from_secs(seconds)
}

#[test]
fn another_token_is_asked_for_in_time() {
    let mut sdk = expiring(600);
    sdk.passes(Duration::from_secs(539));
    assert_eq!(sdk.events(), []);
    sdk.passes(Duration::from_secs(1));
    assert_eq!(sdk.event(), EdgeEvent::TokenNeeded);

    let expires_at = Some(in_secs(&sdk, 600));
    sdk.channel
        .update_token(token(JWT), expires_at, sdk.now)
        .unwrap();
    let update = UpdateToken {
        access_token: token(JWT),
    };
    assert_eq!(sdk.says_one(), EdgeMessage::UpdateToken(update));
    sdk.hears(&EdgeMessage::UpdateTokenSuccess);
    assert_eq!(sdk.event(), EdgeEvent::TokenAccepted);
    sdk.passes(Duration::from_secs(539));
    assert_eq!(sdk.events(), []);
    sdk.passes(Duration::from_secs(1));
    assert_eq!(sdk.event(), EdgeEvent::TokenNeeded);
}

#[test]
fn a_short_life_is_used_by_half() {
    let mut sdk = expiring(10);
    sdk.passes(Duration::from_secs(4));
    assert_eq!(sdk.events(), []);
    sdk.passes(Duration::from_secs(1));
    assert_eq!(sdk.event(), EdgeEvent::TokenNeeded);
}

#[test]
fn a_token_that_is_not_answered_is_asked_for_again() {
    let mut sdk = expiring(600);
    let expires_at = Some(in_secs(&sdk, 600));
    sdk.channel
        .update_token(token(JWT), expires_at, sdk.now)
        .unwrap();
    sdk.passes(Duration::from_secs(10));
    assert_eq!(sdk.event(), EdgeEvent::TokenNeeded);
    sdk.hears(&EdgeMessage::UpdateTokenSuccess);
    assert_eq!(sdk.events(), [], "it is not known which was meant");
}

#[test]
fn a_refused_token_ends_the_channel() {
    let mut sdk = expiring(600);
    let connection = sdk.connects(false);
    let expires_at = Some(in_secs(&sdk, 600));
    sdk.channel
        .update_token(token(JWT), expires_at, sdk.now)
        .unwrap();
    sdk.hears(&EdgeMessage::UpdateTokenFailure(UpdateTokenFailure {
        reason: "no".to_owned(),
        code: Some(ErrorCode::InvalidApiSession),
        structured_error: None,
    }));
    let mut events = sdk.events();
    events.retain(|event| *event != EdgeEvent::Readable(connection));
    let [EdgeEvent::TokenRefused(refusal), closed, ended] = &events[..] else {
        panic!("{events:?}");
    };
    assert_eq!(refusal.retry, Retry::NewLogin);
    let why = CloseReason::ChannelEnded;
    assert_eq!(closed, &EdgeEvent::Closed { connection, why });
    assert_eq!(ended, &EdgeEvent::Ended(ChannelEnd::TokenRefused));
    let again = sdk.channel.update_token(token(JWT), None, sdk.now);
    assert_eq!(again, Err(TokenError::Ended));
}

#[test]
fn tokens_of_legacy_sessions_stay() {
    let session = ApiSession {
        token: token("f0f0f0f0-0000-4000-8000-000000000000"),
        expires_at: None,
    };
    let mut sdk = Sdk::with(&session, modern(), EdgeOptions::default());
    let update = sdk.channel.update_token(token(JWT), None, sdk.now);
    assert_eq!(update, Err(TokenError::Legacy));
}

fn probe(sdk: &mut Sdk) -> u64 {
    let outgoing = sdk.channel.poll_transmit(sdk.now).unwrap();
    assert_eq!(outgoing.message.content_type, ContentType::LATENCY);
    outgoing.message.headers.u64(key::REFLECTED).unwrap()
}

fn answer(sdk: &mut Sdk, stamp: u64) {
    let headers = Headers::builder().u64(key::REFLECTED, stamp).build();
    sdk.hears_raw(Message::new(ContentType::RESULT).with_headers(headers));
}

#[test]
fn probes_measure_and_are_repeated() {
    let mut sdk = Sdk::new(modern());
    sdk.passes(Duration::from_secs(30));
    let stamp = probe(&mut sdk);
    sdk.passes(Duration::from_millis(40));
    answer(&mut sdk, stamp + 1);
    assert_eq!(sdk.channel.latency(), None, "of another probe");
    answer(&mut sdk, stamp);
    assert_eq!(sdk.channel.latency(), Some(Duration::from_millis(40)));
    assert_eq!(sdk.says(), []);
    sdk.passes(Duration::from_secs(30));
    probe(&mut sdk);
}

#[test]
fn a_router_that_says_nothing_is_given_up() {
    let mut sdk = Sdk::new(modern());
    sdk.passes(Duration::from_secs(30));
    probe(&mut sdk);
    sdk.passes(Duration::from_millis(9_999));
    assert_eq!(sdk.events(), []);
    sdk.passes(Duration::from_millis(1));
    assert_eq!(sdk.event(), EdgeEvent::Ended(ChannelEnd::Unresponsive));
    assert_eq!(sdk.channel.poll_timeout(), None);
}

#[test]
fn a_router_that_says_something_else_is_there() {
    let mut sdk = Sdk::new(modern());
    sdk.passes(Duration::from_secs(30));
    probe(&mut sdk);
    sdk.passes(Duration::from_secs(5));
    sdk.hears(&EdgeMessage::UpdateTokenSuccess);
    sdk.passes(Duration::from_secs(5));
    assert_eq!(sdk.events(), []);
    sdk.passes(Duration::from_secs(20));
    probe(&mut sdk);
}

#[test]
fn who_does_not_read_does_not_blame_the_router() {
    let mut sdk = Sdk::new(modern());
    let connection = sdk.connects(false);
    let message = EdgeMessage::Data(Data {
        connection,
        data: Secret::new(vec![1; 1 << 20].into()),
        ..Data::default()
    });
    sdk.hears(&message);
    assert!(!sdk.channel.wants_input());
    sdk.passes(Duration::from_secs(100));
    assert_eq!(sdk.channel.end(), None);
    sdk.reads(connection);
    assert!(sdk.channel.wants_input());
}

#[test]
fn all_ends_with_the_channel_and_is_told_of() {
    let mut sdk = Sdk::new(modern());
    let open = sdk.connects(true);
    sdk.says();
    let legacy = sdk.connects(false);
    sdk.hears(&EdgeMessage::Data(Data {
        connection: legacy,
        data: Secret::new("last words".into()),
        ..Data::default()
    }));
    let dialed = sdk.dials(dial());
    let bound = sdk.channel.bind(bind(), sdk.now).unwrap();
    let child = ConnectionId(1 << 31);
    sdk.hears(&EdgeMessage::Dial(Dial {
        connection: bound.0,
        session_token: token(crate::support::SERVICE_JWT),
        new_connection: Some(child),
        ..Dial::default()
    }));
    sdk.events();
    sdk.channel.handle_disconnect(sdk.now);
    let events = sdk.events();
    let closed = |connection| EdgeEvent::Closed {
        connection,
        why: CloseReason::ChannelEnded,
    };
    for event in [
        closed(open),
        closed(legacy),
        EdgeEvent::DialFailed {
            connection: dialed,
            why: DialFailure::ChannelEnded,
        },
        EdgeEvent::OfferEnded(child),
        EdgeEvent::BindEnded {
            bind: bound,
            why: BindEnd::ChannelEnded,
            was_bound: false,
        },
    ] {
        let times = events.iter().filter(|told| **told == event).count();
        assert_eq!(times, 1, "{event:?} in {events:?}");
    }
    let ended = EdgeEvent::Ended(ChannelEnd::Disconnected);
    assert_eq!(events.last(), Some(&ended));

    assert_eq!(sdk.reads(legacy), Some(data("last words")));
    let why = ReadError::Closed(CloseReason::ChannelEnded);
    assert_eq!(sdk.channel.read(legacy, sdk.now), Err(why));
    assert_eq!(sdk.channel.dial(dial(), sdk.now), Err(DialError::Ended));
    for connection in [open, legacy] {
        sdk.channel.close(connection, sdk.now);
    }
    sdk.hears(&EdgeMessage::StateConnected(StateConnected::default()));
    sdk.channel.shut_down(sdk.now);
    assert_eq!((sdk.says(), sdk.events()), (vec![], vec![]));
    assert_eq!(sdk.channel.connections(), 0);
    assert_eq!(sdk.channel.poll_timeout(), None);
}

#[test]
fn early_calls_change_nothing() {
    let mut sdk = expiring(600);
    let before = format!("{:?}", sdk.channel);
    sdk.channel.handle_timeout(at(Moment::from_micros(1)));
    assert_eq!(format!("{:?}", sdk.channel), before);
}
