//! Heartbeats.

use crate::support::{at_ms, at_us, channel, channel_with, events, incoming, message, sent};
use portcullis_channel::headers::key;
use portcullis_channel::{
    Channel, ChannelEvent, ChannelKind, ChannelOptions, ChannelSide, CloseReason, ContentType,
    Headers, Message, Moment, Now, Priority, Received, TimeoutReason, Transmit, UnderlayId,
};
use std::time::Duration;

fn beat(request: Option<u64>, response: Option<u64>) -> Message {
    let mut headers = Headers::builder();
    if let Some(request) = request {
        headers = headers.u64(key::HEARTBEAT, request);
    }
    if let Some(response) = response {
        headers = headers.u64(key::HEARTBEAT_RESPONSE, response);
    }
    Message::new(ContentType::HEARTBEAT).with_headers(headers.build())
}

fn router() -> (Channel, UnderlayId) {
    channel(ChannelKind::Control, ChannelSide::Dialer)
}

/// Lets deadlines pass until something is sent or the channel ends.
fn until_output(channel: &mut Channel, underlay: UnderlayId) -> (Now, Option<Transmit>) {
    for _ in 0..10 {
        let (at, _) = channel.poll_timeout().unwrap();
        let now = at_us(at.as_micros());
        channel.handle_timeout(now);
        if let Some(transmit) = channel.poll_transmit(underlay, now) {
            return (now, Some(transmit));
        }
    }
    panic!("nothing is ever sent");
}

#[test]
fn the_first_message_carries_a_heartbeat_and_the_next_one_after_the_interval() {
    let (mut channel, underlay) = router();
    let carries = |channel: &mut Channel, now| {
        channel.send(Priority::Default, message(1000, "m")).unwrap();
        let frame = sent(channel, underlay, now).unwrap();
        assert_eq!(frame.content_type(), ContentType(1000));
        frame.headers().u64(key::HEARTBEAT)
    };
    assert_eq!(carries(&mut channel, at_ms(0)), Some(at_ms(0).wall.0));
    assert_eq!(carries(&mut channel, at_ms(9_999)), None);
    assert_eq!(
        carries(&mut channel, at_ms(10_000)),
        Some(at_ms(10_000).wall.0)
    );
    assert_eq!(carries(&mut channel, at_ms(10_001)), None);
}

#[test]
fn a_heartbeat_that_finds_no_message_gets_one_of_its_own() {
    let (mut channel, underlay) = router();
    assert_eq!(
        channel.poll_timeout(),
        Some((Moment::from_micros(1_000_000), TimeoutReason::Heartbeat))
    );
    assert_eq!(channel.underlays_with_output().count(), 0);
    channel.handle_timeout(at_ms(1000));
    assert_eq!(
        channel.underlays_with_output().collect::<Vec<_>>(),
        [underlay]
    );
    let frame = sent(&mut channel, underlay, at_ms(1000)).unwrap();
    assert_eq!(frame.content_type(), ContentType::HEARTBEAT);
    assert_eq!(frame.sequence().0, 1);
    assert_eq!(frame.headers().iter().count(), 1);
    assert!(frame.body().is_empty());
    assert_eq!(sent(&mut channel, underlay, at_ms(1000)), None);
    let (at, cause) = channel.poll_timeout().unwrap();
    assert_eq!(
        (at.as_micros(), cause),
        (12_000_000, TimeoutReason::Heartbeat)
    );
}

#[test]
fn an_answer_waits_two_milliseconds_for_a_message_to_go_with() {
    let (mut channel, underlay) = router();
    channel.send(Priority::Default, message(1000, "")).unwrap();
    sent(&mut channel, underlay, at_ms(0)).unwrap();

    let received = channel.handle_frame(underlay, incoming(beat(Some(77), None), 1), at_ms(100));
    assert_eq!(received, None);
    assert_eq!(sent(&mut channel, underlay, at_ms(101)), None);
    let (at, cause) = channel.poll_timeout().unwrap();
    assert_eq!(
        (at.as_micros(), cause),
        (102_000, TimeoutReason::HeartbeatAnswer)
    );
    channel.handle_timeout(at_ms(102));
    let answer = sent(&mut channel, underlay, at_ms(102)).unwrap();
    assert_eq!(answer.content_type(), ContentType::HEARTBEAT);
    assert_eq!(answer.headers().u64(key::HEARTBEAT_RESPONSE), Some(77));
    assert_eq!(answer.headers().get(key::HEARTBEAT), None);

    let received = channel.handle_frame(underlay, incoming(beat(Some(78), None), 2), at_ms(200));
    assert_eq!(received, None);
    channel.send(Priority::Default, message(1000, "")).unwrap();
    let message = sent(&mut channel, underlay, at_ms(201)).unwrap();
    assert_eq!(message.headers().u64(key::HEARTBEAT_RESPONSE), Some(78));
    channel.handle_timeout(at_ms(202));
    assert_eq!(
        sent(&mut channel, underlay, at_ms(202)),
        None,
        "answered once"
    );
}

#[test]
fn heartbeats_that_come_faster_than_answers_leave_do_not_delay_them() {
    let (mut channel, underlay) = router();
    for ms in 0..10 {
        let beat = incoming(beat(Some(ms), None), 1);
        assert_eq!(channel.handle_frame(underlay, beat, at_ms(ms)), None);
    }
    let (at, cause) = channel.poll_timeout().unwrap();
    assert_eq!(
        (at.as_micros(), cause),
        (2_000, TimeoutReason::HeartbeatAnswer)
    );
    channel.handle_timeout(at_ms(9));
    let answer = sent(&mut channel, underlay, at_ms(9)).unwrap();
    assert_eq!(
        answer.headers().u64(key::HEARTBEAT_RESPONSE),
        Some(9),
        "the newest"
    );
}

#[test]
fn both_may_come_in_one_message_which_is_handed_on_without_them() {
    let (mut channel, underlay) = router();
    channel.send(Priority::Default, message(1000, "")).unwrap();
    let mine = sent(&mut channel, underlay, at_ms(0)).unwrap();
    let mine = mine.headers().u64(key::HEARTBEAT).unwrap();

    let headers = Headers::builder()
        .u64(key::HEARTBEAT, 5)
        .u32(portcullis_channel::HeaderKey(1000), 1)
        .u64(key::HEARTBEAT_RESPONSE, mine)
        .build();
    let data = message(60786, "data").with_headers(headers);
    let received = channel.handle_frame(underlay, incoming(data, 1), at_ms(40));
    let Some(Received::Message(frame)) = received else {
        panic!("{received:?}");
    };
    let keys: Vec<i32> = frame.headers().iter().map(|(key, _)| key.0).collect();
    assert_eq!(keys, [1000], "the next channel has heartbeats of its own");
    let liveness = channel.liveness(at_ms(40)).unwrap();
    assert_eq!(liveness.latency, Some(Duration::from_millis(40)));
    assert_eq!(liveness.unanswered_for, Duration::ZERO);
    channel.handle_timeout(at_ms(42));
    let answer = sent(&mut channel, underlay, at_ms(42)).unwrap();
    assert_eq!(answer.headers().u64(key::HEARTBEAT_RESPONSE), Some(5));
}

#[test]
fn a_router_ends_a_channel_that_answers_nothing_after_thirty_seconds() {
    let (mut channel, underlay) = router();
    let (mut beats, mut now) = (0, at_ms(0));
    while events(&mut channel).is_empty() {
        match until_output(&mut channel, underlay) {
            (at, Some(Transmit::Frame(_))) => (beats, now) = (beats + 1, at),
            (at, _) => {
                now = at;
                break;
            },
        }
    }
    assert_eq!(now.mono.as_micros(), 30_000_000);
    assert_eq!(beats, 3);
    assert_eq!(channel.poll_timeout(), None);
}

#[test]
fn a_controller_gives_a_router_a_minute_more() {
    let (mut channel, underlay) = channel(ChannelKind::Control, ChannelSide::Listener);
    let ended = loop {
        match until_output(&mut channel, underlay) {
            (_, Some(Transmit::Frame(_))) => {},
            (at, _) => break at,
        }
    };
    assert_eq!(ended.mono.as_micros(), 90_000_000);
    let reason = CloseReason::PeerUnresponsive;
    assert_eq!(events(&mut channel), [ChannelEvent::Closed { reason }]);
}

#[test]
fn answers_keep_a_channel_alive_and_other_messages_do_not() {
    for answers in [true, false] {
        let (mut channel, underlay) = router();
        for second in 0..60 {
            let now = at_ms(second * 1000);
            channel.handle_timeout(now);
            let response = match channel.poll_transmit(underlay, now) {
                Some(Transmit::Frame(frame)) => frame.headers().u64(key::HEARTBEAT),
                _ => None,
            };
            let reply = beat(None, response.filter(|_| answers));
            let frame = incoming(reply, 1);
            assert_eq!(channel.handle_frame(underlay, frame, now), None);
        }
        assert_eq!(events(&mut channel).is_empty(), answers);
    }
}

#[test]
fn answers_to_what_was_never_sent_prove_nothing() {
    let (mut channel, underlay) = router();
    for ms in [0, 10_000, 20_000, 29_999] {
        let lie = incoming(beat(None, Some(at_ms(ms).wall.0)), 1);
        assert_eq!(channel.handle_frame(underlay, lie, at_ms(ms)), None);
    }
    assert_eq!(channel.liveness(at_ms(29_999)).unwrap().latency, None);
    channel.handle_timeout(at_ms(30_000));
    assert_eq!(events(&mut channel).len(), 1);
}

#[test]
fn one_answer_counts_once() {
    let (mut channel, underlay) = router();
    channel.handle_timeout(at_ms(1000));
    let frame = sent(&mut channel, underlay, at_ms(1000)).unwrap();
    let value = frame.headers().u64(key::HEARTBEAT);
    for ms in [1005, 29_000] {
        let answer = incoming(beat(None, value), 1);
        assert_eq!(channel.handle_frame(underlay, answer, at_ms(ms)), None);
    }
    let liveness = channel.liveness(at_ms(29_000)).unwrap();
    assert_eq!(liveness.latency, Some(Duration::from_millis(5)));
    channel.handle_timeout(at_ms(31_005));
    assert_eq!(
        events(&mut channel).len(),
        1,
        "30 s after the answer, not its repetition"
    );
}

#[test]
fn a_turned_wall_clock_changes_nothing() {
    let (mut channel, underlay) = router();
    let mut now = at_ms(1000);
    channel.handle_timeout(now);
    let frame = sent(&mut channel, underlay, now).unwrap();
    let value = frame.headers().u64(key::HEARTBEAT);
    now = at_ms(1020);
    now.wall.0 -= 3_600_000_000_000;
    let answer = incoming(beat(None, value), 1);
    assert_eq!(channel.handle_frame(underlay, answer, now), None);
    let liveness = channel.liveness(now).unwrap();
    assert_eq!(liveness.latency, Some(Duration::from_millis(20)));
    let (at, _) = channel.poll_timeout().unwrap();
    assert_eq!(at.as_micros(), 12_000_000);
}

#[test]
fn values_that_are_not_eight_bytes_are_no_heartbeats() {
    let (mut channel, underlay) = router();
    let headers = Headers::builder().bytes(key::HEARTBEAT, b"1234567").build();
    let odd = Message::new(ContentType::HEARTBEAT).with_headers(headers);
    assert_eq!(
        channel.handle_frame(underlay, incoming(odd, 1), at_ms(0)),
        None
    );
    let (_, cause) = channel.poll_timeout().unwrap();
    assert_eq!(cause, TimeoutReason::Heartbeat);
}

#[test]
fn a_deadline_that_comes_early_or_late_does_no_harm() {
    let (mut channel, underlay) = router();
    let before = channel.poll_timeout();
    channel.handle_timeout(at_ms(999));
    assert_eq!(channel.poll_timeout(), before);
    assert_eq!(sent(&mut channel, underlay, at_ms(999)).map(|_| ()), None);
    channel.handle_timeout(at_ms(29_999));
    assert!(sent(&mut channel, underlay, at_ms(29_999)).is_some());
}

#[test]
fn between_sdk_and_router_there_are_none() {
    let (mut channel, underlay) = channel(ChannelKind::Edge, ChannelSide::Listener);
    assert_eq!(channel.poll_timeout(), None);
    let frame = incoming(beat(Some(1), None), 1);
    let received = channel.handle_frame(underlay, frame.clone(), at_ms(0));
    assert_eq!(received, Some(Received::Message(frame)));
    assert_eq!(channel.poll_timeout(), None);
}

#[test]
fn links_are_closed_after_a_minute_of_silence_and_two_of_grace() {
    let options = ChannelOptions::new(ChannelKind::Link, ChannelSide::Dialer);
    let (mut channel, underlay) = channel_with(options);
    let ended = loop {
        match until_output(&mut channel, underlay) {
            (_, Some(Transmit::Frame(_))) => {},
            (at, _) => break at,
        }
    };
    assert_eq!(ended.mono.as_micros(), 180_000_000);
}

/// However short the interval is, answers that come in time keep a channel open.
#[test]
fn late_answers_count_with_short_intervals_too() {
    let mut options = ChannelOptions::new(ChannelKind::Control, ChannelSide::Dialer);
    let heartbeats = options.heartbeats.as_mut().unwrap();
    heartbeats.send_interval = Duration::from_millis(1);
    heartbeats.check_interval = Duration::ZERO;
    heartbeats.close_after = Duration::from_secs(1);
    heartbeats.grace = Duration::ZERO;
    let (mut channel, underlay) = channel_with(options);
    let mut sent_at = std::collections::VecDeque::new();
    for ms in 0..5_000 {
        let now = at_ms(ms);
        channel.handle_timeout(now);
        if let Some(frame) = sent(&mut channel, underlay, now) {
            sent_at.extend(frame.headers().u64(key::HEARTBEAT).map(|beat| (ms, beat)));
        }
        while let Some((_, beat)) = sent_at.pop_front_if(|(sent, _)| *sent + 900 <= ms) {
            channel.handle_frame(underlay, incoming(self::beat(None, Some(beat)), 1), now);
        }
        assert!(channel.poll_timeout().is_some(), "closed after {ms} ms");
    }
    assert!(channel.liveness(at_ms(5_000)).unwrap().latency.is_some());
}
