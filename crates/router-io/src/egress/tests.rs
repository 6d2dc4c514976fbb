//! Dialers before real sockets.

mod encrypted;
mod failures;
mod servers;

use std::sync::Arc;
use std::time::Duration;

use portcullis_domain::entropy::{Entropy, EntropyError};
use portcullis_router_config::model::Listener;
use portcullis_router_config::{CheckOptions, SourceFile, load};
use portcullis_wire::control::route::DestinationKind::{End, Start as Beginning};
use portcullis_wire::peer_data::PeerData;
use portcullis_xgress::{Options, Side};
use tokio::io::{DuplexStream, duplex};
use tokio::time::{Instant, timeout};

use crate::ends::{EndTerms, LocalSide, SocketSide, Start};
use crate::routes::{DialFailure, DialRequest, Dialers};
use crate::socket_mark::SocketMark;
use crate::testing::{CIRCUIT, TestCertificate, TestRouter, controller_id};

/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(20);

/// A router with its dialers.
struct World {
    router: TestRouter,
    dialers: Dialers,
    /// Of the router, and of servers with TLS.
    certificate: TestCertificate,
}

/// Randomness that is the same each time.
struct FixedEntropy;

impl Entropy for FixedEntropy {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        bytes.fill(7);
        Ok(())
    }
}

impl World {
    fn new() -> Self {
        let all = "dialers: [{binding: transport}, {binding: transport_udp}]\n";
        Self::with(&entries(all))
    }

    fn with(entries: &[Listener]) -> Self {
        let certificate = TestCertificate::for_localhost();
        let tls = Arc::new(certificate.tls());
        let router = TestRouter::new("router");
        let entropy: Arc<dyn Entropy> = Arc::new(FixedEntropy);
        let dialers =
            super::dialers(entries, &router.ends, &tls, &entropy, SocketMark::default()).unwrap();
        Self {
            router,
            dialers,
            certificate,
        }
    }

    async fn dial(&self, binding: &str, destination: &str) -> Result<PeerData, DialFailure> {
        self.dial_with(binding, destination, PeerData::new()).await
    }

    async fn dial_with(
        &self,
        binding: &str,
        destination: &str,
        peer_data: PeerData,
    ) -> Result<PeerData, DialFailure> {
        let request = DialRequest {
            circuit: CIRCUIT.into(),
            attempt: 0,
            controller: controller_id(),
            address: "far".to_owned(),
            destination: destination.to_owned(),
            peer_data,
            deadline: Instant::now() + PATIENCE,
        };
        let dialing = self.dialers[binding].dial(request);
        timeout(2 * PATIENCE, dialing).await.unwrap()
    }

    /// Opens the other end of the circuit that was dialed.
    fn open(&self, side: impl LocalSide) {
        self.router.route(("near", Beginning), ("far", End));
        let terms = EndTerms {
            circuit: CIRCUIT.into(),
            address: "near".to_owned(),
            side: Side::Initiator,
            options: Arc::new(Options::default()),
            start: Start::AtOnce,
            identity: None,
        };
        let _goes_on = self.router.ends.open(&terms, side);
    }

    /// Opens the other end, and returns what a client has of it.
    fn client(&self) -> DuplexStream {
        let (client, near) = duplex(64 << 10);
        self.open(SocketSide::new("test", near));
        client
    }

    async fn wait_for_ends(&self) {
        timeout(PATIENCE, self.router.wait_for_ends())
            .await
            .unwrap();
    }
}

/// The section `dialers` of a file.
fn entries(text: &str) -> Vec<Listener> {
    let file = SourceFile::new("router.yml", text.as_bytes());
    load(&file, &CheckOptions::new()).config.dialers
}
