//! Enrollment of a program.

use portcullis_client::{BuildError, Client, ClientError};
use portcullis_domain::Env;
use portcullis_enrollment::{
    IdentityFile, Issuer, IssuerError, TokenError, UnverifiedToken, chain_for_key,
};
use portcullis_pki::{KeyType, SigningKey, Subject, create_csr};
use secrecy::SecretString;
use std::error::Error;
use std::time::Duration;
use tokio::task;
use zeroize::Zeroizing;

/// Time for a request and its response.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The method of tokens that stand for one identity and need nothing else.
const METHOD: &str = "ott";

/// An enrollment has failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EnrollError {
    #[error(transparent)]
    Token(#[from] TokenError),
    #[error(transparent)]
    Issuer(#[from] IssuerError),
    #[error(
        "tokens for the method `{0}` need more than a program has; `portcullis enroll` takes them"
    )]
    Method(String),
    #[error("the key or the request for a certificate could not be made")]
    Key(#[source] Box<dyn Error + Send + Sync>),
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The token was not accepted, or not answered to. It may be used up.
    #[error("the controller has not enrolled the identity")]
    Request(#[source] ClientError),
    #[error("the controller has answered without a certificate for the key")]
    NoCertificate,
}

/// Enrolls an identity with a token of method `ott`: makes a key, and asks the controller that has issued the token
/// for a certificate. The token is used up by that, so that the identity file should be
/// [written](IdentityFile::write) at once.
pub async fn enroll(
    token: &str,
    key_type: KeyType,
    env: &Env,
) -> Result<IdentityFile, EnrollError> {
    let token = UnverifiedToken::parse(token)?;
    let builder = |url: &_, trust| Client::builder(url, trust).timeout(TIMEOUT);
    let verified = Issuer::verify_token(&token, env.now(), TIMEOUT, builder);
    let (claims, issuer) = Box::pin(verified).await?;
    if claims.em != METHOD {
        return Err(EnrollError::Method(claims.em));
    }
    // All that can fail here comes before the token is used up.
    let subject = claims.sub;
    let made = task::spawn_blocking(move || make_key(key_type, &subject));
    let (key, pem, csr) = made
        .await
        .map_err(|error| EnrollError::Key(error.into()))??;
    let client = builder(&issuer.url, issuer.trust()).build()?;
    let enrolled = client.enroll_with_csr(SecretString::from(claims.jti), &csr);
    let cert = Box::pin(enrolled).await.map_err(EnrollError::Request)?.cert;
    let chain = chain_for_key(&cert.unwrap_or_default(), &key);
    let chain = chain.ok_or(EnrollError::NoCertificate)?;
    Ok(IdentityFile::new(
        &issuer.url,
        &pem,
        &chain,
        &issuer.authorities,
    ))
}

/// A key, the same as PEM, and a request for a certificate.
fn make_key(
    key_type: KeyType,
    subject: &str,
) -> Result<(SigningKey, Zeroizing<String>, String), EnrollError> {
    let failed = |error: Box<dyn Error + Send + Sync>| EnrollError::Key(error);
    let key = SigningKey::generate(key_type).map_err(|error| failed(error.into()))?;
    let pem = key.to_pkcs8_pem().map_err(|error| failed(error.into()))?;
    let csr = create_csr(&key, &Subject::new().common_name(subject));
    let csr = csr.map_err(|error| failed(error.into()))?;
    Ok((key, pem, csr))
}
