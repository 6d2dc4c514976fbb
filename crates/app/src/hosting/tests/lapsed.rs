use super::*;
use crate::fixture::dialing::ACCESS_TOKEN;
use portcullis_domain::change::Change;
use portcullis_domain::identity::Disabled;
use portcullis_domain::policies::{EdgeRouterPolicy, ServiceEdgeRouterPolicy};
use portcullis_domain::revocation::{RevocationSpec, RevocationType};
use portcullis_domain::tags::Tags;

/// What was committed after a revision, as a follower of the feed gets it.
fn changes_since(hosting: &Hosting, revision: u64) -> Vec<Change> {
    let groups = hosting.app().engine.feed().since(revision).unwrap();
    groups
        .iter()
        .flat_map(|group| group.changes.iter().cloned())
        .collect()
}

#[tokio::test]
async fn terminators_end_with_the_right_of_their_hosts() {
    type Forbid = fn(&Hosting) -> std::pin::Pin<Box<dyn Future<Output = ()> + '_>>;
    let ways: [(&str, Forbid); 4] = [
        ("policy", |hosting| Box::pin(hosting.forbid_hosting())),
        ("router of the identity", |hosting| {
            let key = hosting.network.edge_router_policy;
            Box::pin(hosting.network.fixture.remove::<EdgeRouterPolicy>(key))
        }),
        ("router of the service", |hosting| {
            let key = hosting.network.service_edge_router_policy;
            Box::pin(
                hosting
                    .network
                    .fixture
                    .remove::<ServiceEdgeRouterPolicy>(key),
            )
        }),
        ("disabled", |hosting| {
            let key = identity_key(hosting.network.caller.identity_number);
            let at = hosting.app().env().now();
            let disable = move |mut identity: Identity| {
                identity.disabled = Some(Disabled { at, until: None });
                identity
            };
            Box::pin(hosting.network.fixture.change(key, disable))
        }),
    ];
    for (way, forbid) in ways {
        let hosting = Hosting::start().await;
        hosting.create(offer("t1")).await.unwrap();
        let before = hosting.network.fixture.revision();
        forbid(&hosting).await;
        let changes = changes_since(&hosting, before);
        let ended = end_without_right(hosting.app(), &changes).await.unwrap();
        assert_eq!(ended, 1, "{way}");
        assert!(!hosting.has("t1"), "{way}");
        // The client hears of it.
        let session = &hosting.session.view.session.id;
        let session = hosting
            .network
            .fixture
            .read(|rows| rows.locate(&reference(session)).unwrap());
        assert_eq!(session, None, "{way}");
    }
}

#[tokio::test]
async fn what_changes_elsewhere_ends_nothing() {
    let hosting = Hosting::start().await;
    hosting.create(offer("t1")).await.unwrap();
    let before = hosting.network.fixture.revision();
    let fixture = &hosting.network.fixture;
    fixture.add_service("other").await;
    fixture.connect_router("other").await;
    let router = hosting.network.router_key();
    fixture
        .change_router(router, |router| router.spec.cost = 5)
        .await;
    let changes = changes_since(&hosting, before);
    assert!(!changes.is_empty());
    assert_eq!(end_without_right(hosting.app(), &changes).await.unwrap(), 0);
    assert_eq!(sweep(hosting.app()).await.unwrap(), 0);
    assert!(hosting.has("t1"));
}

#[tokio::test]
async fn sessions_that_end_by_time_take_terminators_along() {
    let hosting = Hosting::start().await;
    hosting.create(offer("t1")).await.unwrap();
    let day = portcullis_domain::clock::SignedDuration::from_hours(24);
    hosting.network.fixture.clock.advance(day);
    assert_eq!(sweep(hosting.app()).await.unwrap(), 1);
    assert!(!hosting.has("t1"));
}

#[tokio::test]
async fn terminators_end_with_revoked_tokens() {
    for revoked in RevocationType::ALL {
        let hosting = Hosting::start().await;
        hosting.create(offer("t1")).await.unwrap();
        let before = hosting.network.fixture.revision();
        let (session, caller) = (&hosting.session.view.session, &hosting.network.caller);
        let id = match revoked {
            RevocationType::Jti => session.id.as_str(),
            RevocationType::Identity => caller.identity.as_str(),
            RevocationType::ApiSession => session.api_session.as_str(),
        };
        let now = hosting.app().env().now();
        let revocation = RevocationSpec {
            revoked,
            issued_before: now,
            expires_at: now,
            tags: Tags::default(),
        };
        let fixture = &hosting.network.fixture;
        fixture.insert_managed(id, revocation).await;
        let changes = changes_since(&hosting, before);
        let ended = end_without_right(hosting.app(), &changes).await.unwrap();
        assert_eq!((ended, hosting.has("t1")), (1, false), "{revoked:?}");
        let again = hosting.create(offer("t1")).await;
        assert_eq!(again.unwrap_err().code(), 3, "{revoked:?}");
    }
}

#[tokio::test]
async fn revoked_access_token_ends_what_it_has_created() {
    let hosting = Hosting::start().await;
    let (app, network) = (hosting.app(), &hosting.network);
    let (session, first) = network.oidc_session().await;
    let end = session.entity.oidc.as_ref().unwrap().expires_at;
    let second = network.access_token("of-a-refresh", &session.entity, end);
    let caller = network.bearer(&first).await;
    let granted = network
        .service_session_of(&caller, ServiceGrant::Bind)
        .await;
    let create = async |token: &str, id: &str| {
        let presented = PresentedSession {
            api_session: token,
            service_session: granted.token.expose_secret(),
        };
        create_for_client(app, &network.router, presented, offer(id)).await
    };
    let revoke = async |jti: &str| {
        let now = app.env().now();
        let revocation = RevocationSpec {
            revoked: RevocationType::Jti,
            issued_before: now,
            expires_at: end,
            tags: Tags::default(),
        };
        let before = network.fixture.revision();
        network.fixture.insert_managed(jti, revocation).await;
        let changes = changes_since(&hosting, before);
        end_without_right(app, &changes).await.unwrap()
    };
    create(&first, "t1").await.unwrap();
    create(&second, "t2").await.unwrap();
    assert_eq!(revoke("of-another-session").await, 0);
    // Its client has shown a later token for it since.
    create(&second, "t1").await.unwrap();
    assert_eq!(revoke(ACCESS_TOKEN).await, 0);
    assert_eq!(create(&first, "t3").await.unwrap_err().code(), 2);
    assert!(hosting.has("t1") && hosting.has("t2"));
    // They end with their service session.
    assert_eq!(revoke("of-a-refresh").await, 1);
    assert!(!hosting.has("t1") && !hosting.has("t2"));
}

#[tokio::test]
async fn terminator_of_a_machine_that_its_router_judges_ends_when_the_router_does_not() {
    let hosting = Hosting::start().await;
    let (app, network) = (hosting.app(), &hosting.network);
    network.set_judges_posture(true).await;
    network.demand_domain().await;
    let bind = portcullis_domain::ids::ServicePolicyId::from_wire("bind");
    let bind = (network.fixture).read(|rows| rows.locate(&reference(&bind)).unwrap().unwrap());
    network.demand_checks(bind).await;
    let (_session, token) = network.oidc_session().await;
    let caller = network.bearer(&token).await;
    let granted = network
        .service_session_of(&caller, ServiceGrant::Bind)
        .await;
    let presented = PresentedSession {
        api_session: &token,
        service_session: granted.token.expose_secret(),
    };
    create_for_client(app, &network.router, presented, offer("t1"))
        .await
        .unwrap();
    assert_eq!(sweep(app).await.unwrap(), 0);
    let before = network.fixture.revision();
    network.set_judges_posture(false).await;
    let changes = changes_since(&hosting, before);
    assert_eq!(end_without_right(app, &changes).await.unwrap(), 1);
    assert!(!hosting.has("t1"));
}
