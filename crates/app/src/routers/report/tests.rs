use super::*;
use crate::error::TooManyRequestsError;
use crate::fixture::Fixture;
use portcullis_domain::router::RouterSpec;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::router_key;

fn hello(version: &str) -> RouterHello {
    RouterHello {
        version: RouterVersion {
            version: version.to_owned(),
            ..RouterVersion::default()
        },
        capabilities: 0x76,
        ctrl_chan_listeners: None,
    }
}

fn record(fixture: &Fixture, key: RecordKey) -> Router {
    fixture.read(|rows| rows.get(&key).unwrap().unwrap())
}

#[tokio::test]
async fn what_is_reported_is_written_when_it_is_new() {
    let fixture = Fixture::start().await;
    let router = fixture.connect_router("r").await;
    let key = router_key(router.number());
    report_hello(&fixture.app, &router, hello("v2.1.0"))
        .await
        .unwrap();
    let written = record(&fixture, key);
    assert_eq!(written.spec.reported.version.version, "v2.1.0");
    assert_eq!(written.spec.reported.capabilities, 0x76);

    let before = fixture.revision();
    report_hello(&fixture.app, &router, hello("v2.1.0"))
        .await
        .unwrap();
    report_interfaces(&fixture.app, &router, Vec::new())
        .await
        .unwrap();
    assert_eq!(fixture.revision(), before);

    let listeners = |count: usize| RouterHello {
        ctrl_chan_listeners: Some(
            (0..count)
                .map(|n| (format!("tls:r:{n:04}"), None))
                .collect(),
        ),
        ..hello("v2.1.0")
    };
    report_hello(&fixture.app, &router, listeners(1000))
        .await
        .unwrap();
    let kept = record(&fixture, key).spec.ctrl_chan_listeners;
    assert_eq!(kept.len(), MAX_LISTENERS);
    assert!(fixture.revision() > before);
    // A router that says nothing of addresses changes none.
    report_hello(&fixture.app, &router, hello("v2.1.1"))
        .await
        .unwrap();
    assert_eq!(record(&fixture, key).spec.ctrl_chan_listeners, kept);
}

#[tokio::test]
async fn news_are_not_written_without_end() {
    let fixture = Fixture::start().await;
    let router = fixture.connect_router("r").await;
    let mut refused = 0;
    for index in 1..50 {
        let interface = NetworkInterface {
            index,
            ..NetworkInterface::default()
        };
        let reported = report_interfaces(&fixture.app, &router, vec![interface]).await;
        match reported {
            Ok(()) => assert_eq!(refused, 0),
            Err(RouterRefusal::Unavailable(AppError::Overloaded(
                TooManyRequestsError::RateLimit { .. },
            ))) => refused += 1,
            Err(other) => panic!("{other}"),
        }
    }
    assert!(refused > 20, "{refused}");
}

#[tokio::test]
async fn a_router_that_was_disabled_meanwhile_changes_nothing() {
    let fixture = Fixture::start().await;
    let (key, certificate) = fixture.add_router(RouterSpec::edge_router("r")).await;
    let router = fixture.admit(&[&certificate], "r").unwrap();
    let disable = fixture.change_router(key, |router| router.spec.disabled = true);
    let report = report_hello(&fixture.app, &router, hello("v2.1.0"));
    let outcome = fixture.change_before_commit(disable, report).await;
    assert!(matches!(outcome, Err(RouterRefusal::Disabled)));
    assert!(record(&fixture, key).spec.reported.is_empty());
}
