//! A router: connections in memory, and what is said over them.

use crate::stage::{Stage, version};
use portcullis_channel::group::{ConnectionCounts, DialOptions, GroupDialer};
use portcullis_channel::hello::{Grouping, HELLO_TIMEOUT, Hello};
use portcullis_channel::{
    ChannelKind, ChannelOptions, ChannelSide, Frame, Message, Priority, REQUEST_TIMEOUT,
    ResultMessage, UnixNanos,
};
use portcullis_control::Peer;
use portcullis_transport::{
    ChannelHandle, Clock, DialError, Inbox, Incoming, Transport, TransportLimits, dial,
};
use portcullis_wire::capability::{Capabilities, RouterCapability};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::hello::RouterHello;
use portcullis_wire::control::link::VerifyRouter;
use portcullis_wire::control::peer::Listener;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::time::{Instant, timeout};

const PATIENCE: Duration = Duration::from_secs(10);

/// What a router has after its enrollment.
#[derive(Clone)]
pub(crate) struct Enrolled {
    pub(crate) id: String,
    /// In DER, leaf first.
    pub(crate) chain: Vec<Vec<u8>>,
}

pub(crate) struct Router {
    pub(crate) id: String,
    pub(crate) chain: Vec<Vec<u8>>,
    pub(crate) channel: ChannelHandle,
    inbox: Inbox,
    /// What has come while something else was waited for.
    aside: Vec<Frame>,
}

impl Router {
    /// Dials the controller, and founds a channel.
    pub(crate) async fn connect(stage: &Stage, enrolled: Enrolled) -> Result<Self, DialError> {
        let Enrolled { id, chain } = enrolled;
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (plane, peer) = (stage.plane.clone(), peer(&chain));
        tokio::spawn(async move {
            let reading = Incoming::read(theirs, Instant::now() + HELLO_TIMEOUT);
            if let Ok(incoming) = reading.await {
                plane.serve(peer, incoming).await;
            }
        });
        let transport = Transport::new(Clock::start(UnixNanos(0)), TransportLimits::default());
        let now = transport.clock().now().mono;
        let counts = ConnectionCounts {
            default: 1,
            high: 0,
        };
        let mut group = GroupDialer::new(DialOptions::new(ChannelKind::Control), counts, now);
        let wanted = group.poll_dial(now).unwrap();
        let hello = Hello::new(
            id.clone(),
            ChannelKind::Control
                .underlay_type(wanted.role())
                .map(str::to_owned),
            Grouping::Grouped(wanted.hello().clone()),
            hello(&id).to_headers(),
        );
        let dialed = dial(ours, &hello, Instant::now() + HELLO_TIMEOUT).await?;
        let grant = group
            .handle_accepted(&wanted, &dialed.answer, 0, now)
            .unwrap();
        let options = ChannelOptions::new(ChannelKind::Control, ChannelSide::Dialer);
        let (channel, inbox) = transport.open(grant, options, dialed.connected);
        Ok(Self {
            id,
            chain,
            channel,
            inbox,
            aside: Vec::new(),
        })
    }

    pub(crate) fn enrolled(&self) -> Enrolled {
        Enrolled {
            id: self.id.clone(),
            chain: self.chain.clone(),
        }
    }

    pub(crate) fn say(&self, message: &ControlMessage) {
        self.channel
            .send(message.priority(), message.encode().unwrap())
            .unwrap();
    }

    /// Asks something, and waits for the reply.
    pub(crate) async fn ask(&self, message: &ControlMessage) -> Message {
        let encoded = message.encode().unwrap();
        let reply = self
            .channel
            .request(message.priority(), encoded, REQUEST_TIMEOUT)
            .unwrap();
        let reply = timeout(PATIENCE, reply).await.unwrap().unwrap();
        reply.into_message()
    }

    /// Asks something that is answered by a Result.
    pub(crate) async fn ask_for_result(&self, message: &ControlMessage) -> ResultMessage {
        let encoded = message.encode().unwrap();
        let reply = self
            .channel
            .request(message.priority(), encoded, REQUEST_TIMEOUT)
            .unwrap();
        let reply = timeout(PATIENCE, reply).await.unwrap().unwrap();
        ResultMessage::from_frame(&reply).unwrap()
    }

    pub(crate) fn reply(&self, to: &Frame, message: &ControlMessage) {
        let encoded = message.encode().unwrap();
        self.channel
            .reply(&to.reply_to(), Priority::Default, encoded)
            .unwrap();
    }

    /// The next message that is wanted; others wait.
    pub(crate) async fn expect<T>(
        &mut self,
        wanted: impl Fn(ControlMessage) -> Option<T>,
    ) -> (Frame, T) {
        let decode = |frame: &Frame| ControlMessage::decode(&frame.clone().into_message()).unwrap();
        for (place, frame) in self.aside.iter().enumerate() {
            if let Some(found) = wanted(decode(frame)) {
                return (self.aside.remove(place), found);
            }
        }
        loop {
            let next = timeout(PATIENCE, self.inbox.next()).await;
            let frame = next
                .expect("the message comes in time")
                .expect("the channel is open");
            if let Some(found) = wanted(decode(&frame)) {
                return (frame, found);
            }
            self.aside.push(frame);
        }
    }

    /// Waits until the controller has closed the channel: for a router, that is the loss of its
    /// connections.
    pub(crate) async fn expect_end(&self) {
        let ending = async {
            while self.channel.connections() > 0 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        timeout(PATIENCE, ending)
            .await
            .expect("the channel is closed in time");
    }

    /// Waits until the controller has handled everything that was said.
    pub(crate) async fn settle(&self) {
        let nobody = VerifyRouter::default();
        self.ask_for_result(&ControlMessage::VerifyRouter(nobody))
            .await;
    }
}

fn hello(id: &str) -> RouterHello {
    RouterHello {
        version: version(),
        capabilities: Capabilities::of([
            RouterCapability::MultiChannel,
            RouterCapability::RouterDataModel,
        ]),
        listeners: vec![Listener {
            address: format!("tls:{id}.example.test:6262"),
            protocol: "tls".to_owned(),
            groups: vec!["default".to_owned()],
            local_binding: "lo".to_owned(),
        }],
        control_listeners: Vec::new(),
        unreadable: Vec::new(),
    }
}

fn peer(chain: &[Vec<u8>]) -> Peer {
    Peer {
        address: SocketAddr::from(([127, 0, 0, 1], 1)),
        certificates: chain.to_vec(),
    }
}
