//! Identity files in the form of OpenZiti's clients.

mod error;
mod pem_value;

pub use error::{FieldProblem, IdentityFileError};

use crate::token::{display_url, origin};
use pem_value::PemValue;
use portcullis_client::{Api, ClientCertificate};
use portcullis_files::SECRET_MODE;
use portcullis_pki::{Certificate, certificates_from_pem, certificates_to_pem};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};
use std::error::Error;
use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use url::Url;
use zeroize::Zeroizing;

/// An identity file: controllers, and the key and certificates of an identity, in it or in files of their own.
pub struct IdentityFile {
    document: Document,
    /// In messages.
    name: String,
}

/// The members of the file. All of them are optional when read, so that what is missing can be named.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Document {
    /// URL of the client API.
    #[serde(rename = "ztAPI")]
    api: Option<String>,
    /// Those of several controllers.
    #[serde(rename = "ztAPIs")]
    apis: Option<Vec<String>>,
    #[serde(rename = "configTypes")]
    config_types: Option<Vec<String>>,
    id: Option<KeyMaterial>,
    #[serde(rename = "enableHa")]
    enable_ha: Option<bool>,
    /// What other programs keep in the file.
    #[serde(flatten)]
    other: Map<String, Value>,
}

/// Each is preceded by where it is.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct KeyMaterial {
    #[serde(serialize_with = "exposed")]
    key: Option<SecretString>,
    cert: Option<String>,
    ca: Option<String>,
    /// Server certificates, further certificates and whatever else there is.
    #[serde(flatten)]
    other: Map<String, Value>,
}

#[expect(clippy::ref_option, reason = "serde passes a reference to the member")]
fn exposed<S: Serializer>(key: &Option<SecretString>, serializer: S) -> Result<S::Ok, S::Error> {
    exposed_key(key.as_ref()).serialize(serializer)
}

fn exposed_key(key: Option<&SecretString>) -> Option<&str> {
    key.map(SecretString::expose_secret)
}

impl IdentityFile {
    /// The file of an identity that has enrolled at the controller at `url`. `key` is one PEM block, and `chain`
    /// the certificate with its intermediates.
    pub fn new(url: &Url, key: &str, chain: &[Certificate], authorities: &[Certificate]) -> Self {
        let document = Document {
            api: Some(format!("{}{}", display_url(url), Api::Client.prefix())),
            id: Some(KeyMaterial {
                key: Some(PemValue::inline(key).into()),
                cert: Some(PemValue::inline(&certificates_to_pem(chain))),
                ca: Some(PemValue::inline(&certificates_to_pem(authorities))),
                other: Map::new(),
            }),
            enable_ha: Some(false),
            ..Document::default()
        };
        Self {
            document,
            name: "the identity file".to_owned(),
        }
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, IdentityFileError> {
        let name = path.display().to_string();
        let text = fs::read_to_string(path).map_err(|source| IdentityFileError::Read {
            name: name.clone(),
            source,
        });
        Self::parse(&Zeroizing::new(text?), name)
    }

    /// Reads the text of a file, which messages call `name`.
    pub fn parse(text: &str, name: String) -> Result<Self, IdentityFileError> {
        let reader = &mut serde_json::Deserializer::from_str(text);
        match serde_path_to_error::deserialize::<_, Document>(reader) {
            Ok(mut document) => {
                document.enable_ha.get_or_insert(false);
                Ok(Self { document, name })
            },
            Err(error) => Err(IdentityFileError::of_json(name, &error)),
        }
    }

    /// The text of the file, which is a secret.
    pub fn to_json(&self) -> Result<Zeroizing<Vec<u8>>, IdentityFileError> {
        // A vector that grows leaves the key behind where it was.
        let mut length = Length(0);
        let write = |writer: &mut dyn Write| serde_json::to_writer(writer, &self.document);
        write(&mut length).map_err(|_json| IdentityFileError::Encode)?;
        let mut text = Zeroizing::new(Vec::with_capacity(length.0));
        write(&mut *text).map_err(|_json| IdentityFileError::Encode)?;
        Ok(text)
    }

    /// Writes the file at once or not at all, for its owner alone.
    pub fn write(&self, path: &Path) -> Result<(), IdentityFileError> {
        let text = self.to_json()?;
        Ok(portcullis_files::replace(path, &text, SECRET_MODE)?)
    }

    /// The controllers in the order in which they are to be tried; scheme, host and port of each.
    pub fn controllers(&self) -> Result<Vec<Url>, IdentityFileError> {
        let Document { api, apis, .. } = &self.document;
        let several = apis.iter().flatten().enumerate();
        let several = several.map(|(index, url)| (format!("ztAPIs[{index}]"), url));
        let all = api
            .iter()
            .map(|url| ("ztAPI".to_owned(), url))
            .chain(several);
        let mut controllers = Vec::new();
        for (field, url) in all {
            let url =
                controller(url).ok_or_else(|| self.wrong(field, FieldProblem::NotAController));
            let url = url?;
            if !controllers.contains(&url) {
                controllers.push(url);
            }
        }
        if controllers.is_empty() {
            return Err(self.wrong("ztAPI", FieldProblem::Missing));
        }
        Ok(controllers)
    }

    /// Configuration types that services are to come with.
    pub fn config_types(&self) -> &[String] {
        self.document.config_types.as_deref().unwrap_or_default()
    }

    /// CA certificates of the network, at least one.
    pub fn authorities(&self) -> Result<Vec<Certificate>, IdentityFileError> {
        self.certificates("id.ca", &self.ca_pem()?)
    }

    /// CA certificates of the network, PEM.
    pub fn ca_pem(&self) -> Result<String, IdentityFileError> {
        let ca = self.key_material()?.ca.as_deref();
        Ok(self.pem("id.ca", ca)?.to_string())
    }

    /// The certificate and its key; `None` for identities that have none and log in otherwise.
    pub fn client_certificate(&self) -> Result<Option<ClientCertificate>, IdentityFileError> {
        let KeyMaterial { key, cert, .. } = self.key_material()?;
        if is_empty(exposed_key(key.as_ref())) && is_empty(cert.as_deref()) {
            return Ok(None);
        }
        let (cert, key) = (self.cert_pem()?, self.key_pem()?);
        let chain = self.certificates("id.cert", &cert)?;
        let chain: Vec<_> = chain.iter().map(|one| one.as_rustls().clone()).collect();
        let pair = ClientCertificate::from_pem(cert.as_bytes(), key.as_bytes());
        let pair = pair.map_err(|_pem| self.wrong("id.key", FieldProblem::NoKey))?;
        let pair = ClientCertificate { chain, ..pair };
        match pair.validate() {
            Ok(()) => Ok(Some(pair)),
            Err(error) => Err(self.wrong_for("id.key", FieldProblem::Unusable, error)),
        }
    }

    /// The certificate with its intermediates, PEM.
    pub fn cert_pem(&self) -> Result<Zeroizing<String>, IdentityFileError> {
        self.pem("id.cert", self.key_material()?.cert.as_deref())
    }

    /// The private key, PEM.
    pub fn key_pem(&self) -> Result<Zeroizing<String>, IdentityFileError> {
        let key = exposed_key(self.key_material()?.key.as_ref());
        self.pem("id.key", key)
    }

    /// Replaces the certificate, and the key if there is a new one. Both are in the file then.
    pub fn replace_certificate(&mut self, chain: &[Certificate], key: Option<&str>) {
        let id = self.document.id.get_or_insert_default();
        id.cert = Some(PemValue::inline(&certificates_to_pem(chain)));
        if let Some(key) = key {
            id.key = Some(PemValue::inline(key).into());
        }
    }

    /// What the file is called in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn key_material(&self) -> Result<&KeyMaterial, IdentityFileError> {
        let id = self.document.id.as_ref();
        id.ok_or_else(|| self.wrong("id", FieldProblem::Missing))
    }

    /// The PEM text of a member, from wherever it is.
    fn pem(
        &self,
        field: &str,
        value: Option<&str>,
    ) -> Result<Zeroizing<String>, IdentityFileError> {
        let value = value.filter(|value| !value.trim().is_empty());
        let value = value.ok_or_else(|| self.wrong(field, FieldProblem::Missing))?;
        match PemValue::parse(value) {
            Some(PemValue::Inline(pem)) => Ok(Zeroizing::new(pem.to_owned())),
            Some(PemValue::File(path)) => {
                let text = fs::read_to_string(&path).map(Zeroizing::new);
                text.map_err(|error| self.wrong_for(field, FieldProblem::File(path), error))
            },
            None => Err(self.wrong(field, FieldProblem::Location)),
        }
    }

    fn certificates(&self, field: &str, pem: &str) -> Result<Vec<Certificate>, IdentityFileError> {
        if pem.trim().is_empty() {
            return Err(self.wrong(field, FieldProblem::NoCertificate));
        }
        let not_read = |error| self.wrong_for(field, FieldProblem::NotACertificate, error);
        certificates_from_pem(pem).map_err(not_read)
    }

    fn wrong(&self, field: impl Into<String>, problem: FieldProblem) -> IdentityFileError {
        IdentityFileError::Field {
            name: self.name.clone(),
            field: field.into(),
            problem,
            cause: None,
        }
    }

    fn wrong_for(
        &self,
        field: &str,
        problem: FieldProblem,
        cause: impl Error + Send + Sync + 'static,
    ) -> IdentityFileError {
        IdentityFileError::Field {
            name: self.name.clone(),
            field: field.to_owned(),
            problem,
            cause: Some(Box::new(cause)),
        }
    }
}

impl fmt::Debug for IdentityFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("IdentityFile")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Counts bytes.
struct Length(usize);

impl Write for Length {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn is_empty(value: Option<&str>) -> bool {
    value.is_none_or(|value| value.trim().is_empty())
}

/// Scheme, host and port of the URL of a controller.
fn controller(url: &str) -> Option<Url> {
    let full = if url.contains("://") {
        url.to_owned()
    } else {
        format!("https://{url}")
    };
    let url = Url::parse(&full).ok()?;
    let is_bare = url.username().is_empty() && url.password().is_none();
    origin(&url).filter(|_| url.scheme() == "https" && is_bare)
}

#[cfg(test)]
mod tests;
