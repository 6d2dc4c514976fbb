//! Addresses of what a circuit joins.

use crate::PeerData;
use std::sync::Arc;

/// Numbers of peer data.
const TERMINATOR_LOCAL: u32 = 1110;
const TERMINATOR_REMOTE: u32 = 1111;
const INITIATOR_LOCAL: u32 = 1112;
const INITIATOR_REMOTE: u32 = 1113;

/// Longest address that is kept, in bytes.
const MAX_BYTES: usize = 256;

/// Addresses of the connections that a circuit joins, as the routers there tell them; empty if they do not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EndAddresses {
    pub initiator_local: Arc<str>,
    pub initiator_remote: Arc<str>,
    pub terminator_local: Arc<str>,
    pub terminator_remote: Arc<str>,
}

impl EndAddresses {
    /// What the dialing router tells.
    pub(crate) fn of_initiator(peer_data: &PeerData) -> Self {
        Self {
            initiator_local: address(peer_data, INITIATOR_LOCAL),
            initiator_remote: address(peer_data, INITIATOR_REMOTE),
            ..Self::default()
        }
    }

    /// The same with what the router of the terminator tells.
    pub(crate) fn with_terminator(&self, peer_data: &PeerData) -> Self {
        Self {
            terminator_local: address(peer_data, TERMINATOR_LOCAL),
            terminator_remote: address(peer_data, TERMINATOR_REMOTE),
            ..self.clone()
        }
    }
}

fn address(peer_data: &PeerData, number: u32) -> Arc<str> {
    let told = peer_data.get(&number).map(Vec::as_slice);
    let text = str::from_utf8(told.unwrap_or_default());
    let short = text.ok().filter(|text| text.len() <= MAX_BYTES);
    short.unwrap_or_default().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_texts_of_a_bounded_length() {
        let told = PeerData::from([
            (1112, b"127.0.0.1:1".to_vec()),
            (1113, vec![b'x'; 257]),
            (1110, vec![0xff]),
            (1111, vec![b'x'; 256]),
        ]);
        let addresses = EndAddresses::of_initiator(&told);
        assert_eq!(&*addresses.initiator_local, "127.0.0.1:1");
        assert_eq!(&*addresses.initiator_remote, "");
        let addresses = addresses.with_terminator(&told);
        assert_eq!(&*addresses.initiator_local, "127.0.0.1:1");
        assert_eq!(&*addresses.terminator_local, "");
        assert_eq!(addresses.terminator_remote.len(), 256);
    }
}
