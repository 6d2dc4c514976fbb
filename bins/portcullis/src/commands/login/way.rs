//! What a login is made with.

use super::LoginArgs;
use crate::context::Context;
use crate::credential::Credential;
use crate::error::CliError;
use crate::ext_jwt;
use crate::identity_file::IdentityFile;
use crate::profile::{self, Profile, StoredWay};
use crate::trust::Trusted;
use portcullis_api::api_session::ApiSessionDetail;
use portcullis_client::{Api, Client};
use std::path::{Path, PathBuf};
use url::Url;

/// What a login is made with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Way {
    /// A password for this username.
    Password(String),
    /// What lies in files.
    Stored(StoredWay),
}

/// What to do about a login that is refused.
const WRONG_PASSWORD: &str = "check username and password";
const WRONG_CERTIFICATE: &str = "check that the certificate belongs to an identity that may log in \
    with certificates, and that its CA still exists and is enabled";
const WRONG_JWT: &str = "check that the JWT's signer is known and enabled, and that the JWT names an \
    identity that may log in with it";

impl Way {
    /// The way that the arguments say, else the one of the last login.
    pub(super) fn choose(arguments: &LoginArgs, known: Option<&Profile>) -> Result<Self, CliError> {
        let certificate = arguments.certificate.cert.as_ref();
        let certificate = certificate.zip(arguments.certificate.key.as_ref());
        if let Some(username) = &arguments.username {
            return Ok(Self::Password(username.clone()));
        }
        if let Some(path) = &arguments.identity {
            return Ok(Self::Stored(StoredWay::Identity(absolute(path)?)));
        }
        if let Some((cert, key)) = certificate {
            let (cert, key) = (absolute(cert)?, absolute(key)?);
            return Ok(Self::Stored(StoredWay::Certificate { cert, key }));
        }
        if let Some(path) = &arguments.ext_jwt {
            return Ok(Self::Stored(StoredWay::ExtJwt(absolute(path)?)));
        }
        let last = if arguments.password.is_given() {
            // The last login may have been by something else.
            let username = known.and_then(|known| known.username.clone());
            username.map(Self::Password)
        } else {
            Self::last(known)
        };
        last.ok_or_else(|| CliError::usage("the username is missing").hint("add `--username NAME`"))
    }

    /// Whether the arguments say what to log in with.
    pub(super) fn is_given(arguments: &LoginArgs) -> bool {
        arguments.username.is_some()
            || arguments.identity.is_some()
            || arguments.certificate.cert.is_some()
            || arguments.ext_jwt.is_some()
    }

    fn last(known: Option<&Profile>) -> Option<Self> {
        let known = known?;
        match &known.way {
            Some(way) => Some(Self::Stored(way.clone())),
            None => known.username.clone().map(Self::Password),
        }
    }

    /// What of it may be remembered. What came by the standard input is gone.
    pub(super) fn stored(&self) -> Option<StoredWay> {
        match self {
            Self::Stored(StoredWay::ExtJwt(path)) if path == Path::new("-") => None,
            Self::Stored(way) => Some(way.clone()),
            Self::Password(_) => None,
        }
    }

    /// Logs in.
    pub(super) async fn log_in(
        &self,
        context: &Context,
        url: &Url,
        trusted: &Trusted,
        arguments: &LoginArgs,
    ) -> Result<ApiSessionDetail, CliError> {
        let client = &trusted.client;
        let refused = |hint| move |error| CliError::of_login(error, hint);
        match self {
            Self::Password(username) => {
                let question = format!("Password of {username}");
                let password = arguments.password.obtain(&question, false)?;
                let login = client.authenticate_with_password(Api::Management, username, password);
                login.await.map_err(refused(WRONG_PASSWORD))
            },
            Self::Stored(StoredWay::ExtJwt(path)) => {
                let token = ext_jwt::read(path)?;
                let hint = match ext_jwt::end(&token) {
                    Some(end) if end <= context.now() => format!("the JWT expired at {end}"),
                    _ => WRONG_JWT.to_owned(),
                };
                let client = client.with_bearer(token);
                let login = client.authenticate_with_jwt(Api::Management);
                login.await.map_err(|error| CliError::of_login(error, hint))
            },
            Self::Stored(StoredWay::Identity(path)) => {
                let certificate = IdentityFile::read(path)?.credential()?;
                by_certificate(context, url, trusted, certificate).await
            },
            Self::Stored(StoredWay::Certificate { cert, key }) => {
                let certificate = Credential::read(cert, key)?;
                by_certificate(context, url, trusted, certificate).await
            },
        }
    }
}

async fn by_certificate(
    context: &Context,
    url: &Url,
    trusted: &Trusted,
    credential: Credential,
) -> Result<ApiSessionDetail, CliError> {
    let client: Client = context
        .client(url, profile::trust_of(trusted.ca.as_deref())?)
        .certificate(credential.for_tls())
        .build()?;
    let login = client.authenticate_with_certificate(Api::Management);
    login
        .await
        .map_err(|error| credential.explain(error, WRONG_CERTIFICATE, context.now()))
}

/// The same file, wherever the next command runs. The standard input stays what it is.
pub(super) fn absolute(path: &Path) -> Result<PathBuf, CliError> {
    if path == Path::new("-") {
        return Ok(path.to_owned());
    }
    std::path::absolute(path).map_err(|error| {
        CliError::failed("the current directory cannot be determined").because(error)
    })
}
