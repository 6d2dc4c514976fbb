//! TLS connections to one controller.

use std::io;
use std::sync::Arc;

use parking_lot::Mutex;
use portcullis_channel::Role;
use portcullis_channel::group::DialFailure;
use portcullis_channel::hello::Accepted;
use portcullis_pki::{Certificate, Fingerprint, SpiffeId, SpiffePath};
use portcullis_router::control::{ControlAddress, Target, check_controller};
use portcullis_router::edge::ControllerId;
use portcullis_transport::{Connector, DialError};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio_rustls::client::TlsStream;

use super::Context;
use super::failures::reason_of;
use crate::tcp;
use crate::tls::Tls;

/// ALPN name of control channels.
const PROTOCOL: &str = "ziti-ctrl";

/// What a session dials, which may change while it does.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) target: Mutex<Target>,
    pub(super) addresses: Mutex<Vec<ControlAddress>>,
    /// Where the last connection led.
    pub(super) reached: Mutex<Option<ControlAddress>>,
}

/// Dials the connections of one channel.
pub(super) struct ControllerConnector {
    context: Arc<Context>,
    place: Arc<Place>,
    /// Who has answered first; all connections have to lead there.
    controller: Option<ControllerId>,
    /// The controllers that the certificate of the last connection names.
    certified: Vec<ControllerId>,
    /// Counts failures: the next address follows on each.
    failures: usize,
    /// Whether the last connection showed the certificate that a renewal has left over.
    shows_left_over: bool,
    /// Wakes whoever waits for contact if the controller has surely forgotten the channel.
    forgotten: Arc<Notify>,
}

impl ControllerConnector {
    pub(super) fn new(context: Arc<Context>, place: Arc<Place>, forgotten: Arc<Notify>) -> Self {
        Self {
            context,
            place,
            controller: None,
            certified: Vec::new(),
            failures: 0,
            shows_left_over: false,
            forgotten,
        }
    }

    fn address(&self) -> Option<ControlAddress> {
        let addresses = self.place.addresses.lock();
        let place = self.failures.checked_rem(addresses.len())?;
        addresses.get(place).cloned()
    }

    /// Every other round through the addresses, the certificate that a renewal has left over is tried, if
    /// there is one.
    fn tls(&mut self) -> Arc<Tls> {
        let rounds = self.failures.checked_div(self.place.addresses.lock().len());
        let is_turn = rounds.is_some_and(|rounds| rounds % 2 == 1);
        let identity = self.context.identity.as_ref().filter(|_| is_turn);
        let left_over = identity.and_then(|identity| identity.left_over());
        self.shows_left_over = left_over.is_some();
        left_over.unwrap_or_else(|| Arc::clone(&self.context.tls))
    }
}

impl Connector for ControllerConnector {
    type Stream = TlsStream<TcpStream>;

    async fn connect(&mut self, _role: Role) -> io::Result<Self::Stream> {
        let address = self.address().ok_or(io::ErrorKind::AddrNotAvailable)?;
        let from = self.context.settings.bind.as_deref();
        let socket =
            tcp::connect(&self.context.outgoing, &address.host, address.port, from).await?;
        let tls = self.tls();
        let stream = tls.connect(socket, &address.host, PROTOCOL).await?;
        let leaf = stream.get_ref().1.peer_certificates().unwrap_or_default();
        self.certified = leaf.first().map(|leaf| named(leaf)).unwrap_or_default();
        *self.place.reached.lock() = Some(address);
        Ok(stream)
    }

    fn random(&mut self) -> u32 {
        self.context.random()
    }

    fn check(&mut self, answer: &Accepted) -> Result<(), String> {
        let controller = check_controller(answer)?;
        if let Some(other) = self.certified.iter().find(|one| **one != controller) {
            return Err(format!(
                "controller {controller} answers with the certificate of controller {other}"
            ));
        }
        if let Some(identity) = &self.context.identity {
            identity.settle(self.shows_left_over);
        }
        let first = self.controller.get_or_insert_with(|| controller.clone());
        if *first == controller {
            Ok(())
        } else {
            Err(format!("another controller is there now, {controller}"))
        }
    }

    fn failed(&mut self, error: &DialError) {
        let target = self.place.target.lock().clone();
        let address = self.address().map(|address| address.to_string());
        let reason = reason_of(error);
        self.failures = self.failures.wrapping_add(1);
        if is_forgotten(error) {
            self.forgotten.notify_waiters();
        }
        if !self.context.failures.record(&target, &reason) {
            tracing::debug!(controller = %target, address, %reason, "controller not reached again");
            return;
        }
        if let DialError::Rejected(rejection) = error {
            let chain = self.context.tls.client_chain();
            let certificate = chain.first().map(|leaf| Fingerprint::of_der(leaf));
            let certificate = certificate.map(|fingerprint| fingerprint.to_string());
            tracing::error!(
                controller = %target,
                address,
                router = %self.context.greeting.router.escape_debug(),
                certificate,
                reason = %rejection.reason.escape_debug(),
                "the controller refuses this router; it is tried again"
            );
        } else {
            tracing::warn!(controller = %target, address, %reason, "controller not reached; it is tried again");
        }
    }
}

/// The controllers whose SPIFFE IDs a certificate has. Certificates of networks with a single controller
/// need not have any.
fn named(leaf: &[u8]) -> Vec<ControllerId> {
    let Ok(leaf) = Certificate::from_der(leaf) else {
        return Vec::new();
    };
    let ids = leaf.uri_names().filter_map(|uri| SpiffeId::parse(uri).ok());
    let controllers = ids.filter_map(|id| match id.path() {
        SpiffePath::Controller(controller) => Some(controller.as_str().into()),
        _ => None,
    });
    controllers.collect()
}

/// Whether a controller that answers like this knows nothing of a channel that was open.
fn is_forgotten(error: &DialError) -> bool {
    let is_refused =
        matches!(error, DialError::Io(error) if error.kind() == io::ErrorKind::ConnectionRefused);
    is_refused || matches!(error.failure(), DialFailure::Closed | DialFailure::Rejected)
}
