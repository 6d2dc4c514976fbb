//! Section `web[].options`.

use std::time::Duration;

use portcullis_yaml::{Diagnostics, Field, Section, codes};

use crate::edge::read_positive_duration;
use crate::keys::{Key, KeyGroup, ValueType};

/// Section `web[].options`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebOptions {
    /// Maximum time between two requests of a connection, 5 seconds by default.
    pub idle_timeout: Duration,
    /// Maximum time to receive a request, 5 seconds by default.
    pub read_timeout: Duration,
    /// Maximum time to answer a request, 100 seconds by default.
    pub write_timeout: Duration,
    /// Minimum TLS version, 1.2 by default.
    pub min_tls_version: TlsVersion,
    /// Maximum TLS version, 1.3 by default.
    pub max_tls_version: TlsVersion,
}

/// Supported TLS version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TlsVersion {
    /// TLS 1.2 (RFC 5246).
    Tls12,
    /// TLS 1.3 (RFC 8446).
    Tls13,
}

impl Default for WebOptions {
    fn default() -> Self {
        Self {
            idle_timeout: Duration::from_secs(5),
            read_timeout: Duration::from_secs(5),
            write_timeout: Duration::from_secs(100),
            min_tls_version: TlsVersion::Tls12,
            max_tls_version: TlsVersion::Tls13,
        }
    }
}

pub(super) const KEYS: KeyGroup = &[
    Key::interval(
        "idleTimeout",
        "Longest time between two requests of a connection.",
    )
    .default("5s")
    .example("5000ms"),
    Key::interval("readTimeout", "Longest time for a request to arrive.")
        .default("5s")
        .example("5000ms"),
    Key::interval("writeTimeout", "Longest time for an answer.")
        .default("100s")
        .example("100000ms"),
    Key::new(
        "minTLSVersion",
        ValueType::Enum(&["TLS1.0", "TLS1.1", "TLS1.2", "TLS1.3"]),
        "Lowest version of TLS; below `TLS1.2`, that one is used.",
    )
    .default("TLS1.2")
    .example("TLS1.2"),
    Key::new(
        "maxTLSVersion",
        ValueType::Enum(&["TLS1.2", "TLS1.3"]),
        "Highest version of TLS, at least `minTLSVersion`.",
    )
    .default("TLS1.3")
    .example("TLS1.3"),
];

/// Versions that the file may name; unsupported ones are `None`.
const VERSIONS: [(&str, Option<TlsVersion>); 4] = [
    ("TLS1.0", None),
    ("TLS1.1", None),
    ("TLS1.2", Some(TlsVersion::Tls12)),
    ("TLS1.3", Some(TlsVersion::Tls13)),
];

pub(super) fn read(listener: &Section<'_>, diagnostics: &mut Diagnostics) -> Option<WebOptions> {
    let mut options = WebOptions::default();
    let Some(field) = listener.get_non_null("options") else {
        return Some(options);
    };
    let section = field.section(diagnostics)?;
    section.check_keys(KEYS, diagnostics);
    let timeouts = [
        ("idleTimeout", &mut options.idle_timeout),
        ("readTimeout", &mut options.read_timeout),
        ("writeTimeout", &mut options.write_timeout),
    ];
    let mut complete = true;
    for (name, timeout) in timeouts {
        if let Some(field) = section.get(name) {
            match read_positive_duration(&field, diagnostics) {
                Some(duration) => *timeout = duration,
                None => complete = false,
            }
        }
    }
    if let Some(field) = section.get("minTLSVersion") {
        options.min_tls_version = read_min_version(&field, diagnostics)?;
    }
    if let Some(field) = section.get("maxTLSVersion") {
        options.max_tls_version = read_max_version(&field, options.min_tls_version, diagnostics)?;
    }
    complete.then_some(options)
}

fn read_min_version(field: &Field<'_>, diagnostics: &mut Diagnostics) -> Option<TlsVersion> {
    let version = field.one_of(&VERSIONS, diagnostics)?;
    if version.is_none() {
        let message = "TLS below 1.2 is not supported; the minimum is TLS1.2";
        field
            .warning(crate::codes::STRICTER, message, diagnostics)
            .help("write `TLS1.2`");
    }
    Some(version.unwrap_or(TlsVersion::Tls12))
}

fn read_max_version(
    field: &Field<'_>,
    least: TlsVersion,
    diagnostics: &mut Diagnostics,
) -> Option<TlsVersion> {
    let version = field
        .one_of(&VERSIONS, diagnostics)?
        .filter(|version| *version >= least);
    if version.is_none() {
        let message = format!(
            "`{}` is below the minimum version, so nothing could be served",
            field.path()
        );
        field
            .error(codes::INVALID_VALUE, message, diagnostics)
            .help("write `TLS1.3`");
    }
    version
}
