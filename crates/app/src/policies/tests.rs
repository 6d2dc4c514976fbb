use super::*;
use crate::fixture::{Fixture, named, permit};
use crate::managed::{self, Create, Delete, Update};
use portcullis_domain::ids::EdgeRouterPolicyId;
use portcullis_domain::policies::{
    EdgeRouterPolicySpecPatch, ServiceGrant, ServicePolicySpecPatch,
};
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::EDGE_ROUTER_POLICY;

fn dialing(name: &str, identities: RoleSelectors<IdentityId>) -> ServicePolicySpec {
    ServicePolicySpec {
        identity_roles: identities,
        service_roles: RoleSelectors::All,
        ..ServicePolicySpec::new(name, ServiceGrant::Dial)
    }
}

#[tokio::test]
async fn service_policies_name_only_what_exists() {
    let fixture = Fixture::start().await;
    let (app, admin) = (&fixture.app, fixture.admin().await);
    let create = permit::<Create<ServicePolicySpec>>(&admin);
    let unknown = RoleSelectors::from_id(IdentityId::from_wire("nobody"));
    let error = managed::create(app, &create, dialing("all", unknown.clone()))
        .await
        .unwrap_err();
    assert!(
        matches!(&error, AppError::Field(field) if field.field == "identityRoles"),
        "{error}"
    );
    let alice = fixture.add_identity(&admin, named("alice")).await;
    let known = RoleSelectors::from_id(alice);
    let id = managed::create(app, &create, dialing("all", known))
        .await
        .unwrap();
    let patch = ServicePolicySpecPatch {
        identity_roles: Some(unknown),
        ..ServicePolicySpecPatch::default()
    };
    let update = permit::<Update<ServicePolicySpec>>(&admin);
    let error = managed::patch(app, &update, &id, patch).await.unwrap_err();
    assert!(matches!(error, AppError::Field(_)), "{error}");
    let delete = permit::<Delete<ServicePolicySpec>>(&admin);
    managed::delete(app, &delete, &id).await.unwrap();
    let error = managed::delete(app, &delete, &id).await.unwrap_err();
    assert!(matches!(error, AppError::NotFound { .. }), "{error}");
}

#[tokio::test]
async fn policies_of_tunnelers_are_left_to_their_router() {
    let fixture = Fixture::start().await;
    let (app, admin) = (&fixture.app, fixture.admin().await);
    let spec = EdgeRouterPolicySpec {
        identity_roles: RoleSelectors::All,
        edge_router_roles: RoleSelectors::All,
        ..EdgeRouterPolicySpec::for_tunneler(&RouterId::from_wire("router"))
    };
    let id = EdgeRouterPolicyId::from_wire("router");
    let policy = Entity::<EdgeRouterPolicySpec>::new(id.clone(), spec, app.env().now()).unwrap();
    let key = RecordKey::root(EDGE_ROUTER_POLICY, app.next_number(EDGE_ROUTER_POLICY).0);
    fixture.insert(key, policy).await;
    let patch = EdgeRouterPolicySpecPatch {
        name: Some("other".to_owned()),
        ..EdgeRouterPolicySpecPatch::default()
    };
    let update = permit::<Update<EdgeRouterPolicySpec>>(&admin);
    let error = managed::patch(app, &update, &id, patch).await.unwrap_err();
    assert!(
        matches!(error, AppError::NotAllowed(NotAllowedError::Update { .. })),
        "{error}"
    );
    let delete = permit::<Delete<EdgeRouterPolicySpec>>(&admin);
    let error = managed::delete(app, &delete, &id).await.unwrap_err();
    assert!(
        matches!(
            error,
            AppError::NotAllowed(NotAllowedError::Delete { rule: Some(_) })
        ),
        "{error}"
    );
}
