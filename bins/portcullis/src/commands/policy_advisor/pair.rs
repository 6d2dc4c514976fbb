//! One identity and one service.

use super::verdict::Verdict;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::table::Table;
use crate::words::yes;
use portcullis_api::identity::IdentityDetail;
use portcullis_api::policy_advice::PolicyAdvice;
use portcullis_api::service::ServiceDetail;

/// Tells all that matters between the two.
pub(super) async fn run(
    context: &Context,
    session: &Session,
    identity: &IdentityDetail,
    service: &ServiceDetail,
    is_quiet: bool,
) -> Result<(), CliError> {
    let advice = session
        .client
        .policy_advice(&identity.base.id, &service.base.id);
    let advice = advice.await?;
    let verdict = Verdict::from(&advice);
    if is_quiet && verdict.works && !context.output.is_for_programs() {
        return Ok(());
    }
    context.output.result(&verdict, || table(&advice, &verdict))
}

fn table(advice: &PolicyAdvice, verdict: &Verdict) -> Table {
    let mut lines = vec![verdict.sentence()];
    for problem in &verdict.problems {
        lines.push(format!("- {}; {}", problem.words(), problem.cure()));
    }
    Table::of_properties()
        .property("identity", &advice.identity.name)
        .property("service", &advice.service.name)
        .property("dial allowed", yes(advice.is_dial_allowed))
        .property("bind allowed", yes(advice.is_bind_allowed))
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
