use super::*;
use crate::fixture::{Fixture, named, permit};
use crate::identities;
use crate::settings::Settings;
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::identity::IdentitySpec;
use portcullis_domain::permission::PermissionSet;

const HOUR: SignedDuration = SignedDuration::from_hours(1);

#[tokio::test]
async fn privileged_changes_take_a_fresh_factor() {
    let settings = Settings {
        fresh_factor: Some(HOUR),
        session_timeout: HOUR * 10,
        ..Settings::default()
    };
    let fixture = Fixture::start_with(settings).await;
    let (app, admin) = (&fixture.app, fixture.admin().await);
    let privileged = |name| IdentitySpec {
        is_admin: true,
        ..named(name)
    };
    let create = async |spec| identities::create(app, &permit(&admin), spec, None).await;
    fixture.clock.advance(HOUR);
    create(privileged("in-time")).await.unwrap();
    fixture.clock.advance(SignedDuration::from_millis(1));
    let error = create(privileged("late")).await.unwrap_err();
    assert!(
        matches!(error, AppError::Denied { rule: Some(_) }),
        "{error}"
    );
    create(named("late")).await.unwrap();
}

#[tokio::test]
async fn nobody_gets_credentials_of_those_who_may_do_more() {
    let fixture = Fixture::start().await;
    let admin = fixture.admin().await;
    let with = |name, permissions: &[&str]| IdentitySpec {
        permissions: Some(PermissionSet::from_names(permissions).unwrap()),
        ..named(name)
    };
    fixture
        .add_identity(&admin, with("alice", &["identity", "service.read"]))
        .await;
    let alice = fixture.caller("alice").await;
    let identity =
        |spec: IdentitySpec| Identity::new(admin.identity.clone(), spec, fixture.app.env().now());
    for (spec, can) in [
        (named("bob"), true),
        (with("bob", &["identity.read"]), true),
        (with("bob", &["identity", "service"]), false),
        (with("bob", &["ca"]), false),
    ] {
        assert_eq!(
            can_impersonate(&alice, &identity(spec.clone())),
            can,
            "{spec:?}"
        );
        assert!(can_impersonate(&admin, &identity(spec)));
    }
    let administrator = identity(IdentitySpec {
        is_admin: true,
        ..named("bob")
    });
    assert!(!can_impersonate(&alice, &administrator));
    assert!(check_may_modify(&alice, &administrator).is_err());
    assert!(check_may_modify(&admin, &administrator).is_ok());
}
