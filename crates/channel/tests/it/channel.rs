//! Connections that join a channel.

use crate::queues::grant;
use crate::support::{at_ms, channel, channel_with, id, incoming, message};
use portcullis_channel::group::ChannelGrant;
use portcullis_channel::{
    AttachError, Channel, ChannelKind, ChannelOptions, ChannelSide, CloseReason, Role,
};

#[test]
fn a_lone_connection_stays_alone() {
    let (mut channel, _) = channel(ChannelKind::Control, ChannelSide::Listener);
    let refused = channel.attach(&ChannelGrant::ungrouped(id("c")), Role::Default, at_ms(0));
    assert_eq!(refused, Err(AttachError::WrongGroup));
    let refused = channel.attach(&grant(), Role::Default, at_ms(0));
    assert_eq!(refused, Err(AttachError::WrongGroup));
}

#[test]
fn connections_are_counted() {
    let options = ChannelOptions::new(ChannelKind::Link, ChannelSide::Listener);
    let (mut channel, first) = Channel::open(grant(), options, at_ms(0));
    for _ in 1..16 {
        channel.attach(&grant(), Role::Default, at_ms(0)).unwrap();
    }
    let refused = channel.attach(&grant(), Role::Default, at_ms(0));
    assert_eq!(refused, Err(AttachError::TooMany { limit: 16 }));
    channel.detach(first, at_ms(0));
    let again = channel.attach(&grant(), Role::Default, at_ms(0)).unwrap();
    assert_ne!(again, first, "numbers are not used twice");
}

#[test]
fn room_is_kept_for_a_connection_whose_hello_is_answered() {
    let options = ChannelOptions::new(ChannelKind::Link, ChannelSide::Listener);
    let (mut channel, _) = Channel::open(grant(), options, at_ms(0));
    for _ in 1..16 {
        channel.reserve(&grant()).unwrap();
    }
    let full = AttachError::TooMany { limit: 16 };
    assert_eq!(channel.reserve(&grant()), Err(full));
    assert_eq!(channel.attach(&grant(), Role::Default, at_ms(0)), Err(full));
    channel.release();
    channel.attach(&grant(), Role::Default, at_ms(0)).unwrap();
    assert_eq!(channel.reserve(&grant()), Err(full));
    channel.close(CloseReason::Requested, at_ms(0));
    assert_eq!(channel.reserve(&grant()), Err(AttachError::Closed));
}

#[test]
fn nothing_joins_a_closed_channel() {
    let options = ChannelOptions::new(ChannelKind::Link, ChannelSide::Listener);
    let (mut channel, _) = Channel::open(grant(), options, at_ms(0));
    channel.close(CloseReason::Requested, at_ms(0));
    let refused = channel.attach(&grant(), Role::High, at_ms(0));
    assert_eq!(refused, Err(AttachError::Closed));
}

#[test]
fn frames_of_connections_that_are_gone_are_dropped() {
    let (mut other, stranger) = channel(ChannelKind::Control, ChannelSide::Dialer);
    other.detach(stranger, at_ms(0));
    let frame = incoming(message(1000, ""), 1);
    assert_eq!(other.handle_frame(stranger, frame, at_ms(0)), None);
    other.detach(stranger, at_ms(0));
}

#[test]
fn types_of_connections_are_told_by_their_hello() {
    for (kind, default, high) in [
        (ChannelKind::Control, "ctrl.default", "ctrl.high"),
        (ChannelKind::Link, "link.default", "link.ack"),
        (ChannelKind::Edge, "edge.default", "edge.control"),
    ] {
        assert_eq!(kind.role(Some(default)), Role::Default);
        assert_eq!(kind.role(Some(high)), Role::High);
        assert_eq!(kind.underlay_type(Role::High), Some(high));
        for other in [None, Some(""), Some("ctrl.low"), Some("CTRL.HIGH")] {
            assert_eq!(kind.role(other), Role::Default);
        }
    }
}

#[test]
fn what_a_frame_may_be_depends_on_who_sends_it() {
    let body = |kind: ChannelKind, side| kind.frame_limits(side).body >> 20;
    assert_eq!(body(ChannelKind::Control, ChannelSide::Listener), 64);
    assert_eq!(body(ChannelKind::Control, ChannelSide::Dialer), 64);
    assert_eq!(body(ChannelKind::Link, ChannelSide::Listener), 16);
    assert_eq!(body(ChannelKind::Edge, ChannelSide::Listener), 16);
    assert_eq!(body(ChannelKind::Management, ChannelSide::Listener), 1);
    assert_eq!(body(ChannelKind::Edge, ChannelSide::Dialer), 64);
    let options = ChannelOptions::new(ChannelKind::Edge, ChannelSide::Dialer);
    assert_eq!(options.send_limits.body >> 20, 16, "what the router reads");
    let _channel = channel_with(options);
}
