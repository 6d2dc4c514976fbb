//! Queues: what waits, what is refused, and which connection carries what.

use crate::support::{at_ms, channel_with, events, id, message, secret, sent};
use portcullis_channel::group::{
    Admission, ChannelGrant, ConnectionCounts, DialOptions, GeneratedCredentials, GroupDialer,
    GroupLimits, GroupRegistry,
};
use portcullis_channel::hello::{Accepted, GroupHello, Grouping, Hello};
use portcullis_channel::{
    Channel, ChannelEvent, ChannelKind, ChannelOptions, ChannelSide, Flow, FrameReader, HeaderKey,
    Headers, Message, Moment, Priority, QueueLimits, Role, SendErrorKind, UnderlayId,
};

/// What entitles connections to be part of group `g`.
pub(crate) fn grant() -> ChannelGrant {
    let group = GroupHello {
        is_first: true,
        ..GroupHello::default()
    };
    let hello = Hello::new(
        "r".to_owned(),
        None,
        Grouping::Grouped(group),
        Headers::empty(),
    );
    let fresh = GeneratedCredentials {
        id: id("g"),
        secret: secret(1),
    };
    let mut groups: GroupRegistry<(), ()> = GroupRegistry::new(GroupLimits::default());
    match groups.admit(&(), &hello, fresh, Moment::ZERO) {
        Admission::New(reservation) => reservation.grant().clone(),
        other => panic!("{other:?}"),
    }
}

/// A channel with these connections, in this order.
fn with(kind: ChannelKind, roles: &[Role]) -> (Channel, Vec<UnderlayId>) {
    let options = ChannelOptions {
        heartbeats: None,
        ..ChannelOptions::new(kind, ChannelSide::Listener)
    };
    let (mut channel, first) = Channel::open(grant(), options, at_ms(0));
    let mut underlays = vec![first];
    for role in &roles[1..] {
        underlays.push(channel.attach(&grant(), *role, at_ms(0)).unwrap());
    }
    (channel, underlays)
}

/// What a connection would carry of one urgent and one other message.
fn carried(channel: &mut Channel, underlay: UnderlayId) -> Vec<i32> {
    for (priority, kind) in [(Priority::Default, 2), (Priority::High, 1)] {
        channel.send(priority, message(kind, "")).unwrap();
    }
    let all = |channel: &mut Channel, underlay| {
        std::iter::from_fn(|| sent(channel, underlay, at_ms(0)))
            .map(|frame| frame.content_type().0)
            .collect()
    };
    let carried = all(channel, underlay);
    for other in channel.underlays().collect::<Vec<_>>() {
        let _others: Vec<i32> = all(channel, other);
    }
    carried
}

#[test]
fn a_default_connection_carries_everything_while_it_is_alone() {
    for kind in [ChannelKind::Control, ChannelKind::Link, ChannelKind::Edge] {
        let (mut channel, underlays) = with(kind, &[Role::Default]);
        assert_eq!(carried(&mut channel, underlays[0]), [1, 2]);
    }
}

#[test]
fn urgent_messages_have_their_connection_and_share_a_links_others() {
    let roles = [Role::Default, Role::High];
    for (kind, default) in [
        (ChannelKind::Control, &[2][..]),
        (ChannelKind::Edge, &[2]),
        (ChannelKind::Link, &[1, 2]),
    ] {
        let (mut channel, underlays) = with(kind, &roles);
        assert_eq!(carried(&mut channel, underlays[0]), default);
        assert_eq!(carried(&mut channel, underlays[1]), [1]);
    }
}

#[test]
fn urgent_messages_go_back_to_the_default_connection_when_theirs_is_lost() {
    let (mut channel, underlays) = with(ChannelKind::Control, &[Role::Default, Role::High]);
    channel.send(Priority::High, message(1, "")).unwrap();
    assert!(!channel.has_output(underlays[0]));
    channel.detach(underlays[1], at_ms(0));
    assert!(channel.has_output(underlays[0]));
    assert_eq!(carried(&mut channel, underlays[0]), [1, 1, 2]);
}

#[test]
fn a_control_channel_keeps_order_and_links_use_all_connections() {
    let roles = [Role::Default, Role::Default];
    let (mut channel, underlays) = with(ChannelKind::Control, &roles);
    assert_eq!(carried(&mut channel, underlays[1]), []);
    channel.detach(underlays[0], at_ms(0));
    assert_eq!(carried(&mut channel, underlays[1]), [1, 2]);

    let (mut channel, underlays) = with(ChannelKind::Link, &roles);
    assert_eq!(carried(&mut channel, underlays[1]), [1, 2]);
}

#[test]
fn a_control_channel_lives_without_a_default_connection_and_its_messages_wait() {
    let (mut channel, underlays) = with(ChannelKind::Control, &[Role::Default, Role::High]);
    channel.detach(underlays[0], at_ms(0));
    assert_eq!(events(&mut channel), []);
    channel.send(Priority::Default, message(2, "")).unwrap();
    assert_eq!(sent(&mut channel, underlays[1], at_ms(0)), None);
    let again = channel.attach(&grant(), Role::Default, at_ms(1)).unwrap();
    assert!(sent(&mut channel, again, at_ms(1)).is_some());
}

#[test]
fn links_and_sdks_end_with_their_last_default_connection() {
    for kind in [ChannelKind::Link, ChannelKind::Edge] {
        let (mut channel, underlays) = with(kind, &[Role::Default, Role::High]);
        channel.detach(underlays[1], at_ms(0));
        assert_eq!(events(&mut channel), []);
        let high = channel.attach(&grant(), Role::High, at_ms(0)).unwrap();
        channel.detach(underlays[0], at_ms(0));
        assert_eq!(events(&mut channel).len(), 1);
        assert!(channel.has_output(high), "it is to be closed");
    }
}

fn small(frames: usize, bytes: usize) -> Channel {
    let mut options = ChannelOptions::new(ChannelKind::Edge, ChannelSide::Listener);
    options.default_queue = QueueLimits { frames, bytes };
    channel_with(options).0
}

fn send(channel: &mut Channel, message: Message) -> Result<(), SendErrorKind> {
    let sent = channel.send(Priority::Default, message);
    sent.map(|_| ()).map_err(|refused| refused.why)
}

#[test]
fn a_full_queue_refuses_and_tells_once_when_there_is_room() {
    let mut channel = small(4, 1 << 20);
    let underlay = channel.underlays().next().unwrap();
    for _ in 0..4 {
        assert_eq!(send(&mut channel, message(7, "")), Ok(()));
    }
    assert_eq!(
        send(&mut channel, message(7, "")),
        Err(SendErrorKind::QueueFull)
    );
    for _ in 0..2 {
        assert!(!channel.wait_for_room(Flow::COMMON, Priority::Default));
    }
    let mut told = Vec::new();
    for _ in 0..4 {
        sent(&mut channel, underlay, at_ms(0)).unwrap();
        told.push(events(&mut channel).len());
    }
    assert_eq!(told, [0, 1, 0, 0], "when half is left");
    assert_eq!(send(&mut channel, message(7, "")), Ok(()));
    sent(&mut channel, underlay, at_ms(0)).unwrap();
    assert_eq!(events(&mut channel), [], "nobody waits");
    assert!(channel.wait_for_room(Flow::COMMON, Priority::Default));
}

#[test]
fn bytes_are_counted_and_an_empty_queue_takes_one_frame_of_any_size() {
    let mut channel = small(100, 100);
    let large = || message(7, &"x".repeat(1000));
    assert_eq!(send(&mut channel, large()), Ok(()));
    assert_eq!(channel.queued_bytes(Priority::Default), 1020);
    assert_eq!(
        send(&mut channel, message(7, "")),
        Err(SendErrorKind::QueueFull)
    );
    let underlay = channel.underlays().next().unwrap();
    sent(&mut channel, underlay, at_ms(0)).unwrap();
    assert_eq!(channel.queued_bytes(Priority::Default), 0);
    for _ in 0..5 {
        assert_eq!(send(&mut channel, message(7, "")), Ok(()));
    }
    assert_eq!(
        send(&mut channel, message(7, "")),
        Err(SendErrorKind::QueueFull)
    );
}

#[test]
fn queues_do_not_take_room_from_each_other() {
    let mut channel = small(1, 100);
    assert_eq!(send(&mut channel, message(7, "")), Ok(()));
    assert_eq!(
        send(&mut channel, message(7, "")),
        Err(SendErrorKind::QueueFull)
    );
    channel.send(Priority::High, message(7, "")).unwrap();
}

#[test]
fn too_long_a_message_is_refused() {
    let mut options = ChannelOptions::new(ChannelKind::Edge, ChannelSide::Dialer);
    options.send_limits.body = 3;
    let (mut channel, _) = channel_with(options);
    assert_eq!(send(&mut channel, message(7, "abc")), Ok(()));
    let refused = send(&mut channel, message(7, "abcd")).unwrap_err();
    assert!(matches!(refused, SendErrorKind::TooLong(_)));
}

#[test]
fn numbers_are_counted_over_all_connections() {
    let roles = [Role::Default, Role::High];
    let (mut channel, underlays) = with(ChannelKind::Control, &roles);
    let first = channel.send(Priority::Default, message(1, "")).unwrap();
    let second = channel.send(Priority::High, message(1, "")).unwrap();
    assert_eq!((first.0, second.0), (1, 2));
    let on_high = sent(&mut channel, underlays[1], at_ms(0)).unwrap();
    let on_default = sent(&mut channel, underlays[0], at_ms(0)).unwrap();
    assert_eq!((on_high.sequence(), on_default.sequence()), (second, first));
}

#[test]
fn a_surviving_channel_goes_on_counting_and_takes_the_group_that_follows() {
    let mut dialer = GroupDialer::new(
        DialOptions::new(ChannelKind::Control),
        ConnectionCounts {
            default: 1,
            high: 0,
        },
        Moment::ZERO,
    );
    let dial = dialer.poll_dial(Moment::ZERO).unwrap();
    let answer = |group: &str| Accepted {
        responder: None,
        group: Some(id(group)),
        secret: Some(secret(1)),
        headers: Headers::empty(),
    };
    let grant = dialer
        .handle_accepted(&dial, &answer("g"), 0, Moment::ZERO)
        .unwrap();
    let options = ChannelOptions::new(ChannelKind::Control, ChannelSide::Dialer);
    let (mut channel, first) = Channel::open(grant, options, at_ms(0));
    channel.send(Priority::Default, message(1, "")).unwrap();
    channel.detach(first, at_ms(1000));
    assert_eq!(events(&mut channel), [ChannelEvent::Disconnected]);
    assert_eq!(
        channel.poll_timeout(),
        None,
        "no heartbeats without connections"
    );

    let late = at_ms(100_000);
    let lived = std::time::Duration::from_secs(1);
    dialer.handle_lost(Role::Default, lived, 0, Moment::from_micros(1_000_000));
    let attach = dialer.poll_dial(late.mono).unwrap();
    let closed = portcullis_channel::group::DialFailure::Closed;
    dialer.handle_failed(&attach, closed, 0, late.mono);
    let later = at_ms(110_000);
    let found = dialer.poll_dial(later.mono).unwrap();
    let grant = dialer
        .handle_accepted(&found, &answer("g-1"), 0, later.mono)
        .unwrap();
    let again = channel.attach(&grant, Role::Default, later).unwrap();
    assert_eq!(channel.id(), &id("g-1"));
    let frame = sent(&mut channel, again, later).unwrap();
    assert_eq!(frame.sequence().0, 1, "what was queued is sent now");
    assert_eq!(
        channel.send(Priority::Default, message(1, "")).unwrap().0,
        2
    );
    channel.handle_timeout(later);
    assert_eq!(
        events(&mut channel),
        [],
        "silence is counted from the new connection"
    );
}

#[test]
fn what_is_sent_is_within_the_limits_of_who_reads_it() {
    for kind in [ChannelKind::Control, ChannelKind::Link, ChannelKind::Edge] {
        let (mut channel, underlays) = with(kind, &[Role::Default]);
        let many = |count: u32| {
            let headers = (0..count).fold(Headers::builder(), |headers, key| {
                headers.u8(HeaderKey(2000 + i32::try_from(key).unwrap()), 0)
            });
            message(7, "").with_headers(headers.build())
        };
        let refused = send(&mut channel, many(511)).unwrap_err();
        assert!(
            matches!(refused, SendErrorKind::TooLong(_)),
            "heartbeats need two"
        );
        assert_eq!(send(&mut channel, many(510)), Ok(()));
        let frame = sent(&mut channel, underlays[0], at_ms(0)).unwrap();
        let reader = FrameReader::new(kind.frame_limits(ChannelSide::Dialer));
        assert_eq!(reader.read_datagram(frame.to_bytes()), Ok(frame));
    }
}

#[test]
fn requests_that_are_taken_back_make_room() {
    let mut channel = small(2, 1 << 20);
    let within = std::time::Duration::from_secs(1);
    for _ in 0..2 {
        let asked = channel.request(Priority::Default, message(7, ""), within, at_ms(0));
        asked.unwrap();
    }
    assert_eq!(
        send(&mut channel, message(7, "")),
        Err(SendErrorKind::QueueFull)
    );
    let (flow, priority) = (Flow::COMMON, Priority::Default);
    assert!(!channel.wait_for_room(flow, priority));
    channel.handle_timeout(at_ms(1_000));
    let told = events(&mut channel);
    assert_eq!(told.len(), 3);
    assert!(told.contains(&ChannelEvent::Writable { priority, flow }));
}

#[test]
fn a_channel_may_move_between_threads() {
    fn is_send<T: Send + 'static>() {}
    is_send::<Channel>();
    is_send::<GroupDialer>();
    is_send::<GroupRegistry<String, u64>>();
}
