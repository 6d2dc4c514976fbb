//! Terminators, which their routers are asked about one by one.

use super::{AT_A_TIME, LAG, TIME, no_answer};
use crate::ControlPlane;
use crate::questions;
use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};
use portcullis_app::fabric::{self as selected, OpenChannel};
use portcullis_app::network_inspection::InspectionError;
use portcullis_app::{AppError, run_blocking};
use portcullis_domain::access::Permit;
use portcullis_domain::ids::{IdentityId, RouterId};
use portcullis_domain::view::TerminatorView;
use portcullis_validation::{
    ExpectedTerminators, JudgedTerminator, KnownTerminator, count_terminators,
    invalid_identities_filter, judge_terminators,
};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::terminator as question;
use portcullis_wire::control::terminator::{TerminatorToValidate, ValidatedTerminators};
use portcullis_wire::management::{HostState, TerminatorDetail, ValidateTerminators};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tokio::time::sleep;

/// Terminators in one question to a router.
const IN_QUESTION: usize = 50;

/// What is found about selected terminators.
pub struct TerminatorDetails {
    /// Hosts with another number of terminators than expected.
    pub hosts: Vec<HostState>,
    /// Number of `details`.
    pub count: usize,
    /// In any order.
    pub details: BoxStream<'static, TerminatorDetail>,
}

impl ControlPlane {
    /// Asks routers about the terminators that a filter of lists selects, all if it is empty; deletes those that lead
    /// nowhere if that is asked for; and counts those of hosts.
    ///
    /// # Errors
    ///
    /// If terminators cannot be selected by the filter.
    pub async fn validate_terminators(
        &self,
        permit: Permit<OpenChannel>,
        request: ValidateTerminators,
    ) -> Result<TerminatorDetails, AppError> {
        let (app, selecting) = (Arc::clone(&self.0.app), permit.clone());
        let fixes = request.fixes_invalid;
        let select = move || {
            let selected = selected::select_terminators(&app, &selecting, &request.filter)?;
            let known: Vec<_> = selected.into_iter().map(known).collect();
            let hosts = count_hosts(&known, &request, |filter| {
                selected::select_hosts(&app, &selecting, filter)
            });
            Ok::<_, AppError>((known, hosts))
        };
        let (known, hosts) = run_blocking(select).await?;
        let count = known.len();
        let plane = self.clone();
        let details = stream::iter(questions_to_routers(known))
            .map(move |(router, asked)| {
                let (plane, permit) = (plane.clone(), permit.clone());
                async move { plane.judge(&permit, &router, &asked, fixes).await }
            })
            .buffer_unordered(AT_A_TIME)
            .flat_map(stream::iter);
        Ok(TerminatorDetails {
            hosts,
            count,
            details: details.boxed(),
        })
    }

    async fn judge(
        &self,
        permit: &Permit<OpenChannel>,
        router: &RouterId,
        asked: &[KnownTerminator],
        fixes: bool,
    ) -> Vec<TerminatorDetail> {
        let answer = self.ask_about(router, asked, fixes).await;
        let mut judged = judge_terminators(asked, answer.as_ref().map_err(no_answer));
        if !fixes && judged.iter().any(JudgedTerminator::is_invalid) {
            sleep(LAG).await;
            judged = self.without_deleted(permit, router, judged).await;
        }
        let is_deleted = fixes && self.delete_invalid(permit, &judged).await;
        let details = judged.iter();
        details
            .map(|judged| judged.to_wire(is_deleted && judged.is_invalid()))
            .collect()
    }

    /// Excuses the router for terminators that the controller does not have any more either.
    async fn without_deleted<'a>(
        &self,
        permit: &Permit<OpenChannel>,
        router: &RouterId,
        judged: Vec<JudgedTerminator<'a>>,
    ) -> Vec<JudgedTerminator<'a>> {
        let (app, permit, router) = (Arc::clone(&self.0.app), permit.clone(), router.clone());
        let found = run_blocking(move || selected::terminators_at(&app, &permit, &router)).await;
        let known: BTreeSet<_> = match found {
            Ok(found) => found.into_iter().map(|terminator| terminator.id).collect(),
            Err(error) => {
                tracing::warn!(%error, "terminators are not looked at again");
                return judged;
            },
        };
        let judged = judged.into_iter().map(|judged| {
            if judged.is_invalid() && !known.contains(&judged.terminator.id) {
                judged.deleted_meanwhile()
            } else {
                judged
            }
        });
        judged.collect()
    }

    async fn ask_about(
        &self,
        router: &RouterId,
        asked: &[KnownTerminator],
        fixes: bool,
    ) -> Result<ValidatedTerminators, InspectionError> {
        let terminators = asked.iter().map(|terminator| TerminatorToValidate {
            id: terminator.id.as_str().to_owned(),
            binding: terminator.binding.clone(),
            address: terminator.address.clone(),
            marker: 0,
        });
        let question = ControlMessage::ValidateTerminators(question::ValidateTerminators {
            terminators: terminators.collect(),
            fixes_invalid: fixes,
            is_after_creation: false,
        });
        let read = |answer| match answer {
            ControlMessage::ValidatedTerminators(states) => Some(states),
            _ => None,
        };
        questions::ask(&self.0.sessions, router, question, read, TIME).await
    }

    /// Returns whether those that are invalid are gone.
    async fn delete_invalid(
        &self,
        permit: &Permit<OpenChannel>,
        judged: &[JudgedTerminator<'_>],
    ) -> bool {
        let invalid = judged.iter().filter(|judged| judged.is_invalid());
        let ids: Vec<_> = invalid.map(|judged| judged.terminator.id.clone()).collect();
        if ids.is_empty() {
            return true;
        }
        let deleted = selected::delete_terminators(&self.0.app, permit, ids).await;
        deleted
            .inspect_err(|error| tracing::warn!(%error, "invalid terminators are not deleted"))
            .is_ok()
    }
}

fn known(view: TerminatorView) -> KnownTerminator {
    let spec = view.terminator.spec;
    let host = match spec.host {
        Some(host) => Some(host.identity),
        None => spec.host_id.map(IdentityId::from_wire),
    };
    KnownTerminator {
        id: view.terminator.id,
        service: view.service.id,
        service_name: view.service.name,
        router: view.router.id,
        router_name: view.router.name,
        binding: spec.binding,
        address: spec.address,
        host,
        created_at: view.terminator.created_at,
    }
}

/// The hosts whose terminators are others in number than a request expects.
fn count_hosts(
    known: &[KnownTerminator],
    request: &ValidateTerminators,
    select: impl FnOnce(&str) -> Result<Vec<IdentityId>, AppError>,
) -> Vec<HostState> {
    let expected = |count: u32| (count > 0).then_some(count);
    let expected = ExpectedTerminators {
        per_service_and_host: expected(request.expected_per_service_and_host),
        per_host: expected(request.expected_per_host),
    };
    let hosts = match expected
        .per_host
        .map(|_| select(&request.identities_filter))
    {
        Some(Ok(hosts)) => hosts,
        Some(Err(error)) => return vec![invalid_identities_filter(&error.to_string())],
        None => Vec::new(),
    };
    let found = count_terminators(known, &hosts, expected);
    found.iter().map(HostState::from).collect()
}

fn questions_to_routers(known: Vec<KnownTerminator>) -> Vec<(RouterId, Vec<KnownTerminator>)> {
    let mut by_router = BTreeMap::<RouterId, Vec<KnownTerminator>>::new();
    for terminator in known {
        let router = terminator.router.clone();
        by_router.entry(router).or_default().push(terminator);
    }
    let questions = by_router.into_iter().flat_map(|(router, known)| {
        let questions = known.chunks(IN_QUESTION).map(<[_]>::to_vec);
        let questions: Vec<_> = questions.map(|asked| (router.clone(), asked)).collect();
        questions
    });
    questions.collect()
}
