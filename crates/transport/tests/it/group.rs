//! A dialer that keeps its connections.

use crate::support::{controller, deadline, generated, note, number, router, transport};
use portcullis_channel::group::{
    Admission, ChannelGrant, ConnectionCounts, GroupId, GroupLimits, GroupRegistry, Registration,
};
use portcullis_channel::hello::{Accepted, RejectClass};
use portcullis_channel::{CloseReason, Headers, Priority, Role};
use portcullis_transport::{
    ChannelHandle, Connector, Contact, DialError, Group, GroupSettings, Inbox, Incoming, Transport,
};
use std::io;
use std::time::Duration;
use tokio::io::{DuplexStream, duplex};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};

/// Dials a listener of this process.
struct InProcess(mpsc::UnboundedSender<DuplexStream>);

/// The same, for one that is to be called `c`; keeps what failed.
struct Particular(InProcess, mpsc::UnboundedSender<String>);

impl Connector for Particular {
    type Stream = DuplexStream;

    async fn connect(&mut self, role: Role) -> io::Result<DuplexStream> {
        self.0.connect(role).await
    }

    fn random(&mut self) -> u32 {
        0
    }

    fn check(&mut self, answer: &Accepted) -> Result<(), String> {
        let name = answer.responder.as_deref().unwrap_or_default();
        (name == "c").then_some(()).ok_or(format!("it is {name}"))
    }

    fn failed(&mut self, error: &DialError) {
        self.1.send(error.to_string()).unwrap();
    }
}

impl Connector for InProcess {
    type Stream = DuplexStream;

    async fn connect(&mut self, _role: Role) -> io::Result<DuplexStream> {
        let (near, far) = duplex(4096);
        self.0
            .send(near)
            .map_err(|_refused| io::Error::from(io::ErrorKind::ConnectionRefused))?;
        Ok(far)
    }

    fn random(&mut self) -> u32 {
        0
    }
}

/// A listener that takes connections one by one, when a test says so.
struct Listener {
    transport: Transport,
    streams: mpsc::UnboundedReceiver<DuplexStream>,
    groups: GroupRegistry<&'static str, u32>,
    open: Option<(ChannelHandle, Inbox, Registration<&'static str>)>,
}

impl Listener {
    fn new(transport: &Transport) -> (Self, InProcess) {
        let (sender, streams) = mpsc::unbounded_channel();
        let listener = Self {
            transport: transport.clone(),
            streams,
            groups: GroupRegistry::new(GroupLimits::default()),
            open: None,
        };
        (listener, InProcess(sender))
    }

    async fn incoming(&mut self) -> Incoming<DuplexStream> {
        let stream = self.streams.recv().await.unwrap();
        Incoming::read(stream, deadline()).await.unwrap()
    }

    /// Takes one connection; returns whether it was accepted.
    async fn take(&mut self) -> bool {
        let incoming = self.incoming().await;
        let now = self.transport.clock().now().mono;
        let admission = self
            .groups
            .admit(&"peer", incoming.hello(), generated(), now);
        let headers = Headers::empty();
        match admission {
            Admission::New(reservation) => {
                let grant = reservation.grant().clone();
                let connected = incoming.accept(&grant, "c", &headers).await.unwrap();
                let (handle, inbox) = self.transport.open(grant, controller(), connected);
                let registration = self.groups.open(reservation, 1).unwrap();
                self.open = Some((handle, inbox, registration));
                true
            },
            Admission::Attach(attachment) => {
                let connected = incoming
                    .accept(&attachment.grant, "c", &headers)
                    .await
                    .unwrap();
                let (handle, ..) = self.open.as_ref().unwrap();
                handle.attach(&attachment.grant, connected).unwrap();
                true
            },
            Admission::Wait(_) | Admission::Refuse(_) => false,
        }
    }

    /// Ends the channel, as a restart would.
    async fn forget(&mut self) {
        let (handle, inbox, registration) = self.open.take().unwrap();
        drop(inbox);
        assert_eq!(handle.closed().await, CloseReason::Requested);
        self.groups.close(registration);
    }
}

fn settings() -> GroupSettings {
    GroupSettings {
        connections: ConnectionCounts {
            default: 1,
            high: 1,
        },
        ..GroupSettings::new("router".to_owned(), Headers::empty(), router())
    }
}

#[tokio::test(start_paused = true)]
async fn group_is_kept_over_losses_and_a_restart_of_the_listener() {
    let transport = transport();
    let (mut listener, connector) = Listener::new(&transport);
    let opening = Group::open(&transport, settings(), connector, |error| panic!("{error}"));
    let (mut group, is_accepted) = tokio::join!(opening, listener.take());
    assert!(is_accepted);
    assert_eq!(group.answer.responder.as_deref(), Some("c"));
    let start = Instant::now();
    assert!(listener.take().await, "the second connection follows");
    assert_eq!(start.elapsed().as_secs(), 5);
    sleep(Duration::from_millis(1)).await;
    assert_eq!(group.handle.connections(), 2);
    let before = group.handle.id();
    let mut contact = group.handle.contact();
    assert_eq!(*contact.borrow_and_update(), Contact::default());

    listener.forget().await;
    contact.changed().await.unwrap();
    assert!(contact.borrow_and_update().is_lost);
    assert!(!listener.take().await, "it tries to join what is gone");
    assert!(listener.take().await, "then it founds a group");
    sleep(Duration::from_millis(1)).await;
    assert_eq!(group.handle.id().as_str(), format!("{before}-1"));
    assert_eq!(group.handle.close_reason(), None);
    let regained = *contact.borrow_and_update();
    assert!(!regained.is_lost && regained.losses == 1, "{regained:?}");
    let (handle, ..) = listener.open.as_ref().unwrap();
    handle.send(Priority::Default, note(1)).unwrap();
    assert_eq!(number(&group.inbox.next().await.unwrap()), 1);

    drop(group.inbox);
    let (handle, ..) = listener.open.as_ref().unwrap();
    assert_eq!(handle.closed().await, CloseReason::ConnectionsLost);
    drop(listener);
    transport.tasks().close();
    transport.tasks().wait().await;
}

#[tokio::test(start_paused = true)]
async fn answer_that_the_dialer_does_not_like_is_none() {
    let transport = transport();
    let (mut listener, connector) = Listener::new(&transport);
    let (failures, mut failed) = mpsc::unbounded_channel();
    let connector = Particular(connector, failures);
    let opening = Group::open(&transport, settings(), connector, |_| {});
    let accepting = async {
        let grant = ChannelGrant::ungrouped(GroupId::new("g").unwrap());
        let other = listener.incoming().await;
        let _closed = other.accept(&grant, "other", &Headers::empty()).await;
        assert!(listener.take().await);
    };
    let (group, ()) = tokio::join!(opening, accepting);
    assert_eq!(group.answer.responder.as_deref(), Some("c"));
    let told = failed.recv().await.unwrap();
    assert_eq!(told, "the answer to the hello is not accepted: it is other");

    listener.forget().await;
    drop(listener.incoming().await);
    let told = failed.recv().await.unwrap();
    assert!(told.contains("without an answer"), "{told}");
}

#[tokio::test(start_paused = true)]
async fn first_connection_is_tried_until_it_is_accepted() {
    let transport = transport();
    let (mut listener, connector) = Listener::new(&transport);
    let mut reasons = Vec::new();
    let opening = Group::open(&transport, settings(), connector, |error| {
        reasons.push(error.to_string());
    });
    let accepting = async {
        drop(listener.incoming().await);
        let incoming = listener.incoming().await;
        incoming.reject(RejectClass::Busy, "not\u{7}yet").await;
        assert!(listener.take().await);
    };
    let (group, ()) = tokio::join!(opening, accepting);
    assert_eq!(group.handle.connections(), 1);
    assert_eq!(
        reasons,
        [
            "the connection was closed without an answer to its hello",
            "the connection was rejected: not\\u{7}yet",
        ]
    );
}
