//! How an identity gets its file.

use portcullis_edge_session::{EnrollError, IdentityFile, KeyType};

/// Enrolls an identity with a token of method `ott`: makes a key, and asks the controller that has issued the token
/// for a certificate. The token is used up by that, so that the identity file should be
/// [written](IdentityFile::write) at once.
///
/// # Errors
///
/// [`EnrollError`], if the token cannot be used, or the controller does not accept it.
pub async fn enroll(token: &str) -> Result<IdentityFile, EnrollError> {
    let env = portcullis_system::env();
    Box::pin(portcullis_edge_session::enroll(token, KeyType::P256, &env)).await
}
