//! Rows of the table of keys.

use crate::table::openziti_rule::OpenZitiRule;

/// Keys that belong together; a section has one or several groups.
pub type KeyGroup = &'static [Key];

/// One key of the file.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Case-sensitive name.
    pub name: &'static str,
    /// Type of the value.
    pub value_type: ValueType,
    pub required: bool,
    /// Default, as it would be written in the file.
    pub default: Option<&'static str>,
    pub state: KeyState,
    pub openziti: OpenZitiRule,
    /// Meaning, in whole sentences.
    pub doc: &'static str,
    /// A value as it would be written in the file.
    pub example: Option<&'static str>,
}

/// Type of a value.
#[derive(Clone, Copy, Debug)]
pub enum ValueType {
    /// A map with these keys.
    Map(&'static [KeyGroup]),
    /// A list of maps with these keys.
    MapList(&'static [KeyGroup]),
    /// A list of maps whose key `binding` determines their other keys.
    BindingList(&'static [BindingVariant]),
    /// A string.
    String(StringFormat),
    /// A list of strings.
    StringList(StringFormat),
    /// A string, or a list of strings.
    StringOrList(StringFormat),
    /// One of these words.
    Enum(&'static [&'static str]),
    /// One of these words in any case; an empty text counts as absent.
    EnumIgnoreCase(&'static [&'static str]),
    /// An integer within bounds.
    Integer { min: i64, max: i64, unit: Unit },
    /// A number within bounds, with or without a fraction.
    Number { min: f64, max: f64 },
    /// A number between two exclusive bounds.
    ExclusiveRange { low: f64, high: f64 },
    /// `true` or `false`.
    Bool,
    /// A string with a duration; bounds in nanoseconds.
    Duration { min: i64, max: i64 },
    /// A duration, or an integer of milliseconds.
    DurationOrMilliseconds {
        /// Minimum in nanoseconds.
        min: i64,
    },
    /// Any value; it is not read.
    Any,
}

/// Keys of a list item whose `binding` has one value.
#[derive(Clone, Copy, Debug)]
pub struct BindingVariant {
    /// Value of `binding`.
    pub binding: &'static str,
    pub keys: &'static [KeyGroup],
    /// Meaning of the binding, in whole sentences.
    pub doc: &'static str,
}

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

/// Unit of an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// No unit: a number of items.
    Count,
    Milliseconds,
    Seconds,
    Bytes,
}

/// State of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyState {
    /// It is read.
    Active,
    /// It is accepted and has no effect; the text completes "it has no effect: ".
    Dead(&'static str),
    /// It is read, but the named key replaces it.
    Deprecated(&'static str),
    /// Another spelling of the named key of the same section, accepted where the meaning is certain.
    Alias(&'static str),
}

/// One millisecond in nanoseconds.
pub(crate) const MILLISECOND: i64 = 1_000_000;
/// One second in nanoseconds.
pub(crate) const SECOND: i64 = 1_000 * MILLISECOND;
/// One hour in nanoseconds.
pub(crate) const HOUR: i64 = 3_600 * SECOND;

impl Key {
    /// An optional key without a default.
    pub const fn new(name: &'static str, kind: ValueType, doc: &'static str) -> Self {
        Self {
            name,
            value_type: kind,
            required: false,
            default: None,
            state: KeyState::Active,
            openziti: OpenZitiRule::UNREAD,
            doc,
            example: None,
        }
    }

    /// A key with a count.
    pub(crate) const fn count(name: &'static str, min: i64, max: i64, doc: &'static str) -> Self {
        let unit = Unit::Count;
        Self::new(name, ValueType::Integer { min, max, unit }, doc)
    }

    /// A key with an integer in milliseconds.
    pub(crate) const fn milliseconds(name: &'static str, doc: &'static str) -> Self {
        let unit = Unit::Milliseconds;
        let (min, max) = (0, i64::MAX / MILLISECOND);
        Self::new(name, ValueType::Integer { min, max, unit }, doc)
    }

    /// A key with a duration that is not negative.
    pub(crate) const fn duration(name: &'static str, doc: &'static str) -> Self {
        let (min, max) = (0, i64::MAX);
        Self::new(name, ValueType::Duration { min, max }, doc)
    }

    /// A key with a duration longer than zero.
    pub(crate) const fn interval(name: &'static str, doc: &'static str) -> Self {
        let (min, max) = (1, i64::MAX);
        Self::new(name, ValueType::Duration { min, max }, doc)
    }

    /// A key that is accepted with any value and has no effect.
    pub(crate) const fn dead(name: &'static str, why: &'static str) -> Self {
        let mut key = Self::new(name, ValueType::Any, why);
        key.state = KeyState::Dead(why);
        key
    }

    /// Bounds an integer or, in nanoseconds, a duration.
    #[must_use]
    pub(crate) const fn within(mut self, min: i64, max: i64) -> Self {
        self.value_type = match self.value_type {
            ValueType::Integer { unit, .. } => ValueType::Integer { min, max, unit },
            ValueType::Duration { .. } => ValueType::Duration { min, max },
            other => other,
        };
        self
    }

    #[must_use]
    pub(crate) const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    #[must_use]
    pub(crate) const fn default(mut self, text: &'static str) -> Self {
        self.default = Some(text);
        self
    }

    /// Sets the rule by which OpenZiti reads the key.
    #[must_use]
    pub(crate) const fn openziti(mut self, original: OpenZitiRule) -> Self {
        self.openziti = original;
        self
    }

    #[must_use]
    pub(crate) const fn state(mut self, state: KeyState) -> Self {
        self.state = state;
        self
    }

    #[must_use]
    pub(crate) const fn example(mut self, text: &'static str) -> Self {
        self.example = Some(text);
        self
    }

    /// Returns the default of OpenZiti.
    pub fn openziti_default(&self) -> Option<&'static str> {
        self.openziti.default.or(self.default)
    }
}
