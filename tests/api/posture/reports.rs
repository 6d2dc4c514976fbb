//! What clients report about their machines, and what it opens to them.

use crate::support::mfa::{TestUser, advance_clock, answer, enroll, is_full, partial, remove};
use crate::support::posture::PostureFixture;
use crate::support::{get, revision, shown_error};
use http::Method;
use insta::assert_snapshot;
use serde_json::{Value, json};

/// A check with reports that do not pass it, and one that does.
fn machines() -> [(Value, Vec<Value>, Value); 5] {
    let process = json!({"osType": "Linux", "path": "/bin/x", "hashes": ["aabb"]});
    let other = json!({"osType": "Linux", "path": "/bin/y"});
    let running = |path: &str, is_running: bool, hash: &str| json!({"typeId": "PROCESS", "path": path, "isRunning": is_running, "hash": hash});
    [
        (
            json!({"typeId": "OS", "operatingSystems": [{"type": "Linux", "versions": [">=5.0.0"]}]}),
            vec![
                json!({"typeId": "OS", "type": "Linux", "version": "4.9.0"}),
                json!({"typeId": "OS", "type": "Windows", "version": "10.0.0"}),
            ],
            json!({"typeId": "OS", "type": "linux", "version": "6.1.0", "build": "7"}),
        ),
        (
            json!({"typeId": "MAC", "macAddresses": ["00:11:22:AA:BB:CC"]}),
            vec![json!({"typeId": "MAC", "macAddresses": ["001122aabbcd"]})],
            json!({"typeId": "MAC", "macAddresses": ["0", "00-11-22-aa-bb-cc"]}),
        ),
        (
            json!({"typeId": "DOMAIN", "domains": ["a.example.test"]}),
            vec![json!({"typeId": "DOMAIN", "domain": "b.example.test"})],
            json!({"typeId": "DOMAIN", "domain": "A.example.test"}),
        ),
        (
            json!({"typeId": "PROCESS", "process": process}),
            vec![
                running("/bin/x", false, "aabb"),
                running("/bin/x", true, "aabc"),
                running("/bin/y", true, "aabb"),
            ],
            running("/bin/x", true, "AA:BB"),
        ),
        (
            json!({"typeId": "PROCESS_MULTI", "semantic": "AnyOf", "processes": [process, other]}),
            vec![running("/bin/y", false, "")],
            running("/bin/y", true, ""),
        ),
    ]
}

#[tokio::test]
async fn machines_pass_by_what_was_reported_last() {
    for (check, failing, passing) in machines() {
        let (stage, id) = PostureFixture::checked(check.clone()).await;
        let session = &stage.person.session;
        let with_id = |report: &Value| {
            let mut report = report.clone();
            report["id"] = json!(id);
            report
        };
        assert!(!stage.can_dial(session).await, "{check}: nothing reported");
        for report in &failing {
            stage.report(session, with_id(report)).await;
            assert!(!stage.can_dial(session).await, "{report}");
            assert_eq!(
                stage.policy_status(session).await["isPassing"],
                json!(false)
            );
        }
        stage.report(session, with_id(&passing)).await;
        assert!(stage.can_dial(session).await, "{passing}");
        let stand = stage.policy_status(session).await;
        assert_eq!(stand["isPassing"], json!(true));
        let query = &stand["postureQueries"][0];
        assert_eq!(
            (&query["id"], &query["queryType"]),
            (&json!(id), &check["typeId"])
        );
        stage.report(session, with_id(&failing[0])).await;
        assert!(
            !stage.can_dial(session).await,
            "{check}: it is otherwise now"
        );
    }
}

#[tokio::test]
async fn machines_do_not_pass_for_each_other() {
    let (stage, id) = PostureFixture::checked(json!({"typeId": "DOMAIN", "domains": ["a"]})).await;
    let (one, other) = (
        &stage.person.session,
        stage.person.log_in(&stage.controller).await,
    );
    stage
        .report(one, json!({"id": id, "typeId": "DOMAIN", "domain": "a"}))
        .await;
    assert!(stage.can_dial(one).await);
    assert!(
        !stage.can_dial(&other).await,
        "the same identity, another session"
    );
}

#[tokio::test]
async fn one_policy_that_is_passed_is_enough_and_all_of_its_checks_have_to_be() {
    let (stage, first) =
        PostureFixture::checked(json!({"typeId": "DOMAIN", "domains": ["a"]})).await;
    let second = stage
        .check(
            "second",
            json!({"typeId": "MAC", "macAddresses": ["001122334455"]}),
        )
        .await;
    let both = stage.allow("both", "Dial", &[&first, &second]).await;
    let session = &stage.person.session;
    let refused = stage.connect(session, "Dial").await.json();
    let data = &refused["error"]["cause"]["data"];
    let ids = |policy: &Value| -> Vec<Value> {
        let checks = policy.as_array().unwrap().iter();
        checks.map(|check| check["id"].clone()).collect()
    };
    assert_eq!(data.as_object().unwrap().len(), 2);
    assert_eq!(ids(&data[&both]).len(), 2);
    stage
        .report(
            session,
            json!({"id": second, "typeId": "MAC", "macAddresses": ["001122334455"]}),
        )
        .await;
    let refused = stage.connect(session, "Dial").await.json();
    assert_eq!(
        ids(&refused["error"]["cause"]["data"][&both]),
        [json!(first)]
    );
    stage
        .report(
            session,
            json!({"id": first, "typeId": "DOMAIN", "domain": "a"}),
        )
        .await;
    assert!(stage.can_dial(session).await);
    stage
        .report(
            session,
            json!({"id": second, "typeId": "MAC", "macAddresses": ["001122334456"]}),
        )
        .await;
    assert!(stage.can_dial(session).await, "by the other policy");
}

#[tokio::test]
async fn service_under_a_code_is_listed_and_cannot_be_connected_to_without_enrollment() {
    let (stage, id) = PostureFixture::checked(json!({"typeId": "MFA"})).await;
    let session = &stage.person.session;
    assert!(is_full(&stage.controller, session).await);
    let listed = stage.listed_service(session).await;
    assert_eq!(listed["permissions"], json!(["Dial"]));
    assert_eq!(listed["postureQueries"][0]["isPassing"], json!(false));
    let reply = stage.connect(session, "Dial").await;
    let policy = listed["postureQueries"][0]["policyId"].as_str().unwrap();
    let shown = shown_error(&reply)
        .replace(policy, "POLICY")
        .replace(&id, "CHECK");
    assert_snapshot!(shown, @r#"
        409 Conflict
        {
          "error": {
            "cause": {
              "data": {
                "POLICY": [
                  {
                    "id": "CHECK",
                    "isPassing": false,
                    "typeId": "MFA"
                  }
                ]
              },
              "message": "the device does not pass the posture checks of these policies: POLICY"
            },
            "code": "INVALID_POSTURE",
            "message": "The device does not pass the posture checks that the service requires",
            "requestId": null
          },
          "meta": {
            "apiEnrollmentVersion": "0.0.1",
            "apiVersion": "0.0.1"
          }
        }
        "#);

    enroll(&stage.controller, session).await;
    assert!(
        stage.can_dial(session).await,
        "the code that enrolls counts"
    );
}

#[tokio::test]
async fn codes_count_for_their_session_and_their_enrollment() {
    let (stage, _) = PostureFixture::checked(json!({"typeId": "MFA"})).await;
    let other = stage.person.log_in(&stage.controller).await;
    let (device, _) = enroll(&stage.controller, &stage.person.session).await;
    assert!(stage.can_dial(&stage.person.session).await);
    assert!(!stage.can_dial(&other).await, "it has shown none");
    let code = device.code(&stage.controller, 0);
    assert_eq!(answer(&stage.controller, &other, &code).await.status, 200);
    assert!(stage.can_dial(&other).await);
    let removed = remove(&stage.controller, &stage.admin, &stage.person.id).await;
    assert_eq!(removed.status, 200);
    for session in [&stage.person.session, &other] {
        assert!(!stage.can_dial(session).await, "the enrollment is gone");
    }
    advance_clock(&stage.controller, 30);
    enroll(&stage.controller, &other).await;
    assert!(stage.can_dial(&other).await);
    assert!(
        !stage.can_dial(&stage.person.session).await,
        "its code was of the old one"
    );
}

#[tokio::test]
async fn codes_time_out_and_waking_up_shortens_them() {
    let check = json!({"typeId": "MFA", "timeoutSeconds": 3600, "promptOnWake": true});
    let (stage, id) = PostureFixture::checked(check).await;
    let session = &stage.person.session;
    let (device, _) = enroll(&stage.controller, session).await;
    let remaining = |stand: &Value| stand["postureQueries"][0]["timeoutRemaining"].clone();
    assert_eq!(remaining(&stage.policy_status(session).await), json!(3570));
    let happened = |woken: bool, unlocked: bool| {
        let kind = "ENDPOINT_STATE";
        json!({"id": id, "typeId": kind, "woken": woken, "unlocked": unlocked})
    };
    assert_eq!(
        stage.report(session, happened(false, true)).await,
        json!([]),
        "nobody asks"
    );
    let cut = json!([{
        "id": stage.service, "name": "vault", "postureQueryType": "MFA",
        "timeout": 3600, "timeoutRemaining": 300,
    }]);
    assert_eq!(stage.report(session, happened(true, false)).await, cut);
    advance_clock(&stage.controller, 299);
    assert!(stage.can_dial(session).await, "the grace lasts");
    assert_eq!(remaining(&stage.policy_status(session).await), json!(1));
    advance_clock(&stage.controller, 1);
    assert!(!stage.can_dial(session).await, "five minutes are over");
    let code = device.code(&stage.controller, 0);
    assert_eq!(answer(&stage.controller, session, &code).await.status, 200);
    assert!(stage.can_dial(session).await);
    advance_clock(&stage.controller, 3599);
    assert!(stage.can_dial(session).await);
    advance_clock(&stage.controller, 1);
    assert!(!stage.can_dial(session).await, "the hour is over");
    assert_eq!(remaining(&stage.policy_status(session).await), json!(0));
}

#[tokio::test]
async fn timeout_that_is_over_is_over_for_its_own_check_alone() {
    let (stage, _) = PostureFixture::checked(json!({"typeId": "MFA", "timeoutSeconds": 60})).await;
    let session = &stage.person.session;
    enroll(&stage.controller, session).await;
    advance_clock(&stage.controller, 60);
    assert!(!stage.can_dial(session).await);
    let longer = json!({"typeId": "MFA", "timeoutSeconds": 3600});
    let longer = stage.check("longer", longer).await;
    stage.allow("longer", "Dial", &[&longer]).await;
    assert!(stage.can_dial(session).await);
}

#[tokio::test]
async fn without_any_check_in_the_network_placeholders_stand_for_policies() {
    let stage = PostureFixture::new().await;
    stage.allow("dial", "Dial", &[]).await;
    let session = &stage.person.session;
    let placeholder = json!([{
        "isPassing": true, "policyId": "dummy dial policy: no posture checks defined",
        "policyType": "Dial", "postureQueries": [],
    }]);
    assert_eq!(
        stage.listed_service(session).await["postureQueries"],
        placeholder
    );
    stage.check("of nobody", json!({"typeId": "MFA"})).await;
    let stand = stage.policy_status(session).await;
    assert_ne!(stand["policyId"], placeholder[0]["policyId"]);
    assert_eq!(
        (&stand["isPassing"], &stand["postureQueries"]),
        (&json!(true), &json!([]))
    );
}

#[tokio::test]
async fn reports_of_absurd_size_are_refused_and_change_nothing() {
    let (stage, id) = PostureFixture::checked(json!({"typeId": "DOMAIN", "domains": ["a"]})).await;
    let session = &stage.person.session;
    stage
        .report(
            session,
            json!({"id": id, "typeId": "DOMAIN", "domain": "a"}),
        )
        .await;
    let long = "x".repeat(5000);
    let many: Vec<_> = (0..300).map(|number| format!("{number:012x}")).collect();
    for (field, report) in [
        (
            "domain",
            json!({"id": id, "typeId": "DOMAIN", "domain": long}),
        ),
        (
            "macAddresses",
            json!({"id": id, "typeId": "MAC", "macAddresses": many}),
        ),
        (
            "version",
            json!({"id": id, "typeId": "OS", "type": "Linux", "version": long}),
        ),
        (
            "path",
            json!({"id": id, "typeId": "PROCESS", "path": long, "isRunning": true}),
        ),
    ] {
        let reply = stage.post(session, "/posture-response", &report).await;
        assert_eq!((reply.status.as_u16(), reply.field()), (400, field.into()));
        let several = json!([{"id": id, "typeId": "DOMAIN", "domain": "b"}, report]);
        let reply = stage
            .post(session, "/posture-response-bulk", &several)
            .await;
        assert_eq!(
            (reply.status.as_u16(), reply.field()),
            (400, format!("1.{field}"))
        );
        assert!(stage.can_dial(session).await, "all or nothing");
    }
    let several = vec![json!({"id": id, "typeId": "DOMAIN", "domain": "b"}); 1025];
    let reply = stage
        .post(session, "/posture-response-bulk", &json!(several))
        .await;
    assert_eq!(reply.status, 400);
    assert!(stage.can_dial(session).await);
}

#[tokio::test]
async fn reports_need_a_full_session_and_write_nothing() {
    let (stage, id) = PostureFixture::checked(json!({"typeId": "MFA"})).await;
    let report = json!({"id": id, "typeId": "DOMAIN", "domain": "a"});
    enroll(&stage.controller, &stage.person.session).await;
    let half = stage.person.log_in(&stage.controller).await;
    for path in ["/posture-response", "/posture-response-bulk"] {
        let body = if path.ends_with("bulk") {
            json!([report])
        } else {
            report.clone()
        };
        let reply = stage.post(&half, path, &body).await;
        assert_eq!(reply.error(), (401, "UNAUTHORIZED".to_owned()));
        let before = revision(&stage.controller);
        let reply = stage.post(&stage.person.session, path, &body).await;
        assert_eq!(
            (reply.status.as_u16(), reply.data()),
            (201, json!({"services": []}))
        );
        assert_eq!(
            revision(&stage.controller),
            before,
            "nothing of it is stored"
        );
    }
}

#[tokio::test]
async fn administrators_see_what_was_reported_and_what_was_refused() {
    let (stage, id) = PostureFixture::checked(json!({"typeId": "MFA"})).await;
    let PostureFixture {
        controller,
        admin,
        person,
        ..
    } = &stage;
    let data = format!("/identities/{}/posture-data", person.id);
    let refusals = format!("/identities/{}/failed-service-requests", person.id);
    assert_eq!(get(controller, admin, &refusals).await.data(), json!([]));
    let os = json!({"id": id, "typeId": "OS", "type": "Linux", "version": "6.1.0", "build": "7"});
    stage.report(&person.session, os).await;
    assert!(!stage.can_dial(&person.session).await);
    let refused = get(controller, admin, &refusals).await.data();
    assert_eq!(refused[0]["serviceId"], json!(stage.service));
    assert_eq!(refused[0]["serviceName"], json!("vault"));
    let check = &refused[0]["policyFailures"][0]["checks"][0];
    assert_eq!(check["actualValue"]["passedMfa"], json!(false));
    enroll(controller, &person.session).await;
    let shown = get(controller, admin, &data).await.data();
    assert_eq!(shown["os"]["build"], json!("7"));
    assert_eq!(shown["os"]["postureCheckId"], json!(id));
    let session = &refused[0]["apiSessionId"];
    let own = &shown["apiSessionPostureData"][session.as_str().unwrap()];
    assert_eq!(own["mfa"]["passedMfa"], json!(true));
    assert!(own["mfa"]["passedAt"].is_string(), "{own}");
    for _ in 0..110 {
        let other = stage
            .connect(&person.log_in(controller).await, "Dial")
            .await;
        assert_eq!(other.status, 401, "it has to show a code first");
    }
    assert_eq!(
        get(controller, admin, &refusals)
            .await
            .data()
            .as_array()
            .unwrap()
            .len(),
        1
    );
    let nobody = "/identities/nope/failed-service-requests";
    assert_eq!(get(controller, admin, nobody).await.data(), json!([]));
}

#[tokio::test]
async fn last_hundred_refusals_of_each_are_remembered() {
    let (stage, _) = PostureFixture::checked(json!({"typeId": "MFA"})).await;
    let PostureFixture {
        controller,
        admin,
        person,
        ..
    } = &stage;
    for _ in 0..103 {
        advance_clock(controller, 1);
        assert!(!stage.can_dial(&person.session).await);
    }
    let path = format!("/identities/{}/failed-service-requests", person.id);
    let refused = get(controller, admin, &path).await.data();
    let refused = refused.as_array().unwrap();
    assert_eq!(refused.len(), 100);
    let mut instants: Vec<_> = refused
        .iter()
        .map(|one| one["when"].as_str().unwrap())
        .collect();
    assert!(instants.is_sorted());
    instants.dedup();
    assert_eq!(instants.len(), 100);
}

#[tokio::test]
async fn what_a_session_reported_goes_with_it() {
    let (stage, id) = PostureFixture::checked(json!({"typeId": "DOMAIN", "domains": ["a"]})).await;
    let PostureFixture {
        controller,
        admin,
        person,
        ..
    } = &stage;
    let other = TestUser::new(controller, admin, "other").await;
    let report = json!({"id": id, "typeId": "DOMAIN", "domain": "a"});
    for session in [&person.session, &other.session] {
        stage.report(session, report.clone()).await;
    }
    let ended = stage
        .client(&person.session, (Method::DELETE, "/current-api-session"))
        .await;
    assert_eq!(ended.status, 200);
    for swept in [false, true] {
        if swept {
            portcullis_app::sessions::sweep(&controller.app)
                .await
                .unwrap();
        }
        let path = format!("/identities/{}/posture-data", person.id);
        let shown = get(controller, admin, &path).await.data();
        assert_eq!(shown["domain"]["domain"], Value::Null);
        let path = format!("/identities/{}/posture-data", other.id);
        let shown = get(controller, admin, &path).await.data();
        assert_eq!(
            shown["domain"]["domain"],
            json!("a"),
            "others are as they were"
        );
    }
    let again = person.log_in(controller).await;
    assert!(!stage.can_dial(&again).await);
}

#[tokio::test]
async fn partial_sessions_get_no_service() {
    let (stage, _) = PostureFixture::checked(json!({"typeId": "MFA"})).await;
    let name = "half";
    let session = stage
        .controller
        .create_user(&stage.admin, name, json!({}))
        .await;
    enroll(&stage.controller, &session).await;
    let half = partial(&stage.controller, name).await;
    let reply = stage.connect(&half, "Dial").await;
    assert_eq!(reply.error(), (401, "UNAUTHORIZED".to_owned()));
}

#[tokio::test]
async fn whoever_looks_through_somebody_s_eyes_stands_with_its_own_session() {
    let (stage, id) = PostureFixture::checked(json!({"typeId": "DOMAIN", "domains": ["a"]})).await;
    let report = json!({"id": id, "typeId": "DOMAIN", "domain": "a"});
    stage.report(&stage.person.session, report.clone()).await;
    let path = format!("/services?asIdentity={}", stage.person.id);
    for is_passing in [false, true] {
        let seen = get(&stage.controller, &stage.admin, &path).await.data();
        assert_eq!(seen[0]["permissions"], json!(["Dial"]));
        let stand = &seen[0]["postureQueries"][0];
        assert_eq!(stand["isPassing"], json!(is_passing));
        stage.report(&stage.admin, report.clone()).await;
    }
}

/// When the services of a session last changed, as pollers are told.
async fn last_change(stage: &PostureFixture, session: &str) -> String {
    let path = "/current-api-session/service-updates";
    let reply = stage.client(session, (Method::GET, path)).await;
    reply.data()["lastChangeAt"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn pollers_hear_of_each_check_and_of_what_it_waits_for() {
    let domain = json!({"typeId": "DOMAIN", "domains": ["a"]});
    let (stage, domain) = PostureFixture::checked(domain).await;
    let mfa = json!({"typeId": "MFA", "timeoutSeconds": 3600, "promptOnWake": true});
    let mfa = stage.check("mfa", mfa).await;
    stage.allow("both", "Dial", &[&domain, &mfa]).await;
    stage.allow("code", "Bind", &[&mfa]).await;
    let session = &stage.person.session;
    let (device, _) = enroll(&stage.controller, session).await;
    let mut last = last_change(&stage, session).await;
    let mut moved = async |what: &str, is_expected: bool| {
        let next = last_change(&stage, session).await;
        assert_eq!(next != last, is_expected, "{what}: {last} {next}");
        last = next;
    };
    moved("nothing", false).await;
    advance_clock(&stage.controller, 10);
    moved("time alone", false).await;
    let code = device.code(&stage.controller, 1);
    assert_eq!(answer(&stage.controller, session, &code).await.status, 200);
    moved("a new code lasts longer", true).await;
    advance_clock(&stage.controller, 1);
    let woken = json!({"id": mfa, "typeId": "ENDPOINT_STATE", "woken": true, "unlocked": false});
    stage.report(session, woken).await;
    moved("waking up cuts it short", true).await;
    let joined = json!({"id": domain, "typeId": "DOMAIN", "domain": "a"});
    for is_expected in [true, false] {
        stage.report(session, joined.clone()).await;
        moved("one of the checks is passed", is_expected).await;
    }
    advance_clock(&stage.controller, 300);
    moved("the grace is over", true).await;
    let left = json!({"id": domain, "typeId": "DOMAIN", "domain": "b"});
    stage.report(session, left).await;
    moved("it is passed by no policy any more", true).await;
    advance_clock(&stage.controller, 300);
    moved("time alone again", false).await;
}
