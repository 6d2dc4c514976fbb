use super::*;
use crate::fixture::Fixture;
use portcullis_domain::posture_check::{Check, DomainCheck};
use portcullis_domain::roles::RoleSelectors;

#[tokio::test]
async fn policy_that_the_view_lacks_has_no_state_to_show() {
    let fixture = Fixture::start().await;
    let caller = fixture.admin().await;
    let service = fixture.add_service("service").await;
    let domains = DomainCheck::new(vec!["example.test".to_owned()]).unwrap();
    fixture.add_check("domain", Check::Domain(domains)).await;
    fixture.add_policy("free", RoleSelectors::default()).await;
    let (identity, service) = (caller.identity_number, RecordNumber(service.id().1));
    let before = fixture.app.snapshot().unwrap();
    fixture.add_policy("checked", RoleSelectors::All).await;
    let after = fixture.app.snapshot().unwrap();
    for (view, of_policies, of_service) in [(before, 0, 1), (after, 1, 2)] {
        let rows = view.rows();
        let evaluator = PostureEvaluator::for_caller(&fixture.app, rows, &caller).unwrap();
        let statuses = evaluator.evaluate_policies(rows, identity).unwrap();
        assert_eq!(statuses.len(), of_policies, "those with checks");
        let (grants, states) = evaluator.evaluate_service(rows, identity, service).unwrap();
        assert!(grants.dial && !grants.bind);
        assert_eq!(states.len(), of_service);
    }
}
