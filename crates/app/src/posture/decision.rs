//! Decision about the use of one service.

use super::{GrantResolver, PostureContext};
use crate::app::App;
use crate::error::AppError;
use portcullis_domain::ids::RecordNumber;
use portcullis_domain::policies::ServiceGrant;
use portcullis_posture::AccessDecision;
use portcullis_storage::tables::Rows;

/// Decides whether a session may use a service, by the policies that grant it to its identity.
pub(crate) fn decide_access(
    app: &App,
    rows: Rows<'_>,
    (identity, service): (RecordNumber, RecordNumber),
    grant: ServiceGrant,
    context: &PostureContext,
) -> Result<AccessDecision, AppError> {
    let resolver = GrantResolver::new(app);
    let mut policies = Vec::new();
    for summary in resolver.policies_between(identity, service)? {
        policies.extend(resolver.load(rows, &summary)?);
    }
    let policies = policies.iter().map(|policy| &**policy);
    let (client, now) = (context.client(), app.env().now());
    Ok(AccessDecision::decide(policies, grant, &client, now))
}
