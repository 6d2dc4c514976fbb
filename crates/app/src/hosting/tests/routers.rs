use super::*;
use portcullis_domain::router::RouterSpec;

#[tokio::test]
async fn a_router_removes_its_own_and_no_others() {
    let hosting = Hosting::start().await;
    let app = hosting.app();
    let (own, other) = (
        &hosting.network.router,
        hosting.network.fixture.connect_router("other").await,
    );
    for id in ["t1", "t2", "t3"] {
        hosting.create(offer(id)).await.unwrap();
    }
    let ids = ["t1", "t2", "unknown", "t1"].map(TerminatorId::from_wire);
    assert_eq!(remove(app, &other, &ids).await.unwrap(), 0);
    assert_eq!(remove_invalid(app, other.id(), &ids).await.unwrap(), 0);
    assert_eq!(remove(app, own, &[]).await.unwrap(), 0);
    let listed = list_for_router(app, own).unwrap();
    let expected = ListedTerminator {
        id: TerminatorId::from_wire("t1"),
        binding: "edge".to_owned(),
        address: "t1".to_owned(),
    };
    assert_eq!((listed.len(), listed.first()), (3, Some(&expected)));
    assert_eq!(list_for_router(app, &other).unwrap(), []);
    count_health_check(app, own, &expected.id).unwrap();
    let refused = count_health_check(app, &other, &expected.id);
    assert!(matches!(refused, Err(TerminatorError::Unknown)));

    assert_eq!(remove(app, own, &ids).await.unwrap(), 2);
    let rest = [TerminatorId::from_wire("t3")];
    assert_eq!(remove_invalid(app, own.id(), &rest).await.unwrap(), 1);
    assert_eq!(list_for_router(app, own).unwrap(), []);
}

#[tokio::test]
async fn failing_terminators_are_degraded_until_they_are_created_again() {
    let hosting = Hosting::start().await;
    let app = hosting.app();
    hosting.create(offer("t1")).await.unwrap();
    let id = TerminatorId::from_wire("t1");
    degrade(app, &id).await.unwrap();
    degrade(app, &TerminatorId::from_wire("unknown"))
        .await
        .unwrap();
    assert_eq!(
        hosting.find("t1").unwrap().spec.precedence,
        Precedence::Failed
    );
    hosting.create(offer("t1")).await.unwrap();
    assert_eq!(
        hosting.find("t1").unwrap().spec.precedence,
        Precedence::Default
    );
    assert!(delete(app, &id).await.unwrap());
    assert!(!delete(app, &id).await.unwrap());
}

#[tokio::test]
async fn a_disabled_router_changes_nothing() {
    let hosting = Hosting::start().await;
    let (app, router) = (hosting.app(), &hosting.network.router);
    hosting.create(offer("t1")).await.unwrap();
    let key = hosting.network.router_key();
    let disable = hosting
        .network
        .fixture
        .change_router(key, |router| router.spec.disabled = true);
    let created = hosting
        .network
        .fixture
        .change_before_commit(disable, hosting.create(offer("t2")))
        .await;
    assert_eq!(created.unwrap_err().code(), 5);
    assert!(!hosting.has("t2"));
    let ids = [TerminatorId::from_wire("t1")];
    let refused = remove(app, router, &ids).await;
    assert!(matches!(
        refused,
        Err(TerminatorError::Refused(Refusal::RouterNotAllowed))
    ));
    assert!(hosting.has("t1"));
}

#[tokio::test]
async fn terminators_on_other_routers_are_not_listed() {
    let hosting = Hosting::start().await;
    let fixture = &hosting.network.fixture;
    let (_, certificate) = fixture
        .add_router(RouterSpec::transit_router("transit"))
        .await;
    let transit = fixture.admit(&[&certificate], "transit").unwrap();
    let elsewhere = TerminatorSpec::new(
        ServiceId::from_wire(SERVICE),
        transit.id().clone(),
        "tcp:localhost:80",
    );
    fixture.insert_managed("x", elsewhere).await;
    let listed = list_for_router(hosting.app(), &transit).unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!(
        list_for_router(hosting.app(), &hosting.network.router).unwrap(),
        []
    );
}
