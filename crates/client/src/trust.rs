//! Trust in the server certificate.

mod accept_any;
mod exact_leaf;

use crate::build_error::{BuildError, certificates_from_pem};
use accept_any::AcceptAny;
use exact_leaf::ExactLeaf;
use rustls::RootCertStore;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::CryptoProvider;
use rustls_pki_types::CertificateDer;
use std::sync::Arc;

/// Rule by which a client trusts the certificate of the controller.
#[derive(Debug, Clone)]
pub struct Trust(TrustKind);

#[derive(Debug, Clone)]
enum TrustKind {
    Anchors(Vec<CertificateDer<'static>>),
    ExactLeaf(CertificateDer<'static>),
    AcceptAny,
}

impl Trust {
    /// Trusts certificates that were issued, directly or not, by one of these CAs and are valid for the
    /// host. The CAs need not be roots. Unparsable certificates are ignored.
    pub fn anchors(authorities: impl IntoIterator<Item = CertificateDer<'static>>) -> Self {
        Self(TrustKind::Anchors(authorities.into_iter().collect()))
    }

    /// Trusts the CAs whose certificates are in a PEM text, like [`Trust::anchors`].
    ///
    /// # Errors
    ///
    /// [`BuildError::Pem`] when the text is damaged, [`BuildError::NoTrustAnchors`] when there is no
    /// certificate in it.
    pub fn from_pem(pem: &[u8]) -> Result<Self, BuildError> {
        let authorities = certificates_from_pem(pem)?;
        if authorities.is_empty() {
            return Err(BuildError::NoTrustAnchors);
        }
        Ok(Self::anchors(authorities))
    }

    /// Trusts only this certificate, for the hosts that it names.
    pub fn exact_leaf(leaf: CertificateDer<'static>) -> Self {
        Self(TrustKind::ExactLeaf(leaf))
    }

    /// Trusts any certificate whose key the server holds. For first contact only: such a connection is
    /// not protected against active attackers.
    pub(crate) fn accept_any() -> Self {
        Self(TrustKind::AcceptAny)
    }

    /// Builds the verifier of server certificates; `None` without any valid trust anchor.
    pub(crate) fn into_verifier(
        self,
        provider: Arc<CryptoProvider>,
    ) -> Option<Arc<dyn ServerCertVerifier>> {
        match self.0 {
            TrustKind::Anchors(authorities) => {
                let mut roots = RootCertStore::empty();
                roots.add_parsable_certificates(authorities);
                let verifier =
                    WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider);
                // The only remaining error is an empty store.
                Some(verifier.build().ok()?)
            },
            TrustKind::ExactLeaf(leaf) => Some(Arc::new(ExactLeaf::new(leaf, provider))),
            TrustKind::AcceptAny => Some(Arc::new(AcceptAny::new(provider))),
        }
    }
}
