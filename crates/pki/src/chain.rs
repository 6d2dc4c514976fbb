//! Verifying presented chains.

mod error;
mod links;
mod purpose;
mod version_one;

use std::{ptr, time::Duration};

use jiff::Timestamp;
use rustls_pki_types::{CertificateDer, TrustAnchor, UnixTime};
use webpki::{ALL_VERIFICATION_ALGS, EndEntityCert, VerifiedPath, anchor_from_trusted_cert};

pub use error::ChainError;
use error::{ANCHOR_REFUSED, refusal};
use links::links;
use purpose::ClientPurpose;

use crate::certificate::Certificate;

/// How many intermediates a client may present.
const MOST_INTERMEDIATES: usize = 8;

/// The instant for which a chain is to be valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerifyAt {
    /// All certificates, that of the authority too, are valid at this instant.
    Now(Timestamp),
    /// Dates do not matter, except that the certificates below the authority were valid together
    /// at some time. For policies that accept expired certificates, and for renewal.
    IgnoreValidity,
}

/// A chain that is believed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedChain<'t> {
    /// The intermediates that lead from the leaf to the authority, out of those presented, the one
    /// that issued the leaf first.
    pub between: Vec<Certificate>,
    /// The authority that it ends in.
    pub authority: &'t Certificate,
}

/// Authorities that are trusted to vouch for others, made ready once for many verifications.
#[derive(Debug, Clone, Default)]
pub struct TrustAnchors {
    certificates: Vec<Certificate>,
    /// What of each of `certificates` the verification takes, in the same order.
    anchors: Vec<TrustAnchor<'static>>,
}

impl TrustAnchors {
    /// Takes the certificates of trusted authorities.
    ///
    /// That they are authorities is for the caller to know; see [`Certificate::is_ca`].
    ///
    /// # Errors
    ///
    /// [`ChainError::Anchor`] when one cannot be used.
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

    /// The certificates, in the order in which they were given.
    pub fn certificates(&self) -> &[Certificate] {
        &self.certificates
    }

    /// Verifies that `leaf` chains to one of the authorities and may authenticate a client, and
    /// returns the certificate of that authority.
    ///
    /// `leaf` is the certificate whose key the peer has proved to hold, the first of a TLS
    /// handshake. Only it is vouched for: `intermediates` are material to build the chain from, in
    /// any order, and whose names they carry means nothing. Of those only a few that an authority,
    /// or one below it, has signed are followed: two of one subject and four in all. A leaf of X.509
    /// version 1 has to be issued by one of the authorities itself.
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

    /// Verifies as [`verify_client_chain`](Self::verify_client_chain) does, and tells by which of
    /// the intermediates the leaf chains to the authority.
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
        if intermediates.len() > MOST_INTERMEDIATES {
            return Err(ChainError::TooLong);
        }
        if leaf.is_version_one() {
            return self.verify_version_one(leaf, at);
        }
        let entity = EndEntityCert::try_from(leaf.as_rustls()).map_err(ChainError::Invalid)?;
        let prove = &mut Certificate::is_issued_by;
        let links = links(leaf, intermediates, &self.certificates, prove)?;
        self.search(leaf, &entity, &links, at)
    }

    /// Searches for a path by certificates each of which can stand in one.
    fn search(
        &self,
        leaf: &Certificate,
        entity: &EndEntityCert<'_>,
        links: &[Certificate],
        at: VerifyAt,
    ) -> Result<VerifiedChain<'_>, ChainError> {
        let between: Vec<CertificateDer<'_>> = links
            .iter()
            .map(|between| CertificateDer::from(between.as_der()))
            .collect();
        let accept = |path: &VerifiedPath<'_>| self.accept(path, links, at);
        let mut outcome = Err(ChainError::NotYetValid);
        for instant in instants(leaf, links, at) {
            outcome = self.verify_once(entity, &between, instant, &accept);
            // Another instant can only mend what is wrong with the dates.
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
            between: between.iter().filter_map(presented).collect(),
            authority,
        })
    }

    fn verify_once(
        &self,
        entity: &EndEntityCert<'_>,
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
                ClientPurpose,
                None,
                Some(accept),
            )
            .map_err(refusal)?;
        let authority = self
            .certificate_of(path.anchor())
            .ok_or(ChainError::UnknownIssuer)?;
        let between = path.intermediate_certificates();
        Ok((
            authority,
            between.map(|link| link.der().into_owned()).collect(),
        ))
    }

    /// Looks at what the verification itself does not. To refuse a path lets it look for another
    /// one, such as to a renewed root of the same name.
    fn accept(
        &self,
        path: &VerifiedPath<'_>,
        presented: &[Certificate],
        at: VerifyAt,
    ) -> Result<(), webpki::Error> {
        // An anchor as the verification knows it is a name and a key, without dates and limits.
        let anchor = self.certificate_of(path.anchor()).ok_or(ANCHOR_REFUSED)?;
        if matches!(at, VerifyAt::Now(now) if !anchor.is_valid_at(now)) {
            return Err(ANCHOR_REFUSED);
        }
        let between = path.intermediate_certificates().count();
        let is_too_long = |most: u8| between > usize::from(most);
        if anchor.path_length().is_some_and(is_too_long) {
            return Err(webpki::Error::PathLenConstraintViolated);
        }
        // Nor does it read the key usage (RFC 5280 section 6.1.4 (n)).
        let may_sign = |link: CertificateDer<'_>| {
            let mut same = presented.iter().filter(|one| *one.as_rustls() == link);
            same.all(Certificate::may_sign_certificates)
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

    fn certificate_of(&self, anchor: &TrustAnchor<'_>) -> Option<&Certificate> {
        // By place, not by value: a root and its renewal can be equal in all that an anchor has.
        let place = self
            .anchors
            .iter()
            .position(|known| ptr::eq(known, anchor))?;
        self.certificates.get(place)
    }
}

/// The instants at which to try. The certificates of a path were valid together at some time if and
/// only if they were at the latest of their beginnings, and that is one of these.
fn instants(leaf: &Certificate, intermediates: &[Certificate], at: VerifyAt) -> Vec<Timestamp> {
    match at {
        VerifyAt::Now(now) => vec![now],
        VerifyAt::IgnoreValidity => {
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
    // Before 1970 no certificate is valid, nor is it at 0.
    UnixTime::since_unix_epoch(Duration::from_secs(
        u64::try_from(instant.as_second()).unwrap_or_default(),
    ))
}
