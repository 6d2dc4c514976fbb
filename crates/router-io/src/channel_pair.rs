//! Both ends of a control channel, for tests.

use portcullis_channel::group::{ChannelGrant, GroupId};
use portcullis_channel::hello::{Grouping, HELLO_TIMEOUT, Hello};
use portcullis_channel::{ChannelKind, ChannelOptions, ChannelSide, Headers, UnixNanos};
use portcullis_transport::{
    ChannelHandle, Clock, Inbox, Incoming, Transport, TransportLimits, dial,
};
use tokio::io::duplex;
use tokio::time::Instant;

/// One end of a channel.
pub(crate) struct End {
    pub(crate) handle: ChannelHandle,
    pub(crate) inbox: Inbox,
}

/// Opens a control channel in memory; the router's end comes first.
pub(crate) async fn control_channel() -> (End, End) {
    let clock = Clock::start(UnixNanos(1_700_000_000_000_000_000));
    let transport = Transport::new(clock, TransportLimits::default());
    let (near, far) = duplex(64 * 1024);
    let deadline = Instant::now() + HELLO_TIMEOUT;
    let grant = ChannelGrant::ungrouped(GroupId::new("router").unwrap());
    let kind = ChannelKind::Control;
    let hello = Hello::new(
        "router".to_owned(),
        None,
        Grouping::Ungrouped,
        Headers::empty(),
    );
    let headers = Headers::empty();
    let accepting = async {
        let incoming = Incoming::read(far, deadline).await.unwrap();
        let accepted = incoming.accept(&grant, "controller", &headers);
        accepted.await.unwrap()
    };
    let (dialed, accepted) = tokio::join!(dial(near, &hello, deadline), accepting);
    let open = |side, connected| {
        let options = ChannelOptions::new(kind, side);
        let (handle, inbox) = transport.open(grant.clone(), options, connected);
        End { handle, inbox }
    };
    (
        open(ChannelSide::Dialer, dialed.unwrap().connected),
        open(ChannelSide::Listener, accepted),
    )
}
