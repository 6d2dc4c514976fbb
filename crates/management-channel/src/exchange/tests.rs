mod vectors;

use super::*;
use portcullis_wire::management::StreamedEvent;
use proptest::prelude::*;

/// The recorded frames of the management channel, by what they are; the tests of the channel read them too.
fn recorded(beginning: &str) -> Vec<Bytes> {
    let text = include_str!("../../../channel/tests/corpus/frames.txt");
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for pair in lines.windows(2) {
        let name = pair[0].strip_prefix("# management: ");
        if name.is_some_and(|name| name.starts_with(beginning)) {
            found.push(bytes(pair[1]));
        }
    }
    assert!(!found.is_empty(), "{beginning}");
    found
}

fn one(beginning: &str) -> Bytes {
    recorded(beginning).remove(0)
}

fn bytes(hex: &str) -> Bytes {
    let digit = |byte: u8| u8::try_from(char::from(byte).to_digit(16).unwrap()).unwrap();
    let pairs = hex.as_bytes().chunks(2);
    pairs
        .map(|pair| digit(pair[0]) * 16 + digit(pair[1]))
        .collect()
}

fn exchange() -> Exchange {
    Exchange::new("c1".into(), ChannelLimits::default())
}

fn frame(number: i32, body: impl Into<Bytes>) -> Bytes {
    let message = Message::new(ContentType(number)).with_body(body);
    let frame = Frame::new(message, Sequence(1), &FrameLimits::LARGE).unwrap();
    frame.to_bytes()
}

fn stream_events(json: &str) -> Bytes {
    frame(10040, json.to_owned())
}

/// What the exchange says at once to a frame, as it goes out.
fn answer(exchange: &mut Exchange, message: Bytes) -> Option<Bytes> {
    let answer = match exchange.receive(message).unwrap() {
        Step::Answer(answer) => answer,
        Step::Subscribe(reply_to, request) => {
            let made = request.subscriptions();
            if made.is_err() {
                exchange.event_request_refused(request.len());
            }
            subscribed(&reply_to, made.as_ref().map(drop).map_err(String::as_str))
        },
        Step::StreamTraces(_) | Step::Query(..) | Step::Nothing => return None,
    };
    Some(exchange.number(answer).unwrap().to_bytes())
}

fn text_of(answer: &Bytes) -> (ContentType, String) {
    let reader = FrameReader::new(FrameLimits::LARGE);
    let frame = reader.read_datagram(answer.clone()).unwrap();
    assert_eq!(frame.reply_for(), Some(Sequence(1)));
    let number = frame.content_type();
    let text = String::from_utf8_lossy(frame.body()).into_owned();
    (number, text)
}

#[test]
fn events_are_streamed_as_recorded() {
    let mut exchange = exchange();
    let json = r#"{"format":"json","subscriptions":[{"type":"router","options":null}]}"#;
    let success = answer(&mut exchange, stream_events(json)).unwrap();
    assert_eq!(success, one("S Result success"));

    let recorded = one("S event router");
    let reader = FrameReader::new(FrameLimits::LARGE);
    let body = reader.read_datagram(recorded.clone()).unwrap();
    let json = String::from_utf8(body.body().to_vec()).unwrap();
    let event = ManagementMessage::StreamedEvent(StreamedEvent {
        event_type: "router".to_owned(),
        json: json.into(),
    });
    exchange.last = 3;
    let sent = exchange.number(encoded(&event)).unwrap();
    assert_eq!(sent.to_bytes(), recorded);
}

#[test]
fn other_formats_are_refused_as_recorded() {
    let refusal = answer(&mut exchange(), stream_events(r#"{"format":"plain"}"#));
    assert_eq!(refusal.unwrap(), one("S Result failure"));
}

#[test]
fn validations_are_answered_as_recorded() {
    for (request, expected) in [
        ("C validate links, no filter", one("S answer, 2 routers")),
        ("C validate terminators", one("S answer, 1")),
        (
            "C validate circuits",
            recorded("C validate circuits; S answer").remove(1),
        ),
    ] {
        let mut exchange = exchange();
        let step = exchange.receive(one(request)).unwrap();
        let Step::Query(reply_to, Query::Validate(query)) = step else {
            panic!("{request}: {step:?}");
        };
        let count = if request.contains("terminators") {
            1
        } else {
            2
        };
        let found = Found {
            is_success: true,
            text: String::new(),
            count,
        };
        let answer = encoded(&query.answer(found)).in_reply_to(&reply_to);
        assert_eq!(exchange.number(answer).unwrap().to_bytes(), expected);
    }
}

#[test]
fn failures_of_validations_have_the_id_of_the_controller_in_front() {
    let recorded = recorded("C dialers; S failure");
    let mut exchange = exchange();
    let step = exchange.receive(recorded[0].clone()).unwrap();
    let Step::Query(reply_to, query) = step else {
        panic!("{step:?}");
    };
    let failure = query.failure("c1", "controller dialer is not enabled");
    let failure = exchange.number(failure.in_reply_to(&reply_to)).unwrap();
    assert_eq!(failure.to_bytes(), recorded[1]);
}

#[test]
fn every_recorded_request_is_answered() {
    let requests = recorded("C ").into_iter();
    // Of those that are recorded with their answers, every second is one.
    let requests = requests.filter(|frame| {
        let reader = FrameReader::new(FrameLimits::LARGE);
        let frame = reader.read_datagram(frame.clone()).unwrap();
        let type_number = frame.content_type().0;
        frame.reply_for().is_none() && type_number != 10121
    });
    let mut count = 0;
    for request in requests {
        let step = exchange().receive(request.clone()).unwrap();
        assert!(!matches!(step, Step::Nothing), "{request:?}");
        count += 1;
    }
    assert!(count >= 9, "{count}");
}

#[test]
fn traces_follow_without_an_answer_and_are_turned_on_by_a_query() {
    let mut exchange = exchange();
    let step = exchange.receive(one("C stream traces")).unwrap();
    assert!(matches!(step, Step::StreamTraces(request) if !request.is_filtered));
    let step = exchange.receive(one("C toggle on")).unwrap();
    let Step::Query(_, Query::ToggleTraces(request)) = step else {
        panic!("{step:?}");
    };
    assert!(request.is_enabled);
    assert_eq!(
        (request.app_regex.as_str(), request.pipe_regex.as_str()),
        ("c1", ".*")
    );
}

#[test]
fn what_is_not_supported_is_told() {
    for (message, expected) in [
        (frame(10080, ""), "messages of type 10080 are not supported"),
        (frame(10101, ""), "messages of type 10101 are not supported"),
        (frame(0, ""), "messages of type 0 are not supported"),
    ] {
        let (number, text) = text_of(&answer(&mut exchange(), message).unwrap());
        assert_eq!((number, text.as_str()), (ContentType::RESULT, expected));
    }
}

#[test]
fn pings_are_answered_and_heartbeats_and_answers_are_not() {
    let (number, text) = text_of(&answer(&mut exchange(), frame(1, "")).unwrap());
    assert_eq!((number, text.as_str()), (ContentType::RESULT, ""));
    for number in [2, 4, 5] {
        assert_eq!(answer(&mut exchange(), frame(number, "")), None, "{number}");
    }
    let reply = one("S answer, 2 routers");
    assert_eq!(answer(&mut exchange(), reply), None);
}

#[test]
fn bad_requests_are_answered_by_a_failure_of_their_own_kind() {
    for (request, reply) in [
        (10048, 10049),
        (10100, 10101),
        (10103, 10104),
        (10106, 10107),
        (10109, 10110),
        (10112, 10113),
        (10115, 10116),
        (10118, 10119),
        (10040, 2),
        (10044, 2),
        (10046, 2),
    ] {
        let bad = frame(request, &b"\xff\xff\xff"[..]);
        let (number, text) = text_of(&answer(&mut exchange(), bad).unwrap());
        assert_eq!(number, ContentType(reply), "{request}");
        assert!(text.contains("failed to unmarshall request"), "{text}");
        assert_eq!(text.contains("c1: "), reply != 2, "{text}");
    }
}

#[test]
fn requests_for_events_and_subscriptions_are_limited() {
    let limits = ChannelLimits {
        event_requests: 2,
        subscriptions: 3,
        ..ChannelLimits::default()
    };
    let mut exchange = Exchange::new("c1".into(), limits);
    let two = r#"{"format":"json","subscriptions":[{"type":"sdk"},{"type":"link"}]}"#;
    let one = r#"{"format":"json","subscriptions":[{"type":"sdk"}]}"#;
    let mut ask = |json| text_of(&answer(&mut exchange, stream_events(json)).unwrap()).1;
    assert_eq!(ask(two), "success");
    assert_eq!(
        ask(two),
        "at most 3 subscriptions can be made on one connection"
    );
    assert_eq!(ask(one), "success");
    assert_eq!(
        ask(r#"{"format":"json"}"#),
        "at most 2 requests for events can be made on one connection"
    );
}

#[test]
fn subscriptions_are_counted_before_they_are_made() {
    let mut exchange = exchange();
    let wanted = |count| {
        let one = r#"{"type":"metrics","options":{"metricFilter":"("}}"#;
        let all = vec![one; count].join(",");
        stream_events(&format!(r#"{{"format":"json","subscriptions":[{all}]}}"#))
    };
    let mut ask = |count| text_of(&answer(&mut exchange, wanted(count)).unwrap()).1;
    // The first of them is wrong, but nobody looks at it.
    assert_eq!(
        ask(10_000),
        "at most 64 subscriptions can be made on one connection"
    );
    // What is refused leaves room for others.
    for _ in 0..20 {
        let text = ask(64);
        assert!(text.contains("option `metricFilter`: not a"), "{text}");
    }
}

#[test]
fn queries_are_limited_until_they_are_answered() {
    let limits = ChannelLimits {
        running_queries: 1,
        ..ChannelLimits::default()
    };
    let mut exchange = Exchange::new("c1".into(), limits);
    let request = one("C validate links, no filter");
    let step = exchange.receive(request.clone()).unwrap();
    assert!(matches!(step, Step::Query(..)));
    let refusal = answer(&mut exchange, request.clone()).unwrap();
    let (number, text) = text_of(&refusal);
    assert_eq!(number, ContentType(10104));
    assert!(text.contains("c1: too many requests at a time"), "{text}");
    exchange.query_finished();
    let step = exchange.receive(request).unwrap();
    assert!(matches!(step, Step::Query(..)));
}

#[test]
fn numbers_go_on_from_one_when_there_are_no_more() {
    let mut exchange = exchange();
    exchange.last = i32::MAX - 1;
    let mut next = || exchange.number(Message::new(ContentType(1))).unwrap();
    let numbers = [next().sequence().0, next().sequence().0];
    assert_eq!(numbers, [i32::MAX, 1]);
}

#[test]
fn what_is_no_frame_is_an_error() {
    for message in [
        &b""[..],
        b"GET / HTTP/1.1",
        b"\x03\x06\x09\x0c",
        b"\x03\x06\x09",
    ] {
        assert!(exchange().receive(Bytes::from_static(message)).is_err());
    }
    let mut cut = one("C validate links, filter");
    cut.truncate(cut.len() - 1);
    assert!(exchange().receive(cut).is_err());
}

proptest! {
    #[test]
    fn any_request_is_answered(number in prop_oneof![10040..10130_i32, any::<i32>()], body: Vec<u8>) {
        prop_assume!(![2, 4, 5].contains(&number));
        let step = exchange().receive(frame(number, body)).unwrap();
        prop_assert!(!matches!(step, Step::Nothing));
    }

    #[test]
    fn any_message_is_taken(message: Vec<u8>) {
        let _ = exchange().receive(message.into());
    }
}
