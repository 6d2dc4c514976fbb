//! TLS to a controller.

use super::RouterIdentity;
use crate::tls_client::{Client, Stream};
use portcullis_channel::Role;
use portcullis_transport::Connector;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::net::SocketAddr;

pub(super) struct ControllerConnector {
    address: SocketAddr,
    client: Client,
    /// Turned over for each random number.
    state: DefaultHasher,
}

impl ControllerConnector {
    pub(super) fn new(address: SocketAddr, identity: &RouterIdentity) -> Self {
        let mut state = DefaultHasher::new();
        identity.id.hash(&mut state);
        let client =
            Client::build_with_chain(identity.chain.clone(), identity.key(), rustls::ALL_VERSIONS);
        Self {
            address,
            client: client.with_alpn(&["ziti-ctrl"]),
            state,
        }
    }
}

impl Connector for ControllerConnector {
    type Stream = Stream;

    async fn connect(&mut self, _role: Role) -> io::Result<Stream> {
        let stream = self.client.try_connect(self.address, "localhost").await?;
        stream.get_ref().0.set_nodelay(true)?;
        Ok(stream)
    }

    fn random(&mut self) -> u32 {
        self.state.write_u8(0);
        let bits = self.state.finish();
        u32::try_from(bits >> 32).unwrap_or_default()
    }
}
