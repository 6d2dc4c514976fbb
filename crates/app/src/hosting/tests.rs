//! A client, a tunneler and a configuration that host, and what keeps them from it.

mod administrators;
mod clients;
mod configured;
mod lapsed;
mod numbers;
mod routers;
mod tunnelers;

use super::*;
use crate::app::App;
use crate::fixture::dialing::{Dialing, SERVICE};
use crate::rights::{PresentedSession, Refusal};
use crate::service_sessions::NewServiceSession;
use portcullis_domain::identity::{Identity, IdentityName, IdentitySpec, IdentityType, Precedence};
use portcullis_domain::ids::{IdentityId, ServiceId, TerminatorId};
use portcullis_domain::policies::{ServiceGrant, ServicePolicy};
use portcullis_domain::roles::RoleSelectors;
use portcullis_domain::terminator::{Terminator, TerminatorSpec};
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Found, IDENTITY, identity_key, reference};
use secrecy::ExposeSecret as _;
use std::sync::Arc;

fn offer(id: &str) -> Offer {
    Offer {
        id: TerminatorId::from_wire(id),
        cost: 0,
        precedence: Precedence::Default,
        instance_id: String::new(),
        instance_secret: Vec::new().into(),
        peer_data: [(1003, vec![7; 32])].into(),
    }
}

/// A network where a client has a service session to host with.
struct Hosting {
    network: Dialing,
    session: NewServiceSession,
}

impl Hosting {
    async fn start() -> Self {
        let network = Dialing::start().await;
        let session = network.service_session(ServiceGrant::Bind).await;
        Self { network, session }
    }

    fn app(&self) -> &Arc<App> {
        &self.network.fixture.app
    }

    fn presented(&self) -> PresentedSession<'_> {
        PresentedSession {
            api_session: self.network.token(),
            service_session: self.session.token.expose_secret(),
        }
    }

    async fn create(&self, offer: Offer) -> Result<(), TerminatorError> {
        create_for_client(self.app(), &self.network.router, self.presented(), offer).await
    }

    fn find(&self, id: &str) -> Option<Terminator> {
        let id = TerminatorId::from_wire(id);
        let find = |rows: portcullis_storage::tables::Rows<'_>| {
            rows.find::<Terminator>(&reference(&id)).unwrap()
        };
        let found: Option<Found<Terminator>> = self.network.fixture.read(find);
        found.map(|found| found.entity)
    }

    fn has(&self, id: &str) -> bool {
        self.find(id).is_some()
    }

    /// Gives the router an identity, as its tunneler has; returns the key of that.
    async fn enable_tunneler(&self) -> RecordKey {
        let app = self.app();
        let router = self.network.router.id().as_str();
        let spec = IdentitySpec::named(IdentityName::new(router).unwrap());
        let mut identity = Identity::new(IdentityId::from_wire(router), spec, app.env().now());
        identity.kind = IdentityType::Router;
        let key = identity_key(app.next_number(IDENTITY));
        self.network.fixture.insert(key, identity).await;
        key
    }

    /// Takes the right to host from everybody.
    async fn forbid_hosting(&self) {
        let policies = self.network.fixture.read(|rows| {
            let id = portcullis_domain::ids::ServicePolicyId::from_wire("bind");
            rows.locate(&reference(&id)).unwrap().unwrap()
        });
        self.network
            .fixture
            .change(policies, |mut policy: ServicePolicy| {
                policy.spec.identity_roles = RoleSelectors::default();
                policy
            })
            .await;
    }
}
