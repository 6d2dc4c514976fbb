//! Verification of presented certificate chains.

mod candidates;
mod error;
mod purpose;
mod version_one;

use std::{ptr, time::Duration};

use jiff::Timestamp;
use rustls_pki_types::{CertificateDer, TrustAnchor, UnixTime};
use webpki::{ALL_VERIFICATION_ALGS, EndEntityCert, VerifiedPath, anchor_from_trusted_cert};

use candidates::select_candidates;
pub use error::ChainError;
use error::{ANCHOR_OUTSIDE_VALIDITY, to_chain_error};
pub use purpose::Purpose;

use crate::certificate::Certificate;

/// Maximum number of intermediates that a client may present. A path can use fewer, see
/// [`TrustAnchors::verify_client_chain`].
pub const MAX_PRESENTED: usize = 8;

/// The time at which a chain must be valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerifyAt {
    /// All certificates, including the authority's, are valid at this time.
    Now(Timestamp),
    /// Dates are ignored, except that the certificates below the authority must have been valid at
    /// the same time once. For policies that accept expired certificates, and for renewal.
    AnyCommonTime,
}

/// A verified chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedChain<'t> {
    /// The intermediates from the leaf to the authority, out of those presented, starting with the
    /// issuer of the leaf.
    pub intermediates: Vec<Certificate>,
    /// The trusted authority that the chain ends in.
    pub authority: &'t Certificate,
}

/// Trusted authorities, prepared for many verifications.
#[derive(Debug, Clone, Default)]
pub struct TrustAnchors {
    certificates: Vec<Certificate>,
    /// The anchor for each of `certificates`, in the same order.
    anchors: Vec<TrustAnchor<'static>>,
}

impl TrustAnchors {
    /// Prepares the certificates of trusted authorities.
    ///
    /// The caller ensures that they are CA certificates; see [`Certificate::is_ca`].
    ///
    /// # Errors
    ///
    /// [`ChainError::Anchor`] if one cannot be used.
    pub fn new(certificates: Vec<Certificate>) -> Result<Self, ChainError> {
        let anchors = certificates
            .iter()
            .map(|certificate| {
                let anchor = anchor_from_trusted_cert(certificate.as_rustls());
                Ok(anchor.map_err(ChainError::Anchor)?.to_owned())
            })
            .collect::<Result<_, _>>()?;
        Ok(Self {
            certificates,
            anchors,
        })
    }

    /// The certificates in their original order.
    pub fn certificates(&self) -> &[Certificate] {
        &self.certificates
    }

    /// Verifies that `leaf` chains to one of the authorities and may authenticate a client, and
    /// returns the certificate of that authority.
    ///
    /// `leaf` is the certificate whose key the peer has proved to hold, the first of a TLS
    /// handshake. Only the leaf is verified: `intermediates` are material for building the chain,
    /// in any order, and their names mean nothing. Only intermediates signed by an authority, or by
    /// an intermediate below one, are considered: at most two with the same subject and four in
    /// total. A leaf of X.509 version 1 must be issued directly by one of the authorities.
    ///
    /// # Errors
    ///
    /// [`ChainError`].
    pub fn verify_client_chain(
        &self,
        leaf: &Certificate,
        intermediates: &[Certificate],
        at: VerifyAt,
    ) -> Result<&Certificate, ChainError> {
        let chain = self.verify_client_path(leaf, intermediates, at)?;
        Ok(chain.authority)
    }

    /// Verifies as [`verify_client_chain`](Self::verify_client_chain) does, and also returns the
    /// intermediates between the leaf and the authority.
    ///
    /// # Errors
    ///
    /// [`ChainError`].
    pub fn verify_client_path(
        &self,
        leaf: &Certificate,
        intermediates: &[Certificate],
        at: VerifyAt,
    ) -> Result<VerifiedChain<'_>, ChainError> {
        if intermediates.len() > MAX_PRESENTED {
            return Err(ChainError::TooLong);
        }
        if leaf.is_version_one() {
            return self.verify_version_one(leaf, at);
        }
        self.verify_path(leaf, intermediates, Purpose::Client, at)
    }

    /// Verifies that `leaf` chains to one of the authorities and may authenticate a server, as a client
    /// does that trusts these authorities; for which host is asked apart
    /// ([`Certificate::covers_host`]). `intermediates` are as in
    /// [`verify_client_chain`](Self::verify_client_chain).
    ///
    /// # Errors
    ///
    /// [`ChainError`].
    pub fn verify_server_path(
        &self,
        leaf: &Certificate,
        intermediates: &[Certificate],
        at: VerifyAt,
    ) -> Result<VerifiedChain<'_>, ChainError> {
        if intermediates.len() > MAX_PRESENTED {
            return Err(ChainError::TooLong);
        }
        self.verify_path(leaf, intermediates, Purpose::Server, at)
    }

    fn verify_path(
        &self,
        leaf: &Certificate,
        intermediates: &[Certificate],
        purpose: Purpose,
        at: VerifyAt,
    ) -> Result<VerifiedChain<'_>, ChainError> {
        let entity = EndEntityCert::try_from(leaf.as_rustls()).map_err(ChainError::Invalid)?;
        let prove = &mut Certificate::is_issued_by;
        let links = select_candidates(leaf, intermediates, &self.certificates, prove)?;
        self.find_path((leaf, &entity, purpose), &links, at)
    }

    /// Searches for a path through the candidate intermediates.
    fn find_path(
        &self,
        (leaf, entity, purpose): (&Certificate, &EndEntityCert<'_>, Purpose),
        links: &[Certificate],
        at: VerifyAt,
    ) -> Result<VerifiedChain<'_>, ChainError> {
        let between: Vec<CertificateDer<'_>> = links
            .iter()
            .map(|between| CertificateDer::from(between.as_der()))
            .collect();
        let accept = |path: &VerifiedPath<'_>| self.check_path(path, links, at);
        let mut outcome = Err(ChainError::NotYetValid);
        for instant in candidate_times(leaf, links, at) {
            outcome = self.verify_once((entity, purpose), &between, instant, &accept);
            // Another time can only fix date errors.
            if !matches!(outcome, Err(ChainError::Expired | ChainError::NotYetValid)) {
                break;
            }
        }
        let (authority, between) = outcome?;
        let presented = |link: &CertificateDer<'_>| {
            let mut same = links.iter().filter(|one| one.as_rustls() == link);
            same.next().cloned()
        };
        Ok(VerifiedChain {
            intermediates: between.iter().filter_map(presented).collect(),
            authority,
        })
    }

    fn verify_once(
        &self,
        (entity, purpose): (&EndEntityCert<'_>, Purpose),
        intermediates: &[CertificateDer<'_>],
        instant: Timestamp,
        accept: &dyn Fn(&VerifiedPath<'_>) -> Result<(), webpki::Error>,
    ) -> Result<(&Certificate, Vec<CertificateDer<'static>>), ChainError> {
        let path = entity
            .verify_for_usage(
                ALL_VERIFICATION_ALGS,
                &self.anchors,
                intermediates,
                unix_time(instant),
                purpose,
                None,
                Some(accept),
            )
            .map_err(|error| to_chain_error(error, purpose))?;
        let authority = self
            .anchor_certificate(path.anchor())
            .ok_or(ChainError::UnknownIssuer)?;
        let between = path.intermediate_certificates();
        Ok((
            authority,
            between.map(|link| link.der().into_owned()).collect(),
        ))
    }

    /// Checks what the library does not. Rejecting a path makes it look for another one, for
    /// example to a renewed root of the same name.
    fn check_path(
        &self,
        path: &VerifiedPath<'_>,
        presented: &[Certificate],
        at: VerifyAt,
    ) -> Result<(), webpki::Error> {
        // An anchor is a name and a key to the library, without dates and path length.
        let anchor = self
            .anchor_certificate(path.anchor())
            .ok_or(ANCHOR_OUTSIDE_VALIDITY)?;
        if matches!(at, VerifyAt::Now(now) if !anchor.is_valid_at(now)) {
            return Err(ANCHOR_OUTSIDE_VALIDITY);
        }
        let between = path.intermediate_certificates().count();
        let is_too_long = |most: u8| between > usize::from(most);
        if anchor.path_length().is_some_and(is_too_long) {
            return Err(webpki::Error::PathLenConstraintViolated);
        }
        // The library does not check key usage either (RFC 5280 section 6.1.4 (n)).
        let may_sign = |link: CertificateDer<'_>| {
            let mut same = presented.iter().filter(|one| *one.as_rustls() == link);
            same.all(Certificate::can_sign_certificates)
        };
        if path
            .intermediate_certificates()
            .all(|link| may_sign(link.der()))
        {
            Ok(())
        } else {
            Err(webpki::Error::EndEntityUsedAsCa)
        }
    }

    fn anchor_certificate(&self, anchor: &TrustAnchor<'_>) -> Option<&Certificate> {
        // By position, not by value: a root and its renewal can have equal anchors.
        let place = self
            .anchors
            .iter()
            .position(|known| ptr::eq(known, anchor))?;
        self.certificates.get(place)
    }
}

/// The times to try. The certificates of a path were valid together at some time if and only if
/// they were at the latest of their start dates, which is one of these.
fn candidate_times(
    leaf: &Certificate,
    intermediates: &[Certificate],
    at: VerifyAt,
) -> Vec<Timestamp> {
    match at {
        VerifyAt::Now(now) => vec![now],
        VerifyAt::AnyCommonTime => {
            let mut instants = vec![leaf.not_before()];
            let later = intermediates.iter().map(Certificate::not_before);
            instants.extend(later.filter(|instant| leaf.is_valid_at(*instant)));
            instants.sort_unstable();
            instants.dedup();
            instants
        },
    }
}

fn unix_time(instant: Timestamp) -> UnixTime {
    // No certificate is valid before 1970, nor at 0.
    UnixTime::since_unix_epoch(Duration::from_secs(
        u64::try_from(instant.as_second()).unwrap_or_default(),
    ))
}
