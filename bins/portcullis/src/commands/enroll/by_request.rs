//! Enrolling for a certificate of the network, for a key that is made here.

use super::issuer::Issuer;
use super::out::Out;
use crate::error::CliError;
use crate::identity_file::IdentityFile;
use portcullis_api::enroll::EnrollmentResult;
use portcullis_pki::{Certificate, KeyType, SigningKey, Subject, certificates_from_pem, make_csr};

/// Makes a key, has `ask` obtain a certificate for it, and writes both.
pub(super) async fn run(
    issuer: &Issuer,
    out: Out,
    key_type: KeyType,
    subject: &str,
    ask: impl AsyncFnOnce(String) -> Result<EnrollmentResult, CliError>,
) -> Result<(), CliError> {
    // All that can fail here is done before the token is spent.
    let key = SigningKey::generate(key_type)
        .map_err(|error| CliError::failed("the key could not be generated").because(error))?;
    let key_pem = key
        .to_pkcs8_pem()
        .map_err(|error| CliError::failed("the key could not be encoded").because(error))?;
    let csr = make_csr(&key, &Subject::new().common_name(subject))
        .map_err(|error| CliError::failed("the CSR could not be created").because(error))?;
    let draft = IdentityFile::new(&issuer.url, &key_pem, &[], &issuer.authorities);
    let file = out.prepare(&draft)?;

    let cert = ask(csr).await?.cert.unwrap_or_default();
    let chain = chain_for(&cert, &key)?;
    let identity = IdentityFile::new(&issuer.url, &key_pem, &chain, &issuer.authorities);
    file.finish_or_keep(&identity.to_json()?)
        .map_err(|error| error.hint("the token is used up; ask for a new one if this file is lost"))
}

/// The certificates that a controller answered with, of which the first has to be for `key`.
pub(crate) fn chain_for(pem: &str, key: &SigningKey) -> Result<Vec<Certificate>, CliError> {
    let chain = certificates_from_pem(pem).unwrap_or_default();
    let certified = chain.first().and_then(|leaf| leaf.public_key().ok());
    if certified.is_some_and(|certified| certified.as_der() == key.public_key().as_der()) {
        return Ok(chain);
    }
    Err(CliError::failed(
        "the controller answered without a certificate for the key",
    ))
}
