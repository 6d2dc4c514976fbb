//! Creation of authenticators by administrators.

use super::{Create, CredentialDraft, insert};
use crate::app::App;
use crate::cas::{self, CaVerification};
use crate::error::{AppError, AuthenticatorError};
use crate::new_password::NewPassword;
use crate::privilege::CredentialGuard;
use crate::records::check_method_unused;
use crate::records::get_identity;
use portcullis_domain::FieldError;
use portcullis_domain::access::{Caller, Permit};
use portcullis_domain::authenticator::{Authenticator, CertCredential};
use portcullis_domain::ca::Ca;
use portcullis_domain::identity::{Identity, IdentityType};
use portcullis_domain::ids::{AuthenticatorId, IdentityId};
use portcullis_domain::tags::Tags;
use portcullis_pki::{Certificate, SpiffePath, VerifyAt, certificates_from_pem};
use portcullis_storage::tables::{AUTHENTICATOR, Found, Rows, UniqueIndex, UniqueValue};
use secrecy::SecretString;

/// Input of [`create`].
#[derive(Debug)]
pub struct CreateAuthenticator {
    pub identity: IdentityId,
    pub credential: NewCredential,
    pub tags: Tags,
}

/// A credential as supplied by an administrator.
#[derive(Debug)]
pub enum NewCredential {
    /// PEM certificate.
    Cert(String),
    Updb {
        username: String,
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
        find_eligible(view.rows(), &wanted, method)?
    };
    let (draft, twin) = prepare(app, permit.caller(), &identity.entity, credential).await?;
    let now = app.env().now();
    let id = AuthenticatorId::generate(&*app.env().entropy)?;
    let number = app.next_number(AUTHENTICATOR);
    let created = id.clone();
    let credential_guard = CredentialGuard::new(app);
    app.commit_for(permit, move |rows, caller| {
        let identity = find_eligible(rows.rows(), &wanted, method)?;
        credential_guard.check(caller, &identity.entity)?;
        let credential = draft.finalize(rows.rows(), &identity)?;
        check_twin(rows.rows(), twin.as_ref())?;
        let mut authenticator = Authenticator::new(id.clone(), wanted.clone(), credential, now);
        authenticator.tags = tags.clone();
        insert(rows, &identity, number, &authenticator)
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

/// Finds an identity that may have an authenticator of this method.
fn find_eligible(
    rows: Rows<'_>,
    id: &IdentityId,
    method: &'static str,
) -> Result<Found<Identity>, AppError> {
    let identity = get_identity(rows, id)?;
    if identity.entity.kind == IdentityType::Router {
        let reason = "router identities authenticate with their router's certificate and cannot \
                      have other credentials";
        return Err(FieldError::new("identityId", reason, id.as_str()).into());
    }
    check_method_unused(rows, &identity.key, method)?;
    Ok(identity)
}

/// Checks that no authenticator has the twin of a certificate. The unique index already rules out
/// the certificate itself.
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

/// Hashes a password, or verifies a certificate and returns the fingerprint of its twin.
async fn prepare(
    app: &App,
    caller: &Caller,
    identity: &Identity,
    credential: NewCredential,
) -> Result<(CredentialDraft, Option<UniqueValue>), AppError> {
    match credential {
        NewCredential::Cert(pem) => {
            let leaf = parse_single(&pem)?;
            let verification = verify_issuer(app, &leaf)?;
            let fingerprint = leaf.fingerprint().to_string();
            let credential =
                CertCredential::new(fingerprint, leaf.to_pem(), verification.is_none());
            let (draft, twin) = match verification {
                None => {
                    let twin = app.network().twin(&leaf);
                    (
                        CredentialDraft::Network(credential),
                        twin.map(|twin| twin.fingerprint()),
                    )
                },
                Some(verification) => {
                    let (twin, verification) = (verification.twin(), Box::new(verification));
                    let draft = CredentialDraft::ThirdParty {
                        credential,
                        verification,
                        recheck,
                    };
                    (draft, twin)
                },
            };
            let index = UniqueIndex::AuthenticatorFingerprint;
            let twin = twin.map(|twin| UniqueValue::new(index, twin.to_string()));
            Ok((draft, twin))
        },
        NewCredential::Updb { username, password } => {
            let password = NewPassword::prepare(app, caller.peer(), identity, password).await?;
            Ok((CredentialDraft::Updb { username, password }, None))
        },
    }
}

fn recheck(rows: Rows<'_>, verification: &CaVerification) -> Result<(), AppError> {
    if verification.is_current(rows, is_verified)? {
        Ok(())
    } else {
        Err(AuthenticatorError::UntrustedCertificate.into())
    }
}

/// Finds the third-party CA of a certificate that its holder does not present; `None` for one of
/// the network.
///
/// Certificates of controllers and sessions do not identify an identity. Validity dates are ignored
/// here: the policy decides at each login whether expired ones are accepted.
fn verify_issuer(app: &App, leaf: &Certificate) -> Result<Option<CaVerification>, AppError> {
    let chain = [leaf.as_der()];
    if let Ok(own) = app.network().find_client_chain(&chain, app.env().now()) {
        return match own.issued_to.as_deref() {
            Some(SpiffePath::Identity(_)) | None => Ok(None),
            Some(_) => Err(AuthenticatorError::UntrustedCertificate.into()),
        };
    }
    let view = app.snapshot()?;
    let at = VerifyAt::AnyCommonTime;
    cas::find_verification(app, view.rows(), &chain, at, is_verified)?
        .map(Some)
        .ok_or_else(|| AuthenticatorError::UntrustedCertificate.into())
}

fn is_verified(ca: &Ca) -> bool {
    ca.spec.is_verified
}

/// Parses a text with exactly one certificate.
fn parse_single(pem: &str) -> Result<Certificate, AppError> {
    let certificates =
        certificates_from_pem(pem).map_err(|_unreadable| AuthenticatorError::NotOneCertificate)?;
    let [certificate] = <[Certificate; 1]>::try_from(certificates)
        .map_err(|_several| AuthenticatorError::NotOneCertificate)?;
    Ok(certificate)
}
