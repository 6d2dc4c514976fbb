//! What was in the way: checks that were not passed.

#[cfg(test)]
mod tests;

use crate::client::Client;
use crate::machine;
use crate::mfa::{self, Standing};
use crate::posture::Posture;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::posture::{
    Actual, ActualProcess, CheckFailure, MfaCriteria, MfaValues, Reported,
};
use portcullis_domain::posture_check::{
    Check, MfaCheck, PostureCheck, ProcessCheck, ProcessMultiCheck,
};
use std::sync::Arc;

/// Says what is in the way of passing `check`.
pub(crate) fn check_failure(
    check: &Arc<PostureCheck>,
    client: &Client<'_>,
    now: Timestamp,
) -> CheckFailure {
    let posture = client.posture;
    let actual = match &check.spec.check {
        Check::Os(_) => Actual::Os(posture.os().map(share)),
        Check::Domain(_) => Actual::Domain(posture.domain().map(share)),
        Check::Mac(_) => Actual::Mac(posture.addresses().map(share)),
        Check::Mfa(mfa) => {
            let values = mfa_values(*mfa, client, now);
            Actual::Mfa(values, mfa_criteria(*mfa, client, now))
        },
        Check::Process(process) => Actual::Process(actual_process(process, check, posture)),
        Check::ProcessMulti(processes) => {
            Actual::ProcessMulti(actual_processes(processes, posture))
        },
    };
    CheckFailure {
        check: Arc::clone(check),
        actual,
    }
}

fn share<T>(reported: &Reported<T>) -> Arc<T> {
    Arc::clone(&reported.value)
}

fn actual_process(
    asked: &ProcessCheck,
    check: &PostureCheck,
    posture: &Posture,
) -> Option<ActualProcess> {
    let reported = posture.process_at(&asked.path);
    let reported = reported.or_else(|| posture.process_for(&check.id))?;
    Some(ActualProcess {
        path: asked.path.as_str().to_owned(),
        process: share(reported),
    })
}

fn actual_processes(asked: &ProcessMultiCheck, posture: &Posture) -> Vec<ActualProcess> {
    let failing = asked.processes.iter().filter_map(|asked| {
        let reported = posture.process_at(&asked.path)?;
        (!machine::is_met(asked, Some(reported))).then(|| ActualProcess {
            path: asked.path.as_str().to_owned(),
            process: share(reported),
        })
    });
    failing.collect()
}

fn mfa_values(check: MfaCheck, client: &Client<'_>, now: Timestamp) -> MfaValues {
    let standing = Standing::of(check, client);
    MfaValues {
        passed_mfa: standing.passed_at.is_some(),
        timed_out: standing.has_timed_out(now),
        passed_on_wake: standing.is_prompt_passed(standing.wake, now),
        passed_on_unlock: standing.is_prompt_passed(standing.unlock, now),
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
