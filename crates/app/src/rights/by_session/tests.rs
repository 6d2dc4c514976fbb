use super::*;
use crate::fixture::dialing::{ACCESS_TOKEN, DOMAIN, Dialing, HOUR, SERVICE};
use crate::fixture::{Fixture, PASSWORD, named, permit};
use crate::posture::{Reports, report};
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::identity::{Disabled, Identity};
use portcullis_domain::ids::{PostureCheckId, RevocationId};
use portcullis_domain::oidc_session::TokenId;
use portcullis_domain::policies::{EdgeRouterPolicy, ServiceEdgeRouterPolicy, ServicePolicy};
use portcullis_domain::posture::{PostureReport, Report};
use portcullis_domain::posture_check::{Check, DomainCheck, MfaCheck};
use portcullis_domain::revocation::{Revocation, RevocationSpec, RevocationType};
use portcullis_domain::roles::RoleSelectors;
use portcullis_domain::router::Router;
use portcullis_domain::session::Session;
use portcullis_domain::tags::Tags;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Entity, REVOCATION, identity_key};
use secrecy::ExposeSecret as _;

const DIAL: ServiceGrant = ServiceGrant::Dial;

/// The code of a refusal; 0 for none.
fn code(judged: Result<Right, Refusal>) -> u32 {
    judged.map_or_else(|refusal| refusal.code(), |_right| 0)
}

fn judged(dialing: &Dialing, service_session: &str) -> Result<Right, Refusal> {
    let presented = PresentedSession {
        api_session: dialing.token(),
        service_session,
    };
    judge(&dialing.fixture.app, presented, DIAL, &dialing.router)
}

fn by_token(dialing: &Dialing, token: &str) -> Result<Right, Refusal> {
    let (app, service) = (&dialing.fixture.app, ServiceId::from_wire(SERVICE));
    judge_dial_by_identity(app, token, &dialing.client, &service, &dialing.router)
}

#[tokio::test]
async fn client_with_a_service_session_may_use_it_as_granted() {
    let dialing = Dialing::start().await;
    let session = dialing.service_session(DIAL).await;
    let token = session.token.expose_secret();
    let right = judged(&dialing, token).unwrap();
    assert_eq!(right.identity, dialing.client);
    assert_eq!(right.service.id.as_str(), SERVICE);
    assert_eq!(right.service.number.0, dialing.service.id().1);
    let of = right.session.unwrap();
    assert_eq!(of.api_session, dialing.caller.session);
    let id = session.view.session.id;
    assert_eq!(of.tokens(), [TokenId::from_wire(id.as_str())]);
    assert_eq!((of.service_session, of.access_token), (Some(id), None));
    let app = &dialing.fixture.app;
    let idle_end = app.env().now() + app.settings().session_timeout;
    assert_eq!(right.judge_again_at, Some(idle_end));

    let presented = PresentedSession {
        api_session: dialing.token(),
        service_session: token,
    };
    let hosted = judge(app, presented, ServiceGrant::Bind, &dialing.router);
    assert_eq!(code(hosted), 4);
    let host = dialing.service_session(ServiceGrant::Bind).await;
    let presented = PresentedSession {
        service_session: host.token.expose_secret(),
        ..presented
    };
    let hosted = judge(app, presented, ServiceGrant::Bind, &dialing.router).unwrap();
    assert_eq!(hosted.grant, ServiceGrant::Bind);
}

#[tokio::test]
async fn tokens_of_nobody_and_of_others_count_for_nothing() {
    let dialing = Dialing::start().await;
    let session = dialing.service_session(DIAL).await;
    let token = session.token.expose_secret();
    let id = session.view.session.id.as_str();
    let (app, fixture) = (&dialing.fixture.app, &dialing.fixture);
    fixture.add_identity(&dialing.admin, named("eve")).await;
    let other = fixture.log_in("eve", PASSWORD).await.unwrap();
    let (_, access_token) = dialing.oidc_session().await;
    let broken = format!("{token}x");
    for (api_session, service_session, refused) in [
        ("", token, 2),
        ("00000000-0000-4000-8000-000000000000", token, 2),
        ("eyJ", token, 2),
        (token, token, 2),
        (other.token.expose_secret(), token, 3),
        (&access_token, token, 3),
        (dialing.token(), "", 3),
        (dialing.token(), id, 3),
        (dialing.token(), &broken, 3),
        (dialing.token(), &access_token, 3),
    ] {
        let presented = PresentedSession {
            api_session,
            service_session,
        };
        let judged = judge(app, presented, DIAL, &dialing.router);
        assert_eq!(code(judged), refused, "{api_session} {service_session}");
    }
}

/// Loses something that a right by a service session depends on, and expects this refusal.
async fn loses(lose: impl AsyncFn(&Dialing, &Fixture), refused: u32) {
    let dialing = Dialing::start().await;
    let session = dialing.service_session(DIAL).await;
    let token = session.token.expose_secret();
    assert_eq!(code(judged(&dialing, token)), 0);
    lose(&dialing, &dialing.fixture).await;
    assert_eq!(code(judged(&dialing, token)), refused);
}

async fn remove_all<E: Entity>(fixture: &Fixture, owner: RecordKey) {
    let keys: Vec<_> = fixture.read(|rows| {
        let all = rows.dependents::<E>(&owner).unwrap();
        all.iter().map(|found| found.key).collect()
    });
    for key in keys {
        fixture.remove::<E>(key).await;
    }
}

fn identity(dialing: &Dialing) -> RecordKey {
    identity_key(dialing.caller.identity_number)
}

#[tokio::test]
async fn right_ends_with_session_and_identity() {
    loses(
        async |dialing, fixture| remove_all::<ApiSession>(fixture, identity(dialing)).await,
        2,
    )
    .await;
    loses(
        async |dialing, fixture| remove_all::<Session>(fixture, identity(dialing)).await,
        3,
    )
    .await;
    let disable = |mut identity: Identity| {
        identity.disabled = Some(Disabled {
            at: Timestamp::UNIX_EPOCH,
            until: None,
        });
        identity
    };
    loses(
        async |dialing, fixture| fixture.change(identity(dialing), disable).await,
        2,
    )
    .await;
    loses(
        async |_dialing, fixture| {
            let timeout = fixture.app.settings().session_timeout;
            fixture.clock.advance(timeout);
        },
        2,
    )
    .await;
    let require_totp = |mut policy: AuthPolicy| {
        policy.spec.secondary.require_totp = true;
        policy
    };
    loses(
        async |_dialing, fixture| fixture.change_policy(require_totp).await,
        2,
    )
    .await;
}

#[tokio::test]
async fn right_ends_with_policies_and_router() {
    loses(
        async |dialing, fixture| fixture.remove::<ServicePolicy>(dialing.dial_policy).await,
        3,
    )
    .await;
    loses(
        async |dialing, fixture| {
            let key = dialing.edge_router_policy;
            fixture.remove::<EdgeRouterPolicy>(key).await;
        },
        5,
    )
    .await;
    loses(
        async |dialing, fixture| {
            let key = dialing.service_edge_router_policy;
            fixture.remove::<ServiceEdgeRouterPolicy>(key).await;
        },
        5,
    )
    .await;
    let disable = |mut router: Router| {
        router.spec.disabled = true;
        router
    };
    loses(
        async |dialing, fixture| fixture.change(dialing.router_key(), disable).await,
        5,
    )
    .await;
}

#[tokio::test]
async fn posture_is_judged_as_it_is_now() {
    let dialing = Dialing::start().await;
    let (fixture, app) = (&dialing.fixture, &dialing.fixture.app);
    let domains = DomainCheck::new(vec!["example.test".to_owned()]).unwrap();
    fixture.add_check("domain", Check::Domain(domains)).await;
    let tell = |domain: &str| {
        let told = PostureReport {
            check: PostureCheckId::from_wire("domain"),
            report: Report::Domain(domain.to_owned()),
        };
        report(app, &permit(&dialing.caller), Reports::Single(told)).unwrap();
    };
    tell("example.test");
    let session = dialing.service_session(DIAL).await;
    let token = session.token.expose_secret();
    let demand = |mut policy: ServicePolicy| {
        policy.spec.posture_check_roles = RoleSelectors::All;
        policy
    };
    fixture.change(dialing.dial_policy, demand).await;
    assert_eq!(code(judged(&dialing, token)), 0);
    tell("elsewhere.test");
    assert_eq!(code(judged(&dialing, token)), 3);
}

#[tokio::test]
async fn revoked_service_session_is_over() {
    for revoked in [RevocationType::Jti, RevocationType::Identity] {
        let dialing = Dialing::start().await;
        let app = &dialing.fixture.app;
        let session = dialing.service_session(DIAL).await;
        let id = match revoked {
            RevocationType::Jti => session.view.session.id.as_str(),
            _ => dialing.client.as_str(),
        };
        let now = app.env().now();
        let spec = RevocationSpec {
            revoked,
            issued_before: now,
            expires_at: now + HOUR,
            tags: Tags::default(),
        };
        let revocation = Revocation::new(RevocationId::from_wire(id), spec, now).unwrap();
        let key = RecordKey::root(REVOCATION, app.next_number(REVOCATION).0);
        dialing.fixture.insert(key, revocation).await;
        assert_eq!(code(judged(&dialing, session.token.expose_secret())), 3);
    }
}

#[tokio::test]
async fn access_token_alone_dials_for_its_own_identity() {
    let dialing = Dialing::start().await;
    let (session, token) = dialing.oidc_session().await;
    let (fixture, app) = (&dialing.fixture, &dialing.fixture.app);
    let right = by_token(&dialing, &token).unwrap();
    assert_eq!(right.identity, dialing.client);
    assert_eq!(right.judge_again_at, Some(app.env().now() + HOUR));
    let of = right.session.unwrap();
    assert_eq!(of.api_session, session.entity.id);
    assert_eq!(of.tokens(), [TokenId::from_wire(ACCESS_TOKEN)]);
    assert_eq!(of.service_session, None);

    let (service, unknown) = (
        ServiceId::from_wire(SERVICE),
        ServiceId::from_wire("unknown"),
    );
    let router = &dialing.router;
    let other = judge_dial_by_identity(app, &token, &dialing.admin.identity, &service, router);
    assert_eq!(code(other), 2, "the token is of somebody else");
    let legacy = by_token(&dialing, dialing.token());
    assert_eq!(code(legacy), 2, "it is no access token");
    let missing = judge_dial_by_identity(app, &token, &dialing.client, &unknown, router);
    assert_eq!(code(missing), 6);
    let key = dialing.edge_router_policy;
    fixture.remove::<EdgeRouterPolicy>(key).await;
    assert_eq!(code(by_token(&dialing, &token)), 5);
    fixture.remove::<ServicePolicy>(dialing.dial_policy).await;
    assert_eq!(code(by_token(&dialing, &token)), 14);
    fixture.clock.advance(HOUR);
    assert_eq!(code(by_token(&dialing, &token)), 2, "it has expired");
}

#[tokio::test]
async fn session_of_openid_connect_has_service_sessions_of_its_own() {
    let dialing = Dialing::start().await;
    let legacy = dialing.service_session(DIAL).await;
    let (_, token) = dialing.oidc_session().await;
    let presented = PresentedSession {
        api_session: &token,
        service_session: legacy.token.expose_secret(),
    };
    let judged = judge(&dialing.fixture.app, presented, DIAL, &dialing.router);
    assert_eq!(code(judged), 3);
}

#[tokio::test]
async fn code_is_demanded_here_whoever_judges_machines() {
    for judges_posture in [false, true] {
        let dialing = Dialing::start().await;
        dialing.set_judges_posture(judges_posture).await;
        let (_, token) = dialing.oidc_session().await;
        let code_asked = Check::Mfa(MfaCheck::default());
        dialing.fixture.add_check("code", code_asked).await;
        dialing.demand_checks(dialing.dial_policy).await;
        assert_eq!(code(by_token(&dialing, &token)), 15);
    }
}

#[tokio::test]
async fn machine_of_an_access_token_is_left_to_a_router_that_judges() {
    let dialing = Dialing::start().await;
    let (_, token) = dialing.oidc_session().await;
    let caller = dialing.bearer(&token).await;
    dialing.demand_domain().await;
    let session = dialing.service_session_of(&caller, DIAL).await;
    let presented = PresentedSession {
        api_session: &token,
        service_session: session.token.expose_secret(),
    };
    let app = &dialing.fixture.app;
    let codes = || {
        let by_session = judge(app, presented, DIAL, &dialing.router);
        (code(by_token(&dialing, &token)), code(by_session))
    };
    assert_eq!(codes(), (15, 3), "nobody has judged it");
    dialing.set_judges_posture(true).await;
    assert_eq!(codes(), (0, 0));
    // Who reports here is judged here.
    dialing.report_domain(&caller, "elsewhere.test");
    assert_eq!(codes(), (15, 3));
    dialing.report_domain(&caller, DOMAIN);
    dialing.set_judges_posture(false).await;
    assert_eq!(codes(), (0, 0));
}

#[tokio::test]
async fn machine_is_not_left_to_what_a_router_was_before() {
    let mut dialing = Dialing::start().await;
    let (_, token) = dialing.oidc_session().await;
    dialing.set_judges_posture(true).await;
    dialing.demand_domain().await;
    assert_eq!(code(by_token(&dialing, &token)), 0);
    dialing.router = dialing.router.clone().with_capabilities(0);
    assert_eq!(code(by_token(&dialing, &token)), 15);
}

#[tokio::test]
async fn machine_of_a_zt_session_is_left_to_nobody() {
    let dialing = Dialing::start().await;
    let session = dialing.service_session(DIAL).await;
    dialing.set_judges_posture(true).await;
    dialing.demand_domain().await;
    let dial = || code(judged(&dialing, session.token.expose_secret()));
    assert_eq!(dial(), 3);
    dialing.report_domain(&dialing.caller, DOMAIN);
    assert_eq!(dial(), 0);
}
