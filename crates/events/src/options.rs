//! Options of a subscription, from JSON.

use portcullis_yaml::syntax::GoDuration;
use serde_json::Value;
use std::collections::BTreeSet;
use std::time::Duration;

/// An option has a value that it may not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("option `{name}`: {reason}")]
pub struct OptionError {
    pub name: &'static str,
    /// What is wrong with the value, and what would be right.
    pub reason: String,
}

/// The options of a subscription.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options<'o>(pub &'o Value);

impl<'o> Options<'o> {
    fn get(self, name: &str) -> Option<&'o Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// `true`, `false`, or these as text.
    pub(crate) fn boolean(self, name: &'static str) -> Result<bool, OptionError> {
        let Some(value) = self.get(name) else {
            return Ok(false);
        };
        let text = value.as_str().map(str::to_ascii_lowercase);
        match (value, text.as_deref()) {
            (Value::Bool(is_set), _) => Ok(*is_set),
            (_, Some("true")) => Ok(true),
            (_, Some("false")) => Ok(false),
            _ => Err(unlike(name, "`true` or `false`", value)),
        }
    }

    pub(crate) fn text(self, name: &'static str) -> Result<Option<&'o str>, OptionError> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        let text = value
            .as_str()
            .ok_or_else(|| unlike(name, "a text", value))?;
        Ok(Some(text).filter(|text| !text.is_empty()))
    }

    /// One of a few whole numbers, as number or text.
    pub(crate) fn version(
        self,
        name: &'static str,
        known: &[u64],
    ) -> Result<Option<u64>, OptionError> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        let given = value.as_u64().or_else(|| value.as_str()?.parse().ok());
        let wanted = given.filter(|given| known.contains(given));
        let unknown = || {
            let known: Vec<String> = known.iter().map(ToString::to_string).collect();
            unlike(name, &known.join(" or "), value)
        };
        wanted.map(Some).ok_or_else(unknown)
    }

    /// One or more of the known names, as a list or as a text if it is one.
    pub(crate) fn names(
        self,
        name: &'static str,
        known: &[&'static str],
    ) -> Result<Option<BTreeSet<&'static str>>, OptionError> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        let is_known = |given: &Value| {
            known
                .iter()
                .copied()
                .find(|known| Some(*known) == given.as_str())
        };
        let single = [value.clone()];
        let list: &[Value] = match value {
            Value::Array(list) => list,
            _ => &single,
        };
        let mut names = BTreeSet::new();
        for given in list {
            let right = || format!("one of {}", known.join(", "));
            names.insert(is_known(given).ok_or_else(|| unlike(name, &right(), given))?);
        }
        if names.is_empty() {
            let reason =
                "an empty list wants nothing; leave the option out to get everything".to_owned();
            return Err(OptionError { name, reason });
        }
        Ok(Some(names))
    }

    /// A duration such as `5m` or `1h30m`, within bounds.
    pub(crate) fn duration(
        self,
        name: &'static str,
        least: Duration,
    ) -> Result<Option<Duration>, OptionError> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        let parsed = value
            .as_str()
            .and_then(|text| text.parse::<GoDuration>().ok()?.as_std());
        let duration =
            parsed.ok_or_else(|| unlike(name, "a duration such as `5m` or `30s`", value))?;
        if duration < least {
            let right = format!("at least {}s", least.as_secs());
            return Err(unlike(name, &right, value));
        }
        Ok(Some(duration))
    }
}

fn unlike(name: &'static str, right: &str, given: &Value) -> OptionError {
    const SHOWN: usize = 64;
    let given = given.to_string();
    let shown: String = given.chars().take(SHOWN).collect();
    let rest = if shown.len() < given.len() { "…" } else { "" };
    OptionError {
        name,
        reason: format!("must be {right}, not {shown}{rest}"),
    }
}
