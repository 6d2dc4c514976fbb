//! Section `identity`: certificates and keys.

use std::fmt;
use std::path::PathBuf;

use portcullis_yaml::{Diagnostics, Field, Section, codes};

use crate::items::read_all;
use crate::keys::{Key, KeyGroup, StringFormat, ValueType};
use crate::relative_paths::BaseFolders;

/// Certificates and keys of the controller or of one web listener.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentityConfig {
    /// Client certificate chain.
    pub cert: PemSource,
    /// Key of `cert`.
    pub key: PemSource,
    /// Server certificate chain.
    pub server_cert: PemSource,
    /// Key of `server_cert`.
    pub server_key: PemSource,
    /// Trusted certificates.
    pub ca: PemSource,
    /// Additional server certificates, selected by the server name that the client requests.
    pub alt_server_certs: Vec<CertKeyConfig>,
}

/// Certificate chain with its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertKeyConfig {
    /// Certificate chain.
    pub cert: PemSource,
    /// Key of `cert`.
    pub key: PemSource,
}

/// Source of a certificate or key in PEM.
#[derive(Clone, PartialEq, Eq)]
pub enum PemSource {
    /// Path of a PEM file; a relative one starts at the working directory of the process.
    File(PathBuf),
    /// PEM text inside the configuration file. It may contain a private key and is redacted in `Debug`.
    Inline(String),
}

impl fmt::Debug for PemSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => formatter.debug_tuple("File").field(path).finish(),
            Self::Inline(_) => formatter.write_str("Inline(..)"),
        }
    }
}

pub(crate) const KEYS: KeyGroup = &[
    pem(
        "cert",
        "Client certificate chain of the controller, which routers and other controllers see.",
    )
    .required()
    .example("pki/client.chain.pem"),
    pem("key", "Private key of `cert`.")
        .required()
        .example("pki/client.key"),
    SERVER_CERT,
    SERVER_KEY,
    CA,
    ALT_SERVER_CERTS,
];

/// The section in a web listener.
pub(crate) const LISTENER_KEYS: KeyGroup = &[
    pem(
        "cert",
        "Client certificate chain; it is not shown to clients.",
    )
    .required()
    .example("pki/client.chain.pem"),
    pem("key", "Private key of `cert`.")
        .required()
        .example("pki/client.key"),
    SERVER_CERT.required(),
    SERVER_KEY,
    CA,
    ALT_SERVER_CERTS,
];

const SERVER_CERT: Key = pem(
    "server_cert",
    "Server certificate chain, which everybody sees who connects; its names and addresses have to be those \
     under which clients reach the controller.",
)
.example("pki/server.chain.pem");
const SERVER_KEY: Key = pem(
    "server_key",
    "Private key of `server_cert`; `key` by default. The one of the controller also signs enrollment tokens.",
)
.example("pki/server.key");
const CA: Key = pem(
    "ca",
    "Certificates of the authorities that are trusted; clients are given them too.",
)
.required()
.example("pki/cas.pem");
const ALT_SERVER_CERTS: Key = Key::new(
    "alt_server_certs",
    ValueType::MapList(&[ALT_KEYS]),
    "Further server certificates, chosen by the name that a client asks for.",
)
.example("[{server_cert: pki/alt.chain.pem, server_key: pki/alt.key}]");

/// A key that names a certificate or a private key.
pub(crate) const fn pem(name: &'static str, doc: &'static str) -> Key {
    Key::new(name, ValueType::String(StringFormat::Pem), doc)
}

const ALT_KEYS: KeyGroup = &[
    pem("server_cert", "Server certificate chain.")
        .required()
        .example("pki/alt.chain.pem"),
    pem(
        "server_key",
        "Private key of it; `key` of the section by default.",
    )
    .example("pki/alt.key"),
];

/// Whether `server_cert` is required or defaults to `cert`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServerCertRule {
    /// In the root section: without `server_cert`, `cert` and `key` are used.
    Optional,
    /// In a web listener.
    Required,
}

pub(crate) fn read(
    field: &Field<'_>,
    server_cert_rule: ServerCertRule,
    folders: &BaseFolders,
    diagnostics: &mut Diagnostics,
) -> Option<IdentityConfig> {
    let section = field.section(diagnostics)?;
    section.check_keys(KEYS, diagnostics);
    let cert = read_required(&section, "cert", folders, diagnostics);
    let key = read_required(&section, "key", folders, diagnostics);
    let ca = read_required(&section, "ca", folders, diagnostics);
    let server_key = read_optional(&section, "server_key", folders, diagnostics);
    let server_cert = match (
        server_cert_rule,
        read_optional(&section, "server_cert", folders, diagnostics),
    ) {
        (_, Ok(Some(material))) => Some(material),
        (ServerCertRule::Optional, Ok(None)) if matches!(server_key, Ok(None)) => cert.clone(),
        (_, Ok(None)) => {
            section.report_missing("server_cert", "server.chain.pem", diagnostics);
            None
        },
        (_, Err(ReportedError)) => None,
    };
    let alternatives = section.get_non_null("alt_server_certs");
    let alt_server_certs = alternatives.map_or(Some(Vec::new()), |field| {
        read_alternatives(&field, key.as_ref(), folders, diagnostics)
    });
    let (key, server_key) = (key?, server_key.ok()?);
    Some(IdentityConfig {
        cert: cert?,
        server_cert: server_cert?,
        server_key: server_key.unwrap_or_else(|| key.clone()),
        key,
        ca: ca?,
        alt_server_certs: alt_server_certs?,
    })
}

fn read_alternatives(
    field: &Field<'_>,
    key: Option<&PemSource>,
    folders: &BaseFolders,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<CertKeyConfig>> {
    read_all(&field.list(diagnostics)?, |item| {
        let section = item.section(diagnostics)?;
        section.check_keys(ALT_KEYS, diagnostics);
        let cert = read_required(&section, "server_cert", folders, diagnostics);
        let own_key = read_optional(&section, "server_key", folders, diagnostics).ok()?;
        Some(CertKeyConfig {
            cert: cert?,
            key: own_key.or_else(|| key.cloned())?,
        })
    })
}

/// A mistake that has already been reported.
pub(crate) struct ReportedError;

pub(crate) fn read_required(
    section: &Section<'_>,
    name: &str,
    folders: &BaseFolders,
    diagnostics: &mut Diagnostics,
) -> Option<PemSource> {
    let field = section.require(name, &format!("{name}.pem"), diagnostics)?;
    read_pem_source(&field, folders, diagnostics)
}

/// Reads an optional value; an empty string counts as absent, as in OpenZiti.
pub(crate) fn read_optional(
    section: &Section<'_>,
    name: &str,
    folders: &BaseFolders,
    diagnostics: &mut Diagnostics,
) -> Result<Option<PemSource>, ReportedError> {
    match section.get_non_null(name) {
        None => Ok(None),
        Some(field) if field.node().as_str() == Some("") => Ok(None),
        Some(field) => read_pem_source(&field, folders, diagnostics)
            .map(Some)
            .ok_or(ReportedError),
    }
}

pub(crate) fn read_pem_source(
    field: &Field<'_>,
    folders: &BaseFolders,
    diagnostics: &mut Diagnostics,
) -> Option<PemSource> {
    let text = field.non_empty(diagnostics)?;
    if let Some(pem) = text.strip_prefix("pem:") {
        return Some(PemSource::Inline(pem.to_owned()));
    }
    if text.trim_start().starts_with("-----BEGIN") {
        return Some(PemSource::Inline(text.to_owned()));
    }
    // A single letter before the colon is a drive, not a scheme.
    let scheme = text
        .split_once(':')
        .filter(|(scheme, _)| scheme.len() > 1 && is_scheme(scheme));
    match scheme {
        None => Some(PemSource::File(folders.resolve(field, text))),
        Some(("file", rest)) => file_url(field, rest, diagnostics),
        Some(("pkcs11" | "parsec", _)) => {
            let message = "keys in a hardware module are not supported";
            field
                .error(codes::INVALID_VALUE, message, diagnostics)
                .help("name a file with the key");
            None
        },
        Some((scheme, _)) => {
            let message = format!("certificates and keys cannot be loaded with `{scheme}:`");
            field
                .error(codes::INVALID_VALUE, message, diagnostics)
                .help("write a path, `file:///path` or `pem:` with the text");
            None
        },
    }
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

/// Parses the part of a URL after `file:`, which must be an absolute path.
fn file_url(field: &Field<'_>, rest: &str, diagnostics: &mut Diagnostics) -> Option<PemSource> {
    let (path, mistake) = match rest.strip_prefix("//") {
        Some(path) if path.starts_with('/') => (path, None),
        Some(path) => (
            path,
            Some("what follows `file://` up to the next `/` is a host, not a directory"),
        ),
        None if rest.starts_with('/') => (rest, None),
        None => (rest, Some("a path after `file:` must be absolute")),
    };
    if let Some(mistake) = mistake {
        let help = format!("write `{path}` for a relative path, or `file:///{path}`");
        field
            .error(codes::INVALID_VALUE, mistake, diagnostics)
            .help(help);
        return None;
    }
    let decoded = percent_decode(path);
    if decoded.is_none() {
        field.error(
            codes::INVALID_VALUE,
            "a `%` in a URL must be followed by two hexadecimal digits",
            diagnostics,
        );
    }
    decoded.map(|path| PemSource::File(path.into()))
}

fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        bytes.extend_from_slice(before.as_bytes());
        let digits = after
            .get(..2)
            .filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = after.get(2..)?;
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8(bytes).ok()
}
