//! The JSON document and the answer around it.

use std::time::Duration;

use portcullis_router::health::{
    Connection, ControllerStatus, DetailLevel, DueCheck, HealthChecks, LinkDetail, Request, respond,
};
use portcullis_router::web::BindPoint;

use crate::world::{at, checks};

fn link() -> LinkDetail {
    LinkDetail {
        link_id: "3kv9".to_owned(),
        dest_router_id: "r2".to_owned(),
        latency: Some(Duration::from_micros(1_500)),
        addresses: [(
            "link.default".to_owned(),
            Connection {
                local_addr: "10.0.0.1:40001".to_owned(),
                remote_addr: "10.0.0.2:10080".to_owned(),
            },
        )]
        .into(),
    }
}

/// Runs both checks once.
fn run(checks: &mut HealthChecks, seen: ControllerStatus, links: &[LinkDetail]) {
    for work in checks.poll(at(15_000)) {
        match work {
            DueCheck::Ping(run) => checks.finish_ping(run, seen, at(15_001)),
            DueCheck::CountLinks(run) => checks.finish_count(run, links.to_vec(), at(15_000)),
        }
    }
}

#[test]
fn before_the_first_run_there_are_no_details() {
    let expected = r#"{
    "data": {
        "checks": [
            {
                "consecutiveFailures": 1,
                "err": {
                    "message": "the check has not run yet"
                },
                "failingSince": "2026-09-21T14:13:20Z",
                "healthy": false,
                "id": "controllerPing",
                "lastCheckDuration": "0s",
                "lastCheckTime": "2026-09-21T14:13:20Z"
            },
            {
                "healthy": true,
                "id": "link.health",
                "lastCheckDuration": "0s",
                "lastCheckTime": "2026-09-21T14:13:20Z"
            }
        ],
        "healthy": false
    },
    "meta": {}
}
"#;
    assert_eq!(checks("{}").document(DetailLevel::Full), expected);
}

#[test]
fn passing_checks_are_shown_with_their_links() {
    let mut checks = checks("{linkCheck: {minLinks: 1}}");
    let unknown = LinkDetail {
        latency: None,
        addresses: [].into(),
        ..link()
    };
    run(&mut checks, ControllerStatus::Answering, &[link(), unknown]);
    let expected = r#"{
    "data": {
        "checks": [
            {
                "details": null,
                "healthy": true,
                "id": "controllerPing",
                "lastCheckDuration": "1ms",
                "lastCheckTime": "2026-09-21T14:13:35Z"
            },
            {
                "details": [
                    {
                        "linkId": "3kv9",
                        "destRouterId": "r2",
                        "latency": 1500000,
                        "addresses": {
                            "link.default": {
                                "localAddr": "10.0.0.1:40001",
                                "remoteAddr": "10.0.0.2:10080"
                            }
                        }
                    },
                    {
                        "linkId": "3kv9",
                        "destRouterId": "r2",
                        "addresses": {}
                    }
                ],
                "healthy": true,
                "id": "link.health",
                "lastCheckDuration": "0s",
                "lastCheckTime": "2026-09-21T14:13:35Z"
            }
        ],
        "healthy": true
    },
    "meta": {}
}
"#;
    assert_eq!(checks.document(DetailLevel::Full), expected);
}

#[test]
fn failing_checks_say_why_and_since_when() {
    let mut checks = checks("{linkCheck: {minLinks: 1}}");
    run(&mut checks, ControllerStatus::None, &[]);
    let document: serde_json::Value =
        serde_json::from_str(&checks.document(DetailLevel::Full)).unwrap();
    let links = &document["data"]["checks"][1];
    assert_eq!(links["details"], serde_json::Value::Null);
    assert!(links.as_object().unwrap().contains_key("details"));
    assert_eq!(links["consecutiveFailures"], 2);
    assert_eq!(links["failingSince"], "2026-09-21T14:13:20Z");
    assert_eq!(
        links["err"]["message"],
        "there are 0 links; at least 1 are required"
    );
    let ping = &document["data"]["checks"][0];
    assert_eq!(ping["err"]["message"], "no controller is connected");
}

#[test]
fn the_short_form_only_tells_what_passes() {
    let mut checks = checks("{linkCheck: {minLinks: 1}}");
    run(&mut checks, ControllerStatus::Answering, &[]);
    let expected = serde_json::json!({
        "data": {
            "checks": [
                {"healthy": true, "id": "controllerPing"},
                {"healthy": false, "id": "link.health"},
            ],
            "healthy": false,
        },
        "meta": {},
    });
    let document: serde_json::Value =
        serde_json::from_str(&checks.document(DetailLevel::Short)).unwrap();
    assert_eq!(document, expected);
}

#[test]
fn every_path_and_method_is_answered_and_the_status_is_200_unless_asked_for() {
    let failing = checks("{}");
    let mut passing = checks("{}");
    run(&mut passing, ControllerStatus::Answering, &[]);
    let here = BindPoint::new("127.0.0.1:8081");
    let targets = [
        ("/health-checks", DetailLevel::Full, false),
        ("/health-checks?type=short", DetailLevel::Short, false),
        ("/health-checks?type=long", DetailLevel::Full, false),
        ("/health-checks?status=code", DetailLevel::Full, true),
        ("/health-checks?status=CODE", DetailLevel::Full, false),
        ("/?type=short&status=code", DetailLevel::Short, true),
        ("/", DetailLevel::Full, false),
        ("/no/such/path?status=503", DetailLevel::Full, false),
        (
            "http://router.example.test/x?status=code",
            DetailLevel::Full,
            true,
        ),
        ("*", DetailLevel::Full, false),
        ("", DetailLevel::Full, false),
    ];
    for method in ["GET", "HEAD", "POST", "DELETE", "PROPFIND"] {
        for (target, form, by_status) in targets {
            for checks in [&passing, &failing] {
                let answer = respond(checks, Request { method, target }, &here);
                let status = if by_status && !checks.is_healthy() {
                    503
                } else {
                    200
                };
                assert_eq!(answer.status, status, "{method} {target}");
                let headers = [("content-type", "application/json".to_owned())];
                assert_eq!(answer.headers, headers);
                let body = if method == "HEAD" {
                    String::new()
                } else {
                    checks.document(form)
                };
                assert_eq!(answer.body, body, "{method} {target}");
            }
        }
    }
}

#[test]
fn a_bind_point_that_moves_says_where_to() {
    let here = BindPoint::new("127.0.0.1:8081").with_new_address("r1.example.test:8443");
    let request = Request {
        method: "GET",
        target: "/health-checks",
    };
    let moved = (
        "ziti-ctrl-address",
        "https://r1.example.test:8443".to_owned(),
    );
    assert!(
        respond(&checks("{}"), request, &here)
            .headers
            .contains(&moved)
    );
}
