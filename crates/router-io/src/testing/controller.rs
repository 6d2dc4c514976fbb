//! A controller that a router is connected to.

use portcullis_channel::group::{ChannelGrant, GroupId};
use portcullis_channel::hello::{Grouping, HELLO_TIMEOUT, Hello};
use portcullis_channel::{ChannelKind, ChannelOptions, ChannelSide, Frame, Headers, UnixNanos};
use portcullis_router::edge::ControllerId;
use portcullis_transport::{
    ChannelHandle, Clock, Inbox, Incoming, Transport, TransportLimits, dial,
};
use portcullis_wire::control::ControlMessage;
use tokio::io::duplex;
use tokio::time::Instant;

use crate::controllers::Controllers;

/// A controller, which sees what it is told.
pub(crate) struct TestController {
    handle: ChannelHandle,
    inbox: Inbox,
    /// Of the router, for requests of the controller.
    pub(crate) router_inbox: Inbox,
}

impl TestController {
    /// Connects a router to it.
    pub(crate) async fn connect(id: &ControllerId, controllers: &Controllers) -> Self {
        let transport = Transport::new(
            Clock::start(UnixNanos::default()),
            TransportLimits::default(),
        );
        let grant = || ChannelGrant::ungrouped(GroupId::new("test").unwrap());
        let (ours, theirs) = duplex(64 << 10);
        let deadline = Instant::now() + HELLO_TIMEOUT;
        let hello = Hello::new(
            "router".to_owned(),
            None,
            Grouping::Ungrouped,
            Headers::empty(),
        );
        let accepting = async {
            let incoming = Incoming::read(theirs, deadline).await.unwrap();
            let (grant, headers) = (grant(), Headers::empty());
            let accepted = incoming.accept(&grant, id.as_str(), &headers);
            accepted.await.unwrap()
        };
        let (accepted, dialed) = tokio::join!(accepting, dial(ours, &hello, deadline));
        let options = |side| ChannelOptions::new(ChannelKind::Control, side);
        let (handle, inbox) = transport.open(grant(), options(ChannelSide::Listener), accepted);
        let dialed = dialed.unwrap().connected;
        let (router, router_inbox) = transport.open(grant(), options(ChannelSide::Dialer), dialed);
        controllers.add(id.clone(), router);
        Self {
            handle,
            inbox,
            router_inbox,
        }
    }

    /// The next message of the router.
    pub(crate) async fn next(&mut self) -> ControlMessage {
        let frame = self.inbox.next().await.unwrap();
        ControlMessage::decode(&frame.into_message()).unwrap()
    }

    /// Asks the router, and returns the request as the router gets it.
    pub(crate) async fn ask(&mut self, message: &ControlMessage) -> Frame {
        let encoded = message.encode().unwrap();
        self.handle.send(message.priority(), encoded).unwrap();
        self.router_inbox.next().await.unwrap()
    }
}
