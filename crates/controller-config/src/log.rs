//! Section `log`: what the log contains.

use crate::keys::{Key, KeyGroup, StringFormat, ValueType};
use portcullis_yaml::{Diagnostics, Section};

/// Section `log`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogConfig {
    /// Filter in the syntax of the program, which judges it.
    pub filter: String,
}

const DEFAULT_FILTER: &str = "info";

impl Default for LogConfig {
    fn default() -> Self {
        Self {
            filter: DEFAULT_FILTER.to_owned(),
        }
    }
}

/// Key of the filter.
pub(crate) const FILTER: &str = "filter";

pub(crate) const KEYS: KeyGroup = &[Key::new(
    FILTER,
    ValueType::String(StringFormat::NonEmpty),
    "What the log contains: a level, or levels by component. It is read again on SIGHUP. `--log` and \
     `PORTCULLIS_LOG` take precedence.",
)
.default(DEFAULT_FILTER)
.example("'warn,audit=info'")];

pub(crate) fn read(root: &Section<'_>, diagnostics: &mut Diagnostics) -> Option<LogConfig> {
    let Some(field) = root.get_non_null("log") else {
        return Some(LogConfig::default());
    };
    let section = field.section(diagnostics)?;
    section.check_keys(KEYS, diagnostics);
    let Some(filter) = section.get_non_null(FILTER) else {
        return Some(LogConfig::default());
    };
    Some(LogConfig {
        filter: filter.non_empty(diagnostics)?.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use crate::read;

    /// Texts of the diagnostics about the section.
    fn messages(section: &str) -> Vec<String> {
        let outcome = read(&[&format!("v: 3\nlog: {section}\n")], &|_| None);
        let about = outcome.diagnostics.iter();
        about
            .filter(|one| one.path.to_string().starts_with("log"))
            .map(|one| one.message.clone())
            .collect()
    }

    #[test]
    fn filter_is_a_text() {
        for section in ["{filter: info}", "{filter: 'warn,audit=info'}", "{}"] {
            assert_eq!(messages(section), [""; 0], "{section}");
        }
        for wrong in ["{filter: ''}", "{filter: [a]}", "{level: info}", "info"] {
            assert_eq!(messages(wrong).len(), 1, "{wrong}");
        }
    }

    #[test]
    fn filter_is_referenced_with_its_place() {
        let outcome = read(&["v: 3\nlog: {filter: inof}\n"], &|_| None);
        let found = outcome.references.log_filter.unwrap();
        assert_eq!(
            (&*found.filter, &*found.path.to_string()),
            ("inof", "log.filter")
        );
    }
}
