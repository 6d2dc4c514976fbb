//! Ids: one opaque newtype per kind of entity.
//!
//! Ids are short strings without internal meaning. The three shapes are those of OpenZiti; see
//! `docs/glossary.md`.

use crate::entropy::{self, Entropy, EntropyError};

const SHORT: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz.-";
const ALPHANUMERIC: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const LOWER: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyz";

/// Draws a short id: 11 characters of `0-9A-Za-z.-`, about 66 bits.
///
/// It begins with a letter or digit, so that it needs no quoting on a command line.
pub fn short(entropy: &dyn Entropy) -> Result<String, EntropyError> {
    let mut id = entropy::random_string(entropy, ALPHANUMERIC, 1)?;
    id.push_str(&entropy::random_string(entropy, SHORT, 10)?);
    Ok(id)
}

/// Derives a short id from sixteen bytes, deterministically.
pub fn short_from_bytes(bytes: [u8; 16]) -> String {
    let drawn = bytes
        .iter()
        .take(11)
        .enumerate()
        .filter_map(|(place, byte)| {
            let alphabet = if place == 0 { ALPHANUMERIC } else { SHORT };
            alphabet.get(usize::from(*byte) % alphabet.len())
        });
    drawn.copied().map(char::from).collect()
}

/// Draws a long id: 22 characters of `0-9A-Za-z`, about 131 bits.
pub fn long(entropy: &dyn Entropy) -> Result<String, EntropyError> {
    entropy::random_string(entropy, ALPHANUMERIC, 22)
}

/// Draws an id in the shape of a cuid: `c` and 24 characters of `0-9a-z`, about 124 bits.
pub fn cuid(entropy: &dyn Entropy) -> Result<String, EntropyError> {
    Ok(format!("c{}", entropy::random_string(entropy, LOWER, 24)?))
}

/// An id of one kind of entity.
pub trait EntityId: Clone + Ord {
    /// Generates a random id.
    ///
    /// # Errors
    ///
    /// [`EntropyError`] when the source of randomness fails.
    fn generate(entropy: &dyn Entropy) -> Result<Self, EntropyError>;

    /// Wraps an existing id.
    fn from_wire(raw: String) -> Self;

    /// The id as it appears on the wire.
    fn as_str(&self) -> &str;
}

/// Declares an id newtype for one kind of entity.
macro_rules! entity_id {
    ($(#[$doc:meta])* $name:ident, $shape:path) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Generates a random id.
            pub fn generate(entropy: &dyn Entropy) -> Result<Self, EntropyError> {
                $shape(entropy).map(Self)
            }

            /// Wraps an existing id, for example from a request path.
            pub fn from_wire(raw: impl Into<String>) -> Self {
                Self(raw.into())
            }

            /// The id as it appears on the wire.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl EntityId for $name {
            fn generate(entropy: &dyn Entropy) -> Result<Self, EntropyError> {
                Self::generate(entropy)
            }

            fn from_wire(raw: String) -> Self {
                Self(raw)
            }

            fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(&self.0)
            }
        }
    };
}

impl ApiSessionId {
    /// Whether an OIDC login opened the session: such sessions have UUIDs, the others have none.
    pub fn is_of_oidc(&self) -> bool {
        self.0.contains('-')
    }
}

/// Declares the id of each kind.
macro_rules! kind_ids {
    ($({
        #[doc = $doc:literal]
        kind: $kind:ident = $byte:literal,
        entity: $entity:ident($module:ident::$type:ident),
        id: $id:ident($shape:ident),
        $($rest:tt)*
    })+) => {
        $(entity_id!(
            #[doc = concat!(
                "Id of a [`", stringify!($entity), "`](crate::", stringify!($module), "::",
                stringify!($type), ").",
            )]
            $id,
            $shape
        );)+
    };
}

crate::for_each_kind!(kind_ids);

entity_id!(
    /// Names a controller of the network.
    ControllerId,
    short
);
entity_id!(
    /// Names a link; chosen by the router that dials it.
    LinkId,
    long
);
entity_id!(
    /// Names a circuit.
    CircuitId,
    long
);
entity_id!(
    /// Names one request; part of its response and of every log line about it.
    RequestId,
    short
);

/// Number of a record in the store: ascending, never reused, unique within its kind.
///
/// It never appears on the wire.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(transparent)]
pub struct RecordNumber(pub u64);
