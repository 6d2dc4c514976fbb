//! What can be done about an enrollment that is refused.

use crate::credential::Credential;
use crate::ext_jwt;
use portcullis_domain::clock::Timestamp;
use secrecy::SecretString;

/// About one by a certificate, with a token of its own or with that of the authority.
pub(super) fn of_certificate(
    credential: &Credential,
    has_token: bool,
    now: Timestamp,
) -> Vec<String> {
    let mut hints = credential.remarks(now);
    let of_token = if has_token {
        "the token may have been used already, or its authority may have been deleted"
    } else {
        "the authority may have been deleted, may not be verified, or may make no identities"
    };
    hints.push(format!(
        "{of_token}; an administrator sees it with `portcullis ca list`"
    ));
    hints
}

/// About one by a JWT.
pub(super) fn of_jwt(token: &SecretString, now: Timestamp) -> String {
    match ext_jwt::end(token) {
        Some(end) if end <= now => format!("the JWT of `--ext-jwt` expired at {end}"),
        _ => "the signer of the JWT may be unknown or not enabled, may make no identities, or the \
              JWT belongs to an identity already"
            .to_owned(),
    }
}
