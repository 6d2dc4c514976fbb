//! Orders, and where they are taken.

use std::path::{Path, PathBuf};

/// What may be asked of a router.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// No new circuits to what is hosted at the router, as far as it is hosted elsewhere, too.
    Quiesce,
    /// Takes [`Quiesce`](Self::Quiesce) back.
    Dequiesce,
    /// Has the router deleted from the network, and stops it.
    Decommission,
    /// Has a controller renew the router's certificates now.
    Renew,
}

impl Order {
    const ALL: [Self; 4] = [
        Self::Quiesce,
        Self::Dequiesce,
        Self::Decommission,
        Self::Renew,
    ];

    /// How it is written on the socket.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Quiesce => "quiesce",
            Self::Dequiesce => "dequiesce",
            Self::Decommission => "decommission",
            Self::Renew => "renew",
        }
    }

    /// The one that is written so.
    pub(super) fn find(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|order| order.as_str() == text)
    }
}

/// The socket of the router that runs with this file.
pub(super) fn socket_path(config_file: &Path) -> PathBuf {
    let mut name = config_file.as_os_str().to_owned();
    name.push(".sock");
    PathBuf::from(name)
}
