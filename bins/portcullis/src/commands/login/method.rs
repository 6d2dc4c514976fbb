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
use crate::prompt;
use crate::trust::TrustedController;
use portcullis_api::code::Code;
use portcullis_client::{Client, ClientError, Credentials};
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
        if arguments.is_in_browser() {
            return Ok(Self::Stored(StoredLogin::Browser));
        }
        let last = if arguments.password.is_given() {
            // The last login may have used another method.
            let username = known.and_then(|known| known.username.clone());
            username.map(Self::Password)
        } else {
            Self::from_profile(known)
        };
        let last =
            last.filter(|last| !last.is_in_browser() || arguments.leaves_all_to_the_browser());
        // Without a person there is nobody to use one.
        let last = last.or_else(|| {
            let is_possible = prompt::is_interactive() && arguments.leaves_all_to_the_browser();
            is_possible.then_some(Self::Stored(StoredLogin::Browser))
        });
        last.ok_or_else(|| {
            CliError::usage("the username is missing")
                .hint("add `--username NAME`, or `--browser` to log in in a browser")
        })
    }

    /// Whether a page of the controller asks for all that is needed.
    pub(super) fn is_in_browser(&self) -> bool {
        matches!(self, Self::Stored(StoredLogin::Browser))
    }

    /// Whether the arguments select a method.
    pub(super) fn is_given(arguments: &LoginArgs) -> bool {
        arguments.username.is_some()
            || arguments.identity.is_some()
            || arguments.certificate.cert.is_some()
            || arguments.ext_jwt.is_some()
            || arguments.is_in_browser()
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

    /// Shows the credential to the controller by `attempt`, with the client that presents it.
    pub(super) async fn log_in<T, F>(
        &self,
        context: &Context,
        url: &Url,
        trusted: &TrustedController,
        arguments: &LoginArgs,
        attempt: impl Fn(Client, Credentials) -> F + Send + Sync,
    ) -> Result<T, CliError>
    where
        F: Future<Output = Result<T, ClientError>> + Send,
    {
        let client = &trusted.client;
        let certificate = match self {
            Self::Password(username) => {
                let attempt = |credentials| attempt(client.clone(), credentials);
                return log_in_with_password(username, &arguments.password, attempt).await;
            },
            Self::Stored(StoredLogin::ExtJwt(path)) => {
                let token = ext_jwt::read(path)?;
                let hint = match ext_jwt::expires_at(&token) {
                    Some(end) if end <= context.now() => format!("the JWT expired at {end}"),
                    _ => WRONG_JWT.to_owned(),
                };
                let login = attempt(client.clone(), Credentials::Jwt(token)).await;
                return login.map_err(|error| CliError::from_login(error, hint));
            },
            Self::Stored(StoredLogin::Identity(path)) => IdentityFile::read(path)?.credential()?,
            Self::Stored(StoredLogin::Certificate { cert, key }) => Credential::read(cert, key)?,
            Self::Stored(StoredLogin::Browser) => {
                return Err(
                    CliError::failed("this controller offers no login in a browser")
                        .hint("log in with `--username NAME`, a certificate or a JWT"),
                );
            },
        };
        let trust = profile::trust_from_pem_or_system(trusted.ca.as_deref())?;
        let client = context
            .client(url, trust)
            .certificate(certificate.to_client_certificate())
            .build()?;
        let login = attempt(client, Credentials::Certificate).await;
        login.map_err(|error| {
            certificate.explain_login_error(error, WRONG_CERTIFICATE, context.now())
        })
    }
}

/// Logs in with a password. A wrong one is asked for again.
async fn log_in_with_password<T, F>(
    username: &str,
    source: &PasswordArgs,
    attempt: impl Fn(Credentials) -> F + Send,
) -> Result<T, CliError>
where
    F: Future<Output = Result<T, ClientError>> + Send,
{
    let question = format!("Password of {username}");
    let mut left = if source.is_asked_for() {
        MAX_ATTEMPTS
    } else {
        1
    };
    loop {
        left -= 1;
        let password = source.read_or_prompt(&question, false)?;
        match attempt(Credentials::password(username, password)).await {
            Err(error) if left > 0 && error.is_refused_with(Code::InvalidAuth) => {
                output::note("The username or password is wrong. Try again.");
            },
            outcome => {
                return outcome.map_err(|error| CliError::from_login(error, WRONG_PASSWORD));
            },
        }
    }
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
