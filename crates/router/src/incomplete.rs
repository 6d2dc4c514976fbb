//! Values that a refused file does not have.

use std::time::Duration;

use portcullis_router_config::model::Given;
use portcullis_yaml::syntax::GoDuration;

/// A value is missing from a configuration, or does not fit where it is needed.
///
/// It does not happen with files that `portcullis-router-config` accepts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the configuration has no usable value for {key}")]
pub struct Incomplete {
    /// Path of the key.
    pub key: String,
}

/// Reads the values of one section.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'path> {
    section: &'path str,
}

impl<'path> Reader<'path> {
    pub(crate) const fn new(section: &'path str) -> Self {
        Self { section }
    }

    /// Says that a key has no usable value.
    pub(crate) fn incomplete(self, key: &str) -> Incomplete {
        Incomplete {
            key: format!("{}.{key}", self.section),
        }
    }

    pub(crate) fn value<'given, T>(
        self,
        key: &str,
        given: Option<&'given Given<T>>,
    ) -> Result<&'given T, Incomplete> {
        let value = given.map(|given| &given.value);
        value.ok_or_else(|| self.incomplete(key))
    }

    pub(crate) fn number<N: TryFrom<i64>>(
        self,
        key: &str,
        given: Option<&Given<i64>>,
    ) -> Result<N, Incomplete> {
        let number = N::try_from(*self.value(key, given)?).ok();
        number.ok_or_else(|| self.incomplete(key))
    }

    pub(crate) fn duration(
        self,
        key: &str,
        given: Option<&Given<GoDuration>>,
    ) -> Result<Duration, Incomplete> {
        let duration = self.value(key, given)?.as_std();
        duration.ok_or_else(|| self.incomplete(key))
    }
}
