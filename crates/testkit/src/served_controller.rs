//! A controller that clients reach by a socket.

use crate::harness::{Harness, HarnessOptions, OnThisComputer};
use portcullis_domain::clock::Timestamp;
use portcullis_listener::{Limits, Listener, ServerTls, TlsVersion};
use std::sync::Arc;
use tokio_util::sync::{CancellationToken, DropGuard};

/// A controller with its store in memory, at a port of this computer until it is dropped.
pub struct ServedController {
    pub harness: Box<Harness>,
    /// `https://localhost:` and the port.
    pub url: String,
    _stop: DropGuard,
}

impl ServedController {
    /// Starts a controller with an administrator. `now` is the time of this computer, at which clients judge its
    /// certificate.
    pub async fn start(options: HarnessOptions, now: Timestamp) -> Self {
        let listener = Listener::bind(([127, 0, 0, 1], 0).into()).unwrap();
        let port = listener.local_addr().port();
        let place = OnThisComputer {
            start: now,
            control_port: None,
            api_port: Some(port),
        };
        let harness = Box::new(Box::pin(Harness::start_at(options, place)).await);
        let (chain, key) = harness.server_identity();
        let chain = chain.iter().map(|one| one.as_rustls().clone()).collect();
        let pair = ServerTls::certified_key(chain, key.to_rustls().unwrap()).unwrap();
        let tls = ServerTls::new(vec![pair], TlsVersion::Tls12, TlsVersion::Tls13).unwrap();
        let stop = CancellationToken::new();
        let service = Arc::new(harness.service());
        tokio::spawn(listener.serve(service, Arc::new(tls), Limits::default(), stop.clone()));
        Self {
            harness,
            url: format!("https://localhost:{port}"),
            _stop: stop.drop_guard(),
        }
    }
}
