//! TLS with servers that are checked by HTTPS.

use anyhow::Context as _;
use rustls::ClientConfig;
use rustls::crypto::aws_lc_rs;
use std::sync::Arc;

/// Verifies servers by the root certificates of the operating system.
pub(crate) async fn server_tls() -> anyhow::Result<Arc<ClientConfig>> {
    let reading = tokio::task::spawn_blocking(portcullis_fetch::system_roots);
    let roots = reading
        .await
        .context("the root certificates of the system were not read")?;
    let provider = Arc::new(aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .context("TLS cannot be set up")?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}
