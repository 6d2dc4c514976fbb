//! For whom a request is answered.

use portcullis_domain::access::{Action, Origin, Permit};
use portcullis_domain::peer::Peer;

/// What a request may be answered by, and so for whom.
pub(crate) trait Acting {
    /// For whom it is answered.
    fn peer(&self, origin: &Origin) -> Peer;
}

impl<A: Action> Acting for Permit<A> {
    fn peer(&self, _origin: &Origin) -> Peer {
        Peer::Identity(self.caller().identity_number)
    }
}

impl Acting for () {
    fn peer(&self, origin: &Origin) -> Peer {
        Peer::at(origin.address)
    }
}
