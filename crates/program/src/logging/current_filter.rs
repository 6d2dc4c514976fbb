//! The filter of the process's log, which can be replaced while it runs.

use super::filter::{self, InvalidFilterError};
use parking_lot::Mutex;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::{Registry, reload};

/// Filter until a configuration names one.
pub(super) const DEFAULT: &str = "info";

/// What became of a filter that a configuration names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FilterChange {
    /// The command line decides: its filter stays.
    Fixed(String),
    Unchanged(String),
    Changed(String),
}

/// The filter that is in force.
pub(super) struct CurrentFilter {
    handle: reload::Handle<Targets, Registry>,
    text: Mutex<String>,
    /// Whether the command line gave it.
    is_fixed: bool,
}

impl CurrentFilter {
    /// The filter of the command line, or the default, with the layer that applies it.
    pub(super) fn new(
        option: Option<&str>,
    ) -> Result<(Self, reload::Layer<Targets, Registry>), InvalidFilterError> {
        let text = option.unwrap_or(DEFAULT);
        let (layer, handle) = reload::Layer::new(filter::parse(text)?);
        let current = Self {
            handle,
            text: Mutex::new(text.to_owned()),
            is_fixed: option.is_some(),
        };
        Ok((current, layer))
    }

    /// Replaces the filter by the one of a configuration, unless the command line gave one.
    pub(super) fn configure(&self, configured: &str) -> Result<FilterChange, InvalidFilterError> {
        let mut text = self.text.lock();
        if self.is_fixed {
            return Ok(FilterChange::Fixed(text.clone()));
        }
        if *text == configured {
            return Ok(FilterChange::Unchanged(text.clone()));
        }
        let filter = filter::parse(configured)?;
        // It fails only without a subscriber, and then nothing is logged.
        let _ = self.handle.reload(filter);
        configured.clone_into(&mut text);
        Ok(FilterChange::Changed(text.clone()))
    }

    /// Whether the filter explicitly turns a component off.
    pub(super) fn silences(&self, component: &str) -> bool {
        filter::silences(&self.text.lock(), component)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tracing_subscriber::layer::SubscriberExt as _;

    #[test]
    fn configured_filter_takes_effect_at_once_and_a_wrong_one_changes_nothing() {
        let (current, layer) = CurrentFilter::new(None).unwrap();
        tracing::subscriber::with_default(Registry::default().with(layer), || {
            let is_debugging = || tracing::enabled!(target: "any", tracing::Level::DEBUG);
            assert!(!is_debugging());
            let debug = "debug,audit=off";
            let changed = current.configure(debug).unwrap();
            assert_eq!(changed, FilterChange::Changed(debug.to_owned()));
            assert!(is_debugging() && current.silences("audit"));
            current.configure("inof").unwrap_err();
            assert!(is_debugging());
            let same = current.configure(debug).unwrap();
            assert_eq!(same, FilterChange::Unchanged(debug.to_owned()));
            let default = current.configure(DEFAULT).unwrap();
            assert_eq!(default, FilterChange::Changed("info".to_owned()));
            assert!(!is_debugging() && !current.silences("audit"));
        });
    }

    #[test]
    fn filter_of_the_command_line_stays() {
        let (current, _layer) = CurrentFilter::new(Some("warn")).unwrap();
        let kept = current.configure("debug").unwrap();
        assert_eq!(kept, FilterChange::Fixed("warn".to_owned()));
    }
}
