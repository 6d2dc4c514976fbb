//! Token types (claim `z_t`).

use serde::de::{Deserialize, Deserializer, Error, Unexpected};
use serde::ser::{Serialize, Serializer};

/// The type of tokens whose `z_t` is `KIND`. Other values do not deserialize.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Kind<const KIND: char>;

impl<const KIND: char> Serialize for Kind<KIND> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_char(KIND)
    }
}

impl<'de, const KIND: char> Deserialize<'de> for Kind<KIND> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.chars().eq([KIND]) {
            Ok(Self)
        } else {
            Err(Error::invalid_value(
                Unexpected::Str(&text),
                &"another type of token",
            ))
        }
    }
}

/// The type of tokens without `z_t`. Any value does not deserialize.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AbsentKind;

impl<'de> Deserialize<'de> for AbsentKind {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(Error::custom("not an ID token"))
    }
}
