//! PEM files with precise errors.

use crate::error::CliError;
use crate::files;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use portcullis_pki::{Certificate, CertificateError, certificates_from_pem};
use rustls_pki_types::PrivateKeyDer;
use rustls_pki_types::pem::PemObject as _;
use std::path::Path;
use zeroize::Zeroizing;

/// Characters per line of base64 (RFC 7468 section 2).
const BASE64_LINE_LENGTH: usize = 64;

/// PEM text that should contain a certificate or a key.
pub(super) struct PemFile {
    /// Name in messages.
    pub(super) name: String,
    pub(super) text: Zeroizing<String>,
    is_der: bool,
}

impl PemFile {
    pub(super) fn new(name: String, text: &str) -> Self {
        // A DER sequence starts with 0x30, the character `0`.
        let is_der = text.starts_with('0') && !text.contains("-----BEGIN ");
        Self {
            name,
            text: Zeroizing::new(text.to_owned()),
            is_der,
        }
    }

    /// Reads the file at `path`, or standard input for `-`.
    pub(super) fn read(path: &Path) -> Result<Self, CliError> {
        let bytes = Zeroizing::new(files::read_bytes(path)?);
        let name = if path == Path::new("-") {
            "standard input".to_owned()
        } else {
            path.display().to_string()
        };
        Ok(Self::new(name, &String::from_utf8_lossy(&bytes)))
    }

    pub(super) fn certificates(&self) -> Result<Vec<Certificate>, CliError> {
        self.check_format("x509")?;
        let name = &self.name;
        certificates_from_pem(&self.text).map_err(|error| match error {
            CertificateError::UnexpectedLabel { label } if label.ends_with("PRIVATE KEY") => {
                CliError::failed(format!("{name} contains a private key, but no certificate"))
                    .hint("the certificate file and the key file may be swapped")
            },
            other => CliError::failed(format!("{name} contains no readable certificate"))
                .with_source(other),
        })
    }

    /// The first private key.
    pub(super) fn key(&self) -> Result<PrivateKeyDer<'static>, CliError> {
        self.check_format("pkey")?;
        let (name, text) = (&self.name, &self.text);
        if text.contains("BEGIN ENCRYPTED PRIVATE KEY") || text.contains("4,ENCRYPTED") {
            return Err(
                CliError::failed(format!("the private key in {name} is encrypted"))
                    .hint("decrypt it first: `openssl pkey -in FILE -out DECRYPTED`"),
            );
        }
        // The parse error could quote parts of the key.
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

    /// Rejects text without PEM blocks. `tool` is the OpenSSL command that converts from DER.
    fn check_format(&self, tool: &str) -> Result<(), CliError> {
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

/// Encodes a private key as one PEM block.
pub(super) fn encode_key(key: &PrivateKeyDer<'_>) -> Zeroizing<String> {
    let label = match key {
        PrivateKeyDer::Pkcs1(_) => "RSA PRIVATE KEY",
        PrivateKeyDer::Sec1(_) => "EC PRIVATE KEY",
        _ => "PRIVATE KEY",
    };
    let body = Zeroizing::new(STANDARD.encode(key.secret_der()));
    // Allocated at its final size, so that no partial copy is left behind.
    let size = body.len() + body.len() / BASE64_LINE_LENGTH + 2 * label.len() + 40;
    let mut text = Zeroizing::new(String::with_capacity(size));
    for part in ["-----BEGIN ", label, "-----\n"] {
        text.push_str(part);
    }
    let mut rest = body.as_str();
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.len().min(BASE64_LINE_LENGTH));
        text.push_str(line);
        text.push('\n');
        rest = after;
    }
    for part in ["-----END ", label, "-----\n"] {
        text.push_str(part);
    }
    text
}
