//! Tests of reports.

use super::*;
use portcullis_domain::ids::PostureCheckId;
use portcullis_domain::posture::{OsInfo, ProcessInfo, Report};
use serde_json::{Value, json};

fn read(body: &Value) -> Result<PostureReport, DecodeError> {
    let bytes = body.to_string();
    PostureResponseCreate::from_body(bytes.as_bytes()).map(|create| create.0)
}

fn one_of_each() -> Vec<PostureReport> {
    let reports = [
        Report::Os(OsInfo {
            kind: "Linux".to_owned(),
            version: "6.1.0".to_owned(),
            build: "b".to_owned(),
        }),
        Report::Domain("d".to_owned()),
        Report::Mac(vec!["00:11:22:33:44:55".to_owned()]),
        Report::Process {
            path: "/x".to_owned(),
            process: ProcessInfo {
                is_running: true,
                hash: "aa".to_owned(),
                signers: ["bb".to_owned()].into(),
            },
        },
        Report::EndpointState {
            woken: true,
            unlocked: false,
        },
    ];
    let check = PostureCheckId::from_wire("c");
    let statement = |report| PostureReport {
        check: check.clone(),
        report,
    };
    reports.into_iter().map(statement).collect()
}

#[test]
fn what_clients_write_is_what_the_server_reads() {
    for statement in one_of_each() {
        let sent = PostureResponseCreate(statement);
        let written = serde_json::to_value(&sent).unwrap();
        assert_eq!(read(&written).unwrap(), sent.0, "{written}");
    }
    for statements in [vec![], one_of_each()] {
        let sent = PostureResponseBulk(statements);
        let written = serde_json::to_vec(&sent).unwrap();
        assert_eq!(PostureResponseBulk::from_body(&written).unwrap(), sent);
    }
    let state = serde_json::to_value(PostureResponseCreate(one_of_each().remove(4))).unwrap();
    assert_eq!(
        state,
        json!({"id": "c", "typeId": "ENDPOINT_STATE", "woken": true, "unlocked": false})
    );
}

#[test]
fn what_is_left_out_is_empty() {
    for (body, report) in [
        (
            json!({"id": "c", "typeId": "PROCESS"}),
            Report::Process {
                path: String::new(),
                process: ProcessInfo::default(),
            },
        ),
        (
            json!({"id": "c", "typeId": "ENDPOINT_STATE"}),
            Report::EndpointState {
                woken: false,
                unlocked: false,
            },
        ),
        (
            json!({"id": "c", "typeId": "OS", "type": "", "version": ""}),
            Report::Os(OsInfo::default()),
        ),
    ] {
        assert_eq!(read(&body).unwrap().report, report, "{body}");
    }
}

#[test]
fn faults_are_named_in_the_order_of_members() {
    for (body, field, value) in [
        (json!({}), "typeId", ""),
        (json!({"typeId": "OS"}), "id", "<nil>"),
        (json!({"id": "c", "typeId": "OS"}), "type", "<nil>"),
        (
            json!({"id": "c", "typeId": "OS", "type": "Linux"}),
            "version",
            "<nil>",
        ),
        (json!({"id": "c", "typeId": "DOMAIN"}), "domain", "<nil>"),
        (json!({"id": "c", "typeId": "MAC"}), "macAddresses", "[]"),
    ] {
        match read(&body).unwrap_err() {
            DecodeError::Field(error) => {
                assert_eq!((&*error.field, &*error.value), (field, value), "{body}");
            },
            DecodeError::Parse(text) => panic!("{body}: {text}"),
        }
        let list = json!([{"id": "c", "typeId": "ENDPOINT_STATE"}, body]).to_string();
        match PostureResponseBulk::from_body(list.as_bytes()).unwrap_err() {
            DecodeError::Field(error) => assert_eq!(error.field, format!("1.{field}")),
            DecodeError::Parse(text) => panic!("{list}: {text}"),
        }
    }
    for body in [
        json!({"id": "c", "typeId": "MFA"}),
        json!({"id": "c", "typeId": "PROCESS_MULTI"}),
        json!({"id": "c", "typeId": "os"}),
        json!({"id": "c", "typeId": "ENDPOINT_STATE", "woken": "yes"}),
        json!({"id": "c", "typeId": "MAC", "macAddresses": [1]}),
        json!({"id": "c", "typeId": "PROCESS", "isRunning": 1}),
    ] {
        let result = read(&body);
        assert!(matches!(result, Err(DecodeError::Parse(_))), "{body}");
    }
    assert!(PostureResponseBulk::from_body(b"{}").is_err());
}

#[test]
fn services_are_named_whose_time_was_cut_short() {
    let services = [NonZeroU32::new(5000), None].map(|timeout| ShortenedService {
        id: ServiceId::from_wire("s"),
        name: "web".to_owned(),
        timeout,
    });
    let answer = PostureResponse::from(services.to_vec());
    let written = serde_json::to_value(&answer).unwrap();
    let service = |timeout: i64| {
        json!({
            "id": "s", "name": "web", "postureQueryType": "MFA", "timeout": timeout,
            "timeoutRemaining": 300
        })
    };
    assert_eq!(written, json!({"services": [service(5000), service(-1)]}));
    assert_eq!(
        serde_json::from_value::<PostureResponse>(written).unwrap(),
        answer
    );
    let none = PostureResponse::from(Vec::new());
    assert_eq!(serde_json::to_value(none).unwrap(), json!({"services": []}));
}
