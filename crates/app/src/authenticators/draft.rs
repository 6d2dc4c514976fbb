//! Credentials made ready for the store.

use super::check_free;
use crate::cas::Voucher;
use crate::error::AppError;
use crate::password::NewPassword;
use portcullis_domain::authenticator::{CertCredential, Credential, UpdbCredential};
use portcullis_domain::identity::Identity;
use portcullis_storage::tables::{Found, Rows};

/// A credential that was hashed, issued or verified before the transaction that stores it.
#[derive(Clone)]
pub(crate) enum Draft {
    /// A certificate of the network.
    Own(CertCredential),
    /// A certificate of a third party.
    ThirdParty {
        /// What is to be stored.
        credential: CertCredential,
        /// The authority that vouches for it.
        voucher: Box<Voucher>,
        /// Checks in the transaction that the authority still does.
        recheck: fn(Rows<'_>, &Voucher) -> Result<(), AppError>,
    },
    /// A username and password.
    Updb {
        /// The username.
        username: String,
        /// The password.
        password: NewPassword,
    },
}

impl Draft {
    /// What is to be stored for an identity, by the records as they are in the transaction.
    pub(crate) fn settle(
        &self,
        rows: Rows<'_>,
        identity: &Found<Identity>,
    ) -> Result<Credential, AppError> {
        match self {
            Self::Own(credential) => Ok(Credential::Cert(credential.clone())),
            Self::ThirdParty {
                credential,
                voucher,
                recheck,
            } => {
                recheck(rows, voucher)?;
                Ok(Credential::Cert(credential.clone()))
            },
            Self::Updb { username, password } => {
                check_free(rows, &identity.key, "updb")?;
                // The policy may have become stricter while the password was hashed.
                let hash = password.settle(rows, &identity.entity)?;
                Ok(Credential::Updb(UpdbCredential::new(username, hash)))
            },
        }
    }
}
