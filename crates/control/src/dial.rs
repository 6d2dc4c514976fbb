//! What a router wants to dial, beside the right to it.

use crate::translate;
use portcullis_app::rights::{Refusal, Right, RightSession};
use portcullis_domain::entropy::{self, Entropy, EntropyError};
use portcullis_domain::ids::TerminatorId;
use portcullis_fabric::Right as CircuitRight;
use portcullis_fabric::{Address, CircuitId, CircuitNames, IdLengthError, PeerData};
use portcullis_wire::control::refusal::Refusal as RefusalMessage;
use portcullis_wire::peer_data::{PUBLIC_KEY, PeerData as WirePeerData, STICKINESS_TOKEN};
use portcullis_wire::{ErrorCode, RetryHint};

/// What a router wants to dial.
#[derive(Debug)]
pub(crate) struct Wanted {
    instance: String,
    peer_data: PeerData,
    circuit: Option<String>,
}

/// A dial as the network needs it.
#[derive(Debug)]
pub(crate) struct DialParts {
    pub(crate) names: CircuitNames,
    pub(crate) right: CircuitRight,
    pub(crate) instance: String,
    pub(crate) sticky: Option<TerminatorId>,
    pub(crate) peer_data: PeerData,
    pub(crate) random: u64,
}

/// Why there is no circuit.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DialError {
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error("the service requires encryption, but the client has sent no key")]
    NoClientKey,
    #[error("the id of the circuit or of its end is not usable: {0}")]
    Id(#[from] IdLengthError),
    #[error("no id can be made for the circuit")]
    Entropy(#[from] EntropyError),
}

impl Wanted {
    /// This instance of a service; an empty one stands for terminators without.
    pub(crate) fn instance(instance: String, peer_data: WirePeerData) -> Self {
        Self {
            instance,
            peer_data: translate::peer_data_from_wire(peer_data),
            circuit: None,
        }
    }

    /// The id that the router has chosen; an empty one is none.
    pub(crate) fn with_circuit_id(mut self, id: String) -> Self {
        self.circuit = (!id.is_empty()).then_some(id);
        self
    }

    /// Completes a dial that is allowed.
    pub(crate) fn into_parts(
        self,
        right: &Right,
        entropy: &dyn Entropy,
    ) -> Result<DialParts, DialError> {
        if right.service.is_encryption_required && !self.peer_data.contains_key(&PUBLIC_KEY) {
            return Err(DialError::NoClientKey);
        }
        let name = |chosen: Option<String>| match chosen {
            Some(chosen) => Ok(chosen),
            None => entropy::uuid(entropy),
        };
        let names = CircuitNames {
            circuit: CircuitId::new(&name(self.circuit)?)?,
            ingress: Address::new(&name(None)?)?,
            egress: Address::new(&name(None)?)?,
        };
        let mut peer_data = self.peer_data;
        let sticky = peer_data.remove(&STICKINESS_TOKEN);
        let sticky = sticky.and_then(|token| String::from_utf8(token).ok());
        Ok(DialParts {
            names,
            right: circuit_right(right),
            instance: self.instance,
            sticky: sticky.map(TerminatorId::from_wire),
            peer_data,
            random: u64::from_le_bytes(entropy::bytes(entropy)?),
        })
    }
}

/// What the network remembers of a right, to ask whether it has ended.
pub(crate) fn circuit_right(right: &Right) -> CircuitRight {
    let session = right.session.as_ref();
    CircuitRight {
        client: right.identity.clone(),
        service: right.service.id.clone(),
        session: session.map(|session| session.api_session.clone()),
        tokens: session.map(RightSession::tokens).unwrap_or_default(),
        until: None,
    }
}

impl DialError {
    /// What the router is told.
    pub(crate) fn into_refusal(self) -> RefusalMessage {
        let (code, hint) = match &self {
            Self::Refused(refusal) => (
                ErrorCode::from_code(refusal.code()),
                RetryHint::from_code(refusal.retry_hint().number()),
            ),
            Self::NoClientKey => (ErrorCode::EncryptionDataMissing, RetryHint::StartOver),
            Self::Id(_) => (ErrorCode::Internal, RetryHint::NotRetriable),
            Self::Entropy(_) => (ErrorCode::Internal, RetryHint::Default),
        };
        RefusalMessage {
            reason: self.to_string(),
            code: Some(code),
            retry_hint: Some(hint),
            circuit_id: None,
        }
    }
}
