//! Number of entities by kind.

use super::ReadSummary;
use crate::app::App;
use crate::error::AppError;
use portcullis_domain::access::Permit;
use portcullis_domain::identity::IdentityType;
use portcullis_domain::posture_check::CheckSupport;
use portcullis_storage::key::Kind;
use portcullis_storage::tables::{
    API_SESSION, AUTH_POLICY, AUTHENTICATOR, CA, CONFIG, CONFIG_TYPE, EDGE_ROUTER_POLICY,
    ENROLLMENT, IDENTITY, MFA, POSTURE_CHECK, REVOCATION, ROUTER, RecordCounts, SERVICE,
    SERVICE_EDGE_ROUTER_POLICY, SERVICE_POLICY, SESSION, SESSION_CERTIFICATE, SIGNER, TERMINATOR,
};

/// Number of entities by the names that clients know.
pub type Summary = Vec<(&'static str, u64)>;

/// Kinds that have records.
const RECORD_KINDS: [(&str, Kind); 20] = [
    ("apiSessionCertificates", SESSION_CERTIFICATE),
    ("apiSessions", API_SESSION),
    ("authPolicies", AUTH_POLICY),
    ("authenticators", AUTHENTICATOR),
    ("cas", CA),
    ("configTypes", CONFIG_TYPE),
    ("configs", CONFIG),
    ("edgeRouterPolicies", EDGE_ROUTER_POLICY),
    ("enrollments", ENROLLMENT),
    ("externalJwtSigners", SIGNER),
    ("identities", IDENTITY),
    ("mfas", MFA),
    ("postureChecks", POSTURE_CHECK),
    ("revocations", REVOCATION),
    ("routers", ROUTER),
    ("serviceEdgeRouterPolicies", SERVICE_EDGE_ROUTER_POLICY),
    ("servicePolicies", SERVICE_POLICY),
    ("services", SERVICE),
    ("sessions", SESSION),
    ("terminators", TERMINATOR),
];

/// Built-in entities. There are no eventual events.
const BUILT_IN_COUNTS: [(&str, usize); 4] = [
    ("controllers", 1),
    ("eventualEvents", 0),
    ("identityTypes", IdentityType::ALL.len()),
    ("postureCheckTypes", CheckSupport::ALL.len()),
];

/// Counts all entities without reading their records.
pub fn summary(app: &App, _permit: &Permit<ReadSummary>) -> Result<Summary, AppError> {
    let edge_routers = app.require_lists()?.routers().columns().edge().len();
    let snapshot = app.engine.snapshot()?;
    let mut counts = vec![("routers.edge", edge_routers)];
    for (name, kind) in RECORD_KINDS {
        counts.push((name, RecordCounts::expected(&*snapshot, kind)?));
    }
    let fixed =
        BUILT_IN_COUNTS.map(|(name, count)| (name, u64::try_from(count).unwrap_or(u64::MAX)));
    counts.extend(fixed);
    Ok(counts)
}
