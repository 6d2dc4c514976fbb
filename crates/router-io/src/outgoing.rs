//! How this router connects to others.

use crate::name_lookups::NameLookups;
use crate::socket_mark::SocketMark;

/// What connections to others of one kind have in common.
#[derive(Debug, Clone)]
pub(crate) struct Outgoing {
    pub(crate) lookups: NameLookups,
    pub(crate) mark: SocketMark,
}
