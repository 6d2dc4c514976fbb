//! Service policies, edge-router policies and service-edge-router policies.

use crate::error::{AppError, NotAllowedError};
use crate::managed::{Entity, Resource, ViewContext, Writable, load_names, validate_references};
use crate::services::edge_service_exists;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{IdentityId, RouterId, ServiceId};
use portcullis_domain::permission::Subject;
use portcullis_domain::policies::{
    EdgeRouterPolicySpec, ServiceEdgeRouterPolicySpec, ServicePolicySpec,
};
use portcullis_domain::posture_check::PostureCheck;
use portcullis_domain::roles::RoleSelectors;
use portcullis_domain::router::Router;
use portcullis_domain::service::Service;
use portcullis_domain::view::{
    EdgeRouterPolicyView, NamesById, ServiceEdgeRouterPolicyView, ServicePolicyView,
};
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{Found, IndexedId, Rows, reference};

impl Writable for ServicePolicySpec {}

impl Resource for ServicePolicySpec {
    const SUBJECT: Subject = Subject::ServicePolicy;
    type View = ServicePolicyView;

    fn build_view(
        context: ViewContext<'_>,
        found: Found<Entity<Self>>,
    ) -> Result<Self::View, AppError> {
        let (rows, policy) = (context.rows, found.entity);
        Ok(ServicePolicyView {
            identities: identities(rows, &policy.spec.identity_roles)?,
            services: services(rows, &policy.spec.service_roles)?,
            posture_checks: load_names(
                rows,
                policy.spec.posture_check_roles.ids(),
                |check: PostureCheck| check.spec.name,
            )?,
            policy,
        })
    }

    fn validate(
        rows: Rows<'_>,
        _before: Option<&Entity<Self>>,
        after: &Entity<Self>,
    ) -> Result<(), AppError> {
        let spec = &after.spec;
        check_identities(rows, &spec.identity_roles)?;
        check_services(rows, &spec.service_roles)?;
        let field = ("postureCheckRoles", "postureChecks");
        validate_references(rows, field, &spec.posture_check_roles, exists)
    }
}

impl Writable for EdgeRouterPolicySpec {}

impl Resource for EdgeRouterPolicySpec {
    const SUBJECT: Subject = Subject::EdgeRouterPolicy;
    type View = EdgeRouterPolicyView;

    fn build_view(
        context: ViewContext<'_>,
        found: Found<Entity<Self>>,
    ) -> Result<Self::View, AppError> {
        let (rows, policy) = (context.rows, found.entity);
        Ok(EdgeRouterPolicyView {
            identities: identities(rows, &policy.spec.identity_roles)?,
            edge_routers: edge_routers(rows, &policy.spec.edge_router_roles)?,
            policy,
        })
    }

    fn validate(
        rows: Rows<'_>,
        before: Option<&Entity<Self>>,
        after: &Entity<Self>,
    ) -> Result<(), AppError> {
        if before.is_some_and(|before| before.spec.is_system) {
            return Err(NotAllowedError::Update {
                rule: SYSTEM_POLICY_RULE,
            }
            .into());
        }
        check_identities(rows, &after.spec.identity_roles)?;
        check_edge_routers(rows, &after.spec.edge_router_roles)
    }

    fn validate_removal(_rows: Rows<'_>, found: &Found<Entity<Self>>) -> Result<(), AppError> {
        if found.entity.spec.is_system {
            Err(NotAllowedError::Delete {
                rule: Some(SYSTEM_POLICY_RULE),
            }
            .into())
        } else {
            Ok(())
        }
    }
}

/// Why system policies cannot be changed.
const SYSTEM_POLICY_RULE: &str = "the policy belongs to a tunneler-enabled edge router; delete the router or \
                         disable its tunneler instead";

impl Writable for ServiceEdgeRouterPolicySpec {}

impl Resource for ServiceEdgeRouterPolicySpec {
    const SUBJECT: Subject = Subject::ServiceEdgeRouterPolicy;
    type View = ServiceEdgeRouterPolicyView;

    fn build_view(
        context: ViewContext<'_>,
        found: Found<Entity<Self>>,
    ) -> Result<Self::View, AppError> {
        let (rows, policy) = (context.rows, found.entity);
        Ok(ServiceEdgeRouterPolicyView {
            services: services(rows, &policy.spec.service_roles)?,
            edge_routers: edge_routers(rows, &policy.spec.edge_router_roles)?,
            policy,
        })
    }

    fn validate(
        rows: Rows<'_>,
        _before: Option<&Entity<Self>>,
        after: &Entity<Self>,
    ) -> Result<(), AppError> {
        check_services(rows, &after.spec.service_roles)?;
        check_edge_routers(rows, &after.spec.edge_router_roles)
    }
}

fn identities(
    rows: Rows<'_>,
    roles: &RoleSelectors<IdentityId>,
) -> Result<NamesById<IdentityId>, StoreError> {
    load_names(rows, roles.ids(), |one: Identity| one.name().to_owned())
}

fn services(
    rows: Rows<'_>,
    roles: &RoleSelectors<ServiceId>,
) -> Result<NamesById<ServiceId>, StoreError> {
    load_names(rows, roles.ids(), |one: Service| one.spec.name)
}

fn edge_routers(
    rows: Rows<'_>,
    roles: &RoleSelectors<RouterId>,
) -> Result<NamesById<RouterId>, StoreError> {
    load_names(rows, roles.ids(), |one: Router| one.spec.name)
}

fn check_identities(rows: Rows<'_>, roles: &RoleSelectors<IdentityId>) -> Result<(), AppError> {
    validate_references(rows, ("identityRoles", "identities"), roles, exists)
}

fn check_services(rows: Rows<'_>, roles: &RoleSelectors<ServiceId>) -> Result<(), AppError> {
    validate_references(
        rows,
        ("serviceRoles", "services"),
        roles,
        edge_service_exists,
    )
}

/// Transit routers cannot be referenced.
fn check_edge_routers(rows: Rows<'_>, roles: &RoleSelectors<RouterId>) -> Result<(), AppError> {
    validate_references(rows, ("edgeRouterRoles", "routers"), roles, |rows, id| {
        let router = rows.find::<Router>(&reference(id))?;
        Ok(router.is_some_and(|found| found.entity.spec.edge().is_some()))
    })
}

fn exists<I: IndexedId>(rows: Rows<'_>, id: &I) -> Result<bool, StoreError> {
    Ok(rows.locate(&reference(id))?.is_some())
}

#[cfg(test)]
mod tests;
