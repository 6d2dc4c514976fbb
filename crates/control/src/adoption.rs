//! Circuits that routers carry and the controller does not know, because it was restarted.

use crate::plane::Plane;
use crate::translate::{self, CarriedReport, Origin};
use portcullis_app::rights::{self, RightInUse, Verdict};
use portcullis_domain::ids::{IdentityId, RouterId};
use portcullis_domain::policies::ServiceGrant;
use portcullis_fabric::{CarriedCircuit, Claim, Right};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Judges what a router says of the origins of circuits: whether those who have dialed them there may.
/// In which session they have, nobody knows any more.
pub(crate) fn judge(
    plane: &Plane,
    router: &RouterId,
    reports: Vec<CarriedReport>,
) -> Vec<CarriedCircuit> {
    let origins = reports.iter().filter_map(|report| report.origin.as_ref());
    let rights: Vec<_> = origins.map(|origin| right(origin, router)).collect();
    // What cannot be judged now is asked again later.
    let verdicts = rights::judge_again(&plane.app, &rights).unwrap_or_else(|error| {
        tracing::warn!(%router, %error, "the origins of circuits cannot be judged");
        Vec::new()
    });
    let mut verdicts = verdicts.into_iter();
    reports
        .into_iter()
        .map(|report| {
            let claim = report
                .origin
                .map_or(Claim::Unknown, |origin| claim(origin, verdicts.next()));
            CarriedCircuit {
                id: report.id,
                forwards: report.forwards,
                claim,
            }
        })
        .collect()
}

fn right(origin: &Origin, router: &RouterId) -> RightInUse {
    RightInUse {
        identity: origin.client.clone(),
        service: origin.service.clone(),
        grant: ServiceGrant::Dial,
        session: None,
        tokens: Vec::new(),
        router: router.clone(),
    }
}

fn tags(origin: &Origin) -> BTreeMap<String, String> {
    let host = origin.host.as_ref().map(IdentityId::as_str);
    translate::tags(&origin.client, host, &origin.service)
}

fn claim(origin: Origin, verdict: Option<Verdict>) -> Claim {
    match verdict {
        None => Claim::Unknown,
        Some(Verdict::Ended) => Claim::Refused,
        Some(Verdict::Stays { .. }) => Claim::Granted {
            tags: Arc::new(tags(&origin)),
            ingress: origin.ingress,
            right: Right {
                client: origin.client,
                service: origin.service,
                session: None,
                tokens: Vec::new(),
                until: None,
            },
        },
    }
}
