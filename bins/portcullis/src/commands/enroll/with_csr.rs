//! Enrolling with a certificate request and a generated key.

use super::issuer::Issuer;
use super::output_file::OutputFile;
use crate::error::CliError;
use crate::identity_file::IdentityFile;
use portcullis_api::enroll::EnrollmentResult;
use portcullis_pki::{Certificate, KeyType, SigningKey, Subject, create_csr};

/// Generates a key, obtains a certificate through `ask`, and writes the identity file.
pub(super) async fn run(
    issuer: &Issuer,
    out: OutputFile,
    key_type: KeyType,
    subject: &str,
    enroll: impl AsyncFnOnce(String) -> Result<EnrollmentResult, CliError>,
) -> Result<(), CliError> {
    // Everything that can fail locally comes before the token is spent.
    let key = SigningKey::generate(key_type)
        .map_err(|error| CliError::failed("the key could not be generated").with_source(error))?;
    let key_pem = key
        .to_pkcs8_pem()
        .map_err(|error| CliError::failed("the key could not be encoded").with_source(error))?;
    let csr = create_csr(&key, &Subject::new().common_name(subject))
        .map_err(|error| CliError::failed("the CSR could not be created").with_source(error))?;
    let draft = IdentityFile::new(&issuer.url, &key_pem, &[], &issuer.authorities);
    let file = out.prepare(&draft)?;

    let cert = enroll(csr).await?.cert.unwrap_or_default();
    let chain = parse_chain_for_key(&cert, &key)?;
    let identity = IdentityFile::new(&issuer.url, &key_pem, &chain, &issuer.authorities);
    file.finish_or_preserve(&identity.to_json()?)
        .map_err(|error| {
            error.hint(
                "the token has been used; if this file is lost, ask an administrator for a new \
                 token",
            )
        })
}

/// Parses a certificate chain whose leaf must be for `key`.
pub(crate) fn parse_chain_for_key(
    pem: &str,
    key: &SigningKey,
) -> Result<Vec<Certificate>, CliError> {
    portcullis_enrollment::chain_for_key(pem, key).ok_or_else(|| {
        CliError::failed("the controller answered without a certificate for the key")
    })
}
