//! Setting a password: held against the rules of its owner's policy, and hashed.
//!
//! Every way to set one leads through here: redemption, administrators, the owner.

use crate::app::App;
use crate::error::AppError;
use crate::identities::policy_of;
use portcullis_domain::authenticator::PasswordHash;
use portcullis_domain::entropy;
use portcullis_domain::identity::Identity;
use portcullis_domain::peer::Peer;
use portcullis_storage::tables::Rows;
use secrecy::{ExposeSecret as _, SecretString};

/// A password that keeps the rules of its owner's policy, with what is to be stored of it.
#[derive(Clone)]
pub(crate) struct NewPassword {
    text: SecretString,
    hash: PasswordHash,
}

impl NewPassword {
    /// Checks a password by the rules of its owner's policy and hashes it, on the account of a peer.
    ///
    /// # Errors
    ///
    /// [`AppError::Field`] naming the rule that it breaks; [`AppError::TooManyPasswords`].
    pub(crate) async fn prepare(
        app: &App,
        peer: Peer,
        identity: &Identity,
        text: SecretString,
    ) -> Result<Self, AppError> {
        check(app.snapshot()?.rows(), identity, &text)?;
        let salt = entropy::bytes(&*app.env().entropy)?;
        let hash = app.passwords.hash(peer, text.clone(), salt).await?;
        Ok(Self { text, hash })
    }

    /// What is to be stored, in the transaction that does it: hashing takes its time, and the policy
    /// may have become stricter meanwhile.
    ///
    /// # Errors
    ///
    /// [`AppError::Field`] naming the rule that it breaks now.
    pub(crate) fn settle(
        &self,
        rows: Rows<'_>,
        identity: &Identity,
    ) -> Result<PasswordHash, AppError> {
        check(rows, identity, &self.text)?;
        Ok(self.hash.clone())
    }
}

/// Checks a password by the rules of its owner's policy as they are now.
fn check(rows: Rows<'_>, identity: &Identity, password: &SecretString) -> Result<(), AppError> {
    let rules = policy_of(rows, identity)?.primary.updb;
    Ok(rules.check_password(password.expose_secret())?)
}
