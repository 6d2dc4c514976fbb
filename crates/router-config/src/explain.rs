//! What a key means, in words.

mod reference;

use std::fmt;

use portcullis_yaml::syntax::GoDuration;

use crate::table::{Form, Found, Group, Key, Kind, PathError, State, Unit, find};

pub use crate::explain::reference::reference;

/// What is to be said about one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// Path as it was asked for.
    pub path: String,
    /// Binding for which this holds, where the keys of an entry depend on it.
    pub binding: Option<&'static str>,
    /// What it means.
    pub doc: &'static str,
    /// What is written behind it.
    pub form: String,
    /// Whether the section is incomplete without it.
    pub required: bool,
    /// What holds when it is absent.
    pub default: Option<&'static str>,
    /// What holds with OpenZiti when it is absent, where that differs.
    pub original_default: Option<&'static str>,
    /// Least and largest value, where they are bounded.
    pub bounds: Option<String>,
    /// Why it should not be written, if so.
    pub state: Option<String>,
    /// How it is written.
    pub example: Option<String>,
    /// Names of the keys below it.
    pub keys: Vec<&'static str>,
}

/// Explains the key at a path such as `link.dialers[0].split` or `listeners[tunnel].options.mode`.
///
/// There is one explanation per binding where the meaning depends on it.
///
/// # Errors
///
/// What keeps the path from naming a key, with the nearest key there is.
pub fn explain(path: &str) -> Result<Vec<Explanation>, PathError> {
    let found = find(path)?;
    let mut explanations: Vec<Explanation> = Vec::new();
    for Found { key, binding } in found {
        let explanation = Explanation {
            binding,
            ..of(path, key)
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

fn of(path: &str, key: &'static Key) -> Explanation {
    Explanation {
        path: path.to_owned(),
        binding: None,
        doc: key.doc,
        form: form(key.kind),
        required: key.required,
        default: key.default,
        original_default: key.original.default,
        bounds: bounds(key.kind),
        state: state(key.state),
        example: key
            .example
            .map(|example| format!("{}: {example}", key.name)),
        keys: names(key.kind),
    }
}

fn names(kind: Kind) -> Vec<&'static str> {
    let of = |groups: &'static [Group]| {
        groups
            .iter()
            .flat_map(|group| group.iter())
            .map(|key| key.name)
    };
    match kind {
        Kind::Map(groups) | Kind::Maps(groups) => of(groups).collect(),
        Kind::Bindings(variants) => {
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

pub(crate) fn state(state: State) -> Option<String> {
    match state {
        State::Live => None,
        State::Dead(why) => Some(format!("it has no effect: {why}")),
        State::Deprecated(better) => Some(format!("an older spelling of `{better}`")),
        State::Alias(meant) => Some(format!("another spelling of `{meant}`")),
    }
}

pub(crate) fn form(kind: Kind) -> String {
    match kind {
        Kind::Map(_) => "a map of keys".to_owned(),
        Kind::Maps(_) => "a list of maps".to_owned(),
        Kind::Bindings(variants) => {
            let names: Vec<&str> = variants.iter().map(|variant| variant.binding).collect();
            format!(
                "a list of maps whose `binding` is one of {}",
                names.join(", ")
            )
        },
        Kind::Text(text) => form_of(text).to_owned(),
        Kind::Texts(text) => format!("a list, each {}", form_of(text)),
        Kind::OneOrMore(text) => format!("{}, or a list of such", form_of(text)),
        Kind::Word(words) => format!("one of {}", words.join(", ")),
        Kind::AnyCase(words) => format!("one of {}, in any case", words.join(", ")),
        Kind::Integer { unit, .. } => match unit {
            Unit::Count => "an integer".to_owned(),
            Unit::Milliseconds => "an integer, in milliseconds".to_owned(),
            Unit::Seconds => "an integer, in seconds".to_owned(),
            Unit::Bytes => "an integer, in bytes".to_owned(),
        },
        Kind::Number { .. } | Kind::Between { .. } => "a number".to_owned(),
        Kind::Bool => "`true` or `false`".to_owned(),
        Kind::Duration { .. } => "a duration such as `30s`, `5m` or `1h30m`".to_owned(),
        Kind::DurationOrMilliseconds { .. } => {
            "a duration, or an integer of milliseconds".to_owned()
        },
        Kind::Anything => "anything".to_owned(),
    }
}

fn form_of(form: Form) -> &'static str {
    match form {
        Form::Free | Form::Filled => "a string",
        Form::Certificate => "a path, or `pem:` and the text itself",
        Form::PrivateKey => {
            "a path, `pem:` and the text itself, or `pkcs11:` and `parsec:` for hardware"
        },
        Form::Address | Form::EdgeAddress | Form::Endpoint => {
            "an address with its kind of connection, `tls:host:port`"
        },
        Form::LooseAddress => "an address, `tls:host:port` or `host:port`",
        Form::PacketAddress => "an address such as `udp:host:port`, or `unixgram:path`",
        Form::Advertised | Form::HostPort => "`host:port`",
        Form::Interface => "a network interface or an IP address of this machine",
        Form::ServicePort => "`service:port`, or `service:port:udp`",
        Form::Cidr => "a range such as `100.64.0.1/10`",
        Form::Resolver => "`udp://host:port`, `tcp://host:port` or `file:///path`",
        Form::Upstream => "`udp://host:port` or `tcp://host:port`",
        Form::Ip => "an IP address",
        Form::Uri => "a URI",
        Form::TunnelMode => "host, tproxy or proxy",
    }
}

pub(crate) fn bounds(kind: Kind) -> Option<String> {
    match kind {
        Kind::Integer { min, max, .. } if min == max => Some(format!("{min}")),
        Kind::Integer { min, max, .. } if max >= i64::MAX / 1_000_000 => {
            Some(format!("at least {min}"))
        },
        Kind::Integer { min, max, .. } => Some(format!("{min} to {max}")),
        Kind::Number { min, max } => Some(format!("{min} to {max}")),
        Kind::Between { low, high } => Some(format!("more than {low}, less than {high}")),
        Kind::Duration { min, max } => {
            let text = |nanoseconds| GoDuration::from_nanoseconds(nanoseconds).to_string();
            match (min, max) {
                (0, i64::MAX) => None,
                (1, i64::MAX) => Some("longer than zero".to_owned()),
                (min, i64::MAX) => Some(format!("at least {}", text(min))),
                (min, max) => Some(format!("{} to {}", text(min), text(max))),
            }
        },
        Kind::DurationOrMilliseconds { min } => {
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
        writeln!(formatter, "  form:     {}{required}", self.form)?;
        let original = self
            .original_default
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
