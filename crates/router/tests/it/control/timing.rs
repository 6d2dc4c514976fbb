//! Reports, renewals and pauses.

use portcullis_domain::clock::Timestamp;
use portcullis_router::control::{
    InterfaceReports, InterfaceSettings, Reconnects, renewal_due, retry_pause,
};
use portcullis_wire::control::interface::Interface;
use std::time::Duration;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

#[test]
fn certificates_are_renewed_when_the_first_has_a_third_of_its_time_left() {
    let due = renewal_due([(at(0), at(900)), (at(300), at(750))]);
    assert_eq!(due, Some(at(600)));
    assert_eq!(renewal_due([]), None);
    assert_eq!(
        renewal_due([(at(10), at(5))]),
        Some(at(5)),
        "dates in the wrong order"
    );
}

#[test]
fn renewal_that_fails_is_tried_again_ever_later() {
    let pauses: Vec<_> = [1, 2, 3, 20]
        .map(|failures| retry_pause(failures, u32::MAX).as_secs())
        .into();
    assert_eq!(pauses, [35, 70, 140, 3600]);
    assert_eq!(retry_pause(1, 0), Duration::from_millis(17_500));
}

#[test]
fn channels_that_end_soon_are_opened_ever_later() {
    let mut reconnects = Reconnects::default();
    let short = Duration::from_secs(2);
    let pauses: Vec<_> = (0..9)
        .map(|_| reconnects.ended(short, u32::MAX).as_millis())
        .collect();
    assert_eq!(
        pauses,
        [500, 1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000]
    );
    let long = Duration::from_hours(1);
    assert_eq!(reconnects.ended(long, u32::MAX).as_millis(), 500);
}

#[test]
fn interfaces_are_reported_when_they_change_and_once_a_day() {
    let interfaces = |name: &str| {
        vec![Interface {
            name: name.to_owned(),
            ..Interface::default()
        }]
    };
    let mut reports = InterfaceReports::new(&InterfaceSettings {
        check_interval: Duration::from_mins(1),
        report_interval: Duration::from_hours(24),
    });
    let first = reports.due(interfaces("eth0"), at(0)).unwrap();
    assert!(
        reports.due(interfaces("eth0"), at(60)).is_some(),
        "nobody has taken it"
    );
    reports.taken(first, at(60));
    assert_eq!(reports.due(interfaces("eth0"), at(120)), None);
    assert!(reports.due(interfaces("eth1"), at(120)).is_some());
    assert_eq!(
        reports.due(interfaces("eth0"), at(60 + 24 * 3600 - 1)),
        None
    );
    assert!(
        reports
            .due(interfaces("eth0"), at(60 + 24 * 3600))
            .is_some()
    );
}
