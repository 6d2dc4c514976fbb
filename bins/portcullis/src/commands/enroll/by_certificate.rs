//! Enrolling with a certificate of a third-party authority.

use super::issuer::Issuer;
use super::out::Out;
use crate::credential::Credential;
use crate::error::CliError;
use crate::identity_file::IdentityFile;
use portcullis_api::enroll::EnrollmentResult;
use portcullis_client::Client;

/// Shows the certificate to the controller while `ask` enrolls with it, and writes it down with its
/// key. The files that it came from stay as they are.
pub(super) async fn run(
    issuer: &Issuer,
    out: Out,
    credential: &Credential,
    ask: impl AsyncFnOnce(Client) -> Result<EnrollmentResult, CliError>,
) -> Result<(), CliError> {
    let client = issuer.builder().certificate(credential.for_tls()).build()?;
    let key = credential.key_pem();
    let identity = IdentityFile::new(&issuer.url, &key, &credential.chain, &issuer.authorities);
    let file = out.prepare(&identity)?;
    ask(client).await?;
    file.finish_or_keep(&identity.to_json()?).map_err(|error| {
        error.hint(
            "the identity is enrolled; its certificate and key are in the files that you gave",
        )
    })
}
