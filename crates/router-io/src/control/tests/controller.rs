//! A controller that accepts routers, and leaves the rest to the test.

use std::net::SocketAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use portcullis_channel::group::{
    Admission, GeneratedCredentials, GroupId, GroupLimits, GroupRegistry, GroupSecret, Registration,
};
use portcullis_channel::hello::RejectClass;
use portcullis_channel::{
    BuildVersion, ChannelKind, ChannelOptions, ChannelSide, Frame, UnixNanos,
};
use portcullis_transport::{ChannelHandle, Clock, Inbox, Incoming, Transport, TransportLimits};
use portcullis_wire::capability::{Capabilities, ControllerCapability};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::hello::{ControllerHello, RouterHello};
use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs;
use rustls_pki_types::CertificateDer;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use super::world::{Authority, soon};

/// What it says of itself.
#[derive(Clone)]
pub(crate) struct Says {
    pub(crate) id: &'static str,
    pub(crate) capability: ControllerCapability,
    /// The SPIFFE ID in its certificate.
    pub(crate) spiffe_id: Option<&'static str>,
    /// Why it refuses every router.
    pub(crate) refusal: Option<&'static str>,
}

pub(crate) struct FakeController {
    pub(crate) address: SocketAddr,
    opened: mpsc::UnboundedReceiver<RouterChannel>,
    says: Arc<Mutex<Says>>,
    stop: CancellationToken,
}

/// The channel of a router.
pub(crate) struct RouterChannel {
    pub(crate) handle: ChannelHandle,
    pub(crate) inbox: Inbox,
    pub(crate) router: String,
    pub(crate) hello: RouterHello,
}

/// What is open.
struct Listening {
    transport: Transport,
    groups: GroupRegistry<(), usize>,
    channels: Vec<(ChannelHandle, Option<Registration<()>>)>,
    opened: mpsc::UnboundedSender<RouterChannel>,
    says: Arc<Mutex<Says>>,
}

impl Says {
    pub(crate) const fn usual(id: &'static str) -> Self {
        Self {
            id,
            capability: ControllerCapability::LegacySessionsAreJwts,
            spiffe_id: None,
            refusal: None,
        }
    }
}

impl FakeController {
    pub(crate) async fn start(id: &'static str, authority: &Authority) -> Self {
        Self::start_at("127.0.0.1:0".parse().unwrap(), Says::usual(id), authority).await
    }

    pub(crate) async fn start_at(at: SocketAddr, says: Says, authority: &Authority) -> Self {
        let socket = TcpListener::bind(at).await.unwrap();
        let address = socket.local_addr().unwrap();
        let acceptor = acceptor(authority, says.spiffe_id);
        let (sender, opened) = mpsc::unbounded_channel();
        let stop = CancellationToken::new();
        let says = Arc::new(Mutex::new(says));
        let listening = Listening {
            transport: Transport::new(Clock::start(UnixNanos(1)), TransportLimits::default()),
            groups: GroupRegistry::new(GroupLimits::default()),
            channels: Vec::new(),
            opened: sender,
            says: Arc::clone(&says),
        };
        tokio::spawn(listening.run(socket, acceptor, stop.clone()));
        Self {
            address,
            opened,
            says,
            stop,
        }
    }

    pub(crate) fn refuse(&self, reason: Option<&'static str>) {
        self.says.lock().refusal = reason;
    }

    /// The address as routers are told it.
    pub(crate) fn place(&self) -> String {
        format!("tls:localhost:{}", self.address.port())
    }

    /// The next channel that a router opens.
    pub(crate) async fn router(&mut self) -> RouterChannel {
        soon(self.opened.recv()).await.unwrap()
    }

    /// Ends everything. Routers find nobody there then.
    pub(crate) async fn stop(mut self) {
        self.stop.cancel();
        while soon(self.opened.recv()).await.is_some() {}
    }
}

impl Drop for FakeController {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl RouterChannel {
    pub(crate) fn send(&self, message: &ControlMessage) {
        let encoded = message.encode().unwrap();
        self.handle.send(message.priority(), encoded).unwrap();
    }

    /// The next message that `wanted` accepts; others are passed over.
    pub(crate) async fn expect<T>(
        &mut self,
        wanted: impl Fn(&Frame, ControlMessage) -> Option<T>,
    ) -> T {
        loop {
            let frame = soon(self.inbox.next()).await.expect("an open channel");
            let message = ControlMessage::decode(&frame.clone().into_message()).unwrap();
            if let Some(found) = wanted(&frame, message) {
                return found;
            }
        }
    }
}

impl Listening {
    async fn run(mut self, socket: TcpListener, acceptor: TlsAcceptor, stop: CancellationToken) {
        while let Some(accepted) = stop.run_until_cancelled(socket.accept()).await {
            let (stream, _) = accepted.unwrap();
            // One at a time, so that nobody waits for a group that is being opened.
            let _is_gone = self.admit(stream, &acceptor).await;
        }
        for (channel, _) in &self.channels {
            channel.close();
        }
    }

    /// Forgets the groups of channels that have ended.
    fn forget(&mut self) {
        for (channel, registration) in &mut self.channels {
            if channel.close_reason().is_some()
                && let Some(registration) = registration.take()
            {
                self.groups.close(registration);
            }
        }
    }

    async fn admit(&mut self, stream: TcpStream, acceptor: &TlsAcceptor) -> Option<()> {
        let stream = acceptor.accept(stream).await.ok()?;
        let deadline = Instant::now() + std::time::Duration::from_secs(5);
        let incoming = Incoming::read(stream, deadline).await.ok()?;
        let says = self.says.lock().clone();
        if let Some(reason) = says.refusal {
            incoming.reject(RejectClass::NotPermitted, reason).await;
            return None;
        }
        let headers = ControllerHello {
            version: version(),
            capabilities: Capabilities::of([says.capability]),
        }
        .to_headers();
        self.forget();
        let now = self.transport.clock().now().mono;
        let credentials = GeneratedCredentials {
            // As random ones, these differ from those of other controllers.
            id: GroupId::new(format!("{}-{}", says.id, self.channels.len())).unwrap(),
            secret: GroupSecret::new([7; 16]),
        };
        match self.groups.admit(&(), incoming.hello(), credentials, now) {
            Admission::New(reservation) => {
                let grant = reservation.grant().clone();
                let (router, hello) = (
                    incoming.hello().id.clone(),
                    incoming.hello().headers.clone(),
                );
                let connected = incoming.accept(&grant, says.id, &headers).await.ok()?;
                let options = ChannelOptions::new(ChannelKind::Control, ChannelSide::Listener);
                let (handle, inbox) = self.transport.open(grant, options, connected);
                let place = self.channels.len();
                let registration = self.groups.open(reservation, place).ok();
                self.channels.push((handle.clone(), registration));
                let channel = RouterChannel {
                    handle,
                    inbox,
                    router,
                    hello: RouterHello::from_headers(&hello).ok()?,
                };
                self.opened.send(channel).ok()
            },
            Admission::Attach(attachment) => {
                let (channel, _) = self.channels.get(attachment.channel)?;
                let channel = channel.clone();
                let connected = incoming
                    .accept(&attachment.grant, says.id, &headers)
                    .await
                    .ok()?;
                let _attached = channel.attach(&attachment.grant, connected).ok()?;
                Some(())
            },
            Admission::Wait(_) | Admission::Refuse(_) => None,
        }
    }
}

pub(crate) fn version() -> BuildVersion {
    BuildVersion {
        version: "v2.1.0".to_owned(),
        revision: "0".to_owned(),
        build_date: "2026-01-01T00:00:00Z".to_owned(),
        os: "linux".to_owned(),
        arch: "amd64".to_owned(),
    }
}

fn acceptor(authority: &Authority, spiffe_id: Option<&str>) -> TlsAcceptor {
    let (chain, key) = authority.issue("localhost", spiffe_id);
    let provider = Arc::new(aws_lc_rs::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain as Vec<CertificateDer<'static>>, key)
        .unwrap();
    config.alpn_protocols = vec![b"ziti-ctrl".to_vec()];
    TlsAcceptor::from(Arc::new(config))
}
