//! Identity files: what a device keeps to prove who it is, in the format of OpenZiti's clients.

use crate::controller_url;
use crate::credential::Credential;
use crate::error::CliError;
use crate::error::cause::in_json;
use crate::files;
use crate::secret;
use portcullis_client::{Api, ClientCertificate, Trust};
use portcullis_pki::{Certificate, certificates_to_pem};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use std::path::Path;
use url::Url;
use zeroize::Zeroizing;

/// Stands before a value that is kept in the file itself.
const INLINE: &str = "pem:";

/// Stands before the path of another file that holds the value; it may be left out.
const ELSEWHERE: &str = "file://";

/// The content of an identity file.
#[derive(Serialize, Deserialize)]
pub(crate) struct IdentityFile {
    /// The client API of the controller.
    #[serde(rename = "ztAPI")]
    api: String,
    /// The same of further controllers.
    #[serde(rename = "ztAPIs", default)]
    apis: Option<Vec<String>>,
    /// Types of configurations that the client wants to see.
    #[serde(rename = "configTypes", default)]
    config_types: Option<Vec<String>>,
    /// Key and certificates.
    id: Parts,
    /// Whether there are several controllers.
    #[serde(rename = "enableHa", default)]
    enable_ha: bool,
    /// What the file is called in messages.
    #[serde(skip)]
    name: String,
}

/// Key and certificates, each with a word before it that says where it is.
#[derive(Serialize, Deserialize)]
struct Parts {
    #[serde(serialize_with = "secret::exposed")]
    key: SecretString,
    cert: String,
    ca: String,
}

impl IdentityFile {
    /// The file of an identity of the controller at `url`. `key` is one PEM block, and `chain` the
    /// certificate with its intermediates.
    pub(crate) fn new(
        url: &Url,
        key: &str,
        chain: &[Certificate],
        authorities: &[Certificate],
    ) -> Self {
        Self {
            api: format!("{}{}", controller_url::shown(url), Api::Client.prefix()),
            apis: None,
            config_types: None,
            id: Parts {
                key: format!("{INLINE}{key}").into(),
                cert: inline(chain),
                ca: inline(authorities),
            },
            enable_ha: false,
            name: "the identity file".to_owned(),
        }
    }

    /// Writes the file.
    pub(crate) fn to_json(&self) -> Result<Zeroizing<Vec<u8>>, CliError> {
        serde_json::to_vec(self)
            .map(Zeroizing::new)
            .map_err(|error| CliError::failed("the identity cannot be written").because(error))
    }

    /// Reads the file at `path`.
    pub(crate) fn read(path: &Path) -> Result<Self, CliError> {
        let text = Zeroizing::new(files::read_text(path)?);
        let read: Self = serde_json::from_str(&text).map_err(|error| {
            let (path, place) = (path.display(), in_json(&error));
            CliError::failed(format!("{path} is not an identity file {place}"))
                .hint("`portcullis enroll TOKEN` creates one")
        })?;
        Ok(Self {
            name: path.display().to_string(),
            ..read
        })
    }

    /// Where the controller is.
    pub(crate) fn url(&self) -> Result<Url, CliError> {
        controller_url::parse(&self.api)
    }

    /// Whom to trust.
    pub(crate) fn trust(&self) -> Result<Trust, CliError> {
        crate::profile::trust_in(&self.authorities()?)
    }

    /// The authorities to trust, PEM.
    pub(crate) fn authorities(&self) -> Result<String, CliError> {
        Ok(content(&self.id.ca)?.to_string())
    }

    /// The private key, PEM.
    pub(crate) fn key(&self) -> Result<Zeroizing<String>, CliError> {
        content(self.id.key.expose_secret())
    }

    /// Replaces the certificate, and the key if there is another one. Both stand in the file itself
    /// then, but for a key that stays where it is.
    pub(crate) fn renew(&mut self, chain: &[Certificate], key: Option<&str>) {
        self.id.cert = inline(chain);
        if let Some(key) = key {
            self.id.key = format!("{INLINE}{key}").into();
        }
    }

    /// What to log in with.
    pub(crate) fn certificate(&self) -> Result<ClientCertificate, CliError> {
        Ok(self.credential()?.for_tls())
    }

    /// The certificate with its key.
    pub(crate) fn credential(&self) -> Result<Credential, CliError> {
        Credential::of_identity(&self.name, &content(&self.id.cert)?, &self.key()?)
    }
}

/// Certificates as a value that holds them itself: blocks alone, since loaders of other programs
/// stumble over what stands beside them.
fn inline(certificates: &[Certificate]) -> String {
    format!("{INLINE}{}", certificates_to_pem(certificates))
}

/// Obtains the PEM text of a value.
fn content(value: &str) -> Result<Zeroizing<String>, CliError> {
    if let Some(inline) = value.strip_prefix(INLINE) {
        return Ok(Zeroizing::new(inline.to_owned()));
    }
    let path = match value.strip_prefix(ELSEWHERE) {
        Some(path) => path,
        None if has_scheme(value) || value.trim().is_empty() => {
            return Err(CliError::failed(
                "keys and certificates of the identity must begin with `pem:` or `file://`, or be a \
                 file path",
            ));
        },
        None => value,
    };
    // A file of that name, and never the standard input.
    let path = Path::new(".").join(path);
    Ok(Zeroizing::new(files::read_text(&path)?))
}

/// Whether a value says how it is to be read. One letter is the name of a drive.
fn has_scheme(value: &str) -> bool {
    let is_word = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let scheme = value.split_once(':').map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| scheme.len() != 1 && is_word(scheme))
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_pki::{KeyType, SigningKey};

    fn file(key: &str) -> IdentityFile {
        let url = "https://ctrl.example.test:1280".parse().unwrap();
        IdentityFile::new(&url, key, &[], &[])
    }

    #[test]
    fn file_has_the_form_that_clients_read() {
        let json = file("KEY").to_json().unwrap();
        assert_eq!(
            std::str::from_utf8(&json).unwrap(),
            concat!(
                r#"{"ztAPI":"https://ctrl.example.test:1280/edge/client/v1","ztAPIs":null,"#,
                r#""configTypes":null,"id":{"key":"pem:KEY","cert":"pem:","ca":"pem:"},"#,
                r#""enableHa":false}"#
            )
        );
    }

    #[test]
    fn file_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("laptop.json");
        let key = SigningKey::generate(KeyType::P256).unwrap();
        let json = file(&key.to_pkcs8_pem().unwrap()).to_json().unwrap();
        std::fs::write(&path, &*json).unwrap();
        let read = IdentityFile::read(&path).unwrap();
        assert_eq!(
            read.url().unwrap().as_str(),
            "https://ctrl.example.test:1280/"
        );
        let error = read.certificate().unwrap_err().message();
        assert!(error.contains("laptop.json is empty"), "{error}");
        assert!(read.trust().is_err(), "nobody is trusted");
    }

    #[test]
    fn keys_may_be_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key.pem");
        std::fs::write(&path, "KEY").unwrap();
        assert_eq!(
            content(&format!("file://{}", path.display()))
                .unwrap()
                .as_str(),
            "KEY"
        );
        assert_eq!(content("pem:KEY").unwrap().as_str(), "KEY");
        assert_eq!(content(path.to_str().unwrap()).unwrap().as_str(), "KEY");
        for other in ["", "engine:pkcs11", "https://key.test", "KEY"] {
            assert!(content(other).is_err(), "{other}");
        }
    }
}
