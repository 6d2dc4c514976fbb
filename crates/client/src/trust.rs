//! Whom a client trusts.

mod anyone;
mod exact_leaf;

use anyone::Anyone;
use exact_leaf::ExactLeaf;
use rustls::RootCertStore;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::CryptoProvider;
use rustls_pki_types::CertificateDer;
use std::sync::Arc;

/// Whom a client trusts to be the controller.
#[derive(Debug, Clone)]
pub struct Trust(Kind);

#[derive(Debug, Clone)]
enum Kind {
    Anchors(Vec<CertificateDer<'static>>),
    ExactLeaf(CertificateDer<'static>),
    Anyone,
}

impl Trust {
    /// Trusts servers whose certificate was issued, directly or not, by one of these authorities
    /// and is valid for the host that is asked. An authority need not be a root. What is no
    /// certificate at all is passed over.
    pub fn anchors(authorities: impl IntoIterator<Item = CertificateDer<'static>>) -> Self {
        Self(Kind::Anchors(authorities.into_iter().collect()))
    }

    /// Trusts the holder of this certificate and nobody else, for the hosts that it names.
    pub fn exact_leaf(leaf: CertificateDer<'static>) -> Self {
        Self(Kind::ExactLeaf(leaf))
    }

    /// Trusts anyone who holds the key of the certificate shown. For first contacts only: nothing
    /// that comes or goes over such a connection is protected.
    pub(crate) fn anyone() -> Self {
        Self(Kind::Anyone)
    }

    /// Makes the verifier of server certificates; `None` when there is nothing to trust.
    pub(crate) fn into_verifier(
        self,
        provider: Arc<CryptoProvider>,
    ) -> Option<Arc<dyn ServerCertVerifier>> {
        match self.0 {
            Kind::Anchors(authorities) => {
                let mut roots = RootCertStore::empty();
                roots.add_parsable_certificates(authorities);
                let verifier =
                    WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider);
                // The one error that is left after that is an empty store.
                Some(verifier.build().ok()?)
            },
            Kind::ExactLeaf(leaf) => Some(Arc::new(ExactLeaf::new(leaf, provider))),
            Kind::Anyone => Some(Arc::new(Anyone::new(provider))),
        }
    }
}
