use super::*;
use crate::fixture::Fixture;
use crate::fixture::authorities::{intermediate, leaf, new_key, root};
use crate::fixture::routers::certificate_record;
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::router::RouterSpec;

const NAME: &str = "router-1";

#[tokio::test]
async fn routers_of_both_kinds_are_let_in_by_their_own_certificates() {
    let fixture = Fixture::start().await;
    for spec in [
        RouterSpec::edge_router("edge"),
        RouterSpec::transit_router("transit"),
    ] {
        let name = spec.name.clone();
        let (key, certificate) = fixture.add_router(spec).await;
        let router = fixture.admit(&[&certificate], &name).unwrap();
        assert_eq!(router.id().as_str(), name);
        assert_eq!(router.number(), RecordNumber(key.id().1));
        assert_eq!(router.fingerprint(), certificate.fingerprint().to_string());
        assert_eq!(router.is_edge(), name == "edge");
        assert!(!router.is_tunneler_enabled());
        recheck(&fixture.app, &router).unwrap();
    }
}

/// S-31.
#[tokio::test]
async fn only_the_certificate_whose_key_was_proved_counts() {
    let fixture = Fixture::start().await;
    let now = fixture.app.env().now();
    let (_, own) = fixture.add_router(RouterSpec::edge_router(NAME)).await;
    let valid = fixture.issue("identity");
    let stranger = root("stranger", new_key(), now);
    let below = intermediate(&stranger, "below", new_key(), now);
    let foreign = leaf(&stranger, NAME, now);

    for chain in [
        &[&valid][..],
        &[&valid, &own],
        &[&valid, &own, &valid],
        &[&valid, below.certificate(), &own],
    ] {
        let refusal = fixture.admit(chain, NAME).unwrap_err();
        assert!(
            matches!(refusal, RouterRefusal::OtherCertificate),
            "{refusal}"
        );
    }
    for chain in [
        &[&foreign][..],
        &[&foreign, &own],
        &[&foreign, stranger.certificate(), &own],
        &[stranger.certificate(), &own],
        &[below.certificate(), stranger.certificate(), &own],
    ] {
        let refusal = fixture.admit(chain, NAME).unwrap_err();
        assert!(matches!(refusal, RouterRefusal::Untrusted(_)), "{refusal}");
    }
    let refusal = fixture.admit(&[], NAME).unwrap_err();
    assert!(matches!(refusal, RouterRefusal::NoCertificate));
    for chain in [
        &[&own][..],
        &[&own, &own],
        &[&own, &valid],
        &[&own, stranger.certificate()],
    ] {
        fixture.admit(chain, NAME).unwrap();
    }
}

#[tokio::test]
async fn the_id_has_to_be_that_of_the_certificate() {
    let fixture = Fixture::start().await;
    let (_, own) = fixture.add_router(RouterSpec::edge_router(NAME)).await;
    fixture.add_router(RouterSpec::edge_router("other")).await;
    let refusal = fixture.admit(&[&own], "other").unwrap_err();
    assert!(matches!(refusal, RouterRefusal::OtherCertificate));
    for id in ["", "router-2", "ROUTER-1", "router-1\0", "../router-1"] {
        let refusal = fixture.admit(&[&own], id).unwrap_err();
        assert!(matches!(refusal, RouterRefusal::Unknown), "{id:?}");
    }
}

#[tokio::test]
async fn a_certificate_counts_while_it_is_valid() {
    let fixture = Fixture::start().await;
    let (_, own) = fixture.add_router(RouterSpec::edge_router(NAME)).await;
    fixture.clock.advance(SignedDuration::from_hours(24 * 400));
    let refusal = fixture.admit(&[&own], NAME).unwrap_err();
    assert!(matches!(refusal, RouterRefusal::OutsideValidity));
}

#[tokio::test]
async fn a_router_that_is_not_enrolled_or_disabled_stays_out() {
    let fixture = Fixture::start().await;
    let now = fixture.app.env().now();
    let (key, own) = fixture.add_router(RouterSpec::edge_router(NAME)).await;
    fixture
        .change_router(key, |router| router.spec.disabled = true)
        .await;
    let refusal = fixture.admit(&[&own], NAME).unwrap_err();
    assert!(matches!(refusal, RouterRefusal::Disabled));
    let stranger = fixture.issue("stranger");
    let refusal = fixture.admit(&[&stranger], NAME).unwrap_err();
    assert!(matches!(refusal, RouterRefusal::OtherCertificate));

    fixture
        .change_router(key, move |router| {
            router.spec.disabled = false;
            router.clear_certificate(now);
        })
        .await;
    let refusal = fixture.admit(&[&own], NAME).unwrap_err();
    assert!(matches!(refusal, RouterRefusal::NotEnrolled));
}

#[tokio::test]
async fn a_router_that_was_disabled_deleted_or_enrolled_anew_may_not_stay() {
    let fixture = Fixture::start().await;
    let now = fixture.app.env().now();
    let (key, own) = fixture.add_router(RouterSpec::edge_router(NAME)).await;
    let router = fixture.admit(&[&own], NAME).unwrap();

    fixture
        .change_router(key, |router| router.spec.disabled = true)
        .await;
    let refusal = recheck(&fixture.app, &router).unwrap_err();
    assert!(matches!(refusal, RouterRefusal::Disabled));
    fixture
        .change_router(key, |router| router.spec.disabled = false)
        .await;
    recheck(&fixture.app, &router).unwrap();

    let enrolled = certificate_record(&fixture.issue(NAME));
    fixture
        .change_router(key, move |router| {
            router.set_certificate(enrolled.clone(), now);
        })
        .await;
    let refusal = recheck(&fixture.app, &router).unwrap_err();
    assert!(matches!(refusal, RouterRefusal::OtherCertificate));
    fixture
        .change_router(key, move |router| router.clear_certificate(now))
        .await;
    let refusal = recheck(&fixture.app, &router).unwrap_err();
    assert!(matches!(refusal, RouterRefusal::NotEnrolled));

    fixture.remove::<Router>(key).await;
    // Its id may be taken by another router.
    let again = fixture.add_router(RouterSpec::edge_router(NAME)).await.1;
    let refusal = recheck(&fixture.app, &router).unwrap_err();
    assert!(matches!(refusal, RouterRefusal::Unknown));
    fixture.admit(&[&again], NAME).unwrap();
}

#[tokio::test]
async fn a_connection_outlives_extensions_but_the_next_needs_the_new_certificate() {
    let fixture = Fixture::start().await;
    let (key, old) = fixture.add_router(RouterSpec::edge_router(NAME)).await;
    let router = fixture.admit(&[&old], NAME).unwrap();
    let mut newest = old.clone();
    for _ in 0..2 {
        newest = fixture.issue(NAME);
        fixture.extend_certificate(key, &newest).await;
        recheck(&fixture.app, &router).unwrap();
    }
    let refusal = fixture.admit(&[&old], NAME).unwrap_err();
    assert!(matches!(refusal, RouterRefusal::OtherCertificate));
    let renewed = fixture.admit(&[&newest], NAME).unwrap();
    recheck(&fixture.app, &renewed).unwrap();
}

#[tokio::test]
async fn refusals_are_audited_within_limits() {
    let fixture = Fixture::start().await;
    for attempt in 0..1000 {
        let id = format!("router\u{1b}{attempt}");
        fixture.admit(&[], &id).unwrap_err();
    }
    let written = fixture.app.trail.refusals().drain(fixture.app.env().now());
    assert!((1..20).contains(&written.len()), "{}", written.len());
}
