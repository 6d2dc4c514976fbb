//! Explanations of failed checks.

#[cfg(test)]
mod tests;

use crate::client::Client;
use crate::machine;
use crate::mfa::{self, MfaStatus};
use crate::posture::Posture;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::posture::{
    ActualProcess, ActualValue, CheckFailure, MfaCriteria, MfaValues, Reported,
};
use portcullis_domain::posture_check::{
    Check, MfaCheck, PostureCheck, ProcessCheck, ProcessMultiCheck,
};
use std::sync::Arc;

/// Explains why `check` failed.
pub(crate) fn check_failure(
    check: &Arc<PostureCheck>,
    client: &Client<'_>,
    now: Timestamp,
) -> CheckFailure {
    let posture = client.posture;
    let actual = match &check.spec.check {
        Check::Os(_) => ActualValue::Os(posture.os().map(shared_value)),
        Check::Domain(_) => ActualValue::Domain(posture.domain().map(shared_value)),
        Check::Mac(_) => ActualValue::Mac(posture.addresses().map(shared_value)),
        Check::Mfa(mfa) => {
            let values = mfa_values(*mfa, client, now);
            ActualValue::Mfa(values, mfa_criteria(*mfa, client, now))
        },
        Check::Process(process) => ActualValue::Process(actual_process(process, check, posture)),
        Check::ProcessMulti(processes) => {
            ActualValue::ProcessMulti(actual_processes(processes, posture))
        },
    };
    CheckFailure {
        check: Arc::clone(check),
        actual,
    }
}

fn shared_value<T>(reported: &Reported<T>) -> Arc<T> {
    Arc::clone(&reported.value)
}

fn actual_process(
    required: &ProcessCheck,
    check: &PostureCheck,
    posture: &Posture,
) -> Option<ActualProcess> {
    let reported = posture.process_at(&required.path);
    let reported = reported.or_else(|| posture.process_for(&check.id))?;
    Some(ActualProcess {
        path: required.path.as_str().to_owned(),
        process: shared_value(reported),
    })
}

fn actual_processes(required: &ProcessMultiCheck, posture: &Posture) -> Vec<ActualProcess> {
    let failing = required.processes.iter().filter_map(|asked| {
        let reported = posture.process_at(&asked.path)?;
        (!machine::matches_process(asked, Some(reported))).then(|| ActualProcess {
            path: asked.path.as_str().to_owned(),
            process: shared_value(reported),
        })
    });
    failing.collect()
}

fn mfa_values(check: MfaCheck, client: &Client<'_>, now: Timestamp) -> MfaValues {
    let status = MfaStatus::new(check, client);
    MfaValues {
        passed_mfa: status.passed_at.is_some(),
        timed_out: status.has_timed_out(now),
        passed_on_wake: status.is_within_grace(status.wake_grace_end, now),
        passed_on_unlock: status.is_within_grace(status.unlock_grace_end, now),
    }
}

fn mfa_criteria(check: MfaCheck, client: &Client<'_>, now: Timestamp) -> MfaCriteria {
    MfaCriteria {
        passed_at: client.totp_passed_at,
        woken_at: client.posture.woken_at(),
        unlocked_at: client.posture.unlocked_at(),
        timeout: check.timeout_seconds,
        remaining: mfa::remaining(check, client, now),
    }
}
