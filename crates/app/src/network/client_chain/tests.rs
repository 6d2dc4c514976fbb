use super::*;
use crate::fixture::authorities::{copy_key, intermediate, leaf, new_key, root};
use crate::fixture::{network_settings, new_network};
use portcullis_domain::Env;
use portcullis_domain::clock::SignedDuration;
use portcullis_testkit::{ManualClock, SeededEntropy};

const MONTH: SignedDuration = SignedDuration::from_hours(24 * 30);

fn env() -> Env {
    Env {
        clock: Arc::new(ManualClock::default()),
        entropy: Arc::new(SeededEntropy::new(42)),
    }
}

/// An intermediate that was found while it was valid gives way to its renewal among the anchors,
/// which began later.
#[test]
fn renewal_among_the_anchors_takes_the_place_of_what_was_presented() {
    let env = env();
    let start = env.now();
    let root = root("root", new_key(), start - MONTH);
    let key = new_key();
    let old = intermediate(&root, "between", copy_key(&key), start - MONTH * 118);
    let renewed = intermediate(&root, "between", key, start + MONTH);
    let mut settings = network_settings(&env);
    settings.anchors = vec![root.certificate().clone(), renewed.certificate().clone()];
    let network = new_network(settings);
    let device = leaf(&old, "device", start);
    let chain = [device.as_der(), old.certificate().as_der()];
    for now in [start, start + MONTH * 6] {
        let found = network.find_client_chain(&chain, now).unwrap();
        assert!(found.validity.contains(now), "{:?}", found.validity);
    }
}

/// Of an intermediate and its renewal, the one that is valid now counts, in whatever order they are
/// presented and whichever was found before.
#[test]
fn expired_intermediate_beside_its_renewal_does_no_harm() {
    let env = env();
    let start = env.now();
    let root = root("root", new_key(), start);
    let mut settings = network_settings(&env);
    settings.anchors = vec![root.certificate().clone()];
    let network = new_network(settings);
    let key = new_key();
    // An authority is valid for ten years.
    let old = intermediate(&root, "between", copy_key(&key), start - MONTH * 118);
    let renewed = intermediate(&root, "between", key, start);
    let device = leaf(&old, "device", start);
    let [old, renewed] = [&old, &renewed].map(|one| one.certificate().as_der());
    let later = start + MONTH * 6;
    for chain in [
        [device.as_der(), old, renewed],
        [device.as_der(), renewed, old],
    ] {
        for now in [start, later, start] {
            let found = network.find_client_chain(&chain, now).unwrap();
            assert!(found.validity.contains(now), "{:?}", found.validity);
            assert!(!found.is_chain_incomplete);
        }
    }
    let found = network.find_client_chain(&[device.as_der(), old], later);
    assert!(
        !found.unwrap().validity.contains(later),
        "the old one alone"
    );
}
