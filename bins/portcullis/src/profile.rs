//! Profiles: what is remembered about controllers and sessions from one command to the next.

mod store;

pub(crate) use store::ProfileStore;

use crate::controller_url;
use crate::error::CliError;
use crate::secret;
use portcullis_api::time::WireTime;
use portcullis_client::Trust;
use portcullis_pki::certificates_from_pem;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use url::Url;

/// All profiles by their names.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Profiles {
    /// The profiles.
    #[serde(default)]
    pub(crate) profiles: BTreeMap<String, Profile>,
}

/// What is remembered about one controller.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Profile {
    /// Where the controller is.
    pub(crate) url: Url,
    /// The authorities that are trusted, PEM; `None` for those of the operating system.
    #[serde(default)]
    pub(crate) ca: Option<String>,
    /// Who logged in last.
    #[serde(default)]
    pub(crate) username: Option<String>,
    /// What the last login was made with, if not a password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) way: Option<StoredWay>,
    /// The file that holds the JWT which goes with every request of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) second_ext_jwt: Option<PathBuf>,
    /// The session, while there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<StoredSession>,
}

/// What a login is made with, as it is remembered: where it lies, and never itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum StoredWay {
    /// An identity file.
    Identity(PathBuf),
    /// A certificate with its key.
    Certificate {
        /// The file of the certificate.
        cert: PathBuf,
        /// The file of the key.
        key: PathBuf,
    },
    /// The JWT of an external signer.
    ExtJwt(PathBuf),
}

/// A session as it is remembered.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoredSession {
    /// The token.
    #[serde(serialize_with = "secret::exposed")]
    pub(crate) token: SecretString,
    /// When it was going to end when it was opened; use puts the end off.
    #[serde(default)]
    pub(crate) expires_at: Option<WireTime>,
}

impl Profile {
    /// Whom to trust.
    pub(crate) fn trust(&self) -> Result<Trust, CliError> {
        trust_of(self.ca.as_deref())
    }

    /// Says what to do when the controller is not the one that was trusted.
    pub(crate) fn explain(&self, error: CliError) -> CliError {
        if !error.is_untrusted() {
            return error;
        }
        let url = controller_url::shown(&self.url);
        error
            .hint("somebody may be intercepting the connection to the controller")
            .hint(format!(
                "if its CA has been replaced, run `portcullis login {url} --forget-ca` and compare \
                 the fingerprint"
            ))
    }
}

/// Trust in the authorities of a PEM text, if there is one, else in those of the operating system.
pub(crate) fn trust_of(pem: Option<&str>) -> Result<Trust, CliError> {
    match pem {
        Some(pem) => trust_in(pem),
        None => Ok(system_trust()),
    }
}

/// Trust in the authorities of a PEM text.
pub(crate) fn trust_in(pem: &str) -> Result<Trust, CliError> {
    let certificates = certificates_from_pem(pem).map_err(|error| {
        CliError::failed("the trusted certificates cannot be read").because(error)
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

/// Trust in the authorities of the operating system.
pub(crate) fn system_trust() -> Trust {
    // What cannot be loaded is not trusted; that there is nothing left shows soon enough.
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
        assert_eq!(session.token.expose_secret(), "t1");
        assert_eq!(
            session.expires_at.unwrap().to_string(),
            "2031-04-05T06:07:08.009Z"
        );
        assert!(again.profiles["q"].session.is_none());
        assert!(
            !format!("{profiles:?}").contains("t1"),
            "tokens are not shown"
        );
    }
}
