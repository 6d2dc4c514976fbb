//! Explanations of keys as text.

mod reference;

use std::fmt;

use portcullis_yaml::syntax::GoDuration;

use crate::table::{
    Key, KeyGroup, KeyMatch, KeyState, PathError, StringFormat, Unit, ValueType, resolve,
};

pub use crate::explain::reference::reference_page;

/// Documentation of one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// Path as requested.
    pub path: String,
    /// Binding to which this applies, where the keys of an entry depend on it.
    pub binding: Option<&'static str>,
    pub doc: &'static str,
    /// Format of the value.
    pub value_format: String,
    pub required: bool,
    pub default: Option<&'static str>,
    /// Default of OpenZiti, where that differs.
    pub openziti_default: Option<&'static str>,
    /// Minimum and maximum, if the value is bounded.
    pub bounds: Option<String>,
    /// Why the key should not be used, if so.
    pub state: Option<String>,
    /// Example line.
    pub example: Option<String>,
    /// Names of the keys below it.
    pub keys: Vec<&'static str>,
}

/// Explains the key at a path such as `link.dialers[0].split` or `listeners[tunnel].options.mode`.
///
/// There is one explanation per binding where the meaning depends on it.
///
/// # Errors
/// [`PathError`] with the nearest existing key if the path names no key.
pub fn explain(path: &str) -> Result<Vec<Explanation>, PathError> {
    let found = resolve(path)?;
    let mut explanations: Vec<Explanation> = Vec::new();
    for KeyMatch { key, binding } in found {
        let explanation = Explanation {
            binding,
            ..explain_key(path, key)
        };
        let same = |other: &Explanation| {
            let binding = explanation.binding;
            Explanation {
                binding,
                ..other.clone()
            } == explanation
        };
        if !explanations.iter().any(same) {
            explanations.push(explanation);
        }
    }
    if let [only] = explanations.as_mut_slice() {
        only.binding = None;
    }
    Ok(explanations)
}

fn explain_key(path: &str, key: &'static Key) -> Explanation {
    Explanation {
        path: path.to_owned(),
        binding: None,
        doc: key.doc,
        value_format: describe_type(key.value_type),
        required: key.required,
        default: key.default,
        openziti_default: key.openziti.default,
        bounds: describe_bounds(key.value_type),
        state: describe_state(key.state),
        example: key
            .example
            .map(|example| format!("{}: {example}", key.name)),
        keys: child_names(key.value_type),
    }
}

fn child_names(kind: ValueType) -> Vec<&'static str> {
    let of = |groups: &'static [KeyGroup]| {
        groups
            .iter()
            .flat_map(|group| group.iter())
            .map(|key| key.name)
    };
    match kind {
        ValueType::Map(groups) | ValueType::MapList(groups) => of(groups).collect(),
        ValueType::BindingList(variants) => {
            let mut names: Vec<&str> = variants
                .iter()
                .flat_map(|variant| of(variant.keys))
                .collect();
            names.sort_unstable();
            names.dedup();
            names
        },
        _ => vec![],
    }
}

pub(crate) fn describe_state(state: KeyState) -> Option<String> {
    match state {
        KeyState::Active => None,
        KeyState::Dead(why) => Some(format!("it has no effect: {why}")),
        KeyState::Deprecated(better) => Some(format!("an older spelling of `{better}`")),
        KeyState::Alias(meant) => Some(format!("another spelling of `{meant}`")),
    }
}

pub(crate) fn describe_type(kind: ValueType) -> String {
    match kind {
        ValueType::Map(_) => "a map of keys".to_owned(),
        ValueType::MapList(_) => "a list of maps".to_owned(),
        ValueType::BindingList(variants) => {
            let names: Vec<&str> = variants.iter().map(|variant| variant.binding).collect();
            format!(
                "a list of maps whose `binding` is one of {}",
                names.join(", ")
            )
        },
        ValueType::String(text) => describe_format(text).to_owned(),
        ValueType::StringList(text) => format!("a list, each {}", describe_format(text)),
        ValueType::StringOrList(text) => format!("{}, or a list of such", describe_format(text)),
        ValueType::Enum(words) => format!("one of {}", words.join(", ")),
        ValueType::EnumIgnoreCase(words) => format!("one of {}, in any case", words.join(", ")),
        ValueType::Integer { unit, .. } => match unit {
            Unit::Count => "an integer".to_owned(),
            Unit::Milliseconds => "an integer, in milliseconds".to_owned(),
            Unit::Seconds => "an integer, in seconds".to_owned(),
            Unit::Bytes => "an integer, in bytes".to_owned(),
        },
        ValueType::Number { .. } | ValueType::ExclusiveRange { .. } => "a number".to_owned(),
        ValueType::Bool => "`true` or `false`".to_owned(),
        ValueType::Duration { .. } => "a duration such as `30s`, `5m` or `1h30m`".to_owned(),
        ValueType::DurationOrMilliseconds { .. } => {
            "a duration, or an integer of milliseconds".to_owned()
        },
        ValueType::Any => "anything".to_owned(),
    }
}

fn describe_format(form: StringFormat) -> &'static str {
    match form {
        StringFormat::Any | StringFormat::NonEmpty => "a string",
        StringFormat::Certificate => "a path, or `pem:` and the text itself",
        StringFormat::PrivateKey => {
            "a path, `pem:` and the text itself, or `pkcs11:` and `parsec:` for hardware"
        },
        StringFormat::Address | StringFormat::EdgeAddress | StringFormat::Endpoint => {
            "an address with its protocol, `tls:host:port`"
        },
        StringFormat::AddressOrHostPort => "an address, `tls:host:port` or `host:port`",
        StringFormat::PacketAddress => "an address such as `udp:host:port`, or `unixgram:path`",
        StringFormat::AdvertisedHostPort | StringFormat::HostPort => "`host:port`",
        StringFormat::Interface => "a network interface or an IP address of this machine",
        StringFormat::ServicePort => "`service:port`, or `service:port:udp`",
        StringFormat::Cidr => "a range such as `100.64.0.1/10`",
        StringFormat::Resolver => "`udp://host:port`, `tcp://host:port` or `file:///path`",
        StringFormat::Upstream => "`udp://host:port` or `tcp://host:port`",
        StringFormat::Ip => "an IP address",
        StringFormat::Uri => "a URI",
        StringFormat::TunnelMode => "host, tproxy or proxy",
    }
}

pub(crate) fn describe_bounds(kind: ValueType) -> Option<String> {
    match kind {
        ValueType::Integer { min, max, .. } if min == max => Some(format!("{min}")),
        ValueType::Integer { min, max, .. } if max >= i64::MAX / 1_000_000 => {
            Some(format!("at least {min}"))
        },
        ValueType::Integer { min, max, .. } => Some(format!("{min} to {max}")),
        ValueType::Number { min, max } => Some(format!("{min} to {max}")),
        ValueType::ExclusiveRange { low, high } => {
            Some(format!("more than {low}, less than {high}"))
        },
        ValueType::Duration { min, max } => {
            let text = |nanoseconds| GoDuration::from_nanoseconds(nanoseconds).to_string();
            match (min, max) {
                (0, i64::MAX) => None,
                (1, i64::MAX) => Some("longer than zero".to_owned()),
                (min, i64::MAX) => Some(format!("at least {}", text(min))),
                (min, max) => Some(format!("{} to {}", text(min), text(max))),
            }
        },
        ValueType::DurationOrMilliseconds { min } => {
            Some(format!("at least {}", GoDuration::from_nanoseconds(min)))
        },
        _ => None,
    }
}

impl fmt::Display for Explanation {
    /// Writes the explanation as a few lines of text.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.path)?;
        if let Some(binding) = self.binding {
            write!(formatter, " (binding {binding})")?;
        }
        writeln!(formatter, "\n  {}", self.doc)?;
        let required = if self.required { ", required" } else { "" };
        writeln!(formatter, "  form:     {}{required}", self.value_format)?;
        let original = self
            .openziti_default
            .map(|value| format!("{value} with OpenZiti"));
        let lines = [
            ("default: ", self.default.map(str::to_owned)),
            ("         ", original),
            ("bounds:  ", self.bounds.clone()),
            ("state:   ", self.state.clone()),
            ("example: ", self.example.clone()),
            (
                "keys:    ",
                (!self.keys.is_empty()).then(|| self.keys.join(", ")),
            ),
        ];
        for (name, text) in lines {
            if let Some(text) = text {
                writeln!(formatter, "  {name} {text}")?;
            }
        }
        Ok(())
    }
}
