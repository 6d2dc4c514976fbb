use super::*;
use crate::fixture::{Fixture, PASSWORD, named, permit};
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::enrollment::EnrollmentMethod;
use portcullis_domain::identity::IdentitySpecPatch;
use portcullis_domain::ids::{AuthPolicyId, CaId};
use portcullis_domain::permission::PermissionSet;
use portcullis_domain::trace::TraceSpec;
use std::collections::BTreeSet;

#[tokio::test]
async fn identities_have_their_enrollment_until_they_are_deleted() {
    let fixture = Fixture::start().await;
    let (app, admin) = (&fixture.app, fixture.admin().await);
    let method = Some(EnrollmentMethod::Ott);
    let id = create(app, &permit(&admin), named("camera"), method)
        .await
        .unwrap();
    let view = read(app, &permit(&admin), &id).unwrap();
    assert_eq!(
        (view.identity.name(), view.enrollments.len()),
        ("camera", 1)
    );
    delete(app, &permit(&admin), &id).await.unwrap();
    let gone = read(app, &permit(&admin), &id).unwrap_err();
    assert!(matches!(gone, AppError::NotFound { .. }), "{gone}");
}

#[tokio::test]
async fn identities_refer_to_what_exists_and_have_names_of_their_own() {
    let fixture = Fixture::start().await;
    let (app, admin) = (&fixture.app, fixture.admin().await);
    let create = async |spec, method| create(app, &permit(&admin), spec, method).await;
    let mut with_policy = named("camera");
    with_policy.auth_policy = AuthPolicyId::from_wire("none");
    let error = create(with_policy, None).await.unwrap_err();
    assert!(
        matches!(&error, AppError::NotFound { kind, .. } if *kind == "auth policy"),
        "{error}"
    );
    let ca = CaId::from_wire("none");
    let method = Some(EnrollmentMethod::OttCa { ca });
    let error = create(named("camera"), method).await.unwrap_err();
    assert!(matches!(error, AppError::MissingReference(_)), "{error}");
    // Neither attempt has left an identity with the name.
    create(named("camera"), None).await.unwrap();
    let error = create(named("camera"), None).await.unwrap_err();
    assert!(
        matches!(&error, AppError::Field(field) if field.field == "name"),
        "{error}"
    );
}

#[tokio::test]
async fn first_administrator_cannot_be_deleted() {
    let fixture = Fixture::start().await;
    let admin = fixture.admin().await;
    let error = delete(&fixture.app, &permit(&admin), &admin.identity)
        .await
        .unwrap_err();
    let expected = NotAllowedError::Delete { rule: None };
    assert!(
        matches!(error, AppError::NotAllowed(rule) if rule == expected),
        "{error}"
    );
}

#[tokio::test]
async fn sessions_end_with_their_identity() {
    let fixture = Fixture::start().await;
    let (app, admin) = (&fixture.app, fixture.admin().await);
    let id = fixture.add_identity(&admin, named("alice")).await;
    let session = fixture.log_in("alice", PASSWORD).await.unwrap();
    assert!(fixture.resolve(&session).await.is_some());
    delete(app, &permit(&admin), &id).await.unwrap();
    assert!(fixture.resolve(&session).await.is_none());
}

#[tokio::test]
async fn rights_are_those_at_the_time_of_the_commit() {
    let fixture = Fixture::start().await;
    let (app, admin) = (&fixture.app, fixture.admin().await);
    let spec = IdentitySpec {
        permissions: Some(PermissionSet::from_names(["identity"]).unwrap()),
        ..named("alice")
    };
    let id = fixture.add_identity(&admin, spec).await;
    let alice = fixture.caller("alice").await;
    let granted = permit(&alice);
    create(app, &granted, named("camera"), None).await.unwrap();
    let admin_spec = IdentitySpec {
        is_admin: true,
        ..named("other")
    };
    let error = create(app, &granted, admin_spec, None).await.unwrap_err();
    assert!(
        matches!(error, AppError::Denied { rule: Some(_) }),
        "{error}"
    );
    patch(app, &permit(&admin), &id, without_permissions())
        .await
        .unwrap();
    let error = create(app, &granted, named("other"), None)
        .await
        .unwrap_err();
    assert!(matches!(error, AppError::Denied { rule: None }), "{error}");
}

fn without_permissions() -> IdentitySpecPatch {
    IdentitySpecPatch {
        permissions: Some(PermissionSet::default()),
        ..IdentitySpecPatch::default()
    }
}

#[tokio::test]
async fn traces_begin_and_end_only_for_whoever_still_may() {
    let fixture = Fixture::start().await;
    let (app, admin) = (&fixture.app, fixture.admin().await);
    let spec = IdentitySpec {
        permissions: Some(PermissionSet::from_names(["identity"]).unwrap()),
        ..named("alice")
    };
    let alice_id = fixture.add_identity(&admin, spec).await;
    let camera = fixture.add_identity(&admin, named("camera")).await;
    let alice = permit(&fixture.caller("alice").await);
    let spec = || TraceSpec {
        id: None,
        duration: SignedDuration::from_mins(10),
        channels: BTreeSet::new(),
    };
    let begun = trace(app, &alice, &camera, Some(spec())).await.unwrap();
    assert_eq!(find_trace(app, &camera).unwrap(), begun);
    patch(app, &permit(&admin), &alice_id, without_permissions())
        .await
        .unwrap();
    for wanted in [Some(spec()), None] {
        let error = trace(app, &alice, &camera, wanted).await.unwrap_err();
        assert!(matches!(error, AppError::Denied { rule: None }), "{error}");
        assert_eq!(find_trace(app, &camera).unwrap(), begun);
    }
    let ended = trace(app, &permit(&admin), &camera, None).await.unwrap();
    assert_eq!((ended, find_trace(app, &camera).unwrap()), (None, None));
}
