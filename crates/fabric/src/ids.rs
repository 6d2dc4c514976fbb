//! Ids that are not those of records.

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

/// Longest id in bytes. Routers and controllers make ids of 22 characters.
const MAX_BYTES: usize = 128;

/// An id is empty or too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an id has 1 to {MAX_BYTES} bytes")]
pub struct IdLengthError;

/// Declares ids that are cheap to clone.
macro_rules! shared_ids {
    ($($(#[$doc:meta])* $name:ident)+) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// An id of 1 to 128 bytes.
            pub fn new(text: &str) -> Result<Self, IdLengthError> {
                if text.is_empty() || text.len() > MAX_BYTES {
                    return Err(IdLengthError);
                }
                Ok(Self(text.into()))
            }

            /// The id as it appears on the wire.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&$name> for Arc<str> {
            fn from(id: &$name) -> Self {
                Arc::clone(&id.0)
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        /// Escaped: routers choose some of these ids.
        impl fmt::Debug for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, formatter)
            }
        }
    )+};
}

shared_ids! {
    /// Id of a link, chosen by the router that dials it. A link that is dialed again keeps its id.
    LinkId
    /// Id of a circuit.
    CircuitId
    /// What a router forwards between: an end of a circuit, or a link.
    Address
}

impl From<&LinkId> for Address {
    fn from(link: &LinkId) -> Self {
        Self(link.0.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_neither_empty_nor_long() {
        assert_eq!(LinkId::new(""), Err(IdLengthError));
        assert_eq!(LinkId::new(&"x".repeat(129)), Err(IdLengthError));
        let longest = "x".repeat(128);
        assert_eq!(LinkId::new(&longest).unwrap().as_str(), longest);
        assert_eq!(format!("{:?}", LinkId::new("a\n").unwrap()), r#""a\n""#);
    }
}
