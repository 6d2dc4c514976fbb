use super::*;
use crate::limits::ChannelLimits;
use crate::queries::{
    InspectionAnswer, NoNetworkQueries, QueryFuture, TerminatorFinding, Validation,
    ValidationFuture,
};
use futures_util::stream::{self, BoxStream};
use portcullis_channel::{
    ContentType, Frame, FrameLimits, FrameReader, ResultMessage, ResultStatus, Sequence,
};
use portcullis_domain::access::{ApiSurface, AuthLevel, Caller, Origin};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::{ApiSessionId, IdentityId, RecordNumber, RequestId};
use portcullis_domain::permission::PermissionSet;
use portcullis_events::{
    Body, Event, EventPublisher as _, Namespace, RouterStatus, SdkStatus, SdkStatusKind,
};
use portcullis_wire::management::{
    Found, HostState, InspectRequest, InspectResponse, InspectedValue, LinkDetails,
    ManagementMessage, RouterFilter, StreamEvents, StreamTraces, TerminatorDetail, TraceFilter,
    ValidateTerminators,
};
use portcullis_wire::trace::{PipeTraces, TraceEvent};
use serde_json::json;
use std::collections::BTreeMap;
use std::future::{pending, ready};
use tokio::io::{DuplexStream, duplex};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

fn permit() -> Permit<OpenChannel> {
    let caller = Caller {
        origin: Origin::new(RequestId::from_wire("r"), ([127, 0, 0, 1], 1).into()),
        identity: IdentityId::from_wire("i"),
        identity_number: RecordNumber(1),
        session: ApiSessionId::from_wire("s"),
        session_number: RecordNumber(1),
        access_token: None,
        second_factor_token: None,
        auth_level: AuthLevel::Full,
        last_factor_at: Timestamp::UNIX_EPOCH,
        is_admin: true,
        permissions: PermissionSet::default(),
    };
    Permit::request(ApiSurface::Edge, Arc::new(caller)).unwrap()
}

/// A client, and the channel that it speaks with.
struct Client {
    socket: WebSocketStream<DuplexStream>,
    channel: JoinHandle<End>,
    bus: EventBus,
}

impl Client {
    async fn connect(
        queries: impl NetworkQueries,
        closing: impl Future<Output = Closing> + Send + 'static,
    ) -> Self {
        let limits = ChannelLimits {
            queued_events: 100,
            ..ChannelLimits::default()
        };
        Self::connect_within(limits, queries, closing).await
    }

    async fn connect_within(
        limits: ChannelLimits,
        queries: impl NetworkQueries,
        closing: impl Future<Output = Closing> + Send + 'static,
    ) -> Self {
        let (near, far) = duplex(16 * 1024);
        let bus = EventBus::default();
        let parts = ChannelParts {
            exchange: Exchange::new("c1".into(), limits),
            permit: permit(),
            controller: "c1".into(),
            bus: bus.clone(),
            queries: Arc::new(queries),
            queued_events: limits.queued_events,
        };
        let channel = tokio::spawn(run(near, parts, closing));
        let socket = WebSocketStream::from_raw_socket(far, Role::Client, None).await;
        Self {
            socket,
            channel,
            bus,
        }
    }

    async fn usual() -> Self {
        Self::connect(NoNetworkQueries, pending()).await
    }

    async fn say(&mut self, sequence: i32, message: &ManagementMessage) {
        let message = message.encode().unwrap();
        let frame = Frame::new(message, Sequence(sequence), &FrameLimits::LARGE).unwrap();
        let message = Message::Binary(frame.to_bytes());
        self.socket.send(message).await.unwrap();
    }

    async fn hear(&mut self) -> Frame {
        let message = self.socket.next().await.unwrap().unwrap();
        let Message::Binary(bytes) = message else {
            panic!("{message:?}");
        };
        let reader = FrameReader::new(FrameLimits::LARGE);
        reader.read_datagram(bytes).unwrap()
    }

    async fn hear_message(&mut self) -> ManagementMessage {
        ManagementMessage::decode(&self.hear().await.into_message()).unwrap()
    }

    /// Waits until the controller has closed the channel; whatever comes before is passed over.
    async fn closed(mut self) -> (CloseCode, End) {
        let code = loop {
            match self.socket.next().await {
                Some(Ok(Message::Close(Some(frame)))) => break frame.code,
                Some(Ok(Message::Binary(_))) => {},
                other => panic!("{other:?}"),
            }
        };
        // The answer goes out.
        while let Some(Ok(_)) = self.socket.next().await {}
        (code, self.channel.await.unwrap())
    }

    /// Asks for events, and returns the text of the answer.
    async fn ask_for_events(&mut self, json: &str) -> String {
        let json = json.to_owned();
        self.say(1, &ManagementMessage::StreamEvents(StreamEvents { json }))
            .await;
        let answer = self.hear().await;
        assert_eq!(answer.content_type(), ContentType::RESULT);
        String::from_utf8(answer.body().to_vec()).unwrap()
    }

    async fn follow_routers(&mut self) {
        let json = r#"{"format":"json","subscriptions":[{"type":"router"}]}"#;
        assert_eq!(self.ask_for_events(json).await, "success");
    }

    fn publish(&self, router: usize) {
        publish(&self.bus, router);
    }
}

fn publish(bus: &EventBus, router: usize) {
    bus.publish(Event {
        source: "c1".into(),
        time: Timestamp::UNIX_EPOCH,
        body: Body::Router(RouterStatus {
            router_id: format!("r{router}").into(),
            is_online: true,
        }),
    });
}

#[tokio::test]
async fn events_come_numbered_and_in_order() {
    let mut client = Client::usual().await;
    client.follow_routers().await;
    for router in 0..3 {
        client.publish(router);
    }
    for router in 0..3 {
        let frame = client.hear().await;
        assert_eq!(frame.sequence(), Sequence(2 + router));
        assert_eq!(frame.reply_for(), None);
        let message = ManagementMessage::decode(&frame.into_message()).unwrap();
        let ManagementMessage::StreamedEvent(event) = message else {
            panic!("{message:?}");
        };
        assert_eq!(event.event_type, "router");
        let id = format!(r#""router_id":"r{router}""#);
        assert!(event.json.expose().contains(&id));
    }
}

#[tokio::test]
async fn refused_request_for_events_leaves_room_for_others() {
    let mut client = Client::usual().await;
    for sequence in 1..40 {
        let json = r#"{"format":"json","subscriptions":[{"type":"metrics","options":{"metricFilter":"("}}]}"#;
        let json = json.to_owned();
        client
            .say(
                sequence,
                &ManagementMessage::StreamEvents(StreamEvents { json }),
            )
            .await;
        let refusal = client.hear().await;
        assert_eq!(refusal.reply_for(), Some(Sequence(sequence)));
        let text = String::from_utf8_lossy(refusal.body()).into_owned();
        assert!(text.contains("option `metricFilter`: not a"), "{text}");
    }
    client.follow_routers().await;
}

#[tokio::test]
async fn each_request_for_events_has_its_own() {
    let mut client = Client::usual().await;
    client.follow_routers().await;
    client.follow_routers().await;
    client.publish(7);
    for _ in 0..2 {
        let message = client.hear_message().await;
        assert!(matches!(message, ManagementMessage::StreamedEvent(_)));
    }
}

#[tokio::test]
async fn everything_can_be_followed_at_once() {
    let mut client = Client::usual().await;
    let types = Namespace::ALL.map(|namespace| json!({"type": namespace.as_str()}));
    let all = json!({"format": "json", "subscriptions": types});
    assert_eq!(client.ask_for_events(&all.to_string()).await, "success");
    assert!(
        Namespace::ALL
            .into_iter()
            .all(|each| client.bus.wants(each))
    );
    client.publish(1);
    client.bus.publish(Event {
        source: "c1".into(),
        time: Timestamp::UNIX_EPOCH,
        body: Body::Sdk(SdkStatus {
            kind: SdkStatusKind::Online,
            identity_id: "i1".into(),
        }),
    });
    for expected in ["router", "sdk"] {
        let message = client.hear_message().await;
        let ManagementMessage::StreamedEvent(event) = message else {
            panic!("{message:?}");
        };
        assert_eq!(event.event_type, expected);
    }
}

#[tokio::test]
async fn whoever_follows_nothing_gets_nothing_and_is_answered() {
    let mut client = Client::usual().await;
    for nothing in [
        r#"{"format":"json","subscriptions":[]}"#,
        r#"{"format":"json"}"#,
        r#"{"format":"json","subscriptions":[{"type":"tomorrow"}]}"#,
    ] {
        assert_eq!(client.ask_for_events(nothing).await, "success");
        assert!(
            !Namespace::ALL
                .into_iter()
                .any(|each| client.bus.wants(each))
        );
        client.publish(1);
    }
    client.follow_routers().await;
    client.publish(2);
    let message = client.hear_message().await;
    let ManagementMessage::StreamedEvent(event) = message else {
        panic!("{message:?}");
    };
    assert!(event.json.expose().contains(r#""router_id":"r2""#));
}

#[tokio::test]
async fn a_thousand_subscriptions_in_one_request_are_refused() {
    let mut client = Client::usual().await;
    let types = vec![json!({"type": "router"}); 1000];
    let all = json!({"format": "json", "subscriptions": types});
    assert_eq!(
        client.ask_for_events(&all.to_string()).await,
        "at most 64 subscriptions can be made on one connection"
    );
    assert!(!client.bus.wants(Namespace::Router));
    client.follow_routers().await;
}

#[tokio::test]
async fn of_a_thousand_requests_for_events_at_once_as_many_are_granted_as_may_be() {
    const COUNT: i32 = 1000;
    let Client { socket, bus, .. } = Client::usual().await;
    let (mut writer, mut reader) = socket.split();
    let asking = async {
        for sequence in 1..=COUNT {
            let json = r#"{"format":"json","subscriptions":[{"type":"router"}]}"#.to_owned();
            let request = ManagementMessage::StreamEvents(StreamEvents { json });
            let request = request.encode().unwrap();
            let frame = Frame::new(request, Sequence(sequence), &FrameLimits::LARGE).unwrap();
            let message = Message::Binary(frame.to_bytes());
            writer.send(message).await.unwrap();
        }
    };
    let mut hear = async || {
        let Some(Ok(Message::Binary(bytes))) = reader.next().await else {
            panic!("no answer");
        };
        let frames = FrameReader::new(FrameLimits::LARGE);
        frames.read_datagram(bytes).unwrap()
    };
    let answering = async {
        let mut answers = BTreeMap::new();
        for _ in 1..=COUNT {
            let answer = hear().await;
            let text = String::from_utf8(answer.body().to_vec()).unwrap();
            answers.insert(answer.reply_for().unwrap().0, text);
        }
        answers
    };
    let ((), answers) = tokio::join!(asking, answering);
    let granted = i32::try_from(ChannelLimits::default().event_requests).unwrap();
    assert!(
        answers.keys().copied().eq(1..=COUNT),
        "each is answered once"
    );
    for (request, text) in answers {
        let expected = if request <= granted {
            "success"
        } else {
            "at most 16 requests for events can be made on one connection"
        };
        assert_eq!(text, expected, "{request}");
    }
    publish(&bus, 7);
    for _ in 0..granted {
        assert_eq!(hear().await.content_type(), ContentType(10041));
    }
}

#[tokio::test]
async fn nothing_is_published_for_a_client_that_is_gone() {
    let mut client = Client::usual().await;
    client.follow_routers().await;
    assert!(client.bus.wants(Namespace::Router));
    drop(client.socket);
    assert_eq!(client.channel.await.unwrap(), End::Client);
    assert!(!client.bus.wants(Namespace::Router));
}

#[tokio::test]
async fn client_that_loses_events_is_told_and_closed() {
    let mut client = Client::usual().await;
    client.follow_routers().await;
    for router in 0..200 {
        client.publish(router);
    }
    let (code, end) = client.closed().await;
    assert_eq!(code, CloseCode::Again);
    let End::Controller(Closing::EventsLost(lost)) = end else {
        panic!("{end:?}");
    };
    assert!(lost >= 99, "{lost}");
}

#[tokio::test]
async fn slow_client_loses_nothing_of_a_burst() {
    /// More than a router reports at once, and than the terminators that come with it.
    const COUNT: usize = 40_000;
    let limits = ChannelLimits::default();
    let mut client = Client::connect_within(limits, NoNetworkQueries, pending()).await;
    client.follow_routers().await;
    for router in 0..COUNT {
        client.publish(router);
    }
    for _ in 0..COUNT {
        let message = client.hear_message().await;
        assert!(matches!(message, ManagementMessage::StreamedEvent(_)));
    }
}

#[tokio::test(start_paused = true)]
async fn client_that_takes_nothing_is_cut_off() {
    let mut client = Client::usual().await;
    client.follow_routers().await;
    let begin = Instant::now();
    let bus = client.bus.clone();
    let publishing = async {
        for router in 0.. {
            publish(&bus, router);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::select! {
        () = publishing => {},
        end = &mut client.channel => assert_eq!(end.unwrap(), End::Stalled),
    }
    assert!(begin.elapsed() > WRITE_STALL);
    assert!(begin.elapsed() < 3 * WRITE_STALL);
}

#[tokio::test]
async fn what_is_no_frame_closes_the_channel_with_a_reason() {
    for (message, code) in [
        (Message::text("hello"), CloseCode::Unsupported),
        (Message::binary("hello"), CloseCode::Protocol),
        (Message::binary(vec![0; MAX_MESSAGE + 1]), CloseCode::Size),
    ] {
        let mut client = Client::usual().await;
        // Not all of the long one is taken.
        let _ = client.socket.feed(message).await;
        let (mut writer, mut reader) = client.socket.split();
        let reading = async {
            while let Some(Ok(message)) = reader.next().await {
                if let Message::Close(Some(frame)) = message {
                    return frame.code;
                }
            }
            panic!("no reason");
        };
        let flushing = async {
            let _ = writer.flush().await;
            pending::<()>().await;
        };
        tokio::select! {
            found = reading => assert_eq!(found, code),
            () = flushing => {},
        }
    }
}

#[tokio::test]
async fn channel_ends_when_it_has_to() {
    let client = Client::connect(NoNetworkQueries, ready(Closing::NoRight)).await;
    let (code, end) = client.closed().await;
    assert_eq!(code, CloseCode::Policy);
    assert_eq!(end, End::Controller(Closing::NoRight));
}

#[tokio::test(start_paused = true)]
async fn client_that_does_not_take_the_news_is_not_waited_for() {
    let begin = Instant::now();
    let client = Client::connect(NoNetworkQueries, ready(Closing::NoRight)).await;
    let end = client.channel.await.unwrap();
    assert_eq!(end, End::Controller(Closing::NoRight));
    assert!(begin.elapsed() < Duration::from_secs(1));
}

#[tokio::test]
async fn what_nobody_answers_is_refused_at_once() {
    let mut client = Client::usual().await;
    let filter = RouterFilter::default();
    client
        .say(5, &ManagementMessage::ValidateLinks(filter))
        .await;
    let frame = client.hear().await;
    assert_eq!(frame.reply_for(), Some(Sequence(5)));
    let message = ManagementMessage::decode(&frame.into_message()).unwrap();
    let ManagementMessage::LinksFound(found) = message else {
        panic!("{message:?}");
    };
    assert!(!found.is_success);
    assert!(
        found.text.starts_with("c1: validations of links"),
        "{}",
        found.text
    );
}

/// Answers validations: of links with one detail too few, of terminators with hosts in between.
struct SomeAnswers;

impl NetworkQueries for SomeAnswers {
    fn validate_links(
        &self,
        _: Permit<OpenChannel>,
        _: RouterFilter,
    ) -> ValidationFuture<LinkDetails> {
        let details = stream::iter([LinkDetails::default()]);
        Box::pin(ready(Ok(Validation {
            count: 2,
            details: Box::pin(details),
        })))
    }

    fn validate_terminators(
        &self,
        _: Permit<OpenChannel>,
        _: ValidateTerminators,
    ) -> ValidationFuture<TerminatorFinding> {
        let host = || TerminatorFinding::Host(HostState::default());
        let terminator = || TerminatorFinding::Terminator(TerminatorDetail::default());
        let details = stream::iter([host(), terminator(), terminator(), host()]);
        Box::pin(ready(Ok(Validation {
            count: 2,
            details: Box::pin(details),
        })))
    }
}

#[tokio::test]
async fn details_follow_the_answer_and_the_last_that_is_counted_comes_last() {
    let mut client = Client::connect(SomeAnswers, pending()).await;
    let request = ManagementMessage::ValidateTerminators(ValidateTerminators::default());
    client.say(1, &request).await;
    let found = Found {
        is_success: true,
        text: String::new(),
        count: 2,
    };
    let mut heard = Vec::new();
    for _ in 0..5 {
        heard.push(client.hear_message().await);
    }
    let host = ManagementMessage::HostState(HostState::default());
    let terminator = ManagementMessage::TerminatorDetail(TerminatorDetail::default());
    assert_eq!(
        heard,
        [
            ManagementMessage::TerminatorsFound(found),
            host.clone(),
            terminator.clone(),
            host,
            terminator
        ]
    );
}

#[tokio::test]
async fn client_does_not_wait_for_details_that_do_not_come() {
    let mut client = Client::connect(SomeAnswers, pending()).await;
    let filter = RouterFilter::default();
    client
        .say(1, &ManagementMessage::ValidateLinks(filter))
        .await;
    let (code, end) = client.closed().await;
    assert_eq!(code, CloseCode::Error);
    assert_eq!(end, End::Controller(Closing::Incomplete));
}

#[tokio::test]
async fn pings_are_answered() {
    let mut client = Client::usual().await;
    let ping = Message::Ping(Bytes::from_static(b"there?"));
    client.socket.send(ping).await.unwrap();
    let answer = client.socket.next().await.unwrap().unwrap();
    assert_eq!(answer, Message::Pong(Bytes::from_static(b"there?")));
}

/// Has traces of two messages, and turns them on for nobody.
struct Traced;

impl NetworkQueries for Traced {
    fn traces(&self, _permit: Permit<OpenChannel>) -> BoxStream<'static, TraceEvent> {
        let trace = |content_type| TraceEvent {
            content_type,
            channel: "r1".to_owned(),
            ..TraceEvent::default()
        };
        stream::iter([trace(1006), trace(1013)])
            .chain(stream::pending())
            .boxed()
    }

    fn toggle_traces(
        &self,
        _permit: Permit<OpenChannel>,
        request: PipeTraces,
    ) -> QueryFuture<Result<String, String>> {
        let done = "App c1 matched? true".to_owned();
        let is_on = request.is_enabled;
        Box::pin(ready(
            is_on.then_some(done).ok_or("nothing is traced".to_owned()),
        ))
    }
}

/// Inspections with an answer that does not fit into the connection; the count says who holds its memory.
struct Large(Arc<()>);

impl NetworkQueries for Large {
    fn inspect(
        &self,
        _permit: Permit<OpenChannel>,
        _request: InspectRequest,
    ) -> QueryFuture<Result<InspectionAnswer, String>> {
        let value = InspectedValue {
            value: "x".repeat(1024 * 1024).into(),
            ..InspectedValue::default()
        };
        let response = InspectResponse {
            is_success: true,
            errors: Vec::new(),
            values: vec![value],
        };
        let held = Box::new(Arc::clone(&self.0));
        Box::pin(ready(Ok(InspectionAnswer { response, held })))
    }
}

#[tokio::test(start_paused = true)]
async fn memory_of_an_inspection_is_held_until_its_client_has_it() {
    let memory = Arc::new(());
    let mut client = Client::connect(Large(Arc::clone(&memory)), pending()).await;
    let unused = Arc::strong_count(&memory);
    let request = ManagementMessage::InspectRequest(InspectRequest::default());
    client.say(1, &request).await;
    // Time goes on when nothing else does.
    tokio::time::sleep(WRITE_STALL / 2).await;
    assert_eq!(Arc::strong_count(&memory), unused + 1);
    let ManagementMessage::InspectResponse(response) = client.hear_message().await else {
        panic!("no inspection");
    };
    assert_eq!(response.values[0].value.expose().len(), 1024 * 1024);
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert_eq!(Arc::strong_count(&memory), unused);
}

#[tokio::test]
async fn traces_of_wanted_types_are_streamed() {
    for (is_filtered, filter, expected) in [
        (false, TraceFilter::Exclude, &[1006, 1013][..]),
        (true, TraceFilter::Include, &[1013]),
        (true, TraceFilter::Exclude, &[1006]),
    ] {
        let mut client = Client::connect(Traced, pending()).await;
        let request = StreamTraces {
            is_filtered,
            filter,
            content_types: vec![1013],
        };
        client
            .say(1, &ManagementMessage::StreamTraces(request))
            .await;
        for wanted in expected {
            let heard = client.hear_message().await;
            let ManagementMessage::StreamedTrace(event) = heard else {
                panic!("{heard:?}");
            };
            assert_eq!(
                (event.content_type, event.channel.as_str()),
                (*wanted, "r1")
            );
        }
    }
}

#[tokio::test]
async fn traces_are_turned_on_and_off() {
    let mut client = Client::connect(Traced, pending()).await;
    for (is_enabled, expected) in [
        (true, (ResultStatus::Success, "App c1 matched? true")),
        (false, (ResultStatus::Failure, "nothing is traced")),
    ] {
        let request = PipeTraces {
            is_enabled,
            ..PipeTraces::default()
        };
        client
            .say(1, &ManagementMessage::TogglePipeTraces(request))
            .await;
        let result = ResultMessage::from_frame(&client.hear().await).unwrap();
        assert_eq!((result.status, result.text.as_str()), expected);
    }
}
