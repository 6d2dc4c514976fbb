//! Rows of the table.

use crate::table::original::Original;

/// Keys that belong together; a section has one or several groups.
pub type Group = &'static [Key];

/// One key of the file.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Name, case matters.
    pub name: &'static str,
    /// What stands behind it.
    pub kind: Kind,
    /// Whether the section is incomplete without it.
    pub required: bool,
    /// What holds when it is absent, as it would be written in the file.
    pub default: Option<&'static str>,
    /// Whether it is alive.
    pub state: State,
    /// How OpenZiti reads it.
    pub original: Original,
    /// What it means, in whole sentences.
    pub doc: &'static str,
    /// A value as it would be written in the file.
    pub example: Option<&'static str>,
}

/// What may stand behind a key.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A map with these keys.
    Map(&'static [Group]),
    /// A list of maps with these keys.
    Maps(&'static [Group]),
    /// A list of maps whose key `binding` tells which keys they have.
    Bindings(&'static [Variant]),
    /// A string.
    Text(Form),
    /// A list of strings.
    Texts(Form),
    /// A string, or a list of strings.
    OneOrMore(Form),
    /// One of these words.
    Word(&'static [&'static str]),
    /// One of these words in any case; an empty text counts as absent.
    AnyCase(&'static [&'static str]),
    /// An integer within bounds.
    Integer {
        /// Least value.
        min: i64,
        /// Largest value.
        max: i64,
        /// What it counts.
        unit: Unit,
    },
    /// A number within bounds, with or without a fraction.
    Number {
        /// Least value.
        min: f64,
        /// Largest value.
        max: f64,
    },
    /// A number between two others, which it cannot reach.
    Between {
        /// What it is larger than.
        low: f64,
        /// What it is smaller than.
        high: f64,
    },
    /// `true` or `false`.
    Bool,
    /// A string with a duration, in nanoseconds.
    Duration {
        /// Least value.
        min: i64,
        /// Largest value.
        max: i64,
    },
    /// A duration, or an integer of milliseconds.
    DurationOrMilliseconds {
        /// Least value in nanoseconds.
        min: i64,
    },
    /// Anything at all; nobody reads it.
    Anything,
}

/// Keys of a list item whose `binding` has one value.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// Value of `binding`.
    pub binding: &'static str,
    /// Keys.
    pub keys: &'static [Group],
    /// What the binding does.
    pub doc: &'static str,
}

/// What a string must look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Any text.
    Free,
    /// Text that is not empty.
    Filled,
    /// Where a certificate is found: a path, `file:` with an absolute path, or `pem:` with the text.
    Certificate,
    /// Where a key is found: as a certificate, or `pkcs11:` and `parsec:` for hardware.
    PrivateKey,
    /// Kind of connection, host and port to listen on: `tls:host:port`; the host may be empty.
    Address,
    /// As [`Form::Address`]; OpenZiti does not understand IPv6 addresses there.
    EdgeAddress,
    /// Kind of connection, host and port to dial: `tls:host:port`.
    Endpoint,
    /// As [`Form::Endpoint`]; the kind of connection may be left out.
    LooseAddress,
    /// `udp:host:port`, also `udp4`, `udp6`, or `unixgram:path`.
    PacketAddress,
    /// Host and port, for clients to be told.
    Advertised,
    /// Host and port to listen on or to be told; the port is from 1 to 65535.
    HostPort,
    /// A network interface or an IP address of this machine.
    Interface,
    /// `name:port`, or `name:port:tcp` and `name:port:udp`.
    ServicePort,
    /// An IP range such as `100.64.0.1/10`.
    Cidr,
    /// Where names are resolved: `udp://host:port`, `tcp://host:port`, or a hosts file.
    Resolver,
    /// A name server that is asked: `udp://host:port` or `tcp://host:port`; an empty text counts as absent.
    Upstream,
    /// An IP address.
    Ip,
    /// A URI.
    Uri,
    /// `tproxy`, `host`, `proxy`, or `tproxy:` and the path of a program.
    TunnelMode,
}

/// What an integer counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Things.
    Count,
    /// Thousandths of a second.
    Milliseconds,
    /// Seconds.
    Seconds,
    /// Bytes.
    Bytes,
}

/// Whether a key is alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It is read.
    Live,
    /// It is accepted and has no effect; the text ends "it has no effect: ".
    Dead(&'static str),
    /// It is read, but something better takes its place.
    Deprecated(&'static str),
    /// Another spelling of the named key of the same section, accepted where the meaning is certain.
    Alias(&'static str),
}

/// One millisecond in nanoseconds.
pub(crate) const MS: i64 = 1_000_000;
/// One second in nanoseconds.
pub(crate) const SECOND: i64 = 1_000 * MS;
/// One hour in nanoseconds.
pub(crate) const HOUR: i64 = 3_600 * SECOND;

impl Key {
    /// Makes an optional key without a default.
    pub const fn new(name: &'static str, kind: Kind, doc: &'static str) -> Self {
        Self {
            name,
            kind,
            required: false,
            default: None,
            state: State::Live,
            original: Original::NOTHING,
            doc,
            example: None,
        }
    }

    /// Makes a key for a number of things.
    pub(crate) const fn count(name: &'static str, min: i64, max: i64, doc: &'static str) -> Self {
        let unit = Unit::Count;
        Self::new(name, Kind::Integer { min, max, unit }, doc)
    }

    /// Makes a key for an integer of milliseconds.
    pub(crate) const fn milliseconds(name: &'static str, doc: &'static str) -> Self {
        let unit = Unit::Milliseconds;
        let (min, max) = (0, i64::MAX / MS);
        Self::new(name, Kind::Integer { min, max, unit }, doc)
    }

    /// Makes a key for a duration that is not negative.
    pub(crate) const fn duration(name: &'static str, doc: &'static str) -> Self {
        let (min, max) = (0, i64::MAX);
        Self::new(name, Kind::Duration { min, max }, doc)
    }

    /// Makes a key for a duration longer than zero.
    pub(crate) const fn interval(name: &'static str, doc: &'static str) -> Self {
        let (min, max) = (1, i64::MAX);
        Self::new(name, Kind::Duration { min, max }, doc)
    }

    /// Makes a key that is accepted with any value and has no effect.
    pub(crate) const fn dead(name: &'static str, why: &'static str) -> Self {
        let mut key = Self::new(name, Kind::Anything, why);
        key.state = State::Dead(why);
        key
    }

    /// Bounds an integer or, in nanoseconds, a duration.
    #[must_use]
    pub(crate) const fn within(mut self, least: i64, most: i64) -> Self {
        self.kind = match self.kind {
            Kind::Integer { unit, .. } => Kind::Integer {
                min: least,
                max: most,
                unit,
            },
            Kind::Duration { .. } => Kind::Duration {
                min: least,
                max: most,
            },
            other => other,
        };
        self
    }

    /// Makes the key required.
    #[must_use]
    pub(crate) const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// Gives the default.
    #[must_use]
    pub(crate) const fn default(mut self, text: &'static str) -> Self {
        self.default = Some(text);
        self
    }

    /// Gives the rule of OpenZiti.
    #[must_use]
    pub(crate) const fn original(mut self, original: Original) -> Self {
        self.original = original;
        self
    }

    /// Gives the key another state.
    #[must_use]
    pub(crate) const fn state(mut self, state: State) -> Self {
        self.state = state;
        self
    }

    /// Gives an example.
    #[must_use]
    pub(crate) const fn example(mut self, text: &'static str) -> Self {
        self.example = Some(text);
        self
    }

    /// Gives the default that OpenZiti has.
    pub fn original_default(&self) -> Option<&'static str> {
        self.original.default.or(self.default)
    }
}
