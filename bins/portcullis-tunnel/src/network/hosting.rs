//! Listeners of the SDK as terminators.

use super::circuit::SdkCircuit;
use portcullis_domain::identity::Precedence;
use portcullis_sdk::{self as sdk, Listener};
use portcullis_tunnel::{Host, Incoming, RefusalKind};
use std::net::SocketAddr;

/// A service that is hosted, at several routers.
#[derive(Debug)]
pub(crate) struct SdkHost(Listener);

/// A connection that somebody dials.
#[derive(Debug)]
pub(crate) struct SdkIncoming(sdk::Incoming);

impl SdkHost {
    pub(super) const fn new(listener: Listener) -> Self {
        Self(listener)
    }
}

impl Host for SdkHost {
    type Circuit = SdkCircuit;
    type Incoming = SdkIncoming;

    async fn next(&mut self) -> Option<SdkIncoming> {
        self.0.next().await.map(SdkIncoming)
    }

    fn update(&self, precedence: Precedence, cost: u16) {
        self.0.update(cost, precedence);
    }

    fn report_health(&self, is_healthy: bool) {
        self.0.report_health(is_healthy);
    }
}

impl Incoming for SdkIncoming {
    type Circuit = SdkCircuit;

    fn app_data(&self) -> &[u8] {
        self.0.app_data()
    }

    /// What the dialing program says of itself counts only where the router says nothing.
    fn caller(&self) -> Option<&str> {
        let caller = self.0.caller();
        let name = caller.identity_name.as_deref();
        name.or(caller.claimed_name.as_deref())
    }

    fn accept(self, _local: SocketAddr, _remote: SocketAddr) -> SdkCircuit {
        SdkCircuit::accepted(self.0.accept())
    }

    fn refuse(self, _kind: RefusalKind, reason: &str) {
        self.0.refuse(reason);
    }
}
