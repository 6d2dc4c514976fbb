//! Channels to a router whose part is played by hand.

mod router;

use super::{OfferQueue, RouterChannel, Stop, offer_queue};
use crate::incoming::Incoming;
use crate::randomness::Randomness;
use crate::stream::{ServiceStream, StreamInfo};
use bytes::Bytes;
use portcullis_domain::posture::Report;
use portcullis_edge_session::SessionKind;
use portcullis_sdk_proto::{
    BindEnd, BindRequest, CloseReason, DialFailure, DialRequest, ServiceReference,
};
use portcullis_system::SystemEntropy;
use portcullis_wire::Token;
use portcullis_wire::edge::{
    ConnectionId, Data, DataFlags, Dial, EdgeMessage, StateClosed, StateConnected,
    UpdateTokenFailure,
};
use portcullis_wire::{ErrorCode, Secret};
use router::{JWT, Router, connected, connected_by, connected_with};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::Instant;

fn request() -> DialRequest {
    DialRequest {
        session: Some(Token::new("a session".to_owned())),
        timeout: Duration::from_secs(20),
        ..DialRequest::new(ServiceReference::Name("echo".to_owned()))
    }
}

/// A stream to the router, and its number.
async fn stream(channel: &RouterChannel, router: &mut Router) -> (ServiceStream, ConnectionId) {
    let dialing = channel.dial(request()).unwrap();
    let EdgeMessage::Connect(connect) = router.hears().await else {
        panic!("no dial");
    };
    router.says(&EdgeMessage::StateConnected(StateConnected {
        connection: connect.connection,
        circuit_id: Some("c1".to_owned()),
        ..StateConnected::default()
    }));
    let (connection, known) = dialing.outcome().await.unwrap();
    let info = StreamInfo {
        service: Arc::from("echo"),
        circuit_id: known.circuit_id,
        is_encrypted: known.is_encrypted,
        stickiness_token: None,
        caller: None,
        marker: None,
    };
    let stream = ServiceStream::new(connection, info, Arc::new(()));
    (stream, connect.connection)
}

fn data(connection: ConnectionId, bytes: impl Into<Bytes>, flags: DataFlags) -> EdgeMessage {
    EdgeMessage::Data(Data {
        connection,
        data: Secret::new(bytes.into()),
        flags,
        ..Data::default()
    })
}

/// Sends back what arrives, until the end of the data.
async fn echo(router: &mut Router, id: ConnectionId) {
    loop {
        match router.hears().await {
            EdgeMessage::Data(Data {
                connection,
                flags,
                data: sent,
                ..
            }) if connection == id => {
                router.sends(&data(id, sent.into_inner(), flags)).await;
                if flags.contains(DataFlags::FIN) {
                    return;
                }
            },
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn what_is_written_comes_back_in_order_and_ends() {
    const TOTAL: usize = 3_000_000;
    let (channel, mut router) = connected().await;
    let (stream, id) = stream(&channel, &mut router).await;
    let sent: Vec<u8> = (0..TOTAL)
        .map(|at| (at / 7 % 251).to_le_bytes()[0])
        .collect();
    let (mut reader, mut writer) = stream.into_split();
    let writing = async {
        writer.write_all(&sent).await.unwrap();
        writer.shutdown().await.unwrap();
        let late = writer.write_all(b"more").await.unwrap_err();
        assert_eq!(late.kind(), std::io::ErrorKind::BrokenPipe);
    };
    let mut read = Vec::new();
    let reading = reader.read_to_end(&mut read);
    let ((), length, ()) = tokio::join!(writing, reading, echo(&mut router, id));
    assert_eq!(length.unwrap(), TOTAL);
    assert!(read == sent);
}

/// A router that takes nothing stops whoever writes, and is written to again when it does.
#[tokio::test]
async fn writers_wait_for_the_router() {
    let (channel, mut router) = connected().await;
    let (mut stream, id) = stream(&channel, &mut router).await;
    let chunk = vec![7; 32 * 1024];
    let mut written = 0;
    while let Ok(taken) =
        tokio::time::timeout(Duration::from_millis(200), stream.write(&chunk)).await
    {
        written += taken.unwrap();
        assert!(written < 64 << 20, "there is no end to it");
    }
    let mut heard = 0;
    while heard < written {
        match router.hears().await {
            EdgeMessage::Data(data) if data.connection == id => heard += data.data.expose().len(),
            other => panic!("{other:?}"),
        }
    }
    stream.write_all(&chunk).await.unwrap();
}

#[tokio::test]
async fn messages_keep_their_borders() {
    let (channel, mut router) = connected().await;
    let (mut stream, id) = stream(&channel, &mut router).await;
    let messages = [vec![1; 9], vec![2; crate::MAX_MESSAGE], vec![3; 1]];
    for message in messages.clone() {
        stream.send_message(message.into()).await.unwrap();
    }
    let long = vec![0; crate::MAX_MESSAGE + 1].into();
    let long = stream.send_message(long).await.unwrap_err();
    assert_eq!(long.kind(), std::io::ErrorKind::InvalidInput);
    stream.shutdown().await.unwrap();
    echo(&mut router, id).await;
    for message in messages {
        assert_eq!(stream.recv_message().await.unwrap().unwrap(), message);
    }
    assert_eq!(stream.recv_message().await.unwrap(), None);
}

#[tokio::test]
async fn dropped_dial_is_taken_back() {
    let (channel, mut router) = connected().await;
    let dialing = channel.dial(request()).unwrap();
    let EdgeMessage::Connect(connect) = router.hears().await else {
        panic!("no dial");
    };
    drop(dialing);
    let EdgeMessage::StateClosed(closed) = router.hears().await else {
        panic!("it is not taken back");
    };
    assert_eq!(closed.connection, Some(connect.connection));
    // The channel goes on.
    stream(&channel, &mut router).await;
}

#[tokio::test]
async fn dropped_stream_is_closed_after_what_was_written() {
    let (channel, mut router) = connected().await;
    let (mut stream, id) = stream(&channel, &mut router).await;
    stream.write_all(b"the last words").await.unwrap();
    drop(stream);
    assert_eq!(last_words(&mut router, id).await, b"the last words");
}

/// What is sent of a connection until it is closed.
async fn last_words(router: &mut Router, id: ConnectionId) -> Vec<u8> {
    let mut heard = Vec::new();
    loop {
        match router.hears().await {
            EdgeMessage::Data(data) => heard.extend_from_slice(data.data.expose()),
            EdgeMessage::StateClosed(closed) => {
                assert_eq!(closed.connection, Some(id));
                return heard;
            },
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn refusal_is_told_with_its_reason() {
    let (channel, mut router) = connected().await;
    let dialing = channel.dial(request()).unwrap();
    let EdgeMessage::Connect(connect) = router.hears().await else {
        panic!("no dial");
    };
    router.says(&EdgeMessage::StateClosed(StateClosed {
        connection: Some(connect.connection),
        reason: "service echo has no terminators".to_owned(),
        code: Some(ErrorCode::Internal),
        ..StateClosed::default()
    }));
    let Err(DialFailure::Refused(refusal)) = dialing.outcome().await else {
        panic!("it is not refused");
    };
    assert_eq!(refusal.reason, "service echo has no terminators");
    assert!(channel.is_proven());
}

#[tokio::test]
async fn lost_router_ends_all_that_it_carried() {
    let (channel, mut router) = connected().await;
    let (mut open, id) = stream(&channel, &mut router).await;
    let dialing = channel.dial(request()).unwrap();
    let (sink, _offers) = offer_queue(1);
    let mut bind = channel.bind(bind(), sink).unwrap();
    router.says(&data(id, "before", DataFlags::default()));
    router.goes().await;
    channel.ended().await;
    // What had arrived can be read.
    let mut read = [0; 6];
    open.read_exact(&mut read).await.unwrap();
    assert_eq!(&read, b"before");
    let error = open.read(&mut read).await.unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::ConnectionAborted);
    assert_eq!(open.close_reason(), Some(CloseReason::ChannelEnded));
    assert!(open.write(b"more").await.is_err());
    assert!(matches!(
        dialing.outcome().await,
        Err(DialFailure::ChannelEnded)
    ));
    assert_eq!(bind.bound().await, Err(BindEnd::ChannelEnded));
    assert!(channel.dial(request()).is_err());
}

fn bind() -> BindRequest {
    BindRequest {
        session: Token::new("a session".to_owned()),
        listener_id: None,
        instance_id: None,
        instance_secret: None,
        keys: None,
        cost: None,
        precedence: None,
        prefers_xgress: true,
    }
}

/// A listener at the router, and the number of its bind.
async fn listen(
    channel: &RouterChannel,
    router: &mut Router,
    backlog: usize,
) -> (super::Bind, OfferQueue, ConnectionId) {
    let (sink, offers) = offer_queue(backlog);
    let mut bound = channel.bind(bind(), sink).unwrap();
    let EdgeMessage::Bind(asked) = router.hears().await else {
        panic!("no bind");
    };
    router.says(&EdgeMessage::StateConnected(StateConnected {
        connection: asked.connection,
        ..StateConnected::default()
    }));
    bound.bound().await.unwrap();
    (bound, offers, asked.connection)
}

fn dial(bind: ConnectionId, id: u32) -> EdgeMessage {
    EdgeMessage::Dial(Dial {
        connection: bind,
        session_token: Token::new("a session".to_owned()),
        new_connection: Some(ConnectionId((1 << 31) + id)),
        dialer_identity_name: Some("alice".to_owned()),
        app_data: Some(Secret::new("for you".into())),
        ..Dial::default()
    })
}

async fn next(offers: &mut OfferQueue) -> Incoming {
    let offered = offers.next().await.unwrap();
    let randomness = Randomness::new(Arc::new(SystemEntropy));
    Incoming::new(offered, Arc::from("echo"), randomness, Arc::new(()))
}

#[tokio::test]
async fn offers_are_accepted_or_refused() {
    let (channel, mut router) = connected().await;
    let (_bind, mut offers, bind) = listen(&channel, &mut router, 8).await;
    router.says(&dial(bind, 1));
    let incoming = next(&mut offers).await;
    assert_eq!(incoming.caller().identity_name.as_deref(), Some("alice"));
    assert_eq!(incoming.app_data(), b"for you");
    let mut stream = incoming.accept().unwrap();
    let EdgeMessage::DialSuccess(success) = router.hears().await else {
        panic!("it is not accepted");
    };
    stream.write_all(b"hello").await.unwrap();
    let EdgeMessage::Data(sent) = router.hears().await else {
        panic!("there is no data");
    };
    assert_eq!(
        (sent.connection, &sent.data.expose()[..]),
        (success.new_connection, &b"hello"[..])
    );

    router.says(&dial(bind, 2));
    next(&mut offers).await.refuse("not today");
    assert_eq!(
        router.hears_refusal().await,
        "rejected by application: not today"
    );
    router.says(&dial(bind, 3));
    drop(next(&mut offers).await);
    assert_eq!(
        router.hears_refusal().await,
        "rejected by application: given up"
    );
}

#[tokio::test]
async fn offers_that_find_no_room_are_refused() {
    let (channel, mut router) = connected().await;
    let (_bind, mut offers, bind) = listen(&channel, &mut router, 1).await;
    router.says(&dial(bind, 1));
    router.says(&dial(bind, 2));
    let refusal = router.hears_refusal().await;
    assert!(refusal.contains("too many connections wait"), "{refusal}");
    // The first one does not wait any more, and is passed over.
    router.says(&EdgeMessage::StateClosed(StateClosed {
        connection: Some(ConnectionId((1 << 31) + 1)),
        ..StateClosed::default()
    }));
    router.settles().await;
    let taking = next(&mut offers);
    tokio::pin!(taking);
    assert!(
        tokio::time::timeout(Duration::from_millis(50), &mut taking)
            .await
            .is_err()
    );
    router.says(&dial(bind, 3));
    taking.await.accept().unwrap();
}

#[tokio::test]
async fn dropped_bind_is_unbound_and_declines_what_waits() {
    let (channel, mut router) = connected().await;
    let (owner, mut offers, bind) = listen(&channel, &mut router, 8).await;
    router.says(&dial(bind, 1));
    router.settles().await;
    drop(owner);
    let refusal = router.hears_refusal().await;
    assert!(refusal.contains("listener has ended"), "{refusal}");
    assert!(
        matches!(router.hears().await, EdgeMessage::Unbind(unbind) if unbind.connection == bind)
    );
    let waiting = tokio::time::timeout(Duration::from_millis(50), offers.next()).await;
    assert!(
        !matches!(waiting, Ok(Some(_))),
        "what was declined is offered"
    );
}

#[tokio::test]
async fn new_tokens_are_shown() {
    let (channel, mut router) = connected_by(JWT).await;
    router.session_is(SessionKind::Oidc, JWT);
    router.session_is(SessionKind::Oidc, "eyJuZXh0");
    let EdgeMessage::UpdateToken(update) = router.hears().await else {
        panic!("it is not shown");
    };
    assert_eq!(update.access_token.expose(), "eyJuZXh0");
    router.says(&EdgeMessage::UpdateTokenSuccess);
    router.settles().await;
    assert!(channel.is_current());

    router.session_is(SessionKind::Oidc, "eyJiYWQ");
    assert!(matches!(router.hears().await, EdgeMessage::UpdateToken(_)));
    router.says(&EdgeMessage::UpdateTokenFailure(UpdateTokenFailure {
        reason: "the token is revoked".to_owned(),
        ..UpdateTokenFailure::default()
    }));
    channel.ended().await;
    assert!(router.is_left().await);
}

/// Routers know only the legacy session of the hello.
#[tokio::test]
async fn channel_of_an_earlier_legacy_session_is_outdated() {
    let (channel, mut router) = connected().await;
    let (mut stream, id) = stream(&channel, &mut router).await;
    router.session_is(SessionKind::Legacy, "0b9ad3b0-9c9d-4d3f-a6a0-64bb8c2a7f10");
    router.settles().await;
    assert!(!channel.is_current());
    // Its streams go on.
    stream.write_all(b"more").await.unwrap();
    assert!(matches!(router.hears().await, EdgeMessage::Data(data) if data.connection == id));
}

#[tokio::test]
async fn channel_ends_when_nobody_uses_it() {
    let (channel, mut router) = connected().await;
    let (stream, id) = stream(&channel, &mut router).await;
    channel.end_when_idle();
    assert!(!channel.has_ended());
    drop(stream);
    channel.ended().await;
    assert_eq!(last_words(&mut router, id).await, b"");
    assert!(router.is_left().await);
}

#[tokio::test]
async fn shut_down_delivers_what_was_written() {
    let (channel, mut router) = connected().await;
    let (mut stream, id) = stream(&channel, &mut router).await;
    stream.write_all(b"the last words").await.unwrap();
    router.stop(Stop::By(Instant::now() + Duration::from_secs(20)));
    channel.ended().await;
    assert_eq!(last_words(&mut router, id).await, b"the last words");
    assert!(router.is_left().await);
    let mut byte = [0];
    assert!(stream.read(&mut byte).await.is_err());
}

/// Streams that their owners keep, and channels that have been replaced, do not outlive the context.
#[tokio::test]
async fn stop_ends_outdated_channels_with_streams_that_are_held() {
    let (channel, mut router) = connected().await;
    let (mut held, _id) = stream(&channel, &mut router).await;
    router.session_is(SessionKind::Legacy, "0b9ad3b0-9c9d-4d3f-a6a0-64bb8c2a7f10");
    router.settles().await;
    channel.end_when_idle();
    router.stop(Stop::By(Instant::now() + Duration::from_secs(20)));
    channel.ended().await;
    assert!(held.read_u8().await.is_err());
}

#[tokio::test]
async fn stop_waits_for_streams_unless_there_is_a_time() {
    let (channel, mut router) = connected().await;
    let (stream, _id) = stream(&channel, &mut router).await;
    router.stop(Stop::WhenIdle);
    router.settles().await;
    assert!(!channel.has_ended());
    drop(stream);
    channel.ended().await;
}

#[tokio::test]
async fn posture_is_told_before_the_first_dial() {
    let reports = [Report::Domain("corp".to_owned())];
    let (channel, mut router) = connected_with(JWT, &reports).await;
    let _dialing = channel.dial(request()).unwrap();
    let first = router.hears().await;
    assert!(
        matches!(&first, EdgeMessage::PostureResponses(_)),
        "{first:?}"
    );
    assert!(matches!(router.hears().await, EdgeMessage::Connect(_)));
}

#[tokio::test]
async fn silent_router_is_suspected_until_something_arrives() {
    let (channel, mut router) = connected().await;
    router.settles().await;
    channel.suspect();
    assert!(channel.is_suspected());
    router.settles().await;
    assert!(!channel.is_suspected());
}
