//! What a controller says of itself once it serves.

use crate::build::BUILD;
use portcullis_app::network::Network;
use portcullis_controller_config::ControllerConfig;
use portcullis_domain::clock::Timestamp;
use portcullis_pki::{Certificate, Sha256Fingerprint};
use portcullis_program::descriptors;
use std::net::SocketAddr;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::{fs, thread};

/// Facts about a started controller that support asks for first.
#[derive(Debug, Clone)]
pub struct StartReport {
    store: PathBuf,
    store_revision: u64,
    listening: Vec<SocketAddr>,
    advertised: String,
    /// Address that routers are told.
    control: String,
    /// Where they connect.
    control_listening: Option<SocketAddr>,
    server_certificate_until: Timestamp,
    signing_certificate_until: Timestamp,
    /// End of the first root to end.
    ca_until: Option<Timestamp>,
    ca: Vec<Sha256Fingerprint>,
}

impl StartReport {
    pub(super) fn new(
        config: &ControllerConfig,
        network: &Network,
        roots: &[Certificate],
        listening: Vec<SocketAddr>,
        control_listening: Option<SocketAddr>,
        store_revision: u64,
    ) -> Self {
        let server = &network.serving_state().controller.certificate;
        Self {
            store: config.store.store_path(),
            store_revision,
            listening,
            advertised: config.edge.api.address.to_string(),
            control: config.router_address().to_string(),
            control_listening,
            server_certificate_until: server.not_after(),
            signing_certificate_until: network.signing().certificate().not_after(),
            ca_until: roots.iter().map(Certificate::not_after).min(),
            ca: roots.iter().map(Certificate::sha256).collect(),
        }
    }

    /// Fingerprints of the CA certificates that clients show before they trust them.
    pub fn ca_fingerprints(&self) -> &[Sha256Fingerprint] {
        &self.ca
    }

    /// Logs everything in one line. The names of its fields are documented, and stay as they are.
    pub fn log(&self, config: &[&Path]) {
        let config: Vec<_> = (config.iter())
            .map(|file| absolute(file).display().to_string())
            .collect();
        tracing::info!(
            version = BUILD.version,
            revision = BUILD.revision,
            config = config.join(", "),
            store = %absolute(&self.store).display(),
            store_bytes = fs::metadata(&self.store).ok().map(|found| found.len()),
            store_revision = self.store_revision,
            listening = joined(&self.listening),
            advertised = self.advertised,
            control = self.control,
            control_listening = self.control_listening.map(|it| it.to_string()),
            server_certificate_until = %self.server_certificate_until,
            signing_certificate_until = %self.signing_certificate_until,
            ca_until = self.ca_until.map(|end| end.to_string()),
            ca_sha256 = joined(&self.ca),
            cores = thread::available_parallelism().map_or(1, NonZero::get),
            open_files_limit = descriptors::limit(),
            "serving"
        );
    }
}

fn joined(all: &[impl ToString]) -> String {
    let all: Vec<_> = all.iter().map(ToString::to_string).collect();
    all.join(", ")
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_gone| path.to_owned())
}
