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
fn reports_can_be_switched_off() {
    let options = ForwardingOptions {
        fault_interval: None,
        ..ForwardingOptions::default()
    };
    let mut faults = Faults::new(&options);
    faults.add("c", Some(&OWNER), at(0));
    assert_eq!(faults.poll_timeout(), None);
}
