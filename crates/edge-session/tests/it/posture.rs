//! Answers to posture queries.

use crate::network::{Network, until, within};
use portcullis_domain::ids::ServiceId;
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::posture::Report;
use portcullis_edge_session::{LoginProtocol, SessionError};
use serde_json::json;

/// Creates a service for those who pass a check.
async fn guarded_service(network: &Network, name: &str, check: serde_json::Value) -> ServiceId {
    let mut check = check;
    check["name"] = format!("check of {name}").into();
    check["roleAttributes"] = json!([name]);
    network.create("posture-checks", &check).await;
    let posture = json!([format!("#{name}")]);
    ServiceId::from_wire(network.service(name, "Dial", &posture).await)
}

#[tokio::test]
async fn answers_open_the_services_of_those_who_pass() {
    let network = Network::start().await;
    let own = std::env::current_exe().unwrap();
    let process = |path: &str| json!({"osType": "Linux", "path": path, "hashes": []});
    let own = own.to_str().unwrap();
    let linux =
        json!({"typeId": "OS", "operatingSystems": [{"type": "Linux", "versions": [">=2.0.0"]}]});
    let windows =
        json!({"typeId": "OS", "operatingSystems": [{"type": "Windows", "versions": []}]});
    let running = json!({"typeId": "PROCESS", "process": process(own)});
    let several = json!({
        "typeId": "PROCESS_MULTI", "semantic": "AnyOf",
        "processes": [process("/no/such/binary"), process(own)],
    });
    let missing = json!({"typeId": "PROCESS", "process": process("/no/such/binary")});
    let domain = json!({"typeId": "DOMAIN", "domains": ["corp.test"]});
    let session = network.open("laptop", LoginProtocol::Legacy).await;
    for (name, check, passes) in [
        ("linux", linux, true),
        ("windows", windows, false),
        ("running", running, true),
        ("several", several, true),
        ("missing", missing, false),
        ("domain", domain, false),
    ] {
        let id = guarded_service(&network, name, check).await;
        let service = within(session.service(name)).await.unwrap().unwrap();
        assert_eq!(service.id, id);
        let answer = within(session.service_session(&id, ServiceGrant::Dial)).await;
        match answer {
            Ok(_) => assert!(passes, "{name}"),
            Err(SessionError::Posture(refused)) => assert!(!passes && refused == id, "{name}"),
            Err(other) => panic!("{name}: {other}"),
        }
    }
    let posture = session.posture().borrow().clone();
    assert!(
        posture
            .iter()
            .any(|report| matches!(report, Report::Os(os) if os.kind == "Linux"))
    );
    assert!(
        posture
            .iter()
            .any(|report| matches!(report, Report::Process { path, process }
        if path == own && process.is_running && process.hash.len() == 128))
    );

    let identity = session.opened().await.unwrap().identity.clone();
    let seen = network
        .get(&format!("identities/{identity}/posture-data"))
        .await;
    assert_eq!(seen["os"]["type"], "Linux");
    assert_eq!(seen["domain"]["domain"], "");
}

#[tokio::test]
async fn next_session_is_told_again() {
    let network = Network::start().await;
    let check = json!({"typeId": "OS", "operatingSystems": [{"type": "Linux", "versions": []}]});
    let id = guarded_service(&network, "linux", check).await;
    let session = network.open("laptop", LoginProtocol::Legacy).await;
    within(session.service_session(&id, ServiceGrant::Dial))
        .await
        .unwrap();
    let open = session.opened().await.unwrap();
    for api_session in network.api_sessions(&open.identity).await {
        network.delete(&format!("api-sessions/{api_session}")).await;
    }
    let mut states = session.state();
    crate::network::until_other(
        &mut states,
        portcullis_edge_session::ExposeSecret::expose_secret(&open.token),
    )
    .await;
    within(session.service_session(&id, ServiceGrant::Dial))
        .await
        .unwrap();
}

#[tokio::test]
async fn waking_up_is_told_to_checks_that_ask_for_a_code_then() {
    let network = Network::start().await;
    let check = json!({"typeId": "MFA", "promptOnWake": true, "promptOnUnlock": false});
    let _id = guarded_service(&network, "secret", check).await;
    let session = network.open("laptop", LoginProtocol::Legacy).await;
    until(&mut session.services(), Option::is_some).await;
    session.report_endpoint_state(true, false);
    let identity = session.opened().await.unwrap().identity.clone();
    let path = format!("identities/{identity}/posture-data");
    within(async {
        loop {
            let seen = network.get(&path).await;
            let sessions = seen["apiSessionPostureData"].as_object().unwrap();
            if sessions
                .values()
                .any(|one| one["endpointState"]["wokenAt"].is_string())
            {
                break;
            }
            tokio::task::yield_now().await;
        }
    })
    .await;
}
