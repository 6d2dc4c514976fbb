//! Two ends of a control channel: a router and a controller.

use bytes::{Bytes, BytesMut};
use portcullis_channel::group::{
    Admission, ConnectionCounts, DialOptions, GeneratedCredentials, GroupLimits, GroupRegistry,
    GroupSecret,
};
use portcullis_channel::group::{ChannelGrant, GroupDialer, GroupId};
use portcullis_channel::hello::{Grouping, HELLO_TIMEOUT, Hello};
use portcullis_channel::{
    ChannelKind, ChannelOptions, ChannelSide, ContentType, Frame, FrameLimits, FrameReader,
    Headers, Message, Moment, Priority, Role, Sequence, UnixNanos,
};
use portcullis_transport::{
    ChannelHandle, Clock, Connected, Dialed, Inbox, Incoming, Stream, Transport, TransportLimits,
    dial,
};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
use tokio::time::Instant;

/// Asks a controller whether a router is what it says; any other would do.
pub(crate) const QUESTION: ContentType = ContentType(1036);
/// A message without a reply.
pub(crate) const NOTE: ContentType = ContentType(1004);
/// Room of a stream in memory.
pub(crate) const PIPE: usize = 64 * 1024;

pub(crate) fn router() -> ChannelOptions {
    ChannelOptions::new(ChannelKind::Control, ChannelSide::Dialer)
}

pub(crate) fn controller() -> ChannelOptions {
    ChannelOptions::new(ChannelKind::Control, ChannelSide::Listener)
}

pub(crate) fn transport() -> Transport {
    with_limits(TransportLimits::default())
}

pub(crate) fn with_limits(limits: TransportLimits) -> Transport {
    Transport::new(Clock::start(UnixNanos(1_700_000_000_000_000_000)), limits)
}

pub(crate) fn deadline() -> Instant {
    Instant::now() + HELLO_TIMEOUT
}

/// One end of a channel.
pub(crate) struct End {
    pub(crate) handle: ChannelHandle,
    pub(crate) inbox: Inbox,
}

/// Both ends of a group, and what it takes to add connections to it.
pub(crate) struct Pair {
    pub(crate) router: End,
    pub(crate) controller: End,
    dialer: GroupDialer,
    registry: GroupRegistry<&'static str, u32>,
    transport: Transport,
}

impl Pair {
    /// Opens a channel over a pipe, with tasks of `transport` at both ends.
    pub(crate) async fn open(transport: &Transport) -> Self {
        Self::open_with(transport, controller(), router()).await
    }

    pub(crate) async fn open_with(
        transport: &Transport,
        controller: ChannelOptions,
        router: ChannelOptions,
    ) -> Self {
        let (near, far) = duplex(PIPE);
        Self::open_over(transport, controller, router, near, far).await
    }

    pub(crate) async fn open_over<N: Stream, F: Stream>(
        transport: &Transport,
        controller: ChannelOptions,
        router: ChannelOptions,
        near: N,
        far: F,
    ) -> Self {
        let now = transport.clock().now().mono;
        let wanted = ConnectionCounts {
            default: 1,
            high: 1,
        };
        let options = DialOptions {
            startup_delay: Duration::ZERO,
            gap: Duration::ZERO,
            ..DialOptions::new(ChannelKind::Control)
        };
        let mut dialer = GroupDialer::new(options, wanted, now);
        let mut registry = GroupRegistry::new(GroupLimits::default());
        let (joined, router_grant) = join(&mut dialer, now, near, far, |incoming| {
            let admission = registry.admit(&"peer", incoming.hello(), generated(), now);
            let Admission::New(reservation) = admission else {
                panic!("the first connection founds the group");
            };
            let grant = reservation.grant().clone();
            let _registration = registry.open(reservation, 1).unwrap();
            grant
        })
        .await;
        let Joined {
            near,
            far,
            controller_grant,
        } = joined;
        let (handle, inbox) = transport.open(controller_grant, controller, near);
        let controller = End { handle, inbox };
        let (handle, inbox) = transport.open(router_grant, router, far);
        let router = End { handle, inbox };
        Self {
            router,
            controller,
            dialer,
            registry,
            transport: transport.clone(),
        }
    }

    /// Adds a connection for urgent messages.
    pub(crate) async fn extend_over<N: Stream, F: Stream>(&mut self, near: N, far: F) {
        let now = self.transport.clock().now().mono;
        let registry = &mut self.registry;
        let (joined, grant) = join(&mut self.dialer, now, near, far, |incoming| {
            let admission = registry.admit(&"peer", incoming.hello(), generated(), now);
            let Admission::Attach(attachment) = admission else {
                panic!("the group is there");
            };
            attachment.grant
        })
        .await;
        let Self {
            router, controller, ..
        } = self;
        controller
            .handle
            .attach(&joined.controller_grant, joined.near)
            .unwrap();
        router.handle.attach(&grant, joined.far).unwrap();
    }

    pub(crate) async fn extend(&mut self) {
        let (near, far) = duplex(PIPE);
        self.extend_over(near, far).await;
    }
}

struct Joined<N, F> {
    near: Connected<N>,
    far: Connected<F>,
    controller_grant: ChannelGrant,
}

/// A hello and its answer between both ends of a stream.
async fn join<N: Stream, F: Stream>(
    dialer: &mut GroupDialer,
    now: Moment,
    near: N,
    far: F,
    admit: impl FnOnce(&Incoming<N>) -> ChannelGrant,
) -> (Joined<N, F>, ChannelGrant) {
    let planned = dialer.poll_dial(now).unwrap();
    let hello = hello(planned.role(), Grouping::Grouped(planned.hello().clone()));
    let accepting = async {
        let incoming = Incoming::read(near, deadline()).await.unwrap();
        let grant = admit(&incoming);
        let accepted = incoming
            .accept(&grant, "controller", &Headers::empty())
            .await;
        (accepted.unwrap(), grant)
    };
    let ((near, controller_grant), outcome) =
        tokio::join!(accepting, dial(far, &hello, deadline()));
    let Dialed { connected, answer } = outcome.unwrap();
    let grant = dialer.handle_accepted(&planned, &answer, 0, now).unwrap();
    let joined = Joined {
        near,
        far: connected,
        controller_grant,
    };
    (joined, grant)
}

pub(crate) fn hello(role: Role, grouping: Grouping) -> Hello {
    let underlay_type = ChannelKind::Control.underlay_type(role);
    Hello::new(
        "router".to_owned(),
        underlay_type.map(str::to_owned),
        grouping,
        Headers::empty(),
    )
}

pub(crate) fn generated() -> GeneratedCredentials {
    GeneratedCredentials {
        id: GroupId::new("group").unwrap(),
        secret: GroupSecret::new([7; 16]),
    }
}

/// One end of an ungrouped channel, whose peer is a bare stream.
pub(crate) async fn with_bare_peer(
    transport: &Transport,
    options: ChannelOptions,
    pipe: usize,
) -> (End, DuplexStream) {
    let (near, mut far) = duplex(pipe);
    let grant = ChannelGrant::ungrouped(GroupId::new("bare").unwrap());
    let accepting = async {
        let incoming = Incoming::read(near, deadline()).await.unwrap();
        let accepted = incoming
            .accept(&grant, "controller", &Headers::empty())
            .await;
        accepted.unwrap()
    };
    let greeting = async {
        let hello = hello(Role::Default, Grouping::Ungrouped).encode().unwrap();
        far.write_all(&hello).await.unwrap();
        read_frame(&mut far).await
    };
    let (connected, _answer) = tokio::join!(accepting, greeting);
    let (handle, inbox) = transport.open(grant, options, connected);
    (End { handle, inbox }, far)
}

/// Reads a frame, and nothing behind it.
pub(crate) async fn read_frame(stream: &mut DuplexStream) -> Frame {
    let reader = FrameReader::new(FrameLimits::default());
    let mut input = BytesMut::new();
    loop {
        if let Some(frame) = reader.next(&mut input).unwrap() {
            return frame;
        }
        let missing = u64::try_from(reader.bytes_missing(&input)).unwrap();
        let mut rest = (&mut *stream).take(missing);
        assert_ne!(rest.read_buf(&mut input).await.unwrap(), 0);
    }
}

pub(crate) fn note(number: usize) -> Message {
    Message::new(NOTE).with_body(number.to_string())
}

pub(crate) fn number(frame: &Frame) -> usize {
    std::str::from_utf8(frame.body()).unwrap().parse().unwrap()
}

pub(crate) fn frame(message: Message, sequence: i32) -> Bytes {
    let limits = FrameLimits::default();
    Frame::new(message, Sequence(sequence), &limits)
        .unwrap()
        .to_bytes()
}

/// Waits until all tasks of a transport have ended.
pub(crate) async fn assert_no_tasks(transport: &Transport) {
    transport.tasks().close();
    transport.tasks().wait().await;
}

/// Sends numbered messages.
pub(crate) fn send_notes(handle: &ChannelHandle, numbers: std::ops::Range<usize>) {
    for each in numbers {
        handle.send(Priority::Default, note(each)).unwrap();
    }
}
