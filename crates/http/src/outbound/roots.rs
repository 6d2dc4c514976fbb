//! Whom fetches over TLS trust.

use std::env;
use std::sync::Arc;

use rustls::RootCertStore;
use rustls_native_certs::{load_certs_from_paths, load_native_certs};
use tracing::warn;

/// Reads the authorities that the operating system trusts, and those of the file that
/// `SSL_CERT_FILE` names.
///
/// As with programs written in Go, the file stands beside the folders of the system;
/// `SSL_CERT_DIR` names others in their place. What cannot be read is logged and passed over:
/// without it, some servers will not be trusted. Reads many files, so it is for the start.
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
        warn!(%error, "some roots of the system cannot be read");
    }
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(found.certs);
    Arc::new(roots)
}
