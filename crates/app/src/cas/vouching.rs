//! Which authority vouches for the certificate of a connection.

use crate::app::App;
use portcullis_domain::ca::{Ca, Location};
use portcullis_pki::{
    Certificate, Fingerprint, TrustAnchors, Validity, VerifyAt, certificates_to_pem,
};
use portcullis_storage::engine::StoreError;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{CA, Found, Rows};
use std::cmp::Reverse;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

/// How many certificates of a connection are looked at: a leaf and what may stand above it.
const MOST: usize = 9;

/// An authority that may vouch, with its certificate.
type Candidate = (Found<Ca>, Arc<Certificate>);

/// An authority that vouches for the certificate whose key a client has proved to hold.
#[derive(Debug, Clone)]
pub(crate) struct Voucher {
    /// The authority, as it was when it was asked.
    pub(crate) ca: Found<Ca>,
    leaf: Certificate,
    between: Vec<Certificate>,
    authority: Certificate,
    /// Fingerprint of the twin of the leaf, once somebody has asked for it.
    twin: OnceLock<Option<Fingerprint>>,
}

/// The external id that a certificate names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Claimed {
    /// Certificates of the authority name none.
    Never,
    /// Others of the authority do, this one does not.
    Nothing,
    /// This one.
    Id(String),
}

/// Finds the authority that vouches for a chain, in DER and leaf first, out of those that `admits`
/// lets take part. `None` when there is none, whatever the reason.
///
/// Of several it is the first one of [`vouchers`], unless that expects a claim that is not there and
/// another one does not.
pub(crate) fn vouch(
    app: &App,
    rows: Rows<'_>,
    chain: &[&[u8]],
    at: VerifyAt,
    admits: fn(&Ca) -> bool,
) -> Result<Option<Voucher>, StoreError> {
    let mut vouchers = vouchers(app, rows, chain, at, admits)?;
    let knows_whose = |voucher: &Voucher| voucher.claimed() != Claimed::Nothing;
    let place = vouchers.iter().position(knows_whose).unwrap_or_default();
    Ok((place < vouchers.len()).then(|| vouchers.swap_remove(place)))
}

/// Finds all authorities that vouch for a chain, as [`vouch`] does. Name and key are the same in an
/// authority and its renewal, so there can be several; the one that ends last comes first.
///
/// Only the leaf is vouched for; whatever else a client presents is material to build the chain
/// from. A stranger costs no more than a look at each authority, and a few signatures for each one
/// that he names.
pub(crate) fn vouchers(
    app: &App,
    rows: Rows<'_>,
    chain: &[&[u8]],
    at: VerifyAt,
    admits: fn(&Ca) -> bool,
) -> Result<Vec<Voucher>, StoreError> {
    let Some((leaf, between)) = read(chain) else {
        return Ok(Vec::new());
    };
    let named = |authority: &Certificate| {
        let mut presented = std::iter::once(&leaf).chain(&between);
        presented.any(|one| one.names_as_issuer(authority))
    };
    let mut vouchers = Vec::new();
    for candidate in candidates(app, rows, admits, &named)? {
        vouchers.extend(verify(candidate, &leaf, &between, at)?);
    }
    vouchers.sort_by_key(|voucher| Reverse(voucher.authority.not_after()));
    Ok(vouchers)
}

/// Whether this authority vouches for a chain, as [`vouch`] finds out for many.
pub(crate) fn vouch_by(
    app: &App,
    ca: Found<Ca>,
    chain: &[&[u8]],
    at: VerifyAt,
) -> Result<Option<Voucher>, StoreError> {
    let Some((leaf, between)) = read(chain) else {
        return Ok(None);
    };
    let certificate = app.authorities.certificate(&ca)?;
    verify((ca, certificate), &leaf, &between, at)
}

fn verify(
    (ca, certificate): Candidate,
    leaf: &Certificate,
    presented: &[Certificate],
    at: VerifyAt,
) -> Result<Option<Voucher>, StoreError> {
    let anchors = TrustAnchors::new(vec![Certificate::clone(&certificate)]).map_err(|error| {
        StoreError::corrupt(format!(
            "the stored certificate of a CA cannot issue certificates: {error}"
        ))
    })?;
    let Ok(chain) = anchors.verify_client_path(leaf, presented, at) else {
        return Ok(None);
    };
    Ok(Some(Voucher {
        ca,
        leaf: leaf.clone(),
        between: chain.between,
        authority: chain.authority.clone(),
        twin: OnceLock::new(),
    }))
}

/// Reads a chain: its leaf and the rest.
fn read(chain: &[&[u8]]) -> Option<(Certificate, Vec<Certificate>)> {
    if chain.len() > MOST {
        return None;
    }
    let mut certificates = chain.iter().map(|der| Certificate::from_der(*der));
    let leaf = certificates.next()?.ok()?;
    let rest = certificates.collect::<Result<_, _>>().ok()?;
    Some((leaf, rest))
}

/// The authorities that may vouch, oldest first, with their certificates.
fn candidates(
    app: &App,
    rows: Rows<'_>,
    admits: fn(&Ca) -> bool,
    named: &dyn Fn(&Certificate) -> bool,
) -> Result<Vec<Candidate>, StoreError> {
    let mut candidates = Vec::new();
    rows.each_in::<Ca>(&RecordKey::all(CA), &mut |found| {
        if admits(&found.entity) {
            let certificate = app.authorities.certificate(&found)?;
            if named(&certificate) {
                candidates.push((found, certificate));
            }
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(candidates)
}

/// Whether there is any authority at all.
pub(crate) fn is_any(rows: Rows<'_>) -> Result<bool, StoreError> {
    let mut is_any = false;
    rows.each_in::<Ca>(&RecordKey::all(CA), &mut |_found| {
        is_any = true;
        Ok(ControlFlow::Break(()))
    })?;
    Ok(is_any)
}

impl Voucher {
    /// Fingerprint of the leaf, by which it is known.
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        self.leaf.fingerprint()
    }

    /// The fingerprints under which the leaf may be known already: its own, and that of its twin,
    /// which anybody can make of it.
    pub(crate) fn fingerprints(&self) -> impl Iterator<Item = Fingerprint> {
        std::iter::once(self.fingerprint()).chain(self.twin())
    }

    /// Fingerprint of the twin of the leaf, if it has one. Whoever asks before a commit spares it the
    /// work.
    pub(crate) fn twin(&self) -> Option<Fingerprint> {
        *self.twin.get_or_init(|| {
            let issuer = self.between.first().unwrap_or(&self.authority);
            self.leaf.twin(issuer).map(|twin| twin.fingerprint())
        })
    }

    /// When all certificates of the chain are valid: nothing is worth anything longer than what
    /// vouches for it.
    pub(crate) fn validity(&self) -> Validity {
        let above = self.between.iter().chain([&self.authority]);
        above.fold(self.leaf.validity(), |so_far, above| {
            so_far.within(above.validity())
        })
    }

    /// The leaf, PEM.
    pub(crate) fn leaf_pem(&self) -> String {
        self.leaf.to_pem()
    }

    /// The verified chain from the leaf to the authority, both included, PEM.
    pub(crate) fn chain_pem(&self) -> String {
        let above = self.between.iter().chain([&self.authority]);
        certificates_to_pem(std::iter::once(&self.leaf).chain(above))
    }

    /// The common name of the leaf, if it has one.
    pub(crate) fn common_name(&self) -> Option<String> {
        self.leaf.common_name()
    }

    /// The external id that the leaf names.
    pub(crate) fn claimed(&self) -> Claimed {
        let Some(claim) = &self.ca.entity.spec.external_id_claim else {
            return Claimed::Never;
        };
        let common_name = self.leaf.common_name();
        let id = match claim.location {
            Location::CommonName => claim.resolve(common_name.as_deref()),
            Location::SanUri => claim.resolve(self.leaf.uri_names()),
            Location::SanEmail => claim.resolve(self.leaf.email_names()),
        };
        id.map_or(Claimed::Nothing, Claimed::Id)
    }

    /// Whether the authority still is what it was asked as.
    pub(crate) fn holds(
        &self,
        rows: Rows<'_>,
        admits: fn(&Ca) -> bool,
    ) -> Result<bool, StoreError> {
        let current: Option<Ca> = rows.get(&self.ca.key)?;
        let claim = &self.ca.entity.spec.external_id_claim;
        Ok(current.is_some_and(|ca| admits(&ca) && ca.spec.external_id_claim == *claim))
    }
}
