//! Section `audit`: output of the audit trail.

use crate::keys::{Key, KeyGroup, StringFormat, ValueType};
use crate::relative_paths::BaseFolders;
use portcullis_yaml::{Diagnostics, Section};
use std::path::PathBuf;

/// Section `audit`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditConfig {
    /// File for the audit trail; without it the trail goes to the same stream as the log.
    pub file: Option<PathBuf>,
}

pub(crate) const KEYS: KeyGroup = &[Key::new(
    "file",
    ValueType::String(StringFormat::Path),
    "File of the audit trail, which is created if it does not exist. Without it the trail goes to standard \
     error, with the log. `--audit-file` takes precedence.",
)
.example("audit.jsonl")];

pub(crate) fn read(
    root: &Section<'_>,
    folders: &BaseFolders,
    diagnostics: &mut Diagnostics,
) -> Option<AuditConfig> {
    let Some(field) = root.get_non_null("audit") else {
        return Some(AuditConfig::default());
    };
    let section = field.section(diagnostics)?;
    section.check_keys(KEYS, diagnostics);
    let Some(file) = section.get_non_null("file") else {
        return Some(AuditConfig::default());
    };
    let path = file.non_empty(diagnostics)?;
    Some(AuditConfig {
        file: Some(folders.resolve(&file, path)),
    })
}

#[cfg(test)]
mod tests {
    use crate::read;

    /// Texts of the diagnostics about the section.
    fn messages(section: &str) -> Vec<String> {
        let outcome = read(&[&format!("v: 3\naudit: {section}\n")], &|_| None);
        let about = outcome.diagnostics.iter();
        about
            .filter(|one| one.path.to_string().starts_with("audit"))
            .map(|one| one.message.clone())
            .collect()
    }

    #[test]
    fn file_is_a_path() {
        assert_eq!(messages("{file: audit.jsonl}"), [""; 0]);
        assert_eq!(messages("{}"), [""; 0]);
        for wrong in ["{file: ''}", "{file: [a]}", "{files: a}", "audit.jsonl"] {
            assert_eq!(messages(wrong).len(), 1, "{wrong}");
        }
    }
}
