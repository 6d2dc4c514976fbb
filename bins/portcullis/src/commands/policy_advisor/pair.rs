//! Check of one identity and one service.

use super::assessment::Assessment;
use super::posture::{self, GuardedPolicy};
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::table::Table;
use crate::text::yes_or_no;
use portcullis_api::identity::IdentityDetail;
use portcullis_api::policy_advice::PolicyAdvice;
use portcullis_api::service::ServiceDetail;
use serde::Serialize;

/// What is said about a pair.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PairReport {
    #[serde(flatten)]
    verdict: Assessment,
    /// Policies that grant the access to sessions that pass posture checks; `null` if the user may
    /// not see them.
    guarded_by: Option<Vec<GuardedPolicy>>,
}

/// Explains the access of an identity to a service.
pub(super) async fn run(
    context: &Context,
    session: &Session,
    identity: &IdentityDetail,
    service: &ServiceDetail,
    is_quiet: bool,
) -> Result<(), CliError> {
    let (client, identity_id, service_id) = (&session.client, &identity.base.id, &service.base.id);
    let advice = client.policy_advice(identity_id, service_id).await?;
    let verdict = Assessment::from(&advice);
    if is_quiet && verdict.works && !context.output.is_for_programs() {
        return Ok(());
    }
    let report = PairReport {
        guarded_by: posture::fetch(client, identity_id, service_id).await?,
        verdict,
    };
    context
        .output
        .write_named([identity.name.as_str()], &report, || {
            table(&advice, &report)
        })
}

fn table(advice: &PolicyAdvice, report: &PairReport) -> Table {
    let verdict = &report.verdict;
    let mut lines = vec![verdict.summary()];
    for problem in &verdict.problems {
        lines.push(format!("- {}; {}", problem.message(), problem.hint()));
    }
    let guarded = report.guarded_by.as_deref().unwrap_or_default();
    let conditions = posture::conditions(guarded).into_iter();
    lines.extend(conditions.map(|condition| format!("- {condition}")));
    Table::with_properties()
        .property("identity", &advice.identity.name)
        .property("service", &advice.service.name)
        .property("dial allowed", yes_or_no(advice.is_dial_allowed))
        .property("bind allowed", yes_or_no(advice.is_bind_allowed))
        .property(
            "edge routers of the identity",
            advice.identity_router_count.to_string(),
        )
        .property(
            "edge routers of the service",
            advice.service_router_count.to_string(),
        )
        .property("edge routers of both", verdict.routers())
        .footer(lines.join("\n"))
}
