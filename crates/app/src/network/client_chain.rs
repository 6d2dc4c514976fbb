//! Certificate chains of clients that lead to the network's authority.

use super::Network;
use super::chain_cache::CachedChain;
use super::chain_validity::chain_validity;
use portcullis_domain::clock::Timestamp;
use portcullis_pki::{
    Certificate, CertificateError, ChainError, Fingerprint, SpiffeId, SpiffePath, Validity,
    VerifyAt,
};
use std::sync::Arc;

/// A client's certificate chain that was verified against the network's authority.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientChain {
    /// Fingerprint of the leaf.
    pub fingerprint: Fingerprint,
    /// The period in which the whole chain is valid.
    pub validity: Validity,
    /// Whether the client left out an intermediate.
    pub is_chain_incomplete: bool,
    /// The path of the leaf's SPIFFE id in this network, if it has one.
    pub issued_to: Option<Arc<SpiffePath>>,
}

/// A client's certificate chain could not be verified.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClientChainError {
    #[error("no certificate was presented")]
    Missing,
    #[error("a certificate of the chain could not be parsed")]
    Unreadable(#[from] CertificateError),
    #[error(transparent)]
    Unverified(#[from] ChainError),
}

impl Network {
    /// Finds the chain from a client's certificate to the network's authority in what the client
    /// presented, DER with the leaf first.
    ///
    /// A chain that is valid at `now` takes precedence, but one that is not is found too: policies
    /// may accept it.
    ///
    /// # Errors
    ///
    /// [`ClientChainError`] when the leaf does not chain to the network's authority.
    pub fn find_client_chain(
        &self,
        presented: &[&[u8]],
        now: Timestamp,
    ) -> Result<ClientChain, ClientChainError> {
        self.chain_cache
            .get_or_find(presented, now, || self.search_client_chain(presented, now))
    }

    fn search_client_chain(
        &self,
        presented: &[&[u8]],
        now: Timestamp,
    ) -> Result<CachedChain, ClientChainError> {
        let mut certificates = presented.iter().map(|der| Certificate::from_der(*der));
        let leaf = certificates.next().ok_or(ClientChainError::Missing)??;
        let intermediates = certificates.collect::<Result<Vec<_>, _>>()?;
        // These include the others, so that a foreign certificate is refused by one search.
        let anchors = &self.anchors_with_intermediates;
        let find_path = |at| anchors.verify_client_path(&leaf, &intermediates, at);
        let path = match find_path(VerifyAt::Now(now)) {
            Err(error) if error != ChainError::UnknownIssuer => find_path(VerifyAt::AnyCommonTime)?,
            outcome => outcome?,
        };
        let reaches_root = self
            .anchors
            .verify_client_chain(&leaf, &intermediates, VerifyAt::AnyCommonTime)
            .is_ok();
        Ok(CachedChain {
            alternatives: (!intermediates.is_empty()).then(|| leaf.validity()),
            chain: ClientChain {
                fingerprint: leaf.fingerprint(),
                validity: chain_validity(anchors, &leaf, &path),
                is_chain_incomplete: !reaches_root,
                issued_to: self.spiffe_path(&leaf).map(Arc::new),
            },
        })
    }

    /// The path of the certificate's SPIFFE id, if it has one in this network.
    fn spiffe_path(&self, leaf: &Certificate) -> Option<SpiffePath> {
        let name = SpiffeId::from_certificate(leaf).ok().flatten()?;
        (*name.domain() == self.trust_domain).then(|| name.path().clone())
    }
}

#[cfg(test)]
mod tests;
