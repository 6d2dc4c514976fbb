//! PEM files that people bring along, and what is wrong with them.

use crate::error::CliError;
use crate::files;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use portcullis_pki::{Certificate, CertificateError, certificates_from_pem};
use rustls_pki_types::PrivateKeyDer;
use rustls_pki_types::pem::PemObject as _;
use std::path::Path;
use zeroize::Zeroizing;

/// Characters in a line of base64 (RFC 7468 section 2).
const COLUMNS: usize = 64;

/// A text that is to hold a certificate or a key.
pub(super) struct PemFile {
    /// What it is called in messages.
    pub(super) name: String,
    pub(super) text: Zeroizing<String>,
    is_der: bool,
}

impl PemFile {
    pub(super) fn new(name: String, text: &str) -> Self {
        // A sequence in DER begins so.
        let is_der = text.starts_with('0') && !text.contains("-----BEGIN ");
        Self {
            name,
            text: Zeroizing::new(text.to_owned()),
            is_der,
        }
    }

    /// Reads the file at `path`, or the standard input for `-`.
    pub(super) fn read(path: &Path) -> Result<Self, CliError> {
        let bytes = Zeroizing::new(files::read_bytes(path)?);
        let name = if path == Path::new("-") {
            "the standard input".to_owned()
        } else {
            path.display().to_string()
        };
        Ok(Self::new(name, &String::from_utf8_lossy(&bytes)))
    }

    /// The certificates in it.
    pub(super) fn certificates(&self) -> Result<Vec<Certificate>, CliError> {
        self.check("x509")?;
        let name = &self.name;
        certificates_from_pem(&self.text).map_err(|error| match error {
            CertificateError::OtherLabel { label } if label.ends_with("PRIVATE KEY") => {
                CliError::failed(format!("{name} contains a private key, but no certificate"))
                    .hint("the certificate file and the key file may be swapped")
            },
            other => {
                CliError::failed(format!("{name} contains no readable certificate")).because(other)
            },
        })
    }

    /// The first private key in it.
    pub(super) fn key(&self) -> Result<PrivateKeyDer<'static>, CliError> {
        self.check("pkey")?;
        let (name, text) = (&self.name, &self.text);
        if text.contains("BEGIN ENCRYPTED PRIVATE KEY") || text.contains("4,ENCRYPTED") {
            return Err(
                CliError::failed(format!("the private key in {name} is encrypted"))
                    .hint("decrypt it first: `openssl pkey -in FILE -out DECRYPTED`"),
            );
        }
        // What is wrong with the text could repeat parts of it.
        PrivateKeyDer::from_pem_slice(text.as_bytes()).map_err(|_secret| {
            let holds = |label: &str| text.contains(&format!("-----BEGIN {label}-----"));
            if holds("CERTIFICATE") && !text.contains("PRIVATE KEY-----") {
                CliError::failed(format!("{name} contains a certificate, but no private key"))
                    .hint("the certificate file and the key file may be swapped")
            } else {
                CliError::failed(format!("{name} contains no readable private key"))
            }
        })
    }

    /// Refuses what is no PEM at all. `tool` is the one of OpenSSL for what it should be.
    fn check(&self, tool: &str) -> Result<(), CliError> {
        let name = &self.name;
        if self.text.trim().is_empty() {
            return Err(CliError::failed(format!("{name} is empty")));
        }
        if self.text.contains("-----BEGIN ") {
            return Ok(());
        }
        let error = CliError::failed(format!("{name} contains no PEM"));
        if self.is_der {
            return Err(error.hint(format!(
                "it looks like DER; convert it with `openssl {tool} -inform DER -in FILE -out \
                 PEM-FILE`"
            )));
        }
        Err(error)
    }
}

/// Writes a private key as one block.
pub(super) fn key_block(key: &PrivateKeyDer<'_>) -> Zeroizing<String> {
    let label = match key {
        PrivateKeyDer::Pkcs1(_) => "RSA PRIVATE KEY",
        PrivateKeyDer::Sec1(_) => "EC PRIVATE KEY",
        _ => "PRIVATE KEY",
    };
    let body = Zeroizing::new(STANDARD.encode(key.secret_der()));
    // Of its final size from the start, so that no copy of a part is left behind.
    let size = body.len() + body.len() / COLUMNS + 2 * label.len() + 40;
    let mut text = Zeroizing::new(String::with_capacity(size));
    for part in ["-----BEGIN ", label, "-----\n"] {
        text.push_str(part);
    }
    let mut rest = body.as_str();
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.len().min(COLUMNS));
        text.push_str(line);
        text.push('\n');
        rest = after;
    }
    for part in ["-----END ", label, "-----\n"] {
        text.push_str(part);
    }
    text
}
