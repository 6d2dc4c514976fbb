//! Creating authenticators for identities that exist.

use super::{Create, Draft, add, check_free};
use crate::app::App;
use crate::cas::{self, Voucher};
use crate::error::AppError;
use crate::identities;
use crate::password::NewPassword;
use crate::rank::WaysIn;
use portcullis_domain::FieldError;
use portcullis_domain::access::{Caller, Permit};
use portcullis_domain::authenticator::{Authenticator, CertCredential};
use portcullis_domain::ca::Ca;
use portcullis_domain::identity::{Identity, IdentityType};
use portcullis_domain::ids::{AuthenticatorId, IdentityId};
use portcullis_domain::tags::Tags;
use portcullis_pki::{Certificate, SpiffePath, VerifyAt, certificates_from_pem};
use portcullis_storage::tables::{AUTHENTICATOR, Found, Index, Rows, UniqueValue};
use secrecy::SecretString;

/// An authenticator to create.
#[derive(Debug)]
pub struct CreateAuthenticator {
    /// Whose it is to be.
    pub identity: IdentityId,
    /// What is to be presented.
    pub credential: NewCredential,
    /// What users attach to it.
    pub tags: Tags,
}

/// A credential as an administrator gives it.
#[derive(Debug)]
pub enum NewCredential {
    /// A certificate, PEM.
    Cert(String),
    /// A username and password.
    Updb {
        /// The username.
        username: String,
        /// The password.
        password: SecretString,
    },
}

/// Creates an authenticator for an identity that has none of its method.
pub async fn create(
    app: &App,
    permit: &Permit<Create>,
    input: CreateAuthenticator,
) -> Result<AuthenticatorId, AppError> {
    let CreateAuthenticator {
        identity: wanted,
        credential,
        tags,
    } = input;
    let method = credential.method();
    let identity = {
        let view = app.snapshot()?;
        fit(view.rows(), &wanted, method)?
    };
    let (draft, twin) = prepare(app, permit.caller(), &identity.entity, credential).await?;
    let now = app.env().now();
    let id = AuthenticatorId::generate(&*app.env().entropy)?;
    let number = app.number(AUTHENTICATOR);
    let created = id.clone();
    let ways_in = WaysIn::of(app);
    app.commit_for(permit, move |rows, caller| {
        let identity = fit(rows.rows(), &wanted, method)?;
        ways_in.check(caller, &identity.entity)?;
        let credential = draft.settle(rows.rows(), &identity)?;
        check_twin(rows.rows(), twin.as_ref())?;
        let mut authenticator = Authenticator::new(id.clone(), wanted.clone(), credential, now);
        authenticator.tags = tags.clone();
        add(rows, &identity, number, &authenticator)
    })
    .await?;
    Ok(created)
}

impl NewCredential {
    fn method(&self) -> &'static str {
        match self {
            Self::Cert(_) => "cert",
            Self::Updb { .. } => "updb",
        }
    }
}

/// Finds the identity that is to have an authenticator, if it may have one.
fn fit(rows: Rows<'_>, id: &IdentityId, method: &'static str) -> Result<Found<Identity>, AppError> {
    let identity = identities::find(rows, id)?;
    if identity.entity.kind == IdentityType::Router {
        let reason = "router identities authenticate with their router's certificate and cannot \
                      have other credentials";
        return Err(FieldError::new("identityId", reason, id.as_str()).into());
    }
    check_free(rows, &identity.key, method)?;
    Ok(identity)
}

/// Checks that no authenticator is the twin of a certificate. That none is the certificate itself,
/// the tables see to.
fn check_twin(rows: Rows<'_>, twin: Option<&UniqueValue>) -> Result<(), AppError> {
    let Some(twin) = twin else {
        return Ok(());
    };
    if rows.locate(twin)?.is_none() {
        return Ok(());
    }
    let reason = "is already in use by another authenticator, with its signature in the other form that \
                  verifies; issue a new certificate";
    let fingerprint = String::from_utf8_lossy(&twin.value);
    Err(FieldError::new("certPem", reason, fingerprint).into())
}

/// Hashes a password; verifies a certificate, and answers the fingerprint of its twin.
async fn prepare(
    app: &App,
    caller: &Caller,
    identity: &Identity,
    credential: NewCredential,
) -> Result<(Draft, Option<UniqueValue>), AppError> {
    match credential {
        NewCredential::Cert(pem) => {
            let leaf = only(&pem)?;
            let voucher = voucher(app, &leaf)?;
            let fingerprint = leaf.fingerprint().to_string();
            let credential = CertCredential::new(fingerprint, leaf.to_pem(), voucher.is_none());
            let (draft, twin) = match voucher {
                None => {
                    let twin = app.network().twin(&leaf);
                    (Draft::Own(credential), twin.map(|twin| twin.fingerprint()))
                },
                Some(voucher) => {
                    let (twin, voucher) = (voucher.twin(), Box::new(voucher));
                    let draft = Draft::ThirdParty {
                        credential,
                        voucher,
                        recheck,
                    };
                    (draft, twin)
                },
            };
            let index = Index::AuthenticatorFingerprint;
            let twin = twin.map(|twin| UniqueValue::new(index, twin.to_string()));
            Ok((draft, twin))
        },
        NewCredential::Updb { username, password } => {
            let password = NewPassword::prepare(app, caller.peer(), identity, password).await?;
            Ok((Draft::Updb { username, password }, None))
        },
    }
}

fn recheck(rows: Rows<'_>, voucher: &Voucher) -> Result<(), AppError> {
    if voucher.holds(rows, is_verified)? {
        Ok(())
    } else {
        Err(AppError::Unvouched)
    }
}

/// The third-party authority that vouches for a certificate that somebody else than its holder
/// brings; none if the network itself does.
///
/// The network's certificates of controllers and of sessions prove something else than an identity.
/// The dates of the certificate do not matter here: whether an expired one lets its holder in is for
/// the policy to say, at each login.
fn voucher(app: &App, leaf: &Certificate) -> Result<Option<Voucher>, AppError> {
    let chain = [leaf.as_der()];
    if let Ok(own) = app.network().judge(&chain) {
        return match own.issued_to.as_deref() {
            Some(SpiffePath::Identity(_)) | None => Ok(None),
            Some(_) => Err(AppError::Unvouched),
        };
    }
    let view = app.snapshot()?;
    let at = VerifyAt::IgnoreValidity;
    cas::vouch(app, view.rows(), &chain, at, is_verified)?
        .map(Some)
        .ok_or(AppError::Unvouched)
}

fn is_verified(ca: &Ca) -> bool {
    ca.is_verified
}

/// The only certificate in a text.
fn only(pem: &str) -> Result<Certificate, AppError> {
    let certificates =
        certificates_from_pem(pem).map_err(|_unreadable| AppError::NotOneCertificate)?;
    let [certificate] = <[Certificate; 1]>::try_from(certificates)
        .map_err(|_several| AppError::NotOneCertificate)?;
    Ok(certificate)
}
