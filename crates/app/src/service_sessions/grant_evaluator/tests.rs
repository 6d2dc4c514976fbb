use super::*;
use crate::fixture::{Fixture, permit};
use crate::posture::{Reports, report};
use crate::records::own_session_key;
use portcullis_domain::ids::PostureCheckId;
use portcullis_domain::posture::{PostureReport, Report};
use portcullis_domain::posture_check::{Check, DomainCheck};
use portcullis_domain::roles::RoleSelectors;
use portcullis_domain::service::Service;

fn is_granted(fixture: &Fixture, rows: Rows<'_>, session: RecordNumber) -> bool {
    let grants = GrantEvaluator::new(&fixture.app, fixture.app.env().now());
    grants.is_granted(rows, session).unwrap()
}

#[tokio::test]
async fn session_that_is_gone_is_not_granted() {
    let fixture = Fixture::start().await;
    let caller = fixture.admin().await;
    let service = fixture.add_service("service").await;
    fixture.add_policy("policy", RoleSelectors::default()).await;
    let api_session = own_session_key(&caller);
    let session = fixture.add_service_session(&api_session, "service").await;
    let number = RecordNumber(session.id().1);
    assert!(fixture.read(|rows| is_granted(&fixture, rows, number)));
    let unknown = RecordNumber(number.0 + 1);
    assert!(!fixture.read(|rows| is_granted(&fixture, rows, unknown)));
    // Sessions end with their service.
    fixture.remove::<Service>(service).await;
    assert!(!fixture.read(|rows| is_granted(&fixture, rows, number)));
}

#[tokio::test]
async fn checks_are_not_passed_by_an_api_session_that_the_view_lacks() {
    let fixture = Fixture::start().await;
    let domains = DomainCheck::new(vec!["example.test".to_owned()]).unwrap();
    fixture.add_check("domain", Check::Domain(domains)).await;
    fixture.add_policy("policy", RoleSelectors::All).await;
    fixture.add_service("service").await;
    let before = fixture.app.snapshot().unwrap();
    let caller = fixture.admin().await;
    let reported = PostureReport {
        check: PostureCheckId::from_wire("domain"),
        report: Report::Domain("example.test".to_owned()),
    };
    report(&fixture.app, &permit(&caller), Reports::Single(reported)).unwrap();
    let api_session = own_session_key(&caller);
    let session = fixture.add_service_session(&api_session, "service").await;
    let number = RecordNumber(session.id().1);
    assert!(fixture.read(|rows| is_granted(&fixture, rows, number)));
    assert!(!is_granted(&fixture, before.rows(), number));
}
