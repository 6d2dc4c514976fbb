//! For whom work is done, so that one of many does not have all of it.

use crate::room;
use portcullis_domain::access::{Action, Origin, Permit};
use portcullis_domain::ids::Number;
use std::net::IpAddr;

/// An identity, or where nobody has to say who they are, a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Party {
    Identity(Number),
    Client(IpAddr),
}

/// What a request may be answered by, and so for whom.
pub(crate) trait Acting {
    /// For whom it is answered.
    fn party(&self, origin: &Origin) -> Party;
}

impl<A: Action> Acting for Permit<A> {
    fn party(&self, _origin: &Origin) -> Party {
        Party::Identity(self.caller().identity_number)
    }
}

impl Acting for () {
    fn party(&self, origin: &Origin) -> Party {
        Party::Client(room::client(origin.address))
    }
}
