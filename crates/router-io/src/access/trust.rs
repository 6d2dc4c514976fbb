//! Certificates of SDKs.

use std::sync::Arc;

use parking_lot::Mutex;
use portcullis_pki::{Certificate, ChainError, MAX_PRESENTED, TrustAnchors, VerifyAt};
use portcullis_router::access::DataModel;
use portcullis_router::edge::ClientCertificates;
use portcullis_wire::control::data_model::{KeyFormat, KeyUsage, PublicKey};
use rustls_pki_types::CertificateDer;

use super::Rights;
use crate::tls::Tls;

/// Judges certificates of SDKs by the authorities of the data model.
///
/// Dates are ignored, as OpenZiti's routers do: whether a certificate may have expired is said by the
/// session.
pub(crate) struct ClientTrust {
    rights: Arc<Rights>,
    tls: Arc<Tls>,
    /// Of the keys that the model had last.
    known: Mutex<Arc<Known>>,
}

/// Authorities, and their keys in the model.
#[derive(Debug, Default)]
struct Known {
    keys: Vec<Arc<PublicKey>>,
    anchors: TrustAnchors,
}

/// Why certificates do not count.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Distrust {
    #[error("no client certificate")]
    Missing,
    /// The data model has not arrived yet.
    #[error("the router knows no authority of client certificates yet")]
    NoAuthorities,
    #[error("a certificate cannot be read")]
    Unreadable,
    #[error("the client certificate is not trusted: {0}")]
    Chain(#[from] ChainError),
}

impl ClientTrust {
    pub(crate) fn new(rights: Arc<Rights>, tls: Arc<Tls>) -> Self {
        Self {
            rights,
            tls,
            known: Mutex::default(),
        }
    }

    /// Judges the chain that a client has presented, leaf first. TLS has verified that it has the key of the
    /// leaf.
    pub(crate) fn judge(
        &self,
        presented: &[CertificateDer<'static>],
    ) -> Result<ClientCertificates, Distrust> {
        let chain = presented.iter().take(MAX_PRESENTED + 1).map(read);
        let chain: Vec<Certificate> = chain.collect::<Result<_, _>>()?;
        let (leaf, others) = chain.split_first().ok_or(Distrust::Missing)?;
        let known = self.known();
        if known.anchors.certificates().is_empty() {
            return Err(Distrust::NoAuthorities);
        }
        // Intermediates that the router has itself need not be presented.
        let bundle = self.tls.authorities();
        let bundle: Vec<_> = bundle.iter().filter_map(|one| read(one).ok()).collect();
        let between = with_own(others, &bundle);
        let at = VerifyAt::AnyCommonTime;
        known.anchors.verify_client_chain(leaf, &between, at)?;
        let own = anchors(bundle.into_iter().filter(Certificate::is_self_issued));
        Ok(ClientCertificates {
            fingerprints: chain
                .iter()
                .map(|one| one.fingerprint().to_string())
                .collect(),
            not_before: leaf.not_before(),
            not_after: leaf.not_after(),
            spiffe_id: spiffe_id(leaf),
            is_first_party: own.verify_client_chain(leaf, &between, at).is_ok(),
        })
    }

    /// The authorities of the model; prepared again only when they have changed.
    fn known(&self) -> Arc<Known> {
        let keys = self.rights.with_model(authorities);
        let mut known = self.known.lock();
        if known.keys != keys {
            *known = Arc::new(prepare(keys));
        }
        Arc::clone(&known)
    }
}

fn read(der: &CertificateDer<'static>) -> Result<Certificate, Distrust> {
    Certificate::from_der(der.to_vec()).or(Err(Distrust::Unreadable))
}

fn authorities(model: &DataModel) -> Vec<Arc<PublicKey>> {
    let is_authority = |key: &&Arc<PublicKey>| {
        key.format == KeyFormat::X509Certificate
            && key.usages.contains(&KeyUsage::ClientCertificateValidation)
    };
    model
        .public_keys()
        .filter(is_authority)
        .map(Arc::clone)
        .collect()
}

fn prepare(keys: Vec<Arc<PublicKey>>) -> Known {
    let certificates = keys
        .iter()
        .map(|key| Certificate::from_der(key.data.to_vec()));
    Known {
        anchors: anchors(certificates.filter_map(Result::ok)),
        keys,
    }
}

/// What cannot be used is left out.
fn anchors(certificates: impl Iterator<Item = Certificate>) -> TrustAnchors {
    let is_usable = |one: &Certificate| TrustAnchors::new(vec![one.clone()]).is_ok();
    TrustAnchors::new(certificates.filter(is_usable).collect()).unwrap_or_default()
}

/// Intermediates that were presented, and those of the router, as many as may be considered.
fn with_own(presented: &[Certificate], own: &[Certificate]) -> Vec<Certificate> {
    let own = own.iter().filter(|one| !one.is_self_issued());
    let all = presented.iter().chain(own);
    all.take(MAX_PRESENTED).cloned().collect()
}

fn spiffe_id(leaf: &Certificate) -> Option<String> {
    let mut uris = leaf.uri_names();
    uris.find(|uri| uri.starts_with("spiffe:"))
        .map(str::to_owned)
}
