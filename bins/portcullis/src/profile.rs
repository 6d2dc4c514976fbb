//! Profiles: controllers and sessions stored between commands.

mod session;
mod store;

pub(crate) use session::{OidcSession, SessionToken, StoredSession};
pub(crate) use store::ProfileStore;

use crate::context::Context;
use crate::credential::Credential;
use crate::error::CliError;
use crate::identity_file::IdentityFile;
use crate::suggestions;
use crate::trust::{self, TrustSource};
use portcullis_client::Trust;
use portcullis_pki::certificates_from_pem;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use url::Url;

/// All profiles by name.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Profiles {
    #[serde(default)]
    pub(crate) profiles: BTreeMap<String, Profile>,
    /// The one that `profile use` chose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) current: Option<String>,
}

impl Profiles {
    /// A hint at the profiles that somebody may mean by a wrong `name`; `None` if there are none.
    pub(crate) fn describe_known(&self, name: &str) -> Option<String> {
        let names = self.profiles.keys().map(String::as_str);
        let quoted: Vec<_> = names.clone().map(|name| format!("`{name}`")).collect();
        let all = || (!quoted.is_empty()).then(|| format!("there are {}", quoted.join(", ")));
        suggestions::did_you_mean(name, names).or_else(all)
    }
}

/// A controller and the session with it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Profile {
    pub(crate) url: Url,
    /// Trusted CA certificates, PEM; `None` for those of the operating system.
    #[serde(default)]
    pub(crate) ca: Option<String>,
    /// Username of the last login.
    #[serde(default)]
    pub(crate) username: Option<String>,
    /// Credential files of the last login, unless it was by password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) way: Option<StoredLogin>,
    /// File with the second JWT, sent with every request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) second_ext_jwt: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<StoredSession>,
}

/// How a login is repeated: paths of the credential, never the credential itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum StoredLogin {
    Browser,
    Identity(PathBuf),
    Certificate { cert: PathBuf, key: PathBuf },
    ExtJwt(PathBuf),
}

impl Profile {
    /// The certificate of the last login, if it was by one. Access tokens count with it alone.
    pub(crate) fn certificate(&self) -> Result<Option<Credential>, CliError> {
        match &self.way {
            Some(StoredLogin::Identity(path)) => IdentityFile::read(path)?.credential().map(Some),
            Some(StoredLogin::Certificate { cert, key }) => Credential::read(cert, key).map(Some),
            Some(StoredLogin::Browser | StoredLogin::ExtJwt(_)) | None => Ok(None),
        }
    }

    pub(crate) fn trust(&self) -> Result<Trust, CliError> {
        trust_from_pem_or_system(self.ca.as_deref())
    }

    /// Explains the error if the controller is not the trusted one.
    pub(crate) async fn explain_untrusted(&self, context: &Context, error: CliError) -> CliError {
        let source = match self.ca {
            Some(_) => TrustSource::Profile,
            None => TrustSource::System,
        };
        trust::explain_untrusted(context, &self.url, error, source).await
    }
}

/// Trusts the CA certificates of a PEM text, or else those of the operating system.
pub(crate) fn trust_from_pem_or_system(pem: Option<&str>) -> Result<Trust, CliError> {
    match pem {
        Some(pem) => trust_from_pem(pem),
        None => Ok(system_trust()),
    }
}

/// Trusts the CA certificates of a PEM text.
pub(crate) fn trust_from_pem(pem: &str) -> Result<Trust, CliError> {
    let certificates = certificates_from_pem(pem).map_err(|error| {
        CliError::failed("the trusted certificates cannot be read").with_source(error)
    })?;
    if certificates.is_empty() {
        return Err(CliError::failed(
            "the file does not contain a certificate to trust",
        ));
    }
    let anchors = certificates
        .iter()
        .map(|certificate| certificate.as_rustls().clone());
    Ok(Trust::anchors(anchors))
}

/// Trusts the CA certificates of the operating system.
pub(crate) fn system_trust() -> Trust {
    // Certificates that cannot be loaded are not trusted; an empty set fails later.
    Trust::anchors(rustls_native_certs::load_native_certs().certs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::ExposeSecret as _;

    #[test]
    fn profiles_survive_being_written() {
        let text = r#"{"profiles":{"p":{"url":"https://c:1280/","ca":null,"username":"admin",
            "session":{"token":"t1","expiresAt":"2031-04-05T06:07:08.009Z"}},
            "q":{"url":"https://d/"}}}"#;
        let profiles: Profiles = serde_json::from_str(text).unwrap();
        let written = serde_json::to_string(&profiles).unwrap();
        let again: Profiles = serde_json::from_str(&written).unwrap();
        let session = again.profiles["p"].session.clone().unwrap();
        assert_eq!(
            session.expires_at().unwrap().to_string(),
            "2031-04-05T06:07:08.009Z"
        );
        let StoredSession::Token(session) = session else {
            panic!("it has a session token");
        };
        assert_eq!(session.token.expose_secret(), "t1");
        assert!(again.profiles["q"].session.is_none());
        assert!(
            !format!("{profiles:?}").contains("t1"),
            "tokens are not shown"
        );
    }
}
