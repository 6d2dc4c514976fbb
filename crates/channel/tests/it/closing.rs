//! Ends: of a connection, and of a channel.

use crate::queues::grant;
use crate::support::{at_ms, events, incoming, message};
use portcullis_channel::{
    Channel, ChannelEvent, ChannelKind, ChannelOptions, ChannelSide, CloseReason, Priority, Role,
    SendErrorKind, TimeoutReason, Transmit, UnderlayId,
};

fn control() -> (Channel, UnderlayId, UnderlayId) {
    let options = ChannelOptions::new(ChannelKind::Control, ChannelSide::Listener);
    let (mut channel, default) = Channel::open(grant(), options, at_ms(0));
    let high = channel.attach(&grant(), Role::High, at_ms(0)).unwrap();
    (channel, default, high)
}

fn is_frame(transmit: Option<&Transmit>) -> bool {
    matches!(transmit, Some(Transmit::Frame(_)))
}

#[test]
fn what_is_queued_is_sent_and_then_each_connection_is_closed() {
    let (mut channel, default, high) = control();
    channel
        .send(Priority::Default, message(1, "last words"))
        .unwrap();
    channel.close(CloseReason::Requested, at_ms(0));
    let reason = CloseReason::Requested;
    assert_eq!(events(&mut channel), [ChannelEvent::Closed { reason }]);
    let refused = channel.send(Priority::Default, message(1, "")).unwrap_err();
    assert_eq!(refused.why, SendErrorKind::Closed);

    assert_eq!(channel.poll_transmit(high, at_ms(0)), Some(Transmit::Close));
    assert!(is_frame(channel.poll_transmit(default, at_ms(0)).as_ref()));
    assert_eq!(
        channel.poll_transmit(default, at_ms(0)),
        Some(Transmit::Close)
    );
    for underlay in [default, high] {
        assert_eq!(channel.poll_transmit(underlay, at_ms(0)), None, "told once");
        assert!(!channel.is_finished());
        channel.detach(underlay, at_ms(1));
    }
    assert!(channel.is_finished());
    assert_eq!(channel.poll_timeout(), None);
    assert_eq!(events(&mut channel), []);
}

#[test]
fn writers_have_a_second() {
    let (mut channel, default, _) = control();
    for _ in 0..2 {
        channel.send(Priority::Default, message(1, "")).unwrap();
    }
    channel.close(CloseReason::Requested, at_ms(500));
    let (at, cause) = channel.poll_timeout().unwrap();
    assert_eq!((at.as_micros(), cause), (1_500_000, TimeoutReason::Drain));
    assert!(is_frame(
        channel.poll_transmit(default, at_ms(600)).as_ref()
    ));
    channel.handle_timeout(at_ms(1_499));
    assert_eq!(channel.queued_frames(Priority::Default), 1);
    channel.handle_timeout(at_ms(1_500));
    assert_eq!(channel.queued_frames(Priority::Default), 0);
    assert_eq!(
        channel.poll_transmit(default, at_ms(1_500)),
        Some(Transmit::Close)
    );
    assert_eq!(channel.poll_timeout(), None);
}

#[test]
fn a_silent_peer_gets_no_last_words() {
    let options = ChannelOptions::new(ChannelKind::Control, ChannelSide::Dialer);
    let (mut channel, underlay) = Channel::open(grant(), options, at_ms(0));
    channel.send(Priority::Default, message(1, "")).unwrap();
    channel.handle_timeout(at_ms(30_000));
    assert_eq!(
        channel.poll_transmit(underlay, at_ms(30_000)),
        Some(Transmit::Close)
    );
}

#[test]
fn nothing_is_heard_after_the_end() {
    let (mut channel, default, _) = control();
    channel.close(CloseReason::Requested, at_ms(0));
    let late = incoming(message(1000, ""), 1);
    assert_eq!(channel.handle_frame(default, late, at_ms(1)), None);
    channel.close(CloseReason::PeerUnresponsive, at_ms(1));
    assert_eq!(events(&mut channel).len(), 1, "it ends once");
}

#[test]
fn one_connection_is_closed_and_the_others_take_over() {
    let (mut channel, default, high) = control();
    channel.send(Priority::High, message(1, "")).unwrap();
    channel.close_underlay(high);
    assert_eq!(channel.poll_transmit(high, at_ms(0)), Some(Transmit::Close));
    channel.close_underlay(high);
    assert_eq!(channel.poll_transmit(high, at_ms(0)), None);
    assert!(is_frame(channel.poll_transmit(default, at_ms(0)).as_ref()));
    let still_read = incoming(message(1000, ""), 1);
    assert!(channel.handle_frame(high, still_read, at_ms(0)).is_some());
    channel.detach(high, at_ms(0));
    assert_eq!(events(&mut channel), []);
}

#[test]
fn a_channel_whose_connections_are_lost_is_over_at_once() {
    let (mut channel, default, high) = control();
    channel.send(Priority::Default, message(1, "")).unwrap();
    channel.detach(high, at_ms(0));
    channel.detach(default, at_ms(0));
    assert!(channel.is_finished());
    assert_eq!(channel.queued_bytes(Priority::Default), 0);
    assert_eq!(channel.poll_timeout(), None);
}

#[test]
fn a_queue_that_empties_after_the_end_tells_nobody() {
    let (mut channel, default, _) = control();
    while channel.send(Priority::Default, message(1, "")).is_ok() {}
    channel.close(CloseReason::Requested, at_ms(0));
    assert_eq!(events(&mut channel).len(), 1);
    while is_frame(channel.poll_transmit(default, at_ms(0)).as_ref()) {}
    assert_eq!(events(&mut channel), []);
}
