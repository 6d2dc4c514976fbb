//! Tokens that the network's keys have signed.

use super::control::Keeper;
use portcullis_wire::Token;
use portcullis_wire::control::data_model::{KeyUsage, PublicKey};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Verifies signatures of tokens. Programs bring it along, so that this crate needs no cryptography.
pub trait TokenVerifier {
    /// The key that a token says to be signed with: `kid` in its header. `None` if it is no token.
    fn key_id(&self, token: &str) -> Option<String>;

    /// The claims of a token, if this key has signed it.
    fn verify(&self, token: &str, key: &PublicKey) -> Option<Value>;
}

/// A token does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum TokenError {
    /// It may once its key is known.
    #[error("the key of the token is not known")]
    UnknownKey,
    #[error("the token is not valid")]
    Invalid,
}

/// Whether a text is meant to be a signed token: the JSON object of its header begins so in base64.
pub(super) fn is_signed(token: &Token) -> bool {
    token.expose().starts_with("ey")
}

/// The claims of a token that a key of the model has signed.
pub(super) fn read<C: DeserializeOwned>(
    keeper: &impl Keeper,
    token: &Token,
) -> Result<C, TokenError> {
    let (verifier, token) = (keeper.verifier(), token.expose());
    let id = verifier.key_id(token).ok_or(TokenError::Invalid)?;
    let key = keeper.look(|control| control.model().public_key(&id).cloned());
    let key = key.ok_or(TokenError::UnknownKey)?;
    if !key.usages.contains(&KeyUsage::JwtValidation) {
        return Err(TokenError::Invalid);
    }
    let claims = verifier.verify(token, &key).ok_or(TokenError::Invalid)?;
    serde_json::from_value(claims).or(Err(TokenError::Invalid))
}
