//! The router beside the controller of a trial network.

use super::draft_enrollment;
use super::re_enroll::take_certificate;
use crate::app::App;
use crate::enrollment_records;
use crate::error::AppError;
use portcullis_domain::audit::Actor;
use portcullis_domain::ids::{EdgeRouterPolicyId, RouterId, ServiceEdgeRouterPolicyId};
use portcullis_domain::policies::{
    EdgeRouterPolicy, EdgeRouterPolicySpec, ServiceEdgeRouterPolicy, ServiceEdgeRouterPolicySpec,
};
use portcullis_domain::roles::RoleSelectors;
use portcullis_domain::router::{Router, RouterSpec};
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{
    EDGE_ROUTER_POLICY, Found, ROUTER, RowsMut, SERVICE_EDGE_ROUTER_POLICY, UniqueIndex,
    UniqueValue, router_key,
};
use secrecy::SecretString;

/// Name of the policies by which everybody may use all routers for everything.
const EVERYTHING: &str = "all";

/// What a router enrolls with.
#[derive(Debug)]
pub struct CompanionEnrollment {
    pub router: RouterId,
    /// To be redeemed once, by [`redeem`](crate::enrollments::redeem).
    pub token: SecretString,
}

/// Prepares the enrollment of the edge router with this name.
///
/// A router that does not exist is created, with policies by which all identities may use all routers for all
/// services, unless there are policies of their name. One that exists loses its certificate.
pub async fn prepare_companion(app: &App, name: &str) -> Result<CompanionEnrollment, AppError> {
    let now = app.env().now();
    let router = find_or_draft(app, name)?;
    let policies = Policies::draft(app)?;
    let id = router.entity.id.clone();
    let enrollment = draft_enrollment(app, &router.key, &id, true)?;
    let token = &enrollment.stored.token;
    let token = app.vault.open_text(&enrollment.key, "token", token)?;
    app.commit(Actor::controller(), move |rows| {
        if let Some(entity) = rows.rows().get(&router.key)? {
            let key = router.key;
            take_certificate(rows, &Found { key, entity }, now)?;
        } else {
            rows.insert(&router.key, &router.entity)?;
            policies.insert_missing(rows)?;
        }
        enrollment_records::insert(rows, &enrollment)
    })
    .await?;
    Ok(CompanionEnrollment { router: id, token })
}

/// The router with this name, as it is or as it is to be created.
fn find_or_draft(app: &App, name: &str) -> Result<Found<Router>, AppError> {
    let index = UniqueValue::new(UniqueIndex::RouterName, name);
    if let Some(found) = app.snapshot()?.rows().find(&index)? {
        return Ok(found);
    }
    let id = RouterId::generate(&*app.env().entropy)?;
    Ok(Found {
        key: router_key(app.next_number(ROUTER)),
        entity: Router::new(id, RouterSpec::edge_router(name), app.env().now())?,
    })
}

/// What lets everybody use all routers for everything.
struct Policies {
    of_identities: Found<EdgeRouterPolicy>,
    of_services: Found<ServiceEdgeRouterPolicy>,
}

impl Policies {
    fn draft(app: &App) -> Result<Self, AppError> {
        let (entropy, now) = (&*app.env().entropy, app.env().now());
        let of_identities = EdgeRouterPolicySpec {
            identity_roles: RoleSelectors::All,
            edge_router_roles: RoleSelectors::All,
            ..EdgeRouterPolicySpec::named(EVERYTHING)
        };
        let of_services = ServiceEdgeRouterPolicySpec {
            service_roles: RoleSelectors::All,
            edge_router_roles: RoleSelectors::All,
            ..ServiceEdgeRouterPolicySpec::named(EVERYTHING)
        };
        let key = |kind| RecordKey::root(kind, app.next_number(kind).0);
        Ok(Self {
            of_identities: Found {
                key: key(EDGE_ROUTER_POLICY),
                entity: EdgeRouterPolicy::new(
                    EdgeRouterPolicyId::generate(entropy)?,
                    of_identities,
                    now,
                )?,
            },
            of_services: Found {
                key: key(SERVICE_EDGE_ROUTER_POLICY),
                entity: ServiceEdgeRouterPolicy::new(
                    ServiceEdgeRouterPolicyId::generate(entropy)?,
                    of_services,
                    now,
                )?,
            },
        })
    }

    fn insert_missing(&self, rows: &mut RowsMut<'_>) -> Result<(), AppError> {
        let named = |index| UniqueValue::new(index, EVERYTHING);
        let known = rows
            .rows()
            .locate(&named(UniqueIndex::EdgeRouterPolicyName))?;
        if known.is_none() {
            rows.insert(&self.of_identities.key, &self.of_identities.entity)?;
        }
        let index = named(UniqueIndex::ServiceEdgeRouterPolicyName);
        if rows.rows().locate(&index)?.is_none() {
            rows.insert(&self.of_services.key, &self.of_services.entity)?;
        }
        Ok(())
    }
}
