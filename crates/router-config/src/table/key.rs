//! The table as that of the router's file, and its formats of strings.

use portcullis_key_table::{ConfigFile, Format};
use serde_json::{Value as Json, json};

use crate::table::openziti_rule::{OpenZitiRule, ReadMode};
use crate::table::root::ROOT;

pub(crate) use portcullis_key_table::{HOUR, MILLISECOND, SECOND};
pub use portcullis_key_table::{KeyState, Unit};

/// The router's file.
#[derive(Clone, Copy, Debug)]
pub struct RouterFile;

/// Keys that belong together; a section has one or several groups.
pub type KeyGroup = portcullis_key_table::KeyGroup<RouterFile>;
/// One key of the file.
pub type Key = portcullis_key_table::Key<RouterFile>;
/// Type of a value.
pub type ValueType = portcullis_key_table::ValueType<RouterFile>;
/// Keys of a list item whose `binding` has one value.
pub type BindingVariant = portcullis_key_table::BindingVariant<RouterFile>;

/// Format of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StringFormat {
    Any,
    NonEmpty,
    /// Source of a certificate: a path, `file:` with an absolute path, or `pem:` with the text.
    Certificate,
    /// Source of a key: as a certificate, or `pkcs11:` and `parsec:` for hardware.
    PrivateKey,
    /// Protocol, host and port to listen on: `tls:host:port`; the host may be empty.
    Address,
    /// As [`StringFormat::Address`]; OpenZiti does not support IPv6 addresses there.
    EdgeAddress,
    /// Protocol, host and port to dial: `tls:host:port`.
    Endpoint,
    /// As [`StringFormat::Endpoint`]; the protocol is optional.
    AddressOrHostPort,
    /// `udp:host:port`, also `udp4`, `udp6`, or `unixgram:path`.
    PacketAddress,
    /// Host and port that clients are told.
    AdvertisedHostPort,
    /// Host and port; the port is from 1 to 65535.
    HostPort,
    /// A network interface or an IP address of this machine.
    Interface,
    /// `name:port`, or `name:port:tcp` and `name:port:udp`.
    ServicePort,
    /// An IP range such as `100.64.0.1/10`.
    Cidr,
    /// Name resolver: `udp://host:port`, `tcp://host:port`, or a hosts file.
    Resolver,
    /// Upstream name server: `udp://host:port` or `tcp://host:port`; an empty string counts as absent.
    Upstream,
    /// An IP address.
    Ip,
    /// A URI.
    Uri,
    /// `tproxy`, `host`, `proxy`, or `tproxy:` and the path of a program.
    TunnelMode,
}

const ADDRESS: &str = r"^((tls|tcp|dtls|wss|udp):.*:[0-9]+|.*\$.*)$";
const LOOSE_ADDRESS: &str = r"^(((tls|tcp|dtls|wss|udp):)?.*:[0-9]+|.*\$.*)$";
const PACKET_ADDRESS: &str = r"^((udp|udp4|udp6|unixgram):.+|.*\$.*)$";
const HOST_PORT: &str = r"^(.+:[0-9]+|.*\$.*)$";
const SERVICE: &str = r"^([^:]+:[0-9]+(:(tcp|udp))?|.*\$.*)$";
const CIDR: &str = r"^([0-9A-Fa-f.:]+/[0-9]+|.*\$.*)$";
const MODE: &str = r"^(host|tproxy|proxy|tproxy:.+|.*\$.*)$";

impl ConfigFile for RouterFile {
    type Format = StringFormat;
    type Rule = OpenZitiRule;
    const NO_RULE: OpenZitiRule = OpenZitiRule::UNREAD;
    const ROOT: KeyGroup = ROOT;
    const TITLE: &'static str = "Router configuration";
    const DESCRIPTION: &'static str = "Configuration file of a router, version 3 of the format.";

    fn openziti_default(rule: &OpenZitiRule) -> Option<&'static str> {
        rule.default
    }

    fn accepts_text_as_bool(key: &Key) -> bool {
        key.openziti.mode == ReadMode::LenientBool
    }
}

impl Format for StringFormat {
    fn describe(self) -> &'static str {
        match self {
            Self::Any | Self::NonEmpty => "a string",
            Self::Certificate => "a path, or `pem:` and the text itself",
            Self::PrivateKey => {
                "a path, `pem:` and the text itself, or `pkcs11:` and `parsec:` for hardware"
            },
            Self::Address | Self::EdgeAddress | Self::Endpoint => {
                "an address with its protocol, `tls:host:port`"
            },
            Self::AddressOrHostPort => "an address, `tls:host:port` or `host:port`",
            Self::PacketAddress => "an address such as `udp:host:port`, or `unixgram:path`",
            Self::AdvertisedHostPort | Self::HostPort => "`host:port`",
            Self::Interface => "a network interface or an IP address of this machine",
            Self::ServicePort => "`service:port`, or `service:port:udp`",
            Self::Cidr => "a range such as `100.64.0.1/10`",
            Self::Resolver => "`udp://host:port`, `tcp://host:port` or `file:///path`",
            Self::Upstream => "`udp://host:port` or `tcp://host:port`",
            Self::Ip => "an IP address",
            Self::Uri => "a URI",
            Self::TunnelMode => "host, tproxy or proxy",
        }
    }

    fn schema(self) -> Json {
        let pattern = match self {
            Self::Any | Self::Uri | Self::Ip | Self::Upstream => {
                return json!({ "type": "string" });
            },
            Self::NonEmpty
            | Self::Certificate
            | Self::PrivateKey
            | Self::Interface
            | Self::Resolver => {
                return json!({ "type": "string", "minLength": 1 });
            },
            Self::Address | Self::EdgeAddress | Self::Endpoint => ADDRESS,
            Self::AddressOrHostPort => LOOSE_ADDRESS,
            Self::PacketAddress => PACKET_ADDRESS,
            Self::AdvertisedHostPort | Self::HostPort => HOST_PORT,
            Self::ServicePort => SERVICE,
            Self::Cidr => CIDR,
            Self::TunnelMode => MODE,
        };
        json!({ "type": "string", "pattern": pattern })
    }
}
