//! Serialization of the enrollment expiry: whole seconds, and milliseconds in a separate field that
//! older records lack.

use crate::clock::Timestamp;
use crate::default_value::is_default;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

#[derive(Serialize, Deserialize)]
struct StoredExpiry {
    #[serde(with = "jiff::fmt::serde::timestamp::second::required")]
    expires_at: Timestamp,
    #[serde(default, skip_serializing_if = "is_default")]
    expires_at_millisecond: i16,
}

pub(super) fn serialize<S: Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    let milliseconds = at.as_millisecond() % 1000;
    StoredExpiry {
        expires_at: *at,
        expires_at_millisecond: i16::try_from(milliseconds).unwrap_or(0),
    }
    .serialize(serializer)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Timestamp, D::Error> {
    let stored = StoredExpiry::deserialize(deserializer)?;
    let milliseconds = i64::from(stored.expires_at_millisecond);
    Timestamp::from_millisecond(stored.expires_at.as_millisecond() + milliseconds)
        .map_err(de::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Record {
        #[serde(flatten, with = "super")]
        expires_at: Timestamp,
    }

    #[test]
    fn milliseconds_stand_beside_the_seconds_of_older_records() {
        for (milliseconds, stored) in [
            (1_932_000_000_000, json!({"expires_at": 1_932_000_000})),
            (
                1_932_000_000_009,
                json!({"expires_at": 1_932_000_000, "expires_at_millisecond": 9}),
            ),
        ] {
            let expires_at = Timestamp::from_millisecond(milliseconds).unwrap();
            let record = Record { expires_at };
            assert_eq!(serde_json::to_value(&record).unwrap(), stored);
            assert_eq!(serde_json::from_value::<Record>(stored).unwrap(), record);
        }
    }
}
