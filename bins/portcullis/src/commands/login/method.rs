//! Login methods.

use super::LoginArgs;
use crate::context::Context;
use crate::credential::Credential;
use crate::error::CliError;
use crate::ext_jwt;
use crate::identity_file::IdentityFile;
use crate::output;
use crate::password::PasswordArgs;
use crate::profile::{self, Profile, StoredLogin};
use crate::trust::TrustedController;
use portcullis_api::api_session::ApiSessionDetail;
use portcullis_api::code::Code;
use portcullis_client::{Api, Client};
use std::path::{Path, PathBuf};
use url::Url;

/// Login methods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LoginMethod {
    /// Username and password.
    Password(String),
    /// A credential in files.
    Stored(StoredLogin),
}

/// How often a password is asked for.
const MAX_ATTEMPTS: u32 = 3;

/// Hints on refused logins.
const WRONG_PASSWORD: &str = "check the username and password";
const WRONG_CERTIFICATE: &str = "check that the certificate belongs to an identity that may log in \
    with certificates, and that its CA still exists and is enabled";
const WRONG_JWT: &str = "check that the signer of the JWT is registered and enabled, and that the \
    JWT names an identity that may log in with JWTs";

impl LoginMethod {
    /// The method that the arguments select, or else that of the last login.
    pub(super) fn choose(arguments: &LoginArgs, known: Option<&Profile>) -> Result<Self, CliError> {
        let certificate = arguments.certificate.cert.as_ref();
        let certificate = certificate.zip(arguments.certificate.key.as_ref());
        if let Some(username) = &arguments.username {
            return Ok(Self::Password(username.clone()));
        }
        if let Some(path) = &arguments.identity {
            return Ok(Self::Stored(StoredLogin::Identity(absolute_path(path)?)));
        }
        if let Some((cert, key)) = certificate {
            let (cert, key) = (absolute_path(cert)?, absolute_path(key)?);
            return Ok(Self::Stored(StoredLogin::Certificate { cert, key }));
        }
        if let Some(path) = &arguments.ext_jwt {
            return Ok(Self::Stored(StoredLogin::ExtJwt(absolute_path(path)?)));
        }
        let last = if arguments.password.is_given() {
            // The last login may have used another method.
            let username = known.and_then(|known| known.username.clone());
            username.map(Self::Password)
        } else {
            Self::from_profile(known)
        };
        last.ok_or_else(|| CliError::usage("the username is missing").hint("add `--username NAME`"))
    }

    /// Whether the arguments select a method.
    pub(super) fn is_given(arguments: &LoginArgs) -> bool {
        arguments.username.is_some()
            || arguments.identity.is_some()
            || arguments.certificate.cert.is_some()
            || arguments.ext_jwt.is_some()
    }

    fn from_profile(known: Option<&Profile>) -> Option<Self> {
        let known = known?;
        match &known.way {
            Some(way) => Some(Self::Stored(way.clone())),
            None => known.username.clone().map(Self::Password),
        }
    }

    /// The part to store in the profile; a JWT from standard input is not.
    pub(super) fn to_stored(&self) -> Option<StoredLogin> {
        match self {
            Self::Stored(StoredLogin::ExtJwt(path)) if path == Path::new("-") => None,
            Self::Stored(way) => Some(way.clone()),
            Self::Password(_) => None,
        }
    }

    pub(super) async fn log_in(
        &self,
        context: &Context,
        url: &Url,
        trusted: &TrustedController,
        arguments: &LoginArgs,
    ) -> Result<ApiSessionDetail, CliError> {
        let client = &trusted.client;
        match self {
            Self::Password(username) => {
                log_in_with_password(client, username, &arguments.password).await
            },
            Self::Stored(StoredLogin::ExtJwt(path)) => {
                let token = ext_jwt::read(path)?;
                let hint = match ext_jwt::expires_at(&token) {
                    Some(end) if end <= context.now() => format!("the JWT expired at {end}"),
                    _ => WRONG_JWT.to_owned(),
                };
                let client = client.with_bearer(token);
                let login = client.authenticate_with_jwt(Api::Management);
                login
                    .await
                    .map_err(|error| CliError::from_login(error, hint))
            },
            Self::Stored(StoredLogin::Identity(path)) => {
                let certificate = IdentityFile::read(path)?.credential()?;
                log_in_with_certificate(context, url, trusted, certificate).await
            },
            Self::Stored(StoredLogin::Certificate { cert, key }) => {
                let certificate = Credential::read(cert, key)?;
                log_in_with_certificate(context, url, trusted, certificate).await
            },
        }
    }
}

/// Logs in with a password. A wrong one is asked for again.
async fn log_in_with_password(
    client: &Client,
    username: &str,
    source: &PasswordArgs,
) -> Result<ApiSessionDetail, CliError> {
    let question = format!("Password of {username}");
    let mut left = if source.is_asked_for() {
        MAX_ATTEMPTS
    } else {
        1
    };
    loop {
        left -= 1;
        let password = source.read_or_prompt(&question, false)?;
        let login = client.authenticate_with_password(Api::Management, username, password);
        match login.await {
            Err(error) if left > 0 && error.is_refused_with(Code::InvalidAuth) => {
                output::note("The username or password is wrong. Try again.");
            },
            outcome => {
                return outcome.map_err(|error| CliError::from_login(error, WRONG_PASSWORD));
            },
        }
    }
}

async fn log_in_with_certificate(
    context: &Context,
    url: &Url,
    trusted: &TrustedController,
    credential: Credential,
) -> Result<ApiSessionDetail, CliError> {
    let client: Client = context
        .client(
            url,
            profile::trust_from_pem_or_system(trusted.ca.as_deref())?,
        )
        .certificate(credential.to_client_certificate())
        .build()?;
    let login = client.authenticate_with_certificate(Api::Management);
    login
        .await
        .map_err(|error| credential.explain_login_error(error, WRONG_CERTIFICATE, context.now()))
}

/// Makes a path absolute, except `-`.
pub(super) fn absolute_path(path: &Path) -> Result<PathBuf, CliError> {
    if path == Path::new("-") {
        return Ok(path.to_owned());
    }
    std::path::absolute(path).map_err(|error| {
        CliError::failed("the current directory cannot be determined").with_source(error)
    })
}
