//! The file as a table of keys, and its formats of strings.
//!
//! Each section is one [`KeyGroup`], next to its reader; [`ControllerFile`] joins them.

use std::ops::RangeInclusive;
use std::time::Duration;

use portcullis_key_table::Format;
use serde_json::{Value as Json, json};

/// The controller's file.
#[derive(Clone, Copy, Debug)]
pub struct ControllerFile;

/// Keys of a section.
pub(crate) type KeyGroup = portcullis_key_table::KeyGroup<ControllerFile>;
/// One key of the file.
pub(crate) type Key = portcullis_key_table::Key<ControllerFile>;
/// Type of a value.
pub(crate) type ValueType = portcullis_key_table::ValueType<ControllerFile>;
/// Keys of an API.
pub(crate) type BindingVariant = portcullis_key_table::BindingVariant<ControllerFile>;

/// Format of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StringFormat {
    NonEmpty,
    /// Path of a file or directory.
    Path,
    /// Source of a certificate or key: a path, `file:` with an absolute path, or `pem:` with the text.
    Pem,
    /// Protocol, host and port: `tls:host:port`.
    Address,
    /// Host and port; the port is from 1 to 65535.
    HostPort,
    /// A host name, whose first label may be `*`, or an IP address.
    Host,
    /// A host name without wildcards.
    HostName,
    /// A host name, or `*.` and a host name.
    HostPattern,
    /// A range of IP addresses, or one address.
    Network,
    /// A name of letters, digits, `.`, `-` and `_`; `spiffe://` may precede it.
    TrustDomain,
    /// One segment of the path of a URL.
    PathSegment,
    /// A URI; `*` stands for any port.
    Uri,
}

const ADDRESS: &str = r"^((tls|tcp|dtls|wss|ws|udp):.*:[0-9]+|.*\$.*)$";
const HOST_PORT: &str = r"^(.+:[0-9]+|.*\$.*)$";
const NETWORK: &str = r"^([0-9A-Fa-f.:]+(/[0-9]+)?|.*\$.*)$";

impl Format for StringFormat {
    fn describe(self) -> &'static str {
        match self {
            Self::NonEmpty => "a string",
            Self::Path => "a path",
            Self::Pem => "a path, or `pem:` and the text itself",
            Self::Address => "an address with its protocol, `tls:host:port`",
            Self::HostPort => "`host:port`",
            Self::Host => "a host name or an IP address",
            Self::HostName => "a host name",
            Self::HostPattern => "a host name, or `*.` and a host name",
            Self::Network => "an IP address, or a range such as `10.0.0.0/8`",
            Self::TrustDomain => "a name such as `network.example.test`",
            Self::PathSegment => "one segment of a path",
            Self::Uri => "a URI",
        }
    }

    fn schema(self) -> Json {
        let pattern = match self {
            // An empty one counts as absent.
            Self::Pem | Self::TrustDomain => return json!({ "type": "string" }),
            Self::NonEmpty
            | Self::Path
            | Self::Host
            | Self::HostName
            | Self::HostPattern
            | Self::PathSegment
            | Self::Uri => return json!({ "type": "string", "minLength": 1 }),
            Self::Address => ADDRESS,
            Self::HostPort => HOST_PORT,
            Self::Network => NETWORK,
        };
        json!({ "type": "string", "pattern": pattern })
    }
}

/// A key with a duration within a range.
pub(crate) const fn duration_within(
    name: &'static str,
    range: &RangeInclusive<Duration>,
    doc: &'static str,
) -> Key {
    Key::duration(name, doc).within(nanoseconds(*range.start()), nanoseconds(*range.end()))
}

/// A key with a duration that has a minimum.
pub(crate) const fn duration_from(name: &'static str, least: Duration, doc: &'static str) -> Key {
    Key::duration(name, doc).within(nanoseconds(least), i64::MAX)
}

const fn nanoseconds(duration: Duration) -> i64 {
    let nanoseconds = duration.as_secs().cast_signed() * portcullis_key_table::SECOND;
    nanoseconds + duration.subsec_nanos() as i64
}
