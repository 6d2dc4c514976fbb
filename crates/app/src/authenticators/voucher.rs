//! Which authority vouches for a certificate that somebody else than its holder brings.
//!
//! The dates of the certificate do not matter here: whether an expired one lets its holder in is
//! for the policy to say, at each login.

use crate::app::App;
use crate::error::AppError;
use portcullis_domain::ca::Ca;
use portcullis_domain::ids::CaId;
use portcullis_pki::{Certificate, TrustAnchors, VerifyAt};
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{CA, Found, Index, Rows, UniqueValue};
use std::ops::ControlFlow;

/// Who vouches for a certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Voucher {
    /// The network's own authority.
    Network,
    /// A third-party authority.
    Ca(CaId),
}

impl Voucher {
    /// Checks that it is still there and may vouch.
    pub(super) fn recheck(&self, rows: Rows<'_>) -> Result<(), AppError> {
        let Self::Ca(id) = self else {
            return Ok(());
        };
        let found: Option<Found<Ca>> = rows.find(&UniqueValue::new(Index::CaId, id.as_str()))?;
        if found.is_some_and(|found| found.entity.is_verified) {
            Ok(())
        } else {
            Err(AppError::Unvouched)
        }
    }
}

/// Who vouches for a certificate: the network, or a third-party authority that has proved to hold
/// its key. None if nobody does.
pub(super) fn of(
    app: &App,
    rows: Rows<'_>,
    leaf: &Certificate,
) -> Result<Option<Voucher>, AppError> {
    if app.network().judge(&[leaf.as_der()]).is_ok() {
        return Ok(Some(Voucher::Network));
    }
    let ca = issuer(rows, leaf, &[], |ca| ca.is_verified)?;
    Ok(ca.map(Voucher::Ca))
}

/// The stored third-party authority that meets `condition` and that a chain leads to, as the chain
/// of a client.
pub(super) fn issuer(
    rows: Rows<'_>,
    leaf: &Certificate,
    intermediates: &[Certificate],
    condition: impl Fn(&Ca) -> bool,
) -> Result<Option<CaId>, AppError> {
    let mut issuer = None;
    rows.each_in::<Ca>(&RecordKey::all(CA), &mut |found| {
        let ca = found.entity;
        if condition(&ca) && has_issued(&ca, leaf, intermediates) {
            issuer = Some(ca.id);
            return Ok(ControlFlow::Break(()));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(issuer)
}

fn has_issued(ca: &Ca, leaf: &Certificate, intermediates: &[Certificate]) -> bool {
    // An authority that cannot be read was refused when it was to be added.
    Certificate::from_pem(&ca.pem)
        .ok()
        .and_then(|anchor| TrustAnchors::new(vec![anchor]).ok())
        .is_some_and(|anchors| {
            let at = VerifyAt::IgnoreValidity;
            anchors.verify_client_chain(leaf, intermediates, at).is_ok()
        })
}
