use super::*;
use portcullis_domain::session::Session;

#[tokio::test]
async fn a_client_hosts_by_its_service_session() {
    let hosting = Hosting::start().await;
    let offered = Offer {
        cost: 7,
        precedence: Precedence::Required,
        ..offer("t1")
    };
    hosting.create(offered).await.unwrap();
    let spec = hosting.find("t1").unwrap().spec;
    assert_eq!(
        (spec.binding.as_str(), spec.address.as_str()),
        ("edge", "t1")
    );
    assert_eq!((spec.cost, spec.precedence), (7, Precedence::Required));
    assert_eq!(spec.service.as_str(), SERVICE);
    assert_eq!(spec.router, *hosting.network.router.id());
    assert_eq!(spec.peer_data.get(&1003), Some(&vec![7; 32]));
    let host = spec.host.unwrap();
    assert_eq!(host.identity, hosting.network.client);
    assert_eq!(host.session, Some(hosting.session.view.session.id.clone()));
}

#[tokio::test]
async fn creating_it_again_succeeds_and_writes_what_is_new() {
    let hosting = Hosting::start().await;
    hosting.create(offer("t1")).await.unwrap();
    let created = hosting.find("t1").unwrap();
    let fixture = &hosting.network.fixture;
    let before = fixture.revision();
    for _ in 0..3 {
        hosting.create(offer("t1")).await.unwrap();
    }
    assert_eq!(fixture.revision(), before);
    let dearer = Offer {
        cost: 9,
        ..offer("t1")
    };
    hosting.create(dearer).await.unwrap();
    let changed = hosting.find("t1").unwrap();
    assert_eq!(
        (changed.created_at, changed.spec.cost),
        (created.created_at, 9)
    );
}

#[tokio::test]
async fn nobody_takes_the_place_of_a_terminator() {
    let hosting = Hosting::start().await;
    hosting.create(offer("t1")).await.unwrap();
    hosting.enable_tunneler().await;
    let app = hosting.app();
    let service = ServiceId::from_wire(SERVICE);
    let taken = create_for_tunneler(app, &hosting.network.router, &service, offer("t1")).await;
    let error = taken.unwrap_err();
    assert!(matches!(error, TerminatorError::Conflict(_)), "{error}");
    assert_eq!((error.code(), error.retry_hint().number()), (1, 3));

    let other = hosting.network.fixture.connect_router("other").await;
    let taken = create_for_client(app, &other, hosting.presented(), offer("t1")).await;
    assert!(matches!(taken, Err(TerminatorError::Conflict(_))));
    assert_eq!(
        hosting.find("t1").unwrap().spec.router,
        *hosting.network.router.id()
    );
}

#[tokio::test]
async fn a_session_to_dial_hosts_nothing() {
    let mut hosting = Hosting::start().await;
    hosting.session = hosting.network.service_session(ServiceGrant::Dial).await;
    let error = hosting.create(offer("t1")).await.unwrap_err();
    assert_eq!((error.code(), error.retry_hint().number()), (4, 2));
    assert!(!hosting.has("t1"));
}

#[tokio::test]
async fn what_does_not_fit_is_refused() {
    type Spoil = fn(&mut Offer);
    let hosting = Hosting::start().await;
    let wrong: [(Spoil, u32); 6] = [
        (|offer| offer.id = TerminatorId::from_wire(""), 8),
        (
            |offer| offer.id = TerminatorId::from_wire("x".repeat(129)),
            8,
        ),
        (|offer| offer.id = TerminatorId::from_wire("a\u{1b}b"), 8),
        (|offer| offer.cost = 65_536, 10),
        (|offer| offer.instance_id = "i".repeat(513), 8),
        (|offer| offer.peer_data = [(1, vec![0; 5000])].into(), 8),
    ];
    for (change, code) in wrong {
        let mut offered = offer("t1");
        change(&mut offered);
        let error = hosting.create(offered).await.unwrap_err();
        assert_eq!(
            (error.code(), error.retry_hint().number()),
            (code, 3),
            "{error}"
        );
    }
    let largest = Offer {
        cost: 65_535,
        ..offer("t1")
    };
    hosting.create(largest).await.unwrap();
}

#[tokio::test]
async fn hosts_of_an_instance_share_its_secret() {
    let hosting = Hosting::start().await;
    let instance = |id: &str, instance: &str, secret: &str| Offer {
        instance_id: instance.to_owned(),
        instance_secret: secret.as_bytes().to_vec().into(),
        ..offer(id)
    };
    hosting
        .create(instance("t1", "one", "s3cret"))
        .await
        .unwrap();
    hosting
        .create(instance("t2", "one", "s3cret"))
        .await
        .unwrap();
    for secret in ["", "other", "s3cre", "s3cret "] {
        let refused = hosting.create(instance("t3", "one", secret)).await;
        let error = refused.unwrap_err();
        assert_eq!((error.code(), error.retry_hint().number()), (13, 3));
    }
    hosting
        .create(instance("t3", "two", "other"))
        .await
        .unwrap();
    hosting.create(instance("t4", "", "ignored")).await.unwrap();
    assert_eq!(hosting.find("t4").unwrap().spec.instance_secret, None);
    let stored = serde_json::to_string(&hosting.find("t1").unwrap()).unwrap();
    assert!(!stored.contains("s3cret"));
}

#[tokio::test]
async fn a_terminator_goes_with_the_session_of_its_host() {
    let hosting = Hosting::start().await;
    hosting.create(offer("t1")).await.unwrap();
    let session = hosting.network.fixture.read(|rows| {
        let id = &hosting.session.view.session.id;
        rows.locate(&reference(id)).unwrap().unwrap()
    });
    hosting.network.fixture.remove::<Session>(session).await;
    assert!(!hosting.has("t1"));
    let error = hosting.create(offer("t1")).await.unwrap_err();
    assert_eq!((error.code(), error.retry_hint().number()), (3, 2));
}

#[tokio::test]
async fn a_right_that_ends_meanwhile_creates_nothing() {
    let hosting = Hosting::start().await;
    let fixture = &hosting.network.fixture;
    let forbid = hosting.forbid_hosting();
    let created = fixture
        .change_before_commit(forbid, hosting.create(offer("t1")))
        .await;
    // What the same group of commits has changed is not known yet: the follower of changes sees it.
    if created.is_ok() {
        sweep(hosting.app()).await.unwrap();
    }
    assert!(!hosting.has("t1"));
}

#[tokio::test]
async fn a_client_changes_its_own_terminators() {
    let hosting = Hosting::start().await;
    let router = &hosting.network.router;
    hosting.create(offer("t1")).await.unwrap();
    hosting.enable_tunneler().await;
    let service = ServiceId::from_wire(SERVICE);
    create_for_tunneler(hosting.app(), router, &service, offer("t2"))
        .await
        .unwrap();
    let change = Adjustment {
        cost: Some(3),
        precedence: Some(Precedence::Failed),
    };
    let adjust = async |id: &str, change| {
        let id = TerminatorId::from_wire(id);
        adjust_for_client(hosting.app(), router, hosting.presented(), &id, change).await
    };
    adjust("t1", change).await.unwrap();
    let spec = hosting.find("t1").unwrap().spec;
    assert_eq!((spec.cost, spec.precedence), (3, Precedence::Failed));
    let before = hosting.network.fixture.revision();
    adjust("t1", change).await.unwrap();
    adjust("t1", Adjustment::default()).await.unwrap();
    assert_eq!(hosting.network.fixture.revision(), before);
    for id in ["t2", "t3"] {
        let error = adjust(id, change).await.unwrap_err();
        assert_eq!((error.code(), error.retry_hint().number()), (8, 3));
    }
    let too_dear = Adjustment {
        cost: Some(1 << 16),
        precedence: None,
    };
    assert_eq!(adjust("t1", too_dear).await.unwrap_err().code(), 10);
}
