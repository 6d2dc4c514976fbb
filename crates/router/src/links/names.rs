//! What routers and links are called.

use std::fmt;

/// Declares a text that names one kind of thing and is never read for a meaning.
macro_rules! name {
    ($(#[$about:meta])* $name:ident) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            /// Wraps a name that was given elsewhere.
            pub fn from_wire(raw: impl Into<String>) -> Self {
                Self(raw.into())
            }

            /// Borrows the name as it appears on the wire.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }
    };
}

name!(
    /// Id of a router.
    RouterId
);

name!(
    /// Id of a link, which the router that dials it draws. All attempts for the same listener have the same.
    LinkId
);

/// One link: its id, and which attempt for this id it came from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Link {
    /// Id.
    pub id: LinkId,
    /// Number of the attempt, from 1 on.
    pub iteration: u32,
}

/// What a link is for. Between two routers there is at most one link for each of these, whoever dialed it.
///
/// Names of interfaces are part of it, so several interfaces give several links.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkKey {
    peer: RouterId,
    protocol: String,
    ours: String,
    theirs: String,
}

impl LinkKey {
    /// Names the purpose by the other router, the protocol such as `tls`, and the interfaces at both ends.
    ///
    /// # Examples
    ///
    /// ```
    /// use portcullis_router::links::{LinkKey, RouterId};
    ///
    /// let key = LinkKey::new(RouterId::from_wire("r2"), "tls", None, Some("eth1"));
    /// assert_eq!(key.to_string(), "default->tls:r2->eth1");
    /// ```
    pub fn new(peer: RouterId, protocol: &str, ours: Option<&str>, theirs: Option<&str>) -> Self {
        let interface = |name: Option<&str>| {
            let name = name.filter(|name| !name.is_empty());
            name.unwrap_or("default").to_owned()
        };
        Self {
            peer,
            protocol: protocol.to_owned(),
            ours: interface(ours),
            theirs: interface(theirs),
        }
    }

    /// The router at the other end.
    pub fn peer(&self) -> &RouterId {
        &self.peer
    }
}

impl fmt::Display for LinkKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            peer,
            protocol,
            ours,
            theirs,
        } = self;
        write!(formatter, "{ours}->{protocol}:{peer}->{theirs}")
    }
}
