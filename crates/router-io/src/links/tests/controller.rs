//! A controller that verifies routers, and keeps what it is told.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use portcullis_channel::group::{ChannelGrant, GroupId};
use portcullis_channel::hello::{Grouping, HELLO_TIMEOUT, Hello};
use portcullis_channel::{
    ChannelKind, ChannelOptions, ChannelSide, Headers, ResultMessage, ResultStatus, UnixNanos,
};
use portcullis_transport::{
    ChannelHandle, Clock, Inbox, Incoming, Transport, TransportLimits, dial,
};
use portcullis_wire::control::ControlMessage;
use tokio::io::duplex;
use tokio::time::Instant;

use crate::controllers::Controllers;

/// Routers by id, with the fingerprints of their certificates.
pub(super) type Enrolled = Arc<Mutex<BTreeMap<String, String>>>;

pub(super) const CONTROLLER: &str = "controller";

/// What one router has told.
#[derive(Debug, Clone, Default)]
pub(super) struct Told(Arc<Mutex<Vec<ControlMessage>>>);

impl Told {
    pub(super) fn all(&self) -> Vec<ControlMessage> {
        self.0.lock().clone()
    }
}

/// Connects a router to the controller.
pub(super) async fn connect(controllers: &Controllers, enrolled: &Enrolled) -> Told {
    let (handle, inbox) = open(controllers).await;
    let told = Told::default();
    tokio::spawn(serve(handle, inbox, Arc::clone(enrolled), told.clone()));
    told
}

/// Connects a router to a controller that says nothing: its end of the channel.
pub(super) async fn open(controllers: &Controllers) -> (ChannelHandle, Inbox) {
    let transport = Transport::new(
        Clock::start(UnixNanos::default()),
        TransportLimits::default(),
    );
    let grant = || ChannelGrant::ungrouped(GroupId::new("test").unwrap());
    let (ours, theirs) = duplex(64 << 10);
    let deadline = Instant::now() + HELLO_TIMEOUT;
    let id = "router".to_owned();
    let hello = Hello::new(id, None, Grouping::Ungrouped, Headers::empty());
    let accepting = async {
        let incoming = Incoming::read(theirs, deadline).await.unwrap();
        let (grant, headers) = (grant(), Headers::empty());
        incoming.accept(&grant, CONTROLLER, &headers).await.unwrap()
    };
    let (accepted, dialed) = tokio::join!(accepting, dial(ours, &hello, deadline));
    let options = |side| ChannelOptions::new(ChannelKind::Control, side);
    let (handle, inbox) = transport.open(grant(), options(ChannelSide::Listener), accepted);
    let dialed = dialed.unwrap().connected;
    let (router, router_inbox) = transport.open(grant(), options(ChannelSide::Dialer), dialed);
    controllers.add(CONTROLLER.into(), router);
    tokio::spawn(async move {
        let mut inbox = router_inbox;
        while inbox.next().await.is_some() {}
    });
    (handle, inbox)
}

async fn serve(handle: ChannelHandle, mut inbox: Inbox, enrolled: Enrolled, told: Told) {
    while let Some(frame) = inbox.next().await {
        let request = frame.reply_to();
        let message = ControlMessage::decode(&frame.into_message()).unwrap();
        if let ControlMessage::VerifyRouter(question) = &message {
            let known = enrolled.lock().get(&question.router_id).cloned();
            let is_known = known.is_some() && known.as_ref() == question.fingerprints.first();
            let (status, text) = if is_known {
                (ResultStatus::Success, "router verified")
            } else {
                (ResultStatus::Failure, "wrong fingerprint")
            };
            let text = text.to_owned();
            let answer = ResultMessage { status, text };
            let priority = message.priority();
            handle
                .reply(&request, priority, answer.into_message())
                .unwrap();
        }
        told.0.lock().push(message);
    }
}
