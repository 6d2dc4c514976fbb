//! Section `edge.enrollment`.

use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;

use portcullis_yaml::{Diagnostics, Field, Section, codes};

use crate::edge::api::read_at_least;
use crate::identity::{PemSource, ReportedError, pem, read_optional, read_required};
use crate::items::read_all;
use crate::keys::{Key, KeyGroup, StringFormat, ValueType, duration_from};
use crate::relative_paths::BaseFolders;

/// Section `edge.enrollment`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnrollmentConfig {
    /// Authority that signs the certificates of identities and routers.
    pub signing_cert: SigningCertConfig,
    /// Validity of enrollments of identities, 180 minutes by default.
    pub edge_identity_duration: Duration,
    /// Validity of enrollments of routers, 180 minutes by default.
    pub edge_router_duration: Duration,
    /// Names and addresses of the controller that routers on the same host may also have in their
    /// certificates.
    pub shared_hosts: Vec<String>,
}

/// Section `edge.enrollment.signingCert`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SigningCertConfig {
    /// Certificate of the authority.
    pub cert: PemSource,
    /// Key of `cert`.
    pub key: PemSource,
    /// Additional certificates for clients to trust.
    pub ca: Option<PemSource>,
}

const MIN_DURATION: Duration = Duration::from_mins(5);
const DEFAULT_DURATION: Duration = Duration::from_hours(3);

pub(super) const KEYS: KeyGroup = &[
    Key::new(
        "signingCert",
        ValueType::Map(&[SIGNING_KEYS]),
        "Authority that signs the certificates of identities and routers.",
    )
    .required(),
    Key::new(
        "edgeIdentity",
        ValueType::Map(&[DURATION_KEYS]),
        "Enrollments of identities.",
    )
    .required(),
    Key::new(
        "edgeRouter",
        ValueType::Map(&[DURATION_KEYS]),
        "Enrollments of routers.",
    )
    .required(),
    Key::new(
        "sharedHosts",
        ValueType::StringList(StringFormat::Host),
        "Names and addresses of the controller that routers on the same host may have in their certificates \
         too. All others are kept from them.",
    )
    .example("[ctrl.example.test]"),
];
const SIGNING_KEYS: KeyGroup = &[
    pem(
        "cert",
        "Certificate of the authority; its issuer has to be in `identity.ca`.",
    )
    .required()
    .example("pki/signing.cert"),
    pem("key", "Private key of `cert`.")
        .required()
        .example("pki/signing.key"),
    pem("ca", "Further certificates that clients are told to trust.").example("pki/more-cas.pem"),
];
const DURATION_KEYS: KeyGroup = &[duration_from(
    "duration",
    MIN_DURATION,
    "How long an enrollment stays open. Where it is shorter than the bound, the default is used.",
)
.default("180m")
.example("24h")];
const HINTS: &[(&str, &str)] = &[
    ("cert", "it belongs to `edge.enrollment.signingCert`"),
    ("key", "it belongs to `edge.enrollment.signingCert`"),
    (
        "duration",
        "it belongs to `edge.enrollment.edgeIdentity` or `edge.enrollment.edgeRouter`",
    ),
];

pub(super) fn read(
    edge: &Section<'_>,
    folders: &BaseFolders,
    diagnostics: &mut Diagnostics,
) -> Option<EnrollmentConfig> {
    let form = "{signingCert: ..., edgeIdentity: ..., edgeRouter: ...}";
    let section = edge
        .require("enrollment", form, diagnostics)?
        .section(diagnostics)?;
    section.check_keys_with_hints(KEYS, HINTS, diagnostics);
    let signing_cert = section
        .require(
            "signingCert",
            "{cert: signing.cert.pem, key: signing.key.pem}",
            diagnostics,
        )
        .and_then(|field| field.section(diagnostics))
        .and_then(|signing| read_signing_cert(&signing, folders, diagnostics));
    let edge_identity_duration = read_duration(&section, "edgeIdentity", diagnostics);
    let edge_router_duration = read_duration(&section, "edgeRouter", diagnostics);
    let shared_hosts = read_shared_hosts(&section, diagnostics);
    Some(EnrollmentConfig {
        signing_cert: signing_cert?,
        edge_identity_duration: edge_identity_duration?,
        edge_router_duration: edge_router_duration?,
        shared_hosts: shared_hosts?,
    })
}

fn read_signing_cert(
    section: &Section<'_>,
    folders: &BaseFolders,
    diagnostics: &mut Diagnostics,
) -> Option<SigningCertConfig> {
    section.check_keys(SIGNING_KEYS, diagnostics);
    let cert = read_required(section, "cert", folders, diagnostics);
    let key = read_required(section, "key", folders, diagnostics);
    match read_optional(section, "ca", folders, diagnostics) {
        Ok(ca) => Some(SigningCertConfig {
            cert: cert?,
            key: key?,
            ca,
        }),
        Err(ReportedError) => None,
    }
}

fn read_shared_hosts(section: &Section<'_>, diagnostics: &mut Diagnostics) -> Option<Vec<String>> {
    let Some(field) = section.get_non_null("sharedHosts") else {
        return Some(Vec::new());
    };
    read_all(&field.list(diagnostics)?, |item| {
        read_host(item, diagnostics)
    })
}

/// Reads a host name, whose first label may be `*`, or an IP address.
fn read_host(item: &Field<'_>, diagnostics: &mut Diagnostics) -> Option<String> {
    let text = item.non_empty(diagnostics)?.trim();
    if !is_address(text) && !is_name(text) {
        let message = format!("`{text}` is neither a host name nor an IP address");
        item.error(codes::INVALID_VALUE, message, diagnostics)
            .help("write the host alone, such as `ctrl.example.test` or `\"2001:db8::1\"`");
        return None;
    }
    Some(text.to_owned())
}

fn is_address(text: &str) -> bool {
    let bracketed = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    match bracketed {
        Some(inner) => inner.parse::<Ipv6Addr>().is_ok(),
        None => text.parse::<IpAddr>().is_ok(),
    }
}

/// Whether a text is a host name, in any script. A name whose last label is a number would be an
/// address (WHATWG URL Standard, section 3.5), such as `1.2.3` for `1.2.0.3`.
fn is_name(text: &str) -> bool {
    let is_odd = |c: char| c.is_whitespace() || c.is_control() || "*/:@[]%?#\\".contains(c);
    let name = text.strip_prefix("*.").unwrap_or(text);
    let name = name.strip_suffix('.').unwrap_or(name);
    let last = name.rsplit('.').next().unwrap_or(name);
    let hex = last.strip_prefix("0x").or(last.strip_prefix("0X"));
    let is_number = last.bytes().all(|byte| byte.is_ascii_digit())
        || hex.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    !name.contains(is_odd) && name.split('.').all(|label| !label.is_empty()) && !is_number
}

/// Reads an optional duration from a required section.
fn read_duration(
    section: &Section<'_>,
    name: &str,
    diagnostics: &mut Diagnostics,
) -> Option<Duration> {
    let inner = section
        .require(name, "{duration: 180m}", diagnostics)?
        .section(diagnostics)?;
    inner.check_keys(DURATION_KEYS, diagnostics);
    let given = inner
        .get("duration")
        .and_then(|field| read_at_least(&field, MIN_DURATION, DEFAULT_DURATION, diagnostics));
    Some(given.unwrap_or(DEFAULT_DURATION))
}
