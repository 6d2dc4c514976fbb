//! Dials of others for servers that the tunneler hosts.

use std::net::SocketAddr;

use bytes::Bytes;
use portcullis_e2e_encryption::PublicKey;
use portcullis_tunnel::{Incoming, RefusalKind};
use portcullis_wire::Secret;
use portcullis_wire::control::route::RouteFailure;
use portcullis_wire::peer_data::{LOCAL_ADDRESS, PUBLIC_KEY, PeerData, REMOTE_ADDRESS};
use tokio::sync::oneshot;

use super::circuit::{Accepted, RouterCircuit};
use super::network::text;
use crate::encryption::Encryption;
use crate::ends::{EndTerms, Ends};
use crate::routes::DialFailure;

/// Why a dial is not taken, as the dialing end is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    kind: RefusalKind,
    reason: String,
}

impl From<Refusal> for DialFailure {
    fn from(Refusal { kind, reason }: Refusal) -> Self {
        let failure = match kind {
            RefusalKind::NotAllowed => RouteFailure::PortNotAllowed,
            RefusalKind::ConnectionRefused => RouteFailure::ConnectionRefused,
            RefusalKind::TimedOut => RouteFailure::DialTimedOut,
            RefusalKind::Other => RouteFailure::RejectedByApplication,
        };
        Self { reason, failure }
    }
}

/// A dial that waits for an answer. If it is dropped, the dialing end is told that nobody took it.
pub(crate) struct Offer {
    pub(super) ends: Ends,
    pub(super) terms: EndTerms,
    pub(super) app_data: Bytes,
    /// The name of the identity that dials, or what it calls itself.
    pub(super) caller: Option<String>,
    /// With the key that the dialing end is told.
    pub(super) encryption: Option<(PublicKey, Encryption)>,
    pub(super) answer: oneshot::Sender<Result<PeerData, Refusal>>,
}

impl Incoming for Offer {
    type Circuit = RouterCircuit;

    fn app_data(&self) -> &[u8] {
        &self.app_data
    }

    fn caller(&self) -> Option<&str> {
        self.caller.as_deref()
    }

    fn accept(self, local: SocketAddr, remote: SocketAddr) -> RouterCircuit {
        let mut peer_data =
            PeerData::from([(LOCAL_ADDRESS, text(local)), (REMOTE_ADDRESS, text(remote))]);
        let encryption = self.encryption.map(|(key, encryption)| {
            let key = Bytes::copy_from_slice(key.as_bytes());
            peer_data.insert(PUBLIC_KEY, Secret::new(key));
            encryption
        });
        let accepted = Accepted {
            ends: self.ends,
            terms: self.terms,
            answer: self.answer,
            peer_data,
        };
        RouterCircuit::accepted(accepted, encryption)
    }

    fn refuse(self, kind: RefusalKind, reason: &str) {
        let reason = reason.to_owned();
        let _nobody_waits = self.answer.send(Err(Refusal { kind, reason }));
    }
}
