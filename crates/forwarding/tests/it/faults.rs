//! Payloads that lead nowhere.

use crate::support::{OWNER, at};
use portcullis_forwarding::{FaultReport, Faults, ForwardingOptions};
use portcullis_wire::control::link::FaultSubject;

fn reports(faults: &mut Faults<&'static str>) -> Vec<(Option<&'static str>, FaultSubject, String)> {
    std::iter::from_fn(|| faults.poll_report())
        .map(|FaultReport { to, fault }| (to, fault.subject, fault.id))
        .collect()
}

#[test]
fn circuits_are_reported_together_and_once() {
    let mut faults = Faults::new(&ForwardingOptions::default());
    assert_eq!(faults.poll_timeout(), None);
    faults.add("b", Some(&OWNER), at(1));
    for second in 1..10 {
        faults.add("a", Some(&OWNER), at(second));
        faults.add("x", None, at(second));
    }
    assert_eq!(faults.poll_timeout(), Some(at(16)));
    faults.handle_timeout(at(15));
    assert_eq!(reports(&mut faults), []);
    faults.handle_timeout(at(16));
    let expected = [
        (None, FaultSubject::ForwardUnknownOwner, "x".to_owned()),
        (Some(OWNER), FaultSubject::Forward, "a b".to_owned()),
    ];
    assert_eq!(reports(&mut faults), expected);
    assert_eq!(faults.poll_timeout(), None);
}

#[test]
fn peers_cannot_make_a_report_long_or_wrong() {
    let options = ForwardingOptions {
        max_reported: 2,
        ..ForwardingOptions::default()
    };
    let mut faults = Faults::new(&options);
    for circuit in ["", "a b", "a\n", "c", "c", "d", "e", "f"] {
        faults.add(circuit, None::<&&str>, at(0));
    }
    assert_eq!(faults.dropped(), 2);
    faults.handle_timeout(at(15));
    let expected = (None, FaultSubject::ForwardUnknownOwner, "c d".to_owned());
    assert_eq!(reports(&mut faults), [expected]);
    faults.add("e", None, at(20));
    assert_eq!(faults.poll_timeout(), Some(at(35)));
}

#[test]
fn ids_that_were_made_up_keep_no_real_ones_away() {
    let options = ForwardingOptions::default();
    let mut faults = Faults::new(&options);
    for number in 0..2 * options.max_reported {
        faults.add(&format!("{number:064}"), None, at(0));
        faults.add(&format!("{number:065}"), None, at(0));
    }
    for number in 0..options.max_reported {
        faults.add(&format!("{number}"), Some(&OWNER), at(0));
    }
    let one_each = u64::try_from(options.max_reported).unwrap();
    assert_eq!(faults.dropped(), one_each, "of those without an owner");
    faults.handle_timeout(at(15));
    let mut circuits = [0, 0];
    while let Some(FaultReport { to, fault }) = faults.poll_report() {
        assert!(fault.id.len() <= 32 << 10, "{} bytes", fault.id.len());
        assert!(fault.circuits().all(|circuit| circuit.len() < 65));
        circuits[usize::from(to.is_some())] += fault.circuits().count();
    }
    assert_eq!(circuits, [options.max_reported; 2]);
}

/// A controller may name its circuits as it likes.
#[test]
fn long_ids_are_reported_to_their_owner() {
    let mut faults = Faults::new(&ForwardingOptions::default());
    let ids = ["a", "b", "c"].map(|id| id.repeat(20 << 10));
    for id in &ids {
        faults.add(id, Some(&OWNER), at(0));
    }
    faults.handle_timeout(at(15));
    let reported = reports(&mut faults).into_iter().map(|(_, _, id)| id);
    assert_eq!(reported.collect::<Vec<_>>(), ids);
}

#[test]
fn reports_can_be_switched_off() {
    let options = ForwardingOptions {
        fault_interval: None,
        ..ForwardingOptions::default()
    };
    let mut faults = Faults::new(&options);
    faults.add("c", Some(&OWNER), at(0));
    assert_eq!(faults.poll_timeout(), None);
}
