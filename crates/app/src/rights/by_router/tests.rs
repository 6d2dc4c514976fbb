use super::*;
use crate::fixture::dialing::{Dialing, SERVICE};
use crate::fixture::permit;
use crate::routers::{self, RouterSet};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::Disabled;
use portcullis_domain::policies::{ServiceEdgeRouterPolicy, ServicePolicy};
use portcullis_domain::router::{EdgeRouterSettingsPatch, Router, RouterSpecPatch};
use portcullis_domain::service::ServiceSpec;

impl Dialing {
    pub(crate) async fn enable_tunneler(&self, is_enabled: bool) {
        let patch = RouterSpecPatch {
            edge: EdgeRouterSettingsPatch {
                is_tunneler_enabled: Some(is_enabled),
                ..EdgeRouterSettingsPatch::default()
            },
            ..RouterSpecPatch::default()
        };
        let (app, id) = (&self.fixture.app, RouterId::from_wire("router"));
        let permit = permit(&self.admin);
        routers::patch(app, &permit, RouterSet::Edge, &id, (patch, None))
            .await
            .unwrap();
    }

    /// The code with which a dial of the router is refused; 0 if it is not.
    fn by_router(&self, service: NamedService<'_>) -> u32 {
        let judged = judge_dial_by_router(&self.fixture.app, service, &self.router);
        judged.map_or_else(|refusal| refusal.code(), |_right| 0)
    }
}

#[tokio::test]
async fn router_dials_as_the_identity_that_it_has() {
    let dialing = Dialing::start().await;
    let service = NamedService::Name(SERVICE);
    assert_eq!(dialing.by_router(service), 7, "no tunneler");
    dialing.enable_tunneler(true).await;
    let right = judge_dial_by_router(&dialing.fixture.app, service, &dialing.router).unwrap();
    assert_eq!((right.identity.as_str(), right.session), ("router", None));
    assert_eq!(right.service.name, SERVICE);
    assert_eq!(dialing.by_router(NamedService::IdOrName(SERVICE)), 0);
    assert_eq!(dialing.by_router(NamedService::Name("unknown")), 6);
    assert_eq!(dialing.by_router(NamedService::IdOrName("unknown")), 6);
    let key = dialing.service_edge_router_policy;
    dialing.fixture.remove::<ServiceEdgeRouterPolicy>(key).await;
    assert_eq!(dialing.by_router(service), 5);
    let key = dialing.dial_policy;
    dialing.fixture.remove::<ServicePolicy>(key).await;
    assert_eq!(dialing.by_router(service), 14);
    dialing.enable_tunneler(false).await;
    assert_eq!(dialing.by_router(service), 7);
}

#[tokio::test]
async fn disabled_router_and_disabled_identity_dial_nothing() {
    let dialing = Dialing::start().await;
    dialing.enable_tunneler(true).await;
    let (fixture, service) = (&dialing.fixture, NamedService::Name(SERVICE));
    let identity = fixture.read(|rows| find_identity(rows, &RouterId::from_wire("router")));
    let identity = identity.unwrap().unwrap().key;
    let disable = |is_disabled: bool| {
        move |mut identity: Identity| {
            identity.disabled = is_disabled.then_some(Disabled {
                at: Timestamp::UNIX_EPOCH,
                until: None,
            });
            identity
        }
    };
    fixture.change(identity, disable(true)).await;
    assert_eq!(dialing.by_router(service), 14);
    fixture.change(identity, disable(false)).await;
    assert_eq!(dialing.by_router(service), 0);
    let disable = |mut router: Router| {
        router.spec.disabled = true;
        router
    };
    fixture.change(dialing.router_key(), disable).await;
    assert_eq!(dialing.by_router(service), 5);
}

#[tokio::test]
async fn any_router_dials_what_only_the_fabric_knows() {
    let dialing = Dialing::start().await;
    let mut spec = ServiceSpec::named("fabric");
    spec.is_fabric_only = true;
    dialing.fixture.insert_managed("fabric", spec).await;
    assert_eq!(dialing.by_router(NamedService::IdOrName("fabric")), 0);
}
