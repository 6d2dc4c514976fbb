//! Ids of what the edge is about.

use std::fmt;
use std::sync::Arc;

/// Number of an SDK's channel at this router, which is not used again while the router runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChannelId(pub u64);

/// Declares an id that others have chosen. Copies share its memory.
macro_rules! id {
    ($(#[$about:meta])* $name:ident) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text.into())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    };
}

id!(
    /// Id of a circuit, chosen by a controller.
    CircuitId
);
id!(
    /// Id of a controller.
    ControllerId
);
id!(
    /// Id of an identity.
    IdentityId
);
id!(
    /// Id of a service.
    ServiceId
);
id!(
    /// Id of a session for a service: `jti` of its token.
    ServiceSessionId
);
id!(
    /// Id and address of a terminator, chosen by this router.
    TerminatorId
);
