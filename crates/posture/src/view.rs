//! Conversion of verdicts and postures into views.

use crate::client::Client;
use crate::policy::PolicyVerdict;
use crate::posture::Posture;
use portcullis_domain::ids::ApiSessionId;
use portcullis_domain::view::{CheckPosture, PolicyPosture, PostureView, SessionPosture};
use std::sync::Arc;

impl PolicyVerdict<'_> {
    /// The view for the owner of the session.
    pub fn view(&self) -> PolicyPosture {
        let checks = self.checks().map(|(check, verdict)| CheckPosture {
            check: Arc::clone(check),
            updated_at: verdict.updated_at(check),
            is_passing: verdict.is_passing,
            timeout: verdict.timeout,
            remaining: verdict.remaining,
            timeout_at: verdict.timeout_at,
        });
        PolicyPosture {
            policy: self.policy.id.clone(),
            grant: self.policy.grant,
            is_passing: self.is_passing(),
            checks: checks.collect(),
        }
    }
}

impl Posture {
    /// The view for administrators, of the [newest](Self::newest) data of several `sessions`.
    pub fn view(&self, sessions: Vec<SessionPosture>) -> PostureView {
        let processes = self.processes();
        PostureView {
            os: self.os().cloned(),
            domain: self.domain().cloned(),
            addresses: self.addresses().cloned(),
            processes: processes.map(|(_key, process)| process.clone()).collect(),
            sessions,
        }
    }
}

impl Client<'_> {
    /// The session's own part of the view for administrators.
    pub fn view(&self, session: ApiSessionId) -> SessionPosture {
        SessionPosture {
            session,
            totp_passed_at: self.totp_passed_at,
            woken_at: self.posture.woken_at(),
            unlocked_at: self.posture.unlocked_at(),
            sdk: self.sdk.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{
        at, client, linux_check, mfa_check, os, policy, posture, process, state, statement,
    };
    use portcullis_domain::policies::ServiceGrant;
    use std::num::NonZeroU32;

    #[test]
    fn owners_see_how_each_check_stands() {
        let machine = posture(10, [os("Linux", "6.1.0"), state(true, false)]);
        let (linux, code) = (linux_check("os"), mfa_check("mfa", 600, true, false));
        let policy = policy("p", ServiceGrant::Bind, &[&linux, &code]);
        let view = policy.evaluate(&client(&machine, Some(20)), at(30)).view();
        assert_eq!((view.grant, view.is_passing), (ServiceGrant::Bind, true));
        let expected = [
            CheckPosture {
                check: linux,
                updated_at: at(0),
                is_passing: true,
                timeout: None,
                remaining: None,
                timeout_at: None,
            },
            CheckPosture {
                check: code,
                updated_at: at(10),
                is_passing: true,
                timeout: NonZeroU32::new(600),
                remaining: Some(590),
                timeout_at: Some(at(620)),
            },
        ];
        assert_eq!(view.checks, expected);
        let view = policy.evaluate(&client(&machine, None), at(30)).view();
        assert!(!view.is_passing && view.checks[0].is_passing && !view.checks[1].is_passing);
    }

    #[test]
    fn administrators_see_what_was_reported_and_when() {
        let mut machine = posture(10, [process("/x", true, "aa", &[]), state(false, true)]);
        let report = os("Linux", "6.1.0");
        machine.record(statement("os", report), at(20)).unwrap();
        let session = client(&machine, Some(15)).view(ApiSessionId::from_wire("a"));
        assert_eq!(session.totp_passed_at, Some(at(15)));
        assert_eq!(
            (session.woken_at, session.unlocked_at),
            (None, Some(at(10)))
        );
        let view = machine.view(vec![session.clone()]);
        assert_eq!(view.os.as_ref(), machine.os());
        assert_eq!(view.os.map(|os| os.at), Some(at(20)));
        assert_eq!((view.domain, view.addresses), (None, None));
        assert_eq!(view.processes.len(), 1);
        assert_eq!(view.sessions, [session]);
    }
}
