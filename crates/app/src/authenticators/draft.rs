//! Credentials ready to be stored.

use crate::cas::CaVerification;
use crate::error::AppError;
use crate::new_password::NewPassword;
use crate::records::check_method_unused;
use portcullis_domain::authenticator::{CertCredential, Credential, UpdbCredential};
use portcullis_domain::identity::Identity;
use portcullis_storage::tables::{Found, Rows};

/// A credential that was hashed, issued or verified before the transaction that stores it.
#[derive(Clone)]
pub(crate) enum CredentialDraft {
    Network(CertCredential),
    ThirdParty {
        credential: CertCredential,
        /// The CA that verified it.
        verification: Box<CaVerification>,
        /// Checks in the transaction that the CA still accepts it.
        recheck: fn(Rows<'_>, &CaVerification) -> Result<(), AppError>,
    },
    Updb {
        username: String,
        password: NewPassword,
    },
}

impl CredentialDraft {
    /// Completes the credential against the current records of the transaction.
    pub(crate) fn finalize(
        &self,
        rows: Rows<'_>,
        identity: &Found<Identity>,
    ) -> Result<Credential, AppError> {
        match self {
            Self::Network(credential) => Ok(Credential::Cert(credential.clone())),
            Self::ThirdParty {
                credential,
                verification,
                recheck,
            } => {
                recheck(rows, verification)?;
                Ok(Credential::Cert(credential.clone()))
            },
            Self::Updb { username, password } => {
                check_method_unused(rows, &identity.key, "updb")?;
                // The policy may have become stricter while the password was hashed.
                let hash = password.finalize(rows, &identity.entity)?;
                Ok(Credential::Updb(UpdbCredential::new(username, hash)))
            },
        }
    }
}
