use super::*;
use crate::fixture::Fixture;
use portcullis_domain::policies::ServicePolicy;
use portcullis_domain::posture_check::MfaCheck;
use portcullis_domain::roles::RoleSelectors;
use std::sync::Arc;

const WOKEN: MfaPrompts = MfaPrompts {
    woken: true,
    unlocked: false,
};

/// An administrator, and a check that requires another code after wake-up.
async fn start() -> (Fixture, Arc<Caller>) {
    let fixture = Fixture::start().await;
    let caller = fixture.admin().await;
    let check = Check::Mfa(MfaCheck {
        timeout_seconds: None,
        prompt_on_wake: true,
        prompt_on_unlock: false,
        ignore_legacy_endpoints: false,
    });
    fixture.add_check("mfa", check).await;
    fixture.add_service("service").await;
    (fixture, caller)
}

#[tokio::test]
async fn only_policies_that_the_view_has_require_another_code() {
    let (fixture, caller) = start().await;
    let before = fixture.app.snapshot().unwrap();
    fixture.add_policy("policy", RoleSelectors::All).await;
    fixture.add_policy("free", RoleSelectors::default()).await;
    let after = fixture.app.snapshot().unwrap();
    let prompting = |rows| prompting_policies(&fixture.app, rows, &caller, WOKEN).unwrap();
    assert!(prompting(before.rows()).is_empty());
    let names = prompting(after.rows());
    let names: Vec<_> = names.iter().map(|(_, policy)| &*policy.name).collect();
    assert_eq!(names, ["policy"]);
}

#[tokio::test]
async fn policy_that_is_gone_meanwhile_grants_no_service_that_needs_another_code() {
    let (fixture, caller) = start().await;
    let policy = fixture.add_policy("policy", RoleSelectors::All).await;
    let view = fixture.app.snapshot().unwrap();
    let rows = view.rows();
    let policies = prompting_policies(&fixture.app, rows, &caller, WOKEN).unwrap();
    let granted = || granted_services(&fixture.app, &policies).unwrap().len();
    assert_eq!(granted(), 1);
    fixture.remove::<ServicePolicy>(policy).await;
    assert_eq!(granted(), 0);
}
