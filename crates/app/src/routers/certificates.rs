//! The certificates of routers: one by which they prove who they are, and one for their servers.

use crate::app::App;
use crate::error::AppError;
use crate::network::not_issued;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::router::{Router, RouterCertificate};
use portcullis_pki::{RouterCsr, RouterCsrError};

/// What a router brings to obtain its certificates.
#[derive(Debug, Clone, Default)]
pub struct RouterProof {
    /// Request for the certificate by which it proves who it is, PEM.
    pub client_csr: String,
    /// Request for the certificate that it shows to those who connect to it, PEM.
    pub server_csr: String,
}

/// What a router gets: certificates and those between them and the root, PEM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouterCertificates {
    /// By which it proves who it is.
    pub client: String,
    /// What it shows to those who connect to it.
    pub server: String,
}

impl RouterProof {
    /// The same proof, if neither request is missing.
    ///
    /// # Errors
    ///
    /// [`AppError::MissingCsr`] for an edge router; [`AppError::Csr`] for others, as clients know it.
    pub(crate) fn check_present(self, router: &Router) -> Result<Self, AppError> {
        for (csr, which) in [(&self.server_csr, SERVER), (&self.client_csr, CLIENT)] {
            if csr.trim().is_empty() {
                return Err(match router.spec.edge() {
                    Some(_) => AppError::MissingCsr(which),
                    None => AppError::Csr(format!("{which} is required")),
                });
            }
        }
        Ok(self)
    }
}

/// What the two requests are called.
const CLIENT: &str = "client CSR";
const SERVER: &str = "server CSR";

/// Checks that a router is not shut out.
pub(crate) fn check_admitted(router: &Router) -> Result<(), AppError> {
    if router.spec.disabled {
        return Err(AppError::Denied {
            rule: Some("the router is disabled; enable it, then try again"),
        });
    }
    Ok(())
}

/// Issues what a router asks for: the certificate to be kept, and what the router gets.
pub(crate) fn issue(
    app: &App,
    router: &Router,
    proof: &RouterProof,
    now: Timestamp,
) -> Result<(RouterCertificate, RouterCertificates), AppError> {
    let network = app.network();
    let in_service = network.served();
    let reserved = &in_service.reserved_names;
    let read = |csr| RouterCsr::read(csr, network.trust_domain(), &router.id, reserved);
    let server = read(&proof.server_csr).map_err(|error| refused(SERVER, &error))?;
    let client = read(&proof.client_csr)
        .and_then(|csr| match router.spec.edge() {
            Some(_) => csr.check_common_name(&router.id),
            None => Ok(csr),
        })
        .map_err(|error| refused(CLIENT, &error))?;
    let (signing, entropy) = (app.network().signing(), &*app.env().entropy);
    let server = signing.issue_router_server(&server, now, entropy);
    let client = signing.issue_router_client(&client, now, entropy);
    let (server, client) = (server.map_err(not_issued)?, client.map_err(not_issued)?);
    let issued = RouterCertificates {
        client: signing.chain_pem(&client),
        server: signing.chain_pem(&server),
    };
    let kept = RouterCertificate {
        pem: issued.client.clone(),
        fingerprint: client.fingerprint().to_string(),
    };
    Ok((kept, issued))
}

fn refused(which: &str, error: &RouterCsrError) -> AppError {
    AppError::Csr(format!("{which}: {error}"))
}
