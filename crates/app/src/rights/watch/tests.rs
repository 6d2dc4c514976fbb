use super::*;
use crate::fixture::dialing::{ACCESS_TOKEN, Dialing, SERVICE};
use crate::fixture::{Fixture, PASSWORD, named, permit};
use crate::posture::{Reports, report};
use crate::records::own_session_key;
use portcullis_domain::access::Caller;
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::authenticator::Authenticator;
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_domain::identity::{Disabled, Identity, TotpState};
use portcullis_domain::ids::{PostureCheckId, RevocationId, ServiceId};
use portcullis_domain::oidc_session::TokenId;
use portcullis_domain::policies::{
    EdgeRouterPolicy, ServiceEdgeRouterPolicy, ServiceGrant, ServicePolicy,
};
use portcullis_domain::posture::{PostureReport, Report};
use portcullis_domain::posture_check::{Check, DomainCheck, MfaCheck};
use portcullis_domain::revocation::{Revocation, RevocationSpec, RevocationType};
use portcullis_domain::roles::{RoleAttributes, RoleSelectors};
use portcullis_domain::router::Router;
use portcullis_domain::service::Service;
use portcullis_domain::tags::Tags;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{MFA, REVOCATION, StoredMfa, identity_key};
use std::num::NonZeroU32;
use std::sync::Arc;

/// A client that dials with its session, the same with one of OpenID Connect, somebody else who dials,
/// and a host whose session is not known.
struct InUse {
    dialing: Dialing,
    oidc: ApiSessionId,
    watch: RightsWatch,
    rights: [RightInUse; 4],
}

const LEGACY: usize = 0;
const OIDC: usize = 1;
const OTHER: usize = 2;
const HOST: usize = 3;
const CLIENT: [usize; 2] = [LEGACY, OIDC];
const ALL: [usize; 4] = [LEGACY, OIDC, OTHER, HOST];
const DIALS: [usize; 3] = [LEGACY, OIDC, OTHER];

impl InUse {
    async fn start() -> Box<Self> {
        Box::pin(async { Box::new(Self::build().await) }).await
    }

    async fn build() -> Self {
        let dialing = Dialing::start().await;
        let (fixture, app) = (&dialing.fixture, &dialing.fixture.app);
        let host = fixture.add_identity(&dialing.admin, named("host")).await;
        fixture.add_identity(&dialing.admin, named("bob")).await;
        let other = fixture.caller("bob").await;
        let oidc = dialing.oidc_session().await.0.entity.id;
        let right = |identity: &IdentityId, session: Option<&ApiSessionId>| RightInUse {
            identity: identity.clone(),
            service: ServiceId::from_wire(SERVICE),
            grant: ServiceGrant::Dial,
            session: session.cloned(),
            tokens: Vec::new(),
            router: dialing.router.id().clone(),
        };
        let by_token = |jti: &str| RightInUse {
            tokens: vec![TokenId::from_wire(jti)],
            ..right(&dialing.client, Some(&oidc))
        };
        let hosted = RightInUse {
            grant: ServiceGrant::Bind,
            ..right(&host, None)
        };
        let rights = [
            right(&dialing.client, Some(&dialing.caller.session)),
            by_token(ACCESS_TOKEN),
            right(&other.identity, Some(&other.session)),
            hosted,
        ];
        let verdicts = crate::rights::judge_again(app, &rights).unwrap();
        assert!(!verdicts.contains(&Verdict::Ended), "{verdicts:?}");
        Self {
            watch: RightsWatch::new(app),
            dialing,
            oidc,
            rights,
        }
    }

    /// The places of the rights that an operation has ended.
    async fn after(&mut self, operation: impl AsyncFnOnce(&Dialing, &Fixture)) -> Vec<usize> {
        let before = self.dialing.fixture.revision();
        operation(&self.dialing, &self.dialing.fixture).await;
        let changes = self.dialing.fixture.changes_since(before);
        self.watch.note(&changes);
        self.judge()
    }

    fn judge(&mut self) -> Vec<usize> {
        let concerned = self.watch.concerned(&self.dialing.fixture.app);
        let judged = self.watch.judge(&self.dialing.fixture.app, &self.rights);
        assert!(self.watch.is_quiet());
        let judged = judged.unwrap().into_iter();
        let ended = judged.filter(|(_place, verdict)| *verdict == Verdict::Ended);
        let mut places: Vec<_> = ended.map(|(place, _verdict)| place).collect();
        places.sort_unstable();
        if let Concerned::Only(identities) = concerned {
            let of = places.iter().map(|place| &self.rights[*place].identity);
            let of: BTreeSet<_> = of.cloned().collect();
            assert!(of.is_subset(&identities), "{of:?} {identities:?}");
        }
        places
    }
}

/// The places of the rights that an operation ends, of those that are all granted before.
async fn ended_by(operation: impl AsyncFnOnce(&Dialing, &Fixture)) -> Vec<usize> {
    InUse::start().await.after(operation).await
}

fn client(dialing: &Dialing) -> RecordKey {
    dialing.identity()
}

fn disable(mut identity: Identity) -> Identity {
    identity.disabled = Some(Disabled {
        at: Timestamp::UNIX_EPOCH,
        until: None,
    });
    identity
}

fn select_marked(mut policy: ServicePolicy) -> ServicePolicy {
    policy.spec.identity_roles = RoleSelectors::Some {
        attributes: ["marked".to_owned()].into(),
        ids: BTreeSet::new(),
    };
    policy
}

fn mark(mut identity: Identity) -> Identity {
    identity.spec.role_attributes = RoleAttributes::new(["marked".to_owned()]).unwrap();
    identity
}

fn unmark(mut identity: Identity) -> Identity {
    identity.spec.role_attributes = RoleAttributes::default();
    identity
}

#[tokio::test]
async fn identity() {
    let removed = ended_by(async |dialing, fixture| {
        let id = &dialing.client;
        crate::identities::delete(&fixture.app, &permit(&dialing.admin), id)
            .await
            .unwrap();
    });
    assert_eq!(removed.await, CLIENT);
    let disabled = async |dialing: &Dialing, fixture: &Fixture| {
        fixture.change(client(dialing), disable).await;
    };
    assert_eq!(ended_by(disabled).await, CLIENT);
    let host = async |_: &Dialing, fixture: &Fixture| {
        let id = fixture.app.projections().identities().find_by_name("host");
        fixture.change(identity_key(id.unwrap()), disable).await;
    };
    assert_eq!(ended_by(host).await, [HOST]);
}

#[tokio::test]
async fn policies() {
    let removed = async |dialing: &Dialing, fixture: &Fixture| {
        fixture.remove::<ServicePolicy>(dialing.dial_policy).await;
    };
    assert_eq!(ended_by(removed).await, DIALS);
    let mut in_use = InUse::start().await;
    let marked = async |dialing: &Dialing, fixture: &Fixture| {
        fixture.change(client(dialing), mark).await;
    };
    assert!(in_use.after(marked).await.is_empty());
    let changed = async |dialing: &Dialing, fixture: &Fixture| {
        fixture.change(dialing.dial_policy, select_marked).await;
    };
    assert_eq!(in_use.after(changed).await, [OTHER]);
    let unmarked = async |dialing: &Dialing, fixture: &Fixture| {
        fixture.change(client(dialing), unmark).await;
    };
    assert_eq!(in_use.after(unmarked).await, CLIENT);
}

#[tokio::test]
async fn service_and_routers() {
    let service = async |dialing: &Dialing, fixture: &Fixture| {
        fixture.remove::<Service>(dialing.service).await;
    };
    assert_eq!(ended_by(service).await, ALL);
    let edge_router_policy = async |dialing: &Dialing, fixture: &Fixture| {
        let key = dialing.edge_router_policy;
        fixture.remove::<EdgeRouterPolicy>(key).await;
    };
    assert_eq!(ended_by(edge_router_policy).await, ALL);
    let service_edge_router_policy = async |dialing: &Dialing, fixture: &Fixture| {
        let key = dialing.service_edge_router_policy;
        fixture.remove::<ServiceEdgeRouterPolicy>(key).await;
    };
    assert_eq!(ended_by(service_edge_router_policy).await, ALL);
    let disabled = async |dialing: &Dialing, fixture: &Fixture| {
        let disable = |router: &mut Router| router.spec.disabled = true;
        fixture.change_router(dialing.router_key(), disable).await;
    };
    assert_eq!(ended_by(disabled).await, ALL);
}

#[tokio::test]
async fn session() {
    let ended = async |dialing: &Dialing, fixture: &Fixture| {
        let key = own_session_key(&dialing.caller);
        fixture.remove::<ApiSession>(key).await;
    };
    assert_eq!(ended_by(ended).await, [LEGACY]);
    let authenticator = async |dialing: &Dialing, fixture: &Fixture| {
        let key = fixture.authenticator(&dialing.caller).key;
        fixture.remove::<Authenticator>(key).await;
    };
    assert_eq!(ended_by(authenticator).await, CLIENT);
    let forbid = |mut policy: AuthPolicy| {
        policy.spec.primary.updb.allowed = false;
        policy
    };
    let method = async |_: &Dialing, fixture: &Fixture| fixture.change_policy(forbid).await;
    assert_eq!(ended_by(method).await, DIALS);
    let require_totp = |mut policy: AuthPolicy| {
        policy.spec.secondary.require_totp = true;
        policy
    };
    let totp = async |_: &Dialing, fixture: &Fixture| fixture.change_policy(require_totp).await;
    assert_eq!(ended_by(totp).await, DIALS);
}

#[tokio::test]
async fn revocation() {
    type Named = fn(&Dialing, &ApiSessionId) -> String;
    let cases: [(RevocationType, Named, _); 5] = [
        (
            RevocationType::ApiSession,
            |_, session| session.to_string(),
            vec![OIDC],
        ),
        (
            RevocationType::Identity,
            |dialing, _| dialing.client.to_string(),
            vec![OIDC],
        ),
        (
            RevocationType::Jti,
            |_, session| session.to_string(),
            vec![],
        ),
        (
            RevocationType::Jti,
            |_, _| ACCESS_TOKEN.to_owned(),
            vec![OIDC],
        ),
        (
            RevocationType::Jti,
            |_, _| "token-of-a-refresh".to_owned(),
            vec![],
        ),
    ];
    for (revoked, named, ended) in cases {
        let mut in_use = InUse::start().await;
        let session = in_use.oidc.clone();
        let by = in_use.after(async |dialing, fixture| {
            let id = named(dialing, &session);
            let now = fixture.app.env().now();
            let spec = RevocationSpec {
                revoked,
                issued_before: now,
                expires_at: now + SignedDuration::from_hours(1),
                tags: Tags::default(),
            };
            let revocation = Revocation::new(RevocationId::from_wire(id), spec, now).unwrap();
            fixture
                .insert(RecordKey::root(REVOCATION, 1), revocation)
                .await;
        });
        assert_eq!(by.await, *ended, "{revoked:?}");
        let (app, rights) = (&in_use.dialing.fixture.app, &in_use.rights);
        let later = crate::rights::judge_again(app, rights).unwrap();
        let is_over = revoked != RevocationType::Identity && !ended.is_empty();
        assert_eq!(later.get(OIDC) == Some(&Verdict::Ended), is_over);
    }
}

fn demand_posture(mut policy: ServicePolicy) -> ServicePolicy {
    policy.spec.posture_check_roles = RoleSelectors::All;
    policy
}

#[tokio::test]
async fn posture() {
    let mut in_use = InUse::start().await;
    let demanded = in_use.after(async |dialing, fixture| {
        let domains = DomainCheck::new(vec!["example.test".to_owned()]).unwrap();
        fixture.add_check("domain", Check::Domain(domains)).await;
        let told = PostureReport {
            check: PostureCheckId::from_wire("domain"),
            report: Report::Domain("example.test".to_owned()),
        };
        report(
            &fixture.app,
            &permit(&dialing.caller),
            Reports::Single(told),
        )
        .unwrap();
        fixture.change(dialing.dial_policy, demand_posture).await;
    });
    assert_eq!(demanded.await, [OIDC, OTHER], "they have told nothing");
    let told = PostureReport {
        check: PostureCheckId::from_wire("domain"),
        report: Report::Domain("elsewhere.test".to_owned()),
    };
    let (app, caller) = (&in_use.dialing.fixture.app, &in_use.dialing.caller);
    report(app, &permit(caller), Reports::Single(told)).unwrap();
    posture_changed(app).await;
    in_use.watch.note_posture(app);
    assert_eq!(in_use.judge()[..1], [LEGACY]);
}

#[tokio::test]
async fn time() {
    let in_use = InUse::start().await;
    let (fixture, app) = (&in_use.dialing.fixture, &in_use.dialing.fixture.app);
    let minute = MfaCheck {
        timeout_seconds: NonZeroU32::new(60),
        ..MfaCheck::default()
    };
    fixture.add_check("code", Check::Mfa(minute)).await;
    let code_given = in_use.dialing.give_code().await;
    fixture
        .change(in_use.dialing.dial_policy, demand_posture)
        .await;
    let of_client = &in_use.rights[..1];
    let judge = || crate::rights::judge_again(app, of_client).unwrap();
    let end = code_given + SignedDuration::from_secs(60);
    let judge_again_at = Some(end);
    assert_eq!(judge(), [Verdict::Stays { judge_again_at }]);
    fixture.clock.set(end);
    assert_eq!(judge(), [Verdict::Ended]);
}

#[tokio::test]
async fn session_that_is_idle_for_too_long_is_judged_in_time() {
    let in_use = InUse::start().await;
    let (fixture, app) = (&in_use.dialing.fixture, &in_use.dialing.fixture.app);
    let of_client = &in_use.rights[..1];
    let judge = || crate::rights::judge_again(app, of_client).unwrap();
    let end = app.env().now() + app.settings().session_timeout;
    let judge_again_at = Some(end);
    assert_eq!(judge(), [Verdict::Stays { judge_again_at }]);
    fixture.clock.set(end);
    assert_eq!(judge(), [Verdict::Ended]);
}

#[tokio::test]
async fn what_ends_with_a_session_or_an_identity_concerns_nobody_else() {
    let of = |identity: &IdentityId| Concerned::Only([identity.clone()].into());
    for is_session in [true, false] {
        let mut in_use = InUse::start().await;
        let (dialing, fixture) = (&in_use.dialing, &in_use.dialing.fixture);
        let before = fixture.revision();
        if is_session {
            let key = own_session_key(&dialing.caller);
            fixture.remove::<ApiSession>(key).await;
        } else {
            fixture.change(client(dialing), disable).await;
        }
        in_use.watch.note(&fixture.changes_since(before));
        assert_eq!(in_use.watch.concerned(&fixture.app), of(&dialing.client));
    }
}

#[tokio::test]
async fn what_takes_nothing_away_costs_nothing() {
    let mut in_use = InUse::start().await;
    let fixture = &in_use.dialing.fixture;
    let before = fixture.revision();
    let login = Box::pin(fixture.log_in("alice", PASSWORD));
    login.await.unwrap();
    fixture.add_service("another").await;
    fixture
        .add_router(portcullis_domain::router::RouterSpec::edge_router(
            "another",
        ))
        .await;
    crate::sessions::flush_activity(&fixture.app).await.unwrap();
    in_use.watch.note(&fixture.changes_since(before));
    assert!(in_use.watch.is_quiet());
}

#[tokio::test]
async fn router_itself_loses_what_its_identity_loses() {
    let dialing = Dialing::start().await;
    dialing.enable_tunneler(true).await;
    let (fixture, app) = (&dialing.fixture, &dialing.fixture.app);
    let mut fabric = portcullis_domain::service::ServiceSpec::named("fabric");
    fabric.is_fabric_only = true;
    fixture.insert_managed("fabric", fabric).await;
    let right = |service: &str| RightInUse {
        identity: IdentityId::from_wire("router"),
        service: ServiceId::from_wire(service),
        grant: ServiceGrant::Dial,
        session: None,
        tokens: Vec::new(),
        router: dialing.router.id().clone(),
    };
    let rights = [right(SERVICE), right("fabric")];
    let ended = || -> Vec<bool> {
        let verdicts = crate::rights::judge_again(app, &rights).unwrap();
        let over = verdicts.iter().map(|verdict| *verdict == Verdict::Ended);
        over.collect()
    };
    assert_eq!(ended(), [false, false]);
    dialing.enable_tunneler(false).await;
    assert_eq!(ended(), [true, false]);
    let disable = |router: &mut Router| router.spec.disabled = true;
    fixture.change_router(dialing.router_key(), disable).await;
    assert_eq!(ended(), [true, true]);
}

#[tokio::test]
async fn enrollment_of_a_code_that_counted() {
    let mut in_use = InUse::start().await;
    in_use.dialing.give_code().await;
    let (fixture, dialing) = (&in_use.dialing.fixture, &in_use.dialing);
    let code = Check::Mfa(MfaCheck::default());
    fixture.add_check("code", code).await;
    fixture.change(dialing.dial_policy, demand_posture).await;
    let removed = async |dialing: &Dialing, fixture: &Fixture| {
        let enrollment = dialing.identity().dependent(MFA, 1);
        fixture.remove::<StoredMfa>(enrollment).await;
        let forget = |mut identity: Identity| {
            identity.attached.totp = TotpState::None;
            identity
        };
        fixture.change(dialing.identity(), forget).await;
    };
    assert_eq!(in_use.after(removed).await, CLIENT);
}

#[tokio::test]
async fn machine_that_a_router_judges() {
    let mut in_use = InUse::start().await;
    let demanded = in_use.after(async |dialing, _| {
        dialing.set_judges_posture(true).await;
        dialing.demand_domain().await;
    });
    assert_eq!(demanded.await, [LEGACY, OTHER], "they have told nothing");
    let downgraded = in_use.after(async |dialing, _| dialing.set_judges_posture(false).await);
    assert_eq!(downgraded.await, DIALS);
    let upgraded = in_use.after(async |dialing, _| dialing.set_judges_posture(true).await);
    assert_eq!(upgraded.await, [LEGACY, OTHER]);
    let (dialing, session) = (&in_use.dialing, in_use.oidc.clone());
    let own = Caller {
        session_number: dialing.fixture.read(|rows| {
            let all = rows.dependents::<ApiSession>(&dialing.identity()).unwrap();
            let own = all.iter().find(|found| found.entity.id == session);
            own.unwrap().number()
        }),
        session,
        ..Caller::clone(&dialing.caller)
    };
    dialing.report_domain(&Arc::new(own), "elsewhere.test");
    let app = &dialing.fixture.app;
    posture_changed(app).await;
    in_use.watch.note_posture(app);
    assert_eq!(in_use.judge(), CLIENT);
}
