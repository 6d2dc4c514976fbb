//! Tests of which answers are due.

use super::*;
use crate::service::Service;
use portcullis_api::service::ServiceDetail;
use portcullis_domain::posture::OsInfo;
use serde_json::{Value, json};

const TIME: &str = "2031-01-01T00:00:00.000Z";

fn services(queries: &[Value]) -> Services {
    let queries: Vec<_> = queries
        .iter()
        .map(|query| {
            let mut whole = json!({
                "_links": {}, "createdAt": TIME, "updatedAt": TIME, "tags": {},
                "isPassing": false, "timeout": -1, "timeoutRemaining": -1,
            });
            for (name, value) in query.as_object().unwrap() {
                whole[name] = value.clone();
            }
            whole
        })
        .collect();
    let detail: ServiceDetail = serde_json::from_value(json!({
        "_links": {}, "createdAt": TIME, "updatedAt": TIME, "tags": {}, "id": "s", "name": "web",
        "encryptionRequired": true, "permissions": ["Dial"], "terminatorStrategy": "smartrouting",
        "postureQueries": [
            {"policyId": "p", "policyType": "Dial", "isPassing": false, "postureQueries": queries}
        ],
    }))
    .unwrap();
    [Service::from(detail)].into_iter().collect()
}

fn os(version: &str) -> Report {
    Report::Os(OsInfo {
        version: version.to_owned(),
        ..OsInfo::default()
    })
}

fn found(schedule: &mut PostureSchedule, reports: &[Report]) {
    let reports = reports.iter();
    let reports = reports.map(|report| (Subject::of_report(report).unwrap(), report.clone()));
    schedule.found(reports.collect());
}

#[test]
fn what_was_told_is_told_again_when_it_is_different() {
    let mut schedule = PostureSchedule::default();
    let now = Instant::now();
    schedule.ask(&services(&[json!({"id": "c", "queryType": "OS"})]));
    assert_eq!(schedule.due(now), [], "nothing was found");
    found(
        &mut schedule,
        &[os("1"), Report::Domain("other".to_owned())],
    );
    assert_eq!(schedule.reports(), [os("1")], "nobody asks for the domain");
    let due = schedule.due(now);
    assert_eq!(due.len(), 1);
    assert_eq!((due[0].check.as_str(), &due[0].report), ("c", &os("1")));
    schedule.told(due, now);
    let later = now + Duration::from_hours(24);
    assert_eq!(schedule.due(later), []);
    found(&mut schedule, &[os("2")]);
    assert_eq!(schedule.due(later).len(), 1);
    found(&mut schedule, &[os("1")]);
    schedule.forget_what_was_told();
    assert_eq!(schedule.due(later).len(), 1, "to another session");
}

#[test]
fn answers_are_told_before_they_time_out() {
    let mut schedule = PostureSchedule::default();
    let now = Instant::now();
    schedule.ask(&services(&[
        json!({"id": "c", "queryType": "OS", "timeout": 60}),
        json!({"id": "d", "queryType": "OS", "timeout": 600}),
    ]));
    found(&mut schedule, &[os("1")]);
    schedule.told(schedule.due(now), now);
    assert_eq!(schedule.due(now + Duration::from_secs(29)), []);
    assert_eq!(schedule.due(now + Duration::from_secs(30)).len(), 1);
}

#[test]
fn processes_are_asked_for_once_and_by_number() {
    let mut schedule = PostureSchedule::default();
    let process = |path: &str| json!({"osType": "Linux", "path": path});
    let many: Vec<_> = (0..1000)
        .map(|number| process(&format!("/{number}")))
        .collect();
    schedule.ask(&services(&[
        json!({"id": "c", "queryType": "PROCESS", "process": process("/a")}),
        json!({"id": "d", "queryType": "PROCESS_MULTI", "processes": [process("/a"), process("/b")]}),
    ]));
    let path = |path: &str| Subject::Process(path.to_owned());
    assert_eq!(schedule.subjects(), [path("/a"), path("/b")].into());
    schedule.ask(&services(&[
        json!({"id": "d", "queryType": "PROCESS_MULTI", "processes": many}),
    ]));
    assert_eq!(schedule.subjects().len(), MAX_SUBJECTS);
    schedule.ask(&services(&[]));
    assert!(schedule.subjects().is_empty());
}

#[test]
fn events_are_told_to_those_who_ask_for_a_code_after_them() {
    let mut schedule = PostureSchedule::default();
    let woken = Report::EndpointState {
        woken: true,
        unlocked: false,
    };
    let event = |schedule: &PostureSchedule| schedule.of_endpoint(|| Some(woken.clone()));
    schedule.ask(&services(&[json!({"id": "m", "queryType": "MFA"})]));
    assert_eq!(event(&schedule), None);
    schedule.ask(&services(&[
        json!({"id": "m", "queryType": "MFA", "promptOnWake": true}),
    ]));
    let told = event(&schedule).unwrap();
    assert_eq!((told.check.as_str(), &told.report), ("m", &woken));
    assert_eq!(schedule.due(Instant::now()), []);
}
