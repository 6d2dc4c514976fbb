//! Client and server certificates of routers.

use crate::app::App;
use crate::error::{AppError, CsrDeniedError};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::router::{Router, RouterCertificate};
use portcullis_pki::{RouterCsr, RouterCsrError};

/// The certificate signing requests of a router.
#[derive(Debug, Clone, Default)]
pub struct RouterCsrs {
    /// CSR of the client certificate, PEM.
    pub client_csr: String,
    /// CSR of the server certificate, PEM.
    pub server_csr: String,
}

/// The issued certificates of a router with their intermediates, PEM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouterCertificates {
    pub client: String,
    pub server: String,
}

impl RouterCsrs {
    /// Checks that neither CSR is missing.
    ///
    /// # Errors
    ///
    /// [`CsrDeniedError::Missing`] for an edge router; [`CsrDeniedError::Invalid`] for a transit
    /// router, as clients expect.
    pub(crate) fn validate(self, router: &Router) -> Result<Self, CsrDeniedError> {
        for (csr, which) in [
            (&self.server_csr, SERVER_CSR),
            (&self.client_csr, CLIENT_CSR),
        ] {
            if csr.trim().is_empty() {
                return Err(match router.spec.edge() {
                    Some(_) => CsrDeniedError::Missing(which),
                    None => CsrDeniedError::Invalid(format!("{which} is required")),
                });
            }
        }
        Ok(self)
    }
}

/// Names of the two CSRs in error messages.
const CLIENT_CSR: &str = "client CSR";
const SERVER_CSR: &str = "server CSR";

/// Checks that a router is not disabled.
pub(crate) fn check_enabled(router: &Router) -> Result<(), AppError> {
    if router.spec.disabled {
        return Err(AppError::Denied {
            rule: Some("the router is disabled; enable it, then try again"),
        });
    }
    Ok(())
}

/// Issues the certificates of a router: the record to be stored, and the response to the router.
pub(crate) fn issue(
    app: &App,
    router: &Router,
    csrs: &RouterCsrs,
    now: Timestamp,
) -> Result<(RouterCertificate, RouterCertificates), AppError> {
    let network = app.network();
    let serving = network.serving_state();
    let reserved = &serving.reserved_names;
    let read = |csr| RouterCsr::parse(csr, network.trust_domain(), &router.id, reserved);
    let server = read(&csrs.server_csr).map_err(|error| csr_error(SERVER_CSR, &error))?;
    let client = read(&csrs.client_csr)
        .and_then(|csr| match router.spec.edge() {
            Some(_) => csr.check_common_name(&router.id),
            None => Ok(csr),
        })
        .map_err(|error| csr_error(CLIENT_CSR, &error))?;
    let (signing, entropy) = (app.network().signing(), &*app.env().entropy);
    let server = signing.issue_router_server(&server, now, entropy);
    let client = signing.issue_router_client(&client, now, entropy);
    let (server, client) = (server?, client?);
    let issued = RouterCertificates {
        client: signing.chain_pem(&client),
        server: signing.chain_pem(&server),
    };
    let fingerprint = client.fingerprint().to_string();
    let record = RouterCertificate::new(issued.client.clone(), fingerprint);
    Ok((record, issued))
}

fn csr_error(which: &str, error: &RouterCsrError) -> CsrDeniedError {
    CsrDeniedError::Invalid(format!("{which}: {error}"))
}
