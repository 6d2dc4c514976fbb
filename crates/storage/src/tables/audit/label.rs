//! Labels of records: id and name.

use serde::Deserialize;

/// Id and name of a record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Label {
    pub(super) id: String,
    pub(super) name: Option<String>,
}

impl Label {
    /// Extracts the label of a stored record.
    pub(super) fn read(record: &[u8]) -> Self {
        let Ok(stored) = serde_json::from_slice::<StoredRecord>(record) else {
            return Self::default();
        };
        let StoredRecord {
            id,
            name,
            spec,
            enrollment,
        } = stored;
        match enrollment {
            Some(inner) if id.is_empty() => Self {
                id: inner.id,
                name: inner.name,
            },
            _ => Self {
                id,
                name: name.or_else(|| spec?.name),
            },
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct StoredRecord {
    id: String,
    name: Option<String>,
    spec: Option<StoredMembers>,
    enrollment: Option<StoredMembers>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct StoredMembers {
    id: String,
    name: Option<String>,
}
