//! Identity files in the format of OpenZiti clients.

use crate::controller_url;
use crate::credential::Credential;
use crate::error::CliError;
use crate::error::cause::json_position;
use crate::files;
use crate::secret;
use portcullis_client::{Api, ClientCertificate, Trust};
use portcullis_pki::{Certificate, certificates_to_pem};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use std::path::Path;
use url::Url;
use zeroize::Zeroizing;

/// Prefix of a value that is stored inline.
const PEM_PREFIX: &str = "pem:";

/// Optional prefix of the path of a file with the value.
const FILE_PREFIX: &str = "file://";

/// Hint where the certificate of an identity file was refused, which has many causes that the
/// controller does not tell apart.
pub(crate) const REFUSED_HINT: &str = "the identity is disabled or deleted, or its certificate was \
    withdrawn; ask an administrator";

/// An identity file.
#[derive(Serialize, Deserialize)]
pub(crate) struct IdentityFile {
    /// URL of the client API.
    #[serde(rename = "ztAPI")]
    api: String,
    /// Client API URLs of several controllers.
    #[serde(rename = "ztAPIs", default)]
    apis: Option<Vec<String>>,
    /// Configuration types that the client requests.
    #[serde(rename = "configTypes", default)]
    config_types: Option<Vec<String>>,
    id: KeyMaterial,
    #[serde(rename = "enableHa", default)]
    enable_ha: bool,
    /// File name in messages.
    #[serde(skip)]
    name: String,
}

/// Key and certificates, each prefixed with its location.
#[derive(Serialize, Deserialize)]
struct KeyMaterial {
    #[serde(serialize_with = "secret::serialize_exposed")]
    key: SecretString,
    cert: String,
    ca: String,
}

impl IdentityFile {
    /// Creates the file for the controller at `url`. `key` is one PEM block, and `chain` the
    /// certificate with its intermediates.
    pub(crate) fn new(
        url: &Url,
        key: &str,
        chain: &[Certificate],
        authorities: &[Certificate],
    ) -> Self {
        Self {
            api: format!("{}{}", controller_url::display(url), Api::Client.prefix()),
            apis: None,
            config_types: None,
            id: KeyMaterial {
                key: format!("{PEM_PREFIX}{key}").into(),
                cert: inline_pem(chain),
                ca: inline_pem(authorities),
            },
            enable_ha: false,
            name: "the identity file".to_owned(),
        }
    }

    pub(crate) fn to_json(&self) -> Result<Zeroizing<Vec<u8>>, CliError> {
        serde_json::to_vec(self)
            .map(Zeroizing::new)
            .map_err(|error| CliError::failed("cannot encode the identity file").with_source(error))
    }

    pub(crate) fn read(path: &Path) -> Result<Self, CliError> {
        let text = Zeroizing::new(files::read_text(path)?);
        let read: Self = serde_json::from_str(&text).map_err(|error| {
            let (path, place) = (path.display(), json_position(&error));
            CliError::failed(format!("{path} is not an identity file {place}"))
                .hint("`portcullis enroll TOKEN` creates one")
        })?;
        Ok(Self {
            name: path.display().to_string(),
            ..read
        })
    }

    pub(crate) fn url(&self) -> Result<Url, CliError> {
        controller_url::parse(&self.api)
    }

    pub(crate) fn trust(&self) -> Result<Trust, CliError> {
        crate::profile::trust_from_pem(&self.ca_pem()?)
    }

    /// Trusted CA certificates, PEM.
    pub(crate) fn ca_pem(&self) -> Result<String, CliError> {
        Ok(read_pem(&self.id.ca)?.to_string())
    }

    /// Private key, PEM.
    pub(crate) fn key_pem(&self) -> Result<Zeroizing<String>, CliError> {
        read_pem(self.id.key.expose_secret())
    }

    /// Replaces the certificate, and the key if a new one is given. Both are stored inline.
    pub(crate) fn replace_certificate(&mut self, chain: &[Certificate], key: Option<&str>) {
        self.id.cert = inline_pem(chain);
        if let Some(key) = key {
            self.id.key = format!("{PEM_PREFIX}{key}").into();
        }
    }

    pub(crate) fn client_certificate(&self) -> Result<ClientCertificate, CliError> {
        Ok(self.credential()?.to_client_certificate())
    }

    pub(crate) fn credential(&self) -> Result<Credential, CliError> {
        Credential::from_identity_file(&self.name, &read_pem(&self.id.cert)?, &self.key_pem()?)
    }
}

/// Encodes certificates inline, without anything else: other loaders reject text between PEM
/// blocks.
fn inline_pem(certificates: &[Certificate]) -> String {
    format!("{PEM_PREFIX}{}", certificates_to_pem(certificates))
}

/// Reads the PEM text of a value, inline or from a file.
fn read_pem(value: &str) -> Result<Zeroizing<String>, CliError> {
    if let Some(inline) = value.strip_prefix(PEM_PREFIX) {
        return Ok(Zeroizing::new(inline.to_owned()));
    }
    let path = match value.strip_prefix(FILE_PREFIX) {
        Some(path) => path,
        None if has_scheme(value) || value.trim().is_empty() => {
            return Err(CliError::failed(
                "the key and certificates of the identity must start with `pem:` or `file://`, or be \
                 file paths",
            ));
        },
        None => value,
    };
    // `-` is a file name here, not standard input.
    let path = Path::new(".").join(path);
    Ok(Zeroizing::new(files::read_text(&path)?))
}

/// Whether a value has a URL scheme. A single letter is a drive name.
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
        let error = read.client_certificate().unwrap_err().message();
        assert!(error.contains("laptop.json is empty"), "{error}");
        assert!(read.trust().is_err(), "nobody is trusted");
    }

    #[test]
    fn keys_may_be_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key.pem");
        std::fs::write(&path, "KEY").unwrap();
        assert_eq!(
            read_pem(&format!("file://{}", path.display()))
                .unwrap()
                .as_str(),
            "KEY"
        );
        assert_eq!(read_pem("pem:KEY").unwrap().as_str(), "KEY");
        assert_eq!(read_pem(path.to_str().unwrap()).unwrap().as_str(), "KEY");
        for other in ["", "engine:pkcs11", "https://key.test", "KEY"] {
            assert!(read_pem(other).is_err(), "{other}");
        }
    }
}
