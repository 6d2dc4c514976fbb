//! Peers that requests are charged to.

use portcullis_domain::access::{Action, Origin, Permit};
use portcullis_domain::peer::Peer;

/// A permit, or its absence, from which the peer of a request follows.
pub(crate) trait HasPeer {
    fn peer(&self, origin: &Origin) -> Peer;
}

impl<A: Action> HasPeer for Permit<A> {
    fn peer(&self, _origin: &Origin) -> Peer {
        Peer::Identity(self.caller().identity_number)
    }
}

impl HasPeer for () {
    fn peer(&self, origin: &Origin) -> Peer {
        Peer::from_address(origin.address())
    }
}
