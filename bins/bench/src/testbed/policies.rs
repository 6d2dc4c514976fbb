//! Policies of a network in which everybody may do everything.

use super::calls::create;
use super::link::Link;
use serde_json::json;

/// All identities may dial and host all services, at all routers.
pub(crate) async fn for_everybody(link: &mut Link, admin: &str) -> anyhow::Result<()> {
    let all = json!(["#all"]);
    for kind in ["Dial", "Bind"] {
        let policy = json!({
            "name": kind, "type": kind, "semantic": "AnyOf",
            "identityRoles": all, "serviceRoles": all,
        });
        create(link, admin, "service-policies", &policy).await?;
    }
    for (kind, others) in [
        ("edge-router-policies", "identityRoles"),
        ("service-edge-router-policies", "serviceRoles"),
    ] {
        let policy = json!({
            "name": "all", "semantic": "AnyOf", "edgeRouterRoles": all, others: all,
        });
        create(link, admin, kind, &policy).await?;
    }
    Ok(())
}
