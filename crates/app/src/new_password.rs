//! New passwords: validated by the owner's policy, and hashed.
//!
//! All ways to set a password go through here: redemption, administrators, the owner.

use crate::app::App;
use crate::error::AppError;
use crate::records::get_policy;
use portcullis_domain::authenticator::PasswordHash;
use portcullis_domain::entropy;
use portcullis_domain::identity::Identity;
use portcullis_domain::peer::Peer;
use portcullis_storage::tables::Rows;
use secrecy::{ExposeSecret as _, SecretString};

/// A validated new password with its hash.
#[derive(Clone)]
pub(crate) struct NewPassword {
    text: SecretString,
    hash: PasswordHash,
}

impl NewPassword {
    /// Validates a password by its owner's policy and hashes it, charging the work to `peer`.
    ///
    /// # Errors
    ///
    /// [`AppError::Field`] naming the violated rule; [`AppError::Overloaded`] when too many
    /// passwords are waiting to be hashed.
    pub(crate) async fn prepare(
        app: &App,
        peer: Peer,
        identity: &Identity,
        text: SecretString,
    ) -> Result<Self, AppError> {
        validate(app.snapshot()?.rows(), identity, &text)?;
        let salt = entropy::bytes(&*app.env().entropy)?;
        let hash = app.passwords.hash(peer, text.clone(), salt).await?;
        Ok(Self { text, hash })
    }

    /// Returns the hash inside the transaction that stores it, after validating again: the policy
    /// may have become stricter while the password was hashed.
    ///
    /// # Errors
    ///
    /// [`AppError::Field`] naming the rule that is violated now.
    pub(crate) fn finalize(
        &self,
        rows: Rows<'_>,
        identity: &Identity,
    ) -> Result<PasswordHash, AppError> {
        validate(rows, identity, &self.text)?;
        Ok(self.hash.clone())
    }
}

/// Validates a password by the current policy of its owner.
fn validate(rows: Rows<'_>, identity: &Identity, password: &SecretString) -> Result<(), AppError> {
    let rules = get_policy(rows, identity)?.spec.primary.updb;
    Ok(rules.validate_password(password.expose_secret())?)
}
