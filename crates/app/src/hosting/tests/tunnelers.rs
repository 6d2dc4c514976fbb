use super::*;

#[tokio::test]
async fn a_tunneler_hosts_as_the_identity_of_its_router() {
    let hosting = Hosting::start().await;
    let router = &hosting.network.router;
    let service = ServiceId::from_wire(SERVICE);
    let create = async |service: &ServiceId, id: &str| {
        create_for_tunneler(hosting.app(), router, service, offer(id)).await
    };
    let error = create(&service, "t1").await.unwrap_err();
    assert_eq!((error.code(), error.retry_hint().number()), (7, 3));
    let identity = hosting.enable_tunneler().await;
    let unknown = ServiceId::from_wire("unknown");
    let error = create(&unknown, "t1").await.unwrap_err();
    assert_eq!((error.code(), error.retry_hint().number()), (6, 3));

    create(&service, "t1").await.unwrap();
    create(&service, "t1").await.unwrap();
    let spec = hosting.find("t1").unwrap().spec;
    assert_eq!(
        (spec.binding.as_str(), spec.address.as_str()),
        ("tunnel", "t1")
    );
    let host = spec.host.unwrap();
    assert_eq!((host.identity.as_str(), host.session), ("router", None));

    let adjustment = Adjustment {
        cost: Some(5),
        precedence: None,
    };
    let id = TerminatorId::from_wire("t1");
    adjust_for_tunneler(hosting.app(), router, &id, adjustment)
        .await
        .unwrap();
    assert_eq!(hosting.find("t1").unwrap().spec.cost, 5);
    hosting.create(offer("edge")).await.unwrap();
    let id = TerminatorId::from_wire("edge");
    let refused = adjust_for_tunneler(hosting.app(), router, &id, adjustment).await;
    assert!(matches!(refused, Err(TerminatorError::Unknown)));

    hosting.network.fixture.remove::<Identity>(identity).await;
    assert!(!hosting.has("t1") && hosting.has("edge"));
}

#[tokio::test]
async fn a_tunneler_that_may_not_host_is_refused() {
    let hosting = Hosting::start().await;
    let network = &hosting.network;
    hosting.enable_tunneler().await;
    let service = ServiceId::from_wire(SERVICE);
    let create =
        async || create_for_tunneler(hosting.app(), &network.router, &service, offer("t1")).await;
    network
        .fixture
        .remove::<portcullis_domain::policies::EdgeRouterPolicy>(network.edge_router_policy)
        .await;
    let error = create().await.unwrap_err();
    assert_eq!((error.code(), error.retry_hint().number()), (14, 0));
    hosting.forbid_hosting().await;
    assert_eq!(create().await.unwrap_err().code(), 6);
    assert!(!hosting.has("t1"));
}
