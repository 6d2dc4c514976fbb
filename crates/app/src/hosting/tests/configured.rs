use super::*;
use portcullis_domain::service::ServiceSpec;
use portcullis_domain::terminator::PeerData;

fn configured(service: &str) -> ConfiguredTerminator<'_> {
    ConfiguredTerminator {
        service,
        binding: "transport".to_owned(),
        address: "tcp:localhost:80".to_owned(),
        cost: 1,
        precedence: Precedence::Default,
        instance_id: String::new(),
        instance_secret: Vec::new().into(),
        peer_data: PeerData::new(),
    }
}

#[tokio::test]
async fn what_the_configuration_of_a_router_says_is_created_once() {
    let hosting = Hosting::start().await;
    let (app, router) = (hosting.app(), &hosting.network.router);
    let fabric = ServiceSpec {
        is_fabric_only: true,
        ..ServiceSpec::named("fabric")
    };
    hosting.network.fixture.insert_managed("f", fabric).await;
    let first = create_configured(app, router, configured("fabric"))
        .await
        .unwrap();
    let again = create_configured(app, router, configured("f"))
        .await
        .unwrap();
    assert_eq!(first, again);
    let other = ConfiguredTerminator {
        address: "tcp:localhost:81".to_owned(),
        ..configured("f")
    };
    let other = create_configured(app, router, other).await.unwrap();
    assert_ne!(first, other);
    let spec = hosting.find(first.as_str()).unwrap().spec;
    assert_eq!((spec.service.as_str(), spec.host), ("f", None));

    let adjustment = Adjustment {
        cost: Some(5),
        precedence: Some(Precedence::Required),
    };
    adjust_configured(app, router, &first, adjustment)
        .await
        .unwrap();
    assert_eq!(hosting.find(first.as_str()).unwrap().spec.cost, 5);
    hosting.create(offer("edge")).await.unwrap();
    let edge = TerminatorId::from_wire("edge");
    let refused = adjust_configured(app, router, &edge, adjustment).await;
    assert!(matches!(refused, Err(TerminatorError::Unknown)));
}

#[tokio::test]
async fn a_configuration_is_no_way_around_the_policies() {
    let hosting = Hosting::start().await;
    let (app, router) = (hosting.app(), &hosting.network.router);
    let refused = create_configured(app, router, configured(SERVICE)).await;
    assert_eq!(refused.unwrap_err().code(), 7);
    hosting.enable_tunneler().await;
    let id = create_configured(app, router, configured(SERVICE))
        .await
        .unwrap();
    for binding in ["edge", "tunnel"] {
        let disguised = ConfiguredTerminator {
            binding: binding.to_owned(),
            ..configured(SERVICE)
        };
        let refused = create_configured(app, router, disguised).await;
        assert!(matches!(refused, Err(TerminatorError::Invalid(_))));
    }
    hosting.forbid_hosting().await;
    assert_eq!(sweep(app).await.unwrap(), 1);
    assert!(!hosting.has(id.as_str()));
}
