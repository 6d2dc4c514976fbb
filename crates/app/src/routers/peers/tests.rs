use super::*;
use crate::fixture::Fixture;
use portcullis_domain::router::RouterSpec;

/// GHSA-hhm9-wf63-g7qj.
#[tokio::test]
async fn a_peer_is_verified_by_its_first_fingerprint() {
    let fixture = Fixture::start().await;
    let (key, own) = fixture.add_router(RouterSpec::edge_router("a")).await;
    let (_, other) = fixture.add_router(RouterSpec::transit_router("b")).await;
    let [own, other] = [own, other].map(|one| one.fingerprint().to_string());
    let verify = |id: &str, fingerprints: &[&String]| {
        let fingerprints: Vec<_> = fingerprints.iter().copied().cloned().collect();
        verify_peer(&fixture.app, &RouterId::from_wire(id), &fingerprints)
    };
    verify("a", &[&own]).unwrap();
    verify("a", &[&own, &other]).unwrap();
    for fingerprints in [
        &[][..],
        &[&other],
        &[&other, &own],
        &[&own.to_uppercase()],
        &[&String::new()],
    ] {
        let refusal = verify("a", fingerprints).unwrap_err();
        assert!(matches!(refusal, PeerRefusal::OtherCertificate));
        assert!(!refusal.is_temporary());
    }
    assert!(matches!(
        verify("c", &[&own]).unwrap_err(),
        PeerRefusal::Unknown
    ));

    fixture
        .change_router(key, |router| router.spec.disabled = true)
        .await;
    let refusal = verify("a", &[&own]).unwrap_err();
    assert!(matches!(refusal, PeerRefusal::Disabled));
    let now = fixture.app.env().now();
    fixture
        .change_router(key, move |router| router.clear_certificate(now))
        .await;
    let refusal = verify("a", &[&own]).unwrap_err();
    assert!(matches!(refusal, PeerRefusal::NotEnrolled));
}
