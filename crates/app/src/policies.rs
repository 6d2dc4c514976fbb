//! Policies: which identities may use which services through which routers.

use crate::error::AppError;
use crate::managed::{Beside, Made, Of, check_named, names};
use crate::services::is_of_the_edge;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{IdentityId, RouterId, ServiceId};
use portcullis_domain::permission::Subject;
use portcullis_domain::policies::{
    EdgeRouterPolicySpec, ServiceEdgeRouterPolicySpec, ServicePolicySpec,
};
use portcullis_domain::posture_check::PostureCheck;
use portcullis_domain::roles::Roles;
use portcullis_domain::router::Router;
use portcullis_domain::service::Service;
use portcullis_domain::view::{
    EdgeRouterPolicyView, Names, ServiceEdgeRouterPolicyView, ServicePolicyView,
};
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{Found, IndexedId, Rows, reference};

impl Made for ServicePolicySpec {
    const NOUN: &'static str = "service policy";
    const SUBJECT: Subject = Subject::ServicePolicy;
    type View = ServicePolicyView;

    fn view(beside: Beside<'_>, found: Found<Of<Self>>) -> Result<Self::View, AppError> {
        let (rows, policy) = (beside.rows, found.entity);
        Ok(ServicePolicyView {
            identities: identities(rows, &policy.spec.identity_roles)?,
            services: services(rows, &policy.spec.service_roles)?,
            posture_checks: names(
                rows,
                policy.spec.posture_check_roles.ids(),
                |check: PostureCheck| check.spec.name,
            )?,
            policy,
        })
    }

    fn check(rows: Rows<'_>, _before: Option<&Of<Self>>, after: &Of<Self>) -> Result<(), AppError> {
        let spec = &after.spec;
        check_identities(rows, &spec.identity_roles)?;
        check_services(rows, &spec.service_roles)?;
        let field = ("postureCheckRoles", "postureChecks");
        check_named(rows, field, &spec.posture_check_roles, exists)
    }
}

impl Made for EdgeRouterPolicySpec {
    const NOUN: &'static str = "edge router policy";
    const SUBJECT: Subject = Subject::EdgeRouterPolicy;
    type View = EdgeRouterPolicyView;

    fn view(beside: Beside<'_>, found: Found<Of<Self>>) -> Result<Self::View, AppError> {
        let (rows, policy) = (beside.rows, found.entity);
        Ok(EdgeRouterPolicyView {
            identities: identities(rows, &policy.spec.identity_roles)?,
            edge_routers: edge_routers(rows, &policy.spec.edge_router_roles)?,
            policy,
        })
    }

    fn check(rows: Rows<'_>, before: Option<&Of<Self>>, after: &Of<Self>) -> Result<(), AppError> {
        if before.is_some_and(|before| before.spec.is_system) {
            return Err(AppError::Unchangeable { rule: OF_ROUTER });
        }
        check_identities(rows, &after.spec.identity_roles)?;
        check_edge_routers(rows, &after.spec.edge_router_roles)
    }

    fn check_removal(_rows: Rows<'_>, found: &Found<Of<Self>>) -> Result<(), AppError> {
        if found.entity.spec.is_system {
            Err(AppError::Undeletable {
                rule: Some(OF_ROUTER),
            })
        } else {
            Ok(())
        }
    }
}

/// Why system policies are left alone.
const OF_ROUTER: &str = "the policy belongs to a tunneler-enabled edge router; delete the router or \
                         disable its tunneler instead";

impl Made for ServiceEdgeRouterPolicySpec {
    const NOUN: &'static str = "service edge router policy";
    const SUBJECT: Subject = Subject::ServiceEdgeRouterPolicy;
    type View = ServiceEdgeRouterPolicyView;

    fn view(beside: Beside<'_>, found: Found<Of<Self>>) -> Result<Self::View, AppError> {
        let (rows, policy) = (beside.rows, found.entity);
        Ok(ServiceEdgeRouterPolicyView {
            services: services(rows, &policy.spec.service_roles)?,
            edge_routers: edge_routers(rows, &policy.spec.edge_router_roles)?,
            policy,
        })
    }

    fn check(rows: Rows<'_>, _before: Option<&Of<Self>>, after: &Of<Self>) -> Result<(), AppError> {
        check_services(rows, &after.spec.service_roles)?;
        check_edge_routers(rows, &after.spec.edge_router_roles)
    }
}

fn identities(rows: Rows<'_>, roles: &Roles<IdentityId>) -> Result<Names<IdentityId>, StoreError> {
    names(rows, roles.ids(), |one: Identity| one.name().to_owned())
}

fn services(rows: Rows<'_>, roles: &Roles<ServiceId>) -> Result<Names<ServiceId>, StoreError> {
    names(rows, roles.ids(), |one: Service| one.spec.name)
}

fn edge_routers(rows: Rows<'_>, roles: &Roles<RouterId>) -> Result<Names<RouterId>, StoreError> {
    names(rows, roles.ids(), |one: Router| one.spec.name)
}

fn check_identities(rows: Rows<'_>, roles: &Roles<IdentityId>) -> Result<(), AppError> {
    check_named(rows, ("identityRoles", "identities"), roles, exists)
}

fn check_services(rows: Rows<'_>, roles: &Roles<ServiceId>) -> Result<(), AppError> {
    check_named(rows, ("serviceRoles", "services"), roles, is_of_the_edge)
}

/// Routers to which no client connects cannot be named.
fn check_edge_routers(rows: Rows<'_>, roles: &Roles<RouterId>) -> Result<(), AppError> {
    check_named(rows, ("edgeRouterRoles", "routers"), roles, |rows, id| {
        let router = rows.find::<Router>(&reference(id))?;
        Ok(router.is_some_and(|found| found.entity.spec.edge().is_some()))
    })
}

fn exists<I: IndexedId>(rows: Rows<'_>, id: &I) -> Result<bool, StoreError> {
    Ok(rows.locate(&reference(id))?.is_some())
}
