//! Trusted root certificates of fetches.

use std::env;
use std::sync::Arc;

use rustls::RootCertStore;
use rustls_native_certs::{load_certs_from_paths, load_native_certs};
use tracing::warn;

/// Loads the root certificates of the operating system, and those of the file in `SSL_CERT_FILE`.
///
/// As in Go programs, the file adds to the folders of the system, and `SSL_CERT_DIR` replaces
/// these. Unreadable certificates are logged and skipped: without them, some servers will not be
/// trusted. Reads many files, so call it at the start.
pub fn system_roots() -> Arc<RootCertStore> {
    let mut found = load_native_certs();
    let (file, folders) = (env::var_os("SSL_CERT_FILE"), env::var_os("SSL_CERT_DIR"));
    if file.is_some() && folders.is_none() {
        for folder in openssl_probe::candidate_cert_dirs() {
            let more = load_certs_from_paths(None, Some(folder));
            found.certs.extend(more.certs);
            found.errors.extend(more.errors);
        }
    }
    for error in found.errors {
        warn!(%error, "some root certificates of the system cannot be read");
    }
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(found.certs);
    Arc::new(roots)
}
