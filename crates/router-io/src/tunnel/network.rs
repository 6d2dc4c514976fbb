//! The network, as the tunneler of a router uses it.

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use portcullis_domain::entropy::Entropy;
use portcullis_e2e_encryption::Role;
use portcullis_tunnel::{DialError, DialRequest, HostError, Network};
use portcullis_tunneler::{TerminatorId, TerminatorOptions};
use portcullis_wire::Secret;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::tunnel::CreateTunnelCircuit;
use portcullis_wire::peer_data::{
    APP_DATA, INITIATOR_LOCAL_ADDRESS, INITIATOR_REMOTE_ADDRESS, PUBLIC_KEY, PeerData,
};

use super::circuit::RouterCircuit;
use super::terminators::{RouterHost, Terminators};
use crate::circuit_requests::{CircuitRequests, NoCircuit, StandingCircuit};
use crate::encryption::{NoEncryption, OwnKey};

/// Circuits of this router, and its terminators.
pub(super) struct RouterNetwork {
    pub(super) requests: CircuitRequests,
    pub(super) terminators: Arc<Terminators>,
    pub(super) entropy: Arc<dyn Entropy>,
}

/// A service cannot be dialed.
#[derive(Debug, thiserror::Error)]
enum Undialed {
    #[error(transparent)]
    Circuit(#[from] NoCircuit),
    #[error(transparent)]
    Encryption(#[from] NoEncryption),
    #[error("the service is encrypted, and its host gives no key for that")]
    NoHostKey,
}

impl RouterNetwork {
    async fn dial_circuit(&self, request: DialRequest) -> Result<RouterCircuit, Undialed> {
        let is_encrypted = request.dial.is_encrypted;
        let own_key = is_encrypted.then(|| OwnKey::new(&*self.entropy));
        let own_key = own_key.transpose()?;
        let time = request.dial.timeout;
        let question = question(request, own_key.as_ref());
        let circuit = self.requests.request(question, time).await?;
        let encryption = match own_key {
            None => None,
            Some(own_key) => {
                let host_key = host_key(&circuit).ok_or(Undialed::NoHostKey)?;
                Some(own_key.agree(Role::Client, &host_key)?)
            },
        };
        Ok(RouterCircuit::dialed(
            self.requests.clone(),
            circuit,
            encryption,
        ))
    }
}

impl Network for RouterNetwork {
    type Circuit = RouterCircuit;
    type Host = RouterHost;

    async fn dial(&self, request: DialRequest) -> Result<RouterCircuit, DialError> {
        let dialed = self.dial_circuit(request).await;
        dialed.map_err(|error| DialError {
            reason: error.to_string(),
        })
    }

    async fn host(
        &self,
        terminator: TerminatorId,
        options: TerminatorOptions,
    ) -> Result<RouterHost, HostError> {
        Terminators::host(&self.terminators, &terminator.key, options).await
    }
}

fn question(request: DialRequest, own_key: Option<&OwnKey>) -> ControlMessage {
    let DialRequest {
        dial,
        client,
        local,
    } = request;
    let mut peer_data = PeerData::from([
        (APP_DATA, Secret::new(dial.app_data.encode().into())),
        (INITIATOR_LOCAL_ADDRESS, text(local)),
        (INITIATOR_REMOTE_ADDRESS, text(client)),
    ]);
    if let Some(own_key) = own_key {
        let key = Bytes::copy_from_slice(own_key.public_key().as_bytes());
        peer_data.insert(PUBLIC_KEY, Secret::new(key));
    }
    ControlMessage::CreateTunnelCircuit(CreateTunnelCircuit {
        service_name: dial.service_name.as_ref().to_owned(),
        instance_id: dial.identity.unwrap_or_default(),
        peer_data,
    })
}

fn host_key(circuit: &StandingCircuit) -> Option<Bytes> {
    let key = circuit.peer_data.get(&PUBLIC_KEY)?;
    Some(key.expose().clone())
}

pub(super) fn text(address: SocketAddr) -> Secret<Bytes> {
    Secret::new(address.to_string().into())
}
