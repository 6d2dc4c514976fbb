//! Members of the stored form.

use portcullis_storage::tables::DisclosedEntity;
use std::io::Write as _;

/// A member of the stored form.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member {
    pub(super) name: &'static str,
    /// Its name on the API.
    pub(super) api: &'static str,
    pub(super) absent: Absent,
    pub(super) unit: Unit,
}

/// What is said of a member that has no value.
#[derive(Debug, Clone, Copy)]
pub(super) enum Absent {
    Null,
    False,
    Zero,
    EmptyText,
    EmptyObject,
}

/// What numbers count.
#[derive(Debug, Clone, Copy)]
pub(super) enum Unit {
    AsOnTheApi,
    /// Milliseconds on the API.
    Nanoseconds,
}

/// The members of a type, after those that all types have.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    /// Of both halves, if there are two.
    pub(super) fabric: &'static [Member],
    pub(super) edge: &'static [Member],
    /// Whether all others are members of the last one, which depends on the kind.
    pub(super) has_sub_type: bool,
}

const fn absent(name: &'static str, absent: Absent) -> Member {
    Member {
        name,
        api: name,
        absent,
        unit: Unit::AsOnTheApi,
    }
}

pub(super) const fn nullable(name: &'static str) -> Member {
    absent(name, Absent::Null)
}

pub(super) const fn flag(name: &'static str) -> Member {
    absent(name, Absent::False)
}

pub(super) const fn number(name: &'static str) -> Member {
    absent(name, Absent::Zero)
}

pub(super) const fn text(name: &'static str) -> Member {
    absent(name, Absent::EmptyText)
}

pub(super) const fn object(name: &'static str) -> Member {
    absent(name, Absent::EmptyObject)
}

impl Member {
    pub(super) const fn of(self, api: &'static str) -> Self {
        Self { api, ..self }
    }

    /// Writes the value that an entity has, or what is said where it has none: at OpenZiti, empty lists are null.
    pub(super) fn write(&self, entity: &DisclosedEntity, json: &mut Vec<u8>) {
        match entity.get(self.api) {
            Some(b"null" | b"[]") => json.extend_from_slice(self.absent.json()),
            Some(value) => self.unit.write(value, json),
            None if entity.write(self.api, json) => {},
            None => json.extend_from_slice(self.absent.json()),
        }
    }
}

impl Absent {
    const fn json(self) -> &'static [u8] {
        match self {
            Self::Null => b"null",
            Self::False => b"false",
            Self::Zero => b"0",
            Self::EmptyText => b"\"\"",
            Self::EmptyObject => b"{}",
        }
    }
}

impl Unit {
    fn write(self, value: &[u8], json: &mut Vec<u8>) {
        let millis = match self {
            Self::AsOnTheApi => None,
            Self::Nanoseconds => str::from_utf8(value).ok(),
        };
        match millis.and_then(|millis| millis.parse::<u64>().ok()) {
            Some(millis) => {
                // Memory takes every number.
                let _ = write!(json, "{}", millis.saturating_mul(1_000_000));
            },
            None => json.extend_from_slice(value),
        }
    }
}

/// Members of all types.
pub(super) const BASE: [Member; 5] = [
    text("id"),
    nullable("createdAt"),
    nullable("updatedAt"),
    object("tags"),
    flag("isSystem"),
];

/// A type without members of its own.
pub(super) const PLAIN: Form = Form {
    fabric: &[],
    edge: &[],
    has_sub_type: false,
};
