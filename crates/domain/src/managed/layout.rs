//! Stored forms of managed entities.

use super::{Managed, Spec};
use crate::clock::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The members of the specification below `spec`.
#[derive(Serialize, Deserialize)]
struct Nested<I, S> {
    id: I,
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    created_at: Timestamp,
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    updated_at: Timestamp,
    spec: S,
}

/// The members of the specification beside the others.
#[derive(Serialize, Deserialize)]
struct Flat<I, S> {
    id: I,
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    created_at: Timestamp,
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    updated_at: Timestamp,
    #[serde(flatten)]
    spec: S,
}

/// Makes one of the forms, or an entity of it.
macro_rules! convert {
    ($from:expr => $to:ident) => {
        $to {
            id: $from.id,
            created_at: $from.created_at,
            updated_at: $from.updated_at,
            spec: $from.spec,
        }
    };
}

impl<I: Serialize, S: Spec + Serialize> Serialize for Managed<I, S> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let borrowed = Managed {
            id: &self.id,
            created_at: self.created_at,
            updated_at: self.updated_at,
            spec: &self.spec,
        };
        if S::IS_STORED_FLAT {
            convert!(borrowed => Flat).serialize(serializer)
        } else {
            convert!(borrowed => Nested).serialize(serializer)
        }
    }
}

impl<'de, I: Deserialize<'de>, S: Spec + Deserialize<'de>> Deserialize<'de> for Managed<I, S> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if S::IS_STORED_FLAT {
            let flat = Flat::deserialize(deserializer)?;
            Ok(convert!(flat => Managed))
        } else {
            let nested = Nested::deserialize(deserializer)?;
            Ok(convert!(nested => Managed))
        }
    }
}
