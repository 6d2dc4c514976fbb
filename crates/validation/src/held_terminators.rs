//! Terminators that a router holds, for SDKs or as a tunneler.

mod disagreement;

pub use disagreement::HeldTerminatorDisagreement;

use crate::answer::Answer;
use crate::bounded::{Listed, MAX_ENTRIES};
use crate::comparison::{Compared, Comparison, Router};
use crate::inspection;
use crate::terminators::KnownTerminator;
use portcullis_domain::ids::TerminatorId;
use portcullis_wire::management::{
    ErtTerminatorDetail, ErtTerminatorDetails, SdkTerminatorDetail, SdkTerminatorDetails,
    TerminatorValidity,
};
use serde::Deserialize;
use std::collections::BTreeMap;

/// What routers are asked for, about those of SDKs.
pub const SDK_TERMINATORS: &str = "sdk-terminators";

/// What routers that are tunnelers are asked for, about their own.
pub const ERT_TERMINATORS: &str = "ert-terminators";

/// The state of a terminator that can be dialed.
const ESTABLISHED: &str = "established";

/// The state of a terminator that the router does not have.
const UNKNOWN: &str = "unknown";

/// A terminator that one of the two has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldTerminator {
    pub terminator: TerminatorId,
    /// The controller has it.
    pub is_known: bool,
    /// What the router says of it; `unknown` if it does not have it.
    pub held: HeldState,
    pub disagreement: Option<HeldTerminatorDisagreement>,
}

/// State of a terminator at its router, in words of the router.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HeldState {
    /// `established`, `establishing` or another.
    pub state: String,
    /// The router is creating or deleting it.
    pub is_operation_active: bool,
    /// Like `2006-01-02 15:04:05`.
    pub created_at: String,
    /// Like `2006-01-02 15:04:05`.
    pub last_attempt: String,
}

impl Compared for HeldTerminator {
    type Disagreement = HeldTerminatorDisagreement;

    fn disagreements(&self) -> &[HeldTerminatorDisagreement] {
        self.disagreement.as_slice()
    }
}

/// Sessions of SDKs are there too; they are not read.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Told {
    id: String,
    state: String,
    operation_active: bool,
    create_time: String,
    last_attempt: String,
}

/// Compares the terminators that a router holds for SDKs with those that the controller knows, which may be
/// those of others as well.
pub fn compare_sdk_terminators<'a>(
    router: &Router,
    known: impl IntoIterator<Item = &'a KnownTerminator>,
    answer: Answer<'_>,
) -> Comparison<HeldTerminator> {
    compare(router, known, "edge", answer, SDK_TERMINATORS)
}

/// Compares the terminators that a router holds as a tunneler with those that the controller knows, which may
/// be those of others as well.
pub fn compare_ert_terminators<'a>(
    router: &Router,
    known: impl IntoIterator<Item = &'a KnownTerminator>,
    answer: Answer<'_>,
) -> Comparison<HeldTerminator> {
    // Such a router tells all or nothing.
    let answer = answer.and_then(inspection::without_errors);
    compare(router, known, "tunnel", answer, ERT_TERMINATORS)
}

fn compare<'a>(
    router: &Router,
    known: impl IntoIterator<Item = &'a KnownTerminator>,
    binding: &str,
    answer: Answer<'_>,
    inspection: &'static str,
) -> Comparison<HeldTerminator> {
    let told = inspection::read::<Listed<Told, MAX_ENTRIES>>(answer, inspection);
    Comparison::of(router, told, |told, is_complete| {
        let known = known.into_iter();
        let mut missing: BTreeMap<_, _> = known
            .filter(|known| known.router == router.id && known.binding == binding)
            .map(|known| (known.id.as_str(), known))
            .collect();
        let known = missing.clone();
        let mut entries = Vec::with_capacity(told.kept.len());
        for told in told.kept {
            missing.remove(told.id.as_str());
            let is_known = known.contains_key(told.id.as_str());
            entries.push(reported(told, is_known));
        }
        if is_complete {
            entries.extend(missing.into_values().map(unreported));
        }
        entries
    })
}

fn reported(told: Told, is_known: bool) -> HeldTerminator {
    let terminator = TerminatorId::from_wire(told.id);
    let held = HeldState {
        state: told.state,
        is_operation_active: told.operation_active,
        created_at: told.create_time,
        last_attempt: told.last_attempt,
    };
    let disagreement = if !is_known {
        Some(HeldTerminatorDisagreement::UnknownToController {
            terminator: terminator.clone(),
            held: held.clone(),
        })
    } else if held.state != ESTABLISHED {
        Some(HeldTerminatorDisagreement::NotEstablished {
            terminator: terminator.clone(),
            held: held.clone(),
        })
    } else {
        None
    };
    HeldTerminator {
        terminator,
        is_known,
        held,
        disagreement,
    }
}

fn unreported(known: &KnownTerminator) -> HeldTerminator {
    HeldTerminator {
        terminator: known.id.clone(),
        is_known: true,
        held: HeldState {
            state: UNKNOWN.to_owned(),
            ..HeldState::default()
        },
        disagreement: Some(HeldTerminatorDisagreement::UnknownToRouter {
            terminator: known.id.clone(),
            since: known.created_at,
        }),
    }
}

const fn controller_state(is_known: bool) -> TerminatorValidity {
    if is_known {
        TerminatorValidity::Valid
    } else {
        TerminatorValidity::Unknown
    }
}

impl From<&HeldTerminator> for SdkTerminatorDetail {
    fn from(compared: &HeldTerminator) -> Self {
        Self {
            terminator_id: compared.terminator.as_str().to_owned(),
            controller_state: controller_state(compared.is_known),
            router_state: compared.held.state.clone(),
            is_valid: compared.disagreement.is_none(),
            is_operation_active: compared.held.is_operation_active,
            created_at: compared.held.created_at.clone(),
            last_attempt: compared.held.last_attempt.clone(),
        }
    }
}

impl From<&HeldTerminator> for ErtTerminatorDetail {
    fn from(compared: &HeldTerminator) -> Self {
        Self {
            terminator_id: compared.terminator.as_str().to_owned(),
            controller_state: controller_state(compared.is_known),
            router_state: compared.held.state.clone(),
            is_valid: compared.disagreement.is_none(),
        }
    }
}

impl From<&Comparison<HeldTerminator>> for SdkTerminatorDetails {
    fn from(comparison: &Comparison<HeldTerminator>) -> Self {
        let (is_success, text) = comparison.outcome("router not connected");
        Self {
            router_id: comparison.router.id.as_str().to_owned(),
            router_name: comparison.router.name.clone(),
            is_success,
            text,
            terminators: comparison
                .entries
                .iter()
                .flatten()
                .map(Into::into)
                .collect(),
        }
    }
}

impl From<&Comparison<HeldTerminator>> for ErtTerminatorDetails {
    fn from(comparison: &Comparison<HeldTerminator>) -> Self {
        let (is_success, text) = comparison.outcome("router not connected");
        Self {
            router_id: comparison.router.id.as_str().to_owned(),
            router_name: comparison.router.name.clone(),
            is_success,
            text,
            terminators: comparison
                .entries
                .iter()
                .flatten()
                .map(Into::into)
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests;
