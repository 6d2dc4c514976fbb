//! Dialers of services that no SDK hosts.

use std::time::Duration;

use portcullis_router_config::Binding;
use portcullis_router_config::model::Listener;
use portcullis_xgress::Options;

use crate::circuits::end_options;
use crate::section_reader::{IncompleteConfigError, SectionReader};

/// What an entry of `dialers` says.
#[derive(Debug, Clone, PartialEq)]
pub struct DialerSettings {
    /// Of the circuits that end there.
    pub end: Options,
    /// How long connecting may take, if the controller waits that long.
    pub connect_timeout: Duration,
}

impl Default for DialerSettings {
    fn default() -> Self {
        Self {
            end: Options::default(),
            connect_timeout: Duration::from_secs(5),
        }
    }
}

impl DialerSettings {
    /// Reads the settings of a binding, if the section has it: without an entry it is not dialed. OpenZiti's
    /// routers dial it with the defaults then. Of several entries the last one counts, as there.
    ///
    /// # Errors
    ///
    /// [`IncompleteConfigError`] if a value is missing or out of bounds.
    pub fn of_binding(
        binding: Binding,
        dialers: &[Listener],
    ) -> Result<Option<Self>, IncompleteConfigError> {
        let is_meant = |entry: &&Listener| {
            let given = entry.binding.as_ref();
            given.is_some_and(|given| given.value == binding.name())
        };
        let Some(entry) = dialers.iter().rfind(is_meant) else {
            return Ok(None);
        };
        let reader = SectionReader::new("dialers.options");
        Ok(Some(Self {
            end: end_options(&entry.circuits)?,
            connect_timeout: reader.connect_timeout(&entry.options)?,
        }))
    }
}
