//! Reading required values of an accepted configuration.

use std::time::Duration;

use portcullis_router_config::Source;
use portcullis_router_config::model::{ChannelOptions, SourcedValue};
use portcullis_yaml::syntax::GoDuration;

/// A required value is missing from a configuration, or invalid.
///
/// It does not happen with files in which neither `portcullis-router-config` nor [`own_findings`](crate::own_findings)
/// finds a mistake.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the configuration has no usable value for {key}")]
pub struct IncompleteConfigError {
    pub key: String,
}

/// Reads the values of one section.
#[derive(Clone, Copy)]
pub(crate) struct SectionReader<'path> {
    section: &'path str,
}

impl<'path> SectionReader<'path> {
    pub(crate) const fn new(section: &'path str) -> Self {
        Self { section }
    }

    /// The error for a key without a valid value.
    pub(crate) fn missing(self, key: &str) -> IncompleteConfigError {
        IncompleteConfigError {
            key: format!("{}.{key}", self.section),
        }
    }

    pub(crate) fn value<'given, T>(
        self,
        key: &str,
        given: Option<&'given SourcedValue<T>>,
    ) -> Result<&'given T, IncompleteConfigError> {
        let value = given.map(|given| &given.value);
        value.ok_or_else(|| self.missing(key))
    }

    pub(crate) fn number<N: TryFrom<i64>>(
        self,
        key: &str,
        given: Option<&SourcedValue<i64>>,
    ) -> Result<N, IncompleteConfigError> {
        let number = N::try_from(*self.value(key, given)?).ok();
        number.ok_or_else(|| self.missing(key))
    }

    /// A duration that is given in milliseconds.
    pub(crate) fn millis(
        self,
        key: &str,
        given: Option<&SourcedValue<i64>>,
    ) -> Result<Duration, IncompleteConfigError> {
        self.number(key, given).map(Duration::from_millis)
    }

    pub(crate) fn duration(
        self,
        key: &str,
        given: Option<&SourcedValue<GoDuration>>,
    ) -> Result<Duration, IncompleteConfigError> {
        let duration = self.value(key, given)?.as_std();
        duration.ok_or_else(|| self.missing(key))
    }

    /// `connectTimeout` of the options of a channel, or the older `connectTimeoutMs` where only that is given.
    pub(crate) fn connect_timeout(
        self,
        options: &ChannelOptions,
    ) -> Result<Duration, IncompleteConfigError> {
        let (current, older) = (&options.connect_timeout, &options.connect_timeout_ms);
        if older.is_some() && !current.as_ref().is_some_and(is_given) {
            return self.millis("connectTimeoutMs", older.as_ref());
        }
        self.duration("connectTimeout", current.as_ref())
    }
}

/// Whether somebody has chosen a value.
pub(crate) fn is_given<T>(value: &SourcedValue<T>) -> bool {
    !matches!(value.source, Source::Default)
}
