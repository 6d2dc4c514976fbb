//! Requests, replies and those that nobody waits for.

use crate::support::{at_ms, channel, channel_with, events, incoming, message, sent};
use portcullis_channel::headers::key;
use portcullis_channel::{
    Channel, ChannelEvent, ChannelKind, ChannelOptions, ChannelSide, CloseReason, ContentType,
    Headers, Message, Priority, Received, RequestFailure, ResultMessage, SendErrorKind, Sequence,
    UnderlayId,
};
use std::time::Duration;

const WITHIN: Duration = Duration::from_secs(10);

fn edge() -> (Channel, UnderlayId) {
    channel(ChannelKind::Edge, ChannelSide::Dialer)
}

fn reply_to(sequence: Sequence) -> Message {
    let headers = Headers::builder().i32(key::REPLY_FOR, sequence.0).build();
    message(60784, "").with_headers(headers)
}

#[test]
fn a_reply_finds_its_request() {
    let (mut channel, underlay) = edge();
    let ask = |channel: &mut Channel| {
        channel.request(Priority::High, message(60783, ""), WITHIN, at_ms(0))
    };
    let (first, second) = (ask(&mut channel).unwrap(), ask(&mut channel).unwrap());
    let frames = [(); 2].map(|()| sent(&mut channel, underlay, at_ms(0)).unwrap());
    assert_eq!(frames.each_ref().map(|frame| frame.sequence().0), [1, 2]);
    for (request, frame) in [(second, &frames[1]), (first, &frames[0])] {
        let reply = incoming(reply_to(frame.sequence()), 1);
        let received = channel.handle_frame(underlay, reply.clone(), at_ms(1));
        assert_eq!(
            received,
            Some(Received::Reply {
                request,
                frame: reply
            })
        );
    }
    assert_eq!(channel.outstanding_requests(), 0);
    assert_eq!(channel.poll_timeout(), None);
}

#[test]
fn a_second_reply_is_a_message() {
    let (mut channel, underlay) = edge();
    let asked = channel.request(Priority::High, message(60783, ""), WITHIN, at_ms(0));
    asked.unwrap();
    let sequence = sent(&mut channel, underlay, at_ms(0)).unwrap().sequence();
    let reply = incoming(reply_to(sequence), 1);
    let first = channel.handle_frame(underlay, reply.clone(), at_ms(1));
    assert!(matches!(first, Some(Received::Reply { .. })));
    let second = channel.handle_frame(underlay, reply.clone(), at_ms(1));
    assert_eq!(second, Some(Received::Message(reply)));
}

#[test]
fn a_request_without_a_reply_fails_in_time_and_its_late_reply_is_a_message() {
    let (mut channel, underlay) = edge();
    let request = channel.request(Priority::High, message(60783, ""), WITHIN, at_ms(0));
    let request = request.unwrap();
    let sequence = sent(&mut channel, underlay, at_ms(0)).unwrap().sequence();
    channel.handle_timeout(at_ms(9_999));
    assert_eq!(events(&mut channel), []);
    assert_eq!(channel.poll_timeout().unwrap().0.as_micros(), 10_000_000);
    channel.handle_timeout(at_ms(10_000));
    let why = RequestFailure::TimedOut;
    assert_eq!(
        events(&mut channel),
        [ChannelEvent::RequestFailed {
            request,
            reason: why
        }]
    );
    let late = incoming(reply_to(sequence), 1);
    let received = channel.handle_frame(underlay, late.clone(), at_ms(10_001));
    assert_eq!(received, Some(Received::Message(late)));
}

#[test]
fn a_request_whose_time_is_over_before_it_was_written_is_not_written() {
    let (mut channel, underlay) = edge();
    let asked = channel.request(Priority::High, message(60783, ""), WITHIN, at_ms(0));
    asked.unwrap();
    channel.handle_timeout(at_ms(10_000));
    assert_eq!(events(&mut channel).len(), 1);
    assert_eq!(channel.queued_bytes(Priority::High), 0);
    assert_eq!(channel.underlays_with_output().count(), 0);
    assert_eq!(sent(&mut channel, underlay, at_ms(10_000)), None);
}

#[test]
fn a_guessed_reply_to_a_request_that_was_not_written_is_a_message() {
    let (mut channel, underlay) = edge();
    let asked = channel.request(Priority::High, message(60783, ""), WITHIN, at_ms(0));
    asked.unwrap();
    let guess = incoming(reply_to(Sequence(1)), 1);
    let received = channel.handle_frame(underlay, guess.clone(), at_ms(0));
    assert_eq!(received, Some(Received::Message(guess)));
    assert_eq!(channel.outstanding_requests(), 1);
    assert!(sent(&mut channel, underlay, at_ms(0)).is_some());
}

#[test]
fn nothing_is_told_about_a_cancelled_request() {
    let (mut channel, underlay) = edge();
    let queued = channel.request(Priority::High, message(60783, ""), WITHIN, at_ms(0));
    channel.cancel(queued.unwrap());
    assert_eq!(sent(&mut channel, underlay, at_ms(0)), None);

    let written = channel.request(Priority::High, message(60783, ""), WITHIN, at_ms(0));
    let written = written.unwrap();
    assert!(sent(&mut channel, underlay, at_ms(0)).is_some());
    channel.cancel(written);
    channel.cancel(written);
    channel.handle_timeout(at_ms(20_000));
    channel.close(CloseReason::Requested, at_ms(20_000));
    let reason = CloseReason::Requested;
    assert_eq!(events(&mut channel), [ChannelEvent::Closed { reason }]);
}

#[test]
fn requests_are_counted() {
    let mut options = ChannelOptions::new(ChannelKind::Edge, ChannelSide::Dialer);
    options.max_requests = 1;
    let (mut channel, _) = channel_with(options);
    let ask = |channel: &mut Channel| {
        channel.request(Priority::High, message(60783, ""), WITHIN, at_ms(0))
    };
    ask(&mut channel).unwrap();
    let refused = ask(&mut channel).unwrap_err();
    assert_eq!(refused.why, SendErrorKind::TooManyRequests { limit: 1 });
    assert_eq!(refused.message, message(60783, ""));
    assert_eq!(channel.queued_frames(Priority::High), 1);
}

#[test]
fn requests_of_a_channel_that_closes_fail_at_once() {
    let (mut channel, underlay) = edge();
    let asked = channel.request(Priority::High, message(60783, ""), WITHIN, at_ms(0));
    let request = asked.unwrap();
    sent(&mut channel, underlay, at_ms(0)).unwrap();
    channel.detach(underlay, at_ms(1));
    let (why, reason) = (RequestFailure::Closed, CloseReason::ConnectionsLost);
    assert_eq!(
        events(&mut channel),
        [
            ChannelEvent::RequestFailed {
                request,
                reason: why,
            },
            ChannelEvent::Closed { reason },
        ]
    );
    assert!(channel.is_finished());
}

#[test]
fn a_probe_of_the_latency_is_answered_with_what_it_reflects() {
    for kind in [ChannelKind::Edge, ChannelKind::Link] {
        let (mut channel, underlay) = channel(kind, ChannelSide::Listener);
        let headers = Headers::builder().u64(key::REFLECTED, 77).build();
        let probe = Message::new(ContentType::LATENCY).with_headers(headers);
        assert_eq!(
            channel.handle_frame(underlay, incoming(probe, 16), at_ms(0)),
            None
        );
        let answer = sent(&mut channel, underlay, at_ms(0)).unwrap();
        assert_eq!(answer.reply_for(), Some(Sequence(16)));
        assert_eq!(answer.headers().u64(key::REFLECTED), Some(77));
        assert_eq!(answer.headers().bool(key::RESULT_SUCCESS), Some(true));
        assert!(answer.body().is_empty());
    }
}

#[test]
fn a_controller_answers_pings_and_nobody_else_does() {
    let ping = || incoming(Message::new(ContentType::PING), 3);
    let (mut controller, underlay) = channel(ChannelKind::Control, ChannelSide::Listener);
    assert_eq!(controller.handle_frame(underlay, ping(), at_ms(0)), None);
    let answer = sent(&mut controller, underlay, at_ms(0)).unwrap();
    assert_eq!(ResultMessage::from_frame(&answer).unwrap().text, "ok");
    assert_eq!(answer.reply_for(), Some(Sequence(3)));

    for (kind, side) in [
        (ChannelKind::Control, ChannelSide::Dialer),
        (ChannelKind::Edge, ChannelSide::Listener),
        (ChannelKind::Link, ChannelSide::Listener),
        (ChannelKind::Management, ChannelSide::Listener),
    ] {
        let (mut channel, underlay) = channel(kind, side);
        let received = channel.handle_frame(underlay, ping(), at_ms(0));
        assert_eq!(received, Some(Received::Message(ping())));
    }
}

#[test]
fn a_flood_of_pings_fills_a_queue_and_no_more() {
    let (mut channel, underlay) = channel(ChannelKind::Control, ChannelSide::Listener);
    for sequence in 0..100_000 {
        let ping = incoming(Message::new(ContentType::PING), sequence);
        assert_eq!(channel.handle_frame(underlay, ping, at_ms(0)), None);
    }
    assert_eq!(channel.queued_frames(Priority::Default), 1024);
}

#[test]
fn a_reply_is_given_back_as_it_was() {
    let mut options = ChannelOptions::new(ChannelKind::Edge, ChannelSide::Listener);
    options.default_queue.frames = 1;
    let (mut channel, _) = channel_with(options);
    let request = incoming(message(60783, ""), 5).reply_to();
    let answer = || message(60784, "answer");
    channel
        .reply(&request, Priority::Default, answer())
        .unwrap();
    let refused = channel
        .reply(&request, Priority::Default, answer())
        .unwrap_err();
    assert_eq!(refused.message, answer());
    assert_eq!(refused.to_string(), "message not sent: the queue is full");
}
