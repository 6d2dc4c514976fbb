//! Extension of certificates over the control channel.
//!
//! A router asks for certificates with the keys that it has, stores them, and confirms that it has
//! them. Only then the new certificate counts; the connection stays. The old one, which is for the same
//! key, lets the router in until the next extension: it has no other if the answer was lost.

use super::certificates::{RouterCertificates, RouterCsrs, issue};
use super::connected::{ConnectedRouter, RouterRefusal, find_connected};
use crate::app::App;
use crate::error::AppError;
use portcullis_domain::router::{Confirmation, Router};
use portcullis_pki::{Csr, certificates_from_pem};
use portcullis_storage::engine::StoreError;

/// Certificates are not issued, or not accepted as confirmed.
#[derive(Debug, thiserror::Error)]
pub enum ExtensionError {
    #[error("no certificate was sent")]
    MissingCertificate,
    #[error("the certificate cannot be read")]
    UnreadableCertificate,
    #[error("the router has no certificate to confirm; request one first")]
    NothingToConfirm,
    #[error("the certificate is not the one that was issued last")]
    OtherCertificate,
    #[error("the request is not for the key that the router has")]
    OtherKey,
    #[error("this network has no router with this id")]
    UnknownRouter,
    #[error(transparent)]
    Refused(RouterRefusal),
    /// A request cannot be granted, or the controller failed.
    #[error(transparent)]
    Failed(#[from] AppError),
}

impl ExtensionError {
    /// Its name on the wire.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::MissingCertificate => "MISSING_CLIENT_PEM",
            Self::UnreadableCertificate => "INVALID_CLIENT_PEM",
            Self::NothingToConfirm => "INVALID_ROUTER_STATE",
            Self::UnknownRouter => "ROUTER_NOT_FOUND",
            Self::OtherCertificate | Self::OtherKey | Self::Refused(_) | Self::Failed(_) => {
                "VERIFY_ERROR"
            },
        }
    }
}

impl From<RouterRefusal> for ExtensionError {
    fn from(refusal: RouterRefusal) -> Self {
        match refusal {
            RouterRefusal::Unknown => Self::UnknownRouter,
            RouterRefusal::Unavailable(error) => Self::Failed(error),
            other => Self::Refused(other),
        }
    }
}

impl From<StoreError> for ExtensionError {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}

/// Issues new certificates to a router, for the key of the certificate that it connected with. They
/// count at once, or after the router has confirmed them ([`confirm_extension`]).
///
/// # Errors
///
/// [`ExtensionError`]; [`ExtensionError::Failed`] for requests that cannot be granted and for a router
/// that asks too often.
pub async fn extend_connected(
    app: &App,
    connected: &ConnectedRouter,
    csrs: RouterCsrs,
    confirmation: Confirmation,
) -> Result<RouterCertificates, ExtensionError> {
    let now = app.env().now();
    let router = find_connected(app.snapshot()?.rows(), connected)?.entity;
    let csrs = csrs.validate(&router).map_err(AppError::from)?;
    check_key(connected, &csrs.client_csr)?;
    app.router_limits.count_extension(connected.number(), now)?;
    let (certificate, issued) = issue(app, &router, &csrs, now)?;
    let connected = connected.clone();
    app.commit(connected.actor(), move |rows| {
        let found = find_connected(rows.rows(), &connected)?;
        if confirmation == Confirmation::Needless {
            rows.set_operation("router.extend", found.entity.id.as_str());
        }
        let mut after = found.entity.clone();
        after.extend_certificate(certificate.clone(), confirmation, now);
        let replaced = rows.replace(&found.key, &found.entity, &after);
        Ok::<_, ExtensionError>(replaced.map_err(AppError::from)?)
    })
    .await?;
    Ok(issued)
}

/// Lets the certificate count that was issued to a router last. `client_pem` is what the router has
/// received, the certificate itself first. Confirming it again changes nothing.
///
/// # Errors
///
/// [`ExtensionError`].
pub async fn confirm_extension(
    app: &App,
    connected: &ConnectedRouter,
    client_pem: &str,
) -> Result<(), ExtensionError> {
    if client_pem.trim().is_empty() {
        return Err(ExtensionError::MissingCertificate);
    }
    let certificates = certificates_from_pem(client_pem);
    let certificates = certificates.or(Err(ExtensionError::UnreadableCertificate))?;
    let leaf = certificates
        .first()
        .ok_or(ExtensionError::MissingCertificate)?;
    let (fingerprint, now) = (leaf.fingerprint().to_string(), app.env().now());
    let connected = connected.clone();
    app.commit(connected.actor(), move |rows| {
        let found = find_connected(rows.rows(), &connected)?;
        let Some(extended) = &found.entity.spec.unverified_certificate else {
            return counts_already(&found.entity, &fingerprint);
        };
        if extended.fingerprint != fingerprint {
            return Err(ExtensionError::OtherCertificate);
        }
        rows.set_operation("router.extend", found.entity.id.as_str());
        let mut after = found.entity.clone();
        after.confirm_extension(now);
        let replaced = rows.replace(&found.key, &found.entity, &after);
        Ok(replaced.map_err(AppError::from)?)
    })
    .await
}

/// Whether a router confirms again what it has confirmed, as after a lost answer.
fn counts_already(router: &Router, fingerprint: &str) -> Result<(), ExtensionError> {
    let counting = router.spec.certificate.as_ref();
    if counting.is_some_and(|counting| counting.fingerprint == *fingerprint) {
        Ok(())
    } else {
        Err(ExtensionError::NothingToConfirm)
    }
}

/// Checks that the client's request has the key that the router has proved to hold.
fn check_key(connected: &ConnectedRouter, client_csr: &str) -> Result<(), ExtensionError> {
    let Ok(csr) = Csr::from_pem(client_csr) else {
        // Issuing says what is wrong with it.
        return Ok(());
    };
    if csr.public_key().fingerprint() == *connected.key() {
        Ok(())
    } else {
        Err(ExtensionError::OtherKey)
    }
}

#[cfg(test)]
mod tests;
