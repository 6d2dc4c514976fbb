//! Section `edge.totp`.

use portcullis_yaml::{Diagnostics, Field, Section, codes};

use crate::address::is_plain_host;
use crate::keys::{Key, KeyGroup, StringFormat, ValueType};

/// Section `edge.totp`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TotpConfig {
    /// Issuer that authenticator apps show, `openziti.io` by default.
    pub hostname: String,
    pub compatibility: TotpCompatibility,
}

/// How strictly time-based codes are checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TotpCompatibility {
    /// Accepts one time step to either side of the current one, and each code once (RFC 6238
    /// section 5.2).
    #[default]
    Strict,
    /// Accepts two time steps to either side, and codes repeatedly while they are valid, as OpenZiti
    /// does.
    OpenZiti,
}

const DEFAULT_HOSTNAME: &str = "openziti.io";

pub(super) const KEYS: KeyGroup = &[
    Key::new(
        "hostname",
        ValueType::String(StringFormat::HostName),
        "Name of the network that authenticator apps show.",
    )
    .default(DEFAULT_HOSTNAME)
    .example("network.example.test"),
    Key::new(
        "compatibility",
        ValueType::Enum(&["strict", "openziti"]),
        "How codes are judged: `strict` takes one step early or late and each code once; `openziti` takes two \
         steps, and a code again while it is good.",
    )
    .default("strict")
    .example("strict"),
];

pub(super) fn read(edge: &Section<'_>, diagnostics: &mut Diagnostics) -> Option<TotpConfig> {
    let default = || TotpConfig {
        hostname: DEFAULT_HOSTNAME.to_owned(),
        compatibility: TotpCompatibility::Strict,
    };
    let Some(field) = edge.get_non_null("totp") else {
        return Some(default());
    };
    let section = field.section(diagnostics)?;
    section.check_keys(KEYS, diagnostics);
    let mut totp = default();
    if let Some(field) = section.get_non_null("hostname") {
        totp.hostname = read_hostname(&field, diagnostics)?;
    }
    if let Some(field) = section.get_non_null("compatibility") {
        let words = [
            ("strict", TotpCompatibility::Strict),
            ("openziti", TotpCompatibility::OpenZiti),
        ];
        totp.compatibility = field.one_of(&words, diagnostics)?;
        if totp.compatibility == TotpCompatibility::OpenZiti {
            let message = "`openziti` accepts one-time codes two steps early or late, and more than \
                           once: anyone who sees a code can use it too";
            field
                .warning(crate::codes::WEAKENED, message, diagnostics)
                .help("remove the key once no client depends on it");
        }
    }
    Some(totp)
}

fn read_hostname(field: &Field<'_>, diagnostics: &mut Diagnostics) -> Option<String> {
    let text = field.non_empty(diagnostics)?;
    if !is_plain_host(text) {
        let message = format!("`{text}` is not a host name");
        field
            .error(codes::INVALID_VALUE, message, diagnostics)
            .help("write a name without scheme and port, such as `example.test`");
        return None;
    }
    Some(text.to_owned())
}
