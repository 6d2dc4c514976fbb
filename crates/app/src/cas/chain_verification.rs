//! Verification of client certificates against third-party authorities.

use crate::app::App;
use crate::network::ClientChainError;
use portcullis_domain::ca::{Ca, ClaimLocation};
use portcullis_pki::{
    Certificate, ChainError, Fingerprint, MAX_PRESENTED, TrustAnchors, Validity, VerifyAt,
    certificates_to_pem,
};
use portcullis_storage::engine::StoreError;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{CA, Found, Rows};
use std::cmp::Reverse;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

/// Maximum length of a client's chain.
const MAX_CHAIN_LEN: usize = 1 + MAX_PRESENTED;

/// An authority with its certificate.
type Candidate = (Found<Ca>, Arc<Certificate>);

/// A verified chain from a client's certificate, whose key the client has proved to hold, to a
/// third-party authority.
#[derive(Debug, Clone)]
pub(crate) struct CaVerification {
    /// The authority as of the verification.
    pub(crate) ca: Found<Ca>,
    leaf: Certificate,
    intermediates: Vec<Certificate>,
    authority: Certificate,
    /// Fingerprint of the leaf's signature twin, computed on first use.
    twin: OnceLock<Option<Fingerprint>>,
}

/// The external id in a certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ClaimedExternalId {
    /// The authority has no external id claim.
    NotConfigured,
    /// The authority has a claim, but this certificate has no value for it.
    Absent,
    Id(String),
}

/// No authority has verified a chain.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CaVerificationError {
    /// Of several authorities, the most telling reason.
    #[error(transparent)]
    Chain(#[from] ClientChainError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<ChainError> for CaVerificationError {
    fn from(error: ChainError) -> Self {
        Self::Chain(error.into())
    }
}

/// Verifies a chain (DER, leaf first) against all authorities that `admits` accepts. `None` if none
/// issued it or the chain is invalid.
///
/// Of several results it is the first of [`list_verifications`] that does not lack an expected
/// claim, or else the first one.
pub(crate) fn find_verification(
    app: &App,
    rows: Rows<'_>,
    chain: &[&[u8]],
    at: VerifyAt,
    admits: fn(&Ca) -> bool,
) -> Result<Option<CaVerification>, StoreError> {
    let outcome = list_verifications(app, rows, chain, at, admits);
    let mut verifications = none_if_rejected(outcome)?.unwrap_or_default();
    let has_claim = |verification: &CaVerification| {
        verification.claimed_external_id() != ClaimedExternalId::Absent
    };
    let index = verifications.iter().position(has_claim).unwrap_or_default();
    Ok((index < verifications.len()).then(|| verifications.swap_remove(index)))
}

/// Verifies a chain as [`find_verification`] does and returns all results, latest expiry first. An
/// authority and its renewal have the same name and key, so there can be several; there is at least
/// one.
///
/// Only the leaf is authenticated; other certificates are only used for path building. An
/// unauthenticated client costs a look at each authority, plus a few signature checks for each one
/// that the chain names as an issuer.
pub(crate) fn list_verifications(
    app: &App,
    rows: Rows<'_>,
    chain: &[&[u8]],
    at: VerifyAt,
    admits: fn(&Ca) -> bool,
) -> Result<Vec<CaVerification>, CaVerificationError> {
    let (leaf, intermediates) = parse_chain(chain)?;
    let named = |authority: &Certificate| {
        let mut presented = std::iter::once(&leaf).chain(&intermediates);
        presented.any(|one| one.names_as_issuer(authority))
    };
    let mut verifications = Vec::new();
    let mut fault = ChainError::UnknownIssuer;
    for candidate in list_candidates(app, rows, admits, &named)? {
        match verify_candidate(candidate, &leaf, &intermediates, at) {
            Ok(verification) => verifications.push(verification),
            Err(CaVerificationError::Chain(ClientChainError::Unverified(error))) => {
                fault = fault.more_telling(error);
            },
            Err(error) => return Err(error),
        }
    }
    if verifications.is_empty() {
        return Err(fault.into());
    }
    verifications.sort_by_key(|verification| Reverse(verification.authority.not_after()));
    Ok(verifications)
}

/// Verifies a chain against one authority.
pub(crate) fn verify_with_ca(
    app: &App,
    ca: Found<Ca>,
    chain: &[&[u8]],
    at: VerifyAt,
) -> Result<Option<CaVerification>, StoreError> {
    let certificate = app.trust_anchors.get(&ca)?;
    none_if_rejected(
        parse_chain(chain)
            .map_err(CaVerificationError::from)
            .and_then(|(leaf, rest)| verify_candidate((ca, certificate), &leaf, &rest, at)),
    )
}

/// Leaves out why a chain was rejected.
fn none_if_rejected<T>(outcome: Result<T, CaVerificationError>) -> Result<Option<T>, StoreError> {
    match outcome {
        Ok(verified) => Ok(Some(verified)),
        Err(CaVerificationError::Chain(_)) => Ok(None),
        Err(CaVerificationError::Store(error)) => Err(error),
    }
}

fn verify_candidate(
    (ca, certificate): Candidate,
    leaf: &Certificate,
    presented: &[Certificate],
    at: VerifyAt,
) -> Result<CaVerification, CaVerificationError> {
    let anchors = TrustAnchors::new(vec![Certificate::clone(&certificate)]).map_err(|error| {
        StoreError::corrupt(format!(
            "the stored certificate of a CA cannot issue certificates: {error}"
        ))
    })?;
    let chain = anchors.verify_client_path(leaf, presented, at)?;
    Ok(CaVerification {
        ca,
        leaf: leaf.clone(),
        intermediates: chain.intermediates,
        authority: chain.authority.clone(),
        twin: OnceLock::new(),
    })
}

/// Parses a chain into its leaf and the rest.
fn parse_chain(chain: &[&[u8]]) -> Result<(Certificate, Vec<Certificate>), ClientChainError> {
    if chain.len() > MAX_CHAIN_LEN {
        return Err(ChainError::TooLong.into());
    }
    let mut certificates = chain.iter().map(|der| Certificate::from_der(*der));
    let leaf = certificates.next().ok_or(ClientChainError::Missing)??;
    let rest = certificates.collect::<Result<_, _>>()?;
    Ok((leaf, rest))
}

/// The authorities that the chain may lead to, oldest first, with their certificates.
fn list_candidates(
    app: &App,
    rows: Rows<'_>,
    admits: fn(&Ca) -> bool,
    named: &dyn Fn(&Certificate) -> bool,
) -> Result<Vec<Candidate>, StoreError> {
    let mut candidates = Vec::new();
    rows.for_each_in::<Ca>(&RecordKey::all(CA), &mut |found| {
        if admits(&found.entity) {
            let certificate = app.trust_anchors.get(&found)?;
            if named(&certificate) {
                candidates.push((found, certificate));
            }
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(candidates)
}

/// Whether any authority exists.
pub(crate) fn has_any(rows: Rows<'_>) -> Result<bool, StoreError> {
    let mut is_any = false;
    rows.for_each_in::<Ca>(&RecordKey::all(CA), &mut |_found| {
        is_any = true;
        Ok(ControlFlow::Break(()))
    })?;
    Ok(is_any)
}

impl CaVerification {
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        self.leaf.fingerprint()
    }

    /// The fingerprints under which the leaf may be registered: its own, and that of its twin,
    /// which anybody can compute.
    pub(crate) fn fingerprints(&self) -> impl Iterator<Item = Fingerprint> {
        std::iter::once(self.fingerprint()).chain(self.twin())
    }

    /// Fingerprint of the leaf's signature twin, if there is one. Calling it before a commit keeps
    /// the work out of the transaction.
    pub(crate) fn twin(&self) -> Option<Fingerprint> {
        *self.twin.get_or_init(|| {
            let issuer = self.intermediates.first().unwrap_or(&self.authority);
            self.leaf.twin(issuer).map(|twin| twin.fingerprint())
        })
    }

    /// The period in which the whole chain is valid.
    pub(crate) fn validity(&self) -> Validity {
        let above = self.intermediates.iter().chain([&self.authority]);
        above.fold(self.leaf.validity(), |so_far, above| {
            so_far.intersection(above.validity())
        })
    }

    /// The leaf, PEM.
    pub(crate) fn leaf_pem(&self) -> String {
        self.leaf.to_pem()
    }

    /// The verified chain from the leaf to the authority, both included, PEM.
    pub(crate) fn chain_pem(&self) -> String {
        let above = self.intermediates.iter().chain([&self.authority]);
        certificates_to_pem(std::iter::once(&self.leaf).chain(above))
    }

    /// The common name of the leaf, if it has one.
    pub(crate) fn common_name(&self) -> Option<String> {
        self.leaf.common_name()
    }

    /// The external id in the leaf.
    pub(crate) fn claimed_external_id(&self) -> ClaimedExternalId {
        let Some(claim) = &self.ca.entity.spec.settings.external_id_claim else {
            return ClaimedExternalId::NotConfigured;
        };
        let common_name = self.leaf.common_name();
        let id = match claim.location {
            ClaimLocation::CommonName => claim.resolve(common_name.as_deref()),
            ClaimLocation::SanUri => claim.resolve(self.leaf.uri_names()),
            ClaimLocation::SanEmail => claim.resolve(self.leaf.email_names()),
        };
        id.map_or(ClaimedExternalId::Absent, ClaimedExternalId::Id)
    }

    /// Whether the authority is still accepted, and its claim has not changed since: not even back
    /// again, because sessions are bound to the generation of the claim.
    pub(crate) fn is_current(
        &self,
        rows: Rows<'_>,
        admits: fn(&Ca) -> bool,
    ) -> Result<bool, StoreError> {
        let current: Option<Ca> = rows.get(&self.ca.key)?;
        let before = &self.ca.entity.spec;
        Ok(current.is_some_and(|ca| {
            admits(&ca)
                && ca.spec.claim_terms == before.claim_terms
                && ca.spec.settings.external_id_claim == before.settings.external_id_claim
        }))
    }
}
