use super::*;
use crate::fixture::Fixture;
use portcullis_domain::posture_check::{Check, DomainCheck};
use portcullis_domain::roles::RoleSelectors;
use portcullis_domain::service::Service;

async fn add_check(fixture: &Fixture) {
    let domains = DomainCheck::new(vec!["example.test".to_owned()]).unwrap();
    fixture.add_check("domain", Check::Domain(domains)).await;
}

#[tokio::test]
async fn service_that_is_gone_is_granted_by_no_policy() {
    let fixture = Fixture::start().await;
    let caller = fixture.admin().await;
    let service = fixture.add_service("service").await;
    fixture.add_policy("policy", RoleSelectors::default()).await;
    let granting = || {
        let resolver = GrantResolver::new(&fixture.app);
        let service = RecordNumber(service.id().1);
        let policies = resolver.policies_between(caller.identity_number, service);
        policies.unwrap().len()
    };
    assert_eq!(granting(), 1);
    fixture.remove::<Service>(service).await;
    assert_eq!(granting(), 0);
}

#[tokio::test]
async fn policy_is_loaded_only_with_all_of_its_checks() {
    let fixture = Fixture::start().await;
    let caller = fixture.admin().await;
    let without_policy = fixture.app.snapshot().unwrap();
    fixture.add_policy("policy", RoleSelectors::All).await;
    let without_check = fixture.app.snapshot().unwrap();
    add_check(&fixture).await;
    let complete = fixture.app.snapshot().unwrap();
    for (view, is_loaded) in [
        (without_policy, false),
        (without_check, false),
        (complete, true),
    ] {
        let resolver = GrantResolver::new(&fixture.app);
        let policies = resolver.policies_of(caller.identity_number).unwrap();
        let [summary] = &*policies else {
            panic!("{policies:?}");
        };
        assert!(summary.has_checks());
        let loaded = resolver.load(view.rows(), summary).unwrap();
        assert_eq!(loaded.is_some(), is_loaded);
    }
}
