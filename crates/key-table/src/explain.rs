//! Explanations of keys as text.

use std::fmt;

use portcullis_yaml::syntax::GoDuration;
use serde_json::{Value as Json, json};

use crate::key::{ConfigFile, Format as _, Key, KeyState, Unit, ValueType};
use crate::lookup::{KeyMatch, PathError, keys, resolve};

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
pub fn explain<F: ConfigFile>(path: &str) -> Result<Vec<Explanation>, PathError> {
    let found = resolve::<F>(path)?;
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

/// Explains the keys of the top level.
pub fn sections<F: ConfigFile>() -> Vec<Explanation> {
    let explain = |key: &'static Key<F>| explain_key(key.name, key);
    F::ROOT.iter().map(explain).collect()
}

fn explain_key<F: ConfigFile>(path: &str, key: &'static Key<F>) -> Explanation {
    Explanation {
        path: path.to_owned(),
        binding: None,
        doc: key.doc,
        value_format: describe_type(key.value_type),
        required: key.required,
        default: key.default,
        openziti_default: F::openziti_default(&key.openziti),
        bounds: describe_bounds(key.value_type),
        state: describe_state(key.state),
        example: key
            .example
            .map(|example| format!("{}: {example}", key.name)),
        keys: child_names(key.value_type),
    }
}

fn child_names<F: ConfigFile>(kind: ValueType<F>) -> Vec<&'static str> {
    let of = |groups| keys::<F>(groups).map(|key| key.name);
    match kind {
        ValueType::Map(groups) | ValueType::NamedMaps(groups) | ValueType::MapList(groups) => {
            of(groups).collect()
        },
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

pub(crate) fn describe_type<F: ConfigFile>(kind: ValueType<F>) -> String {
    match kind {
        ValueType::Map(_) => "a map of keys".to_owned(),
        ValueType::NamedMaps(_) => "maps, each under a name of your choice".to_owned(),
        ValueType::Secrets => {
            "texts, each under a name of your choice, that are secrets".to_owned()
        },
        ValueType::MapList(_) => "a list of maps".to_owned(),
        ValueType::BindingList(variants) => {
            let names: Vec<&str> = variants.iter().map(|variant| variant.binding).collect();
            format!(
                "a list of maps whose `binding` is one of {}",
                names.join(", ")
            )
        },
        ValueType::String(text) => text.describe().to_owned(),
        ValueType::StringList(text) => format!("a list, each {}", text.describe()),
        ValueType::StringOrList(text) => format!("{}, or a list of such", text.describe()),
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

pub(crate) fn describe_bounds<F: ConfigFile>(kind: ValueType<F>) -> Option<String> {
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
            let text = |nanoseconds| GoDuration::from_nanoseconds(nanoseconds).brief();
            match (min, max) {
                (0, i64::MAX) => None,
                (1, i64::MAX) => Some("longer than zero".to_owned()),
                (min, i64::MAX) => Some(format!("at least {}", text(min))),
                (min, max) => Some(format!("{} to {}", text(min), text(max))),
            }
        },
        ValueType::DurationOrMilliseconds { min } => {
            let least = GoDuration::from_nanoseconds(min).brief();
            Some(format!("at least {least}"))
        },
        _ => None,
    }
}

impl Explanation {
    /// Renders the explanation as JSON.
    pub fn to_json(&self) -> Json {
        json!({
            "path": self.path,
            "binding": self.binding,
            "meaning": self.doc,
            "form": self.value_format,
            "required": self.required,
            "default": self.default,
            "openzitiDefault": self.openziti_default,
            "bounds": self.bounds,
            "state": self.state,
            "example": self.example,
            "keys": self.keys,
        })
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
