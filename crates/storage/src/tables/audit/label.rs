//! Ids and names of records.

use serde::Deserialize;

/// Id and name of a record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Label {
    pub(super) id: String,
    pub(super) name: Option<String>,
}

impl Label {
    /// That of a record.
    pub(super) fn read(record: &[u8]) -> Self {
        let Ok(stored) = serde_json::from_slice::<Stored>(record) else {
            return Self::default();
        };
        let Stored {
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
struct Stored {
    id: String,
    name: Option<String>,
    spec: Option<Inner>,
    enrollment: Option<Inner>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Inner {
    id: String,
    name: Option<String>,
}
