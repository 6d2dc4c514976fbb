//! Recorded messages of the control channel.

use crate::support::{map, named, one, own_headers, recorded};
use portcullis_channel::{BuildVersion, ContentType, HeaderKey, Headers, Message, Priority};
use portcullis_wire::capability::{Capabilities, ControllerCapability, RouterCapability};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::address::{Controller, ControllerAddresses, Endpoint};
use portcullis_wire::control::certificate::CertificateVerification;
use portcullis_wire::control::data_model::{
    Action, ChangeSet, Changes, CurrentIndex, Event, Identity, Subject, Subscription,
};
use portcullis_wire::control::edge_hello::{
    ClientHello, ClientHelloBody, EdgeAddress, EdgeListener, ServerHello, ServerHelloBody,
};
use portcullis_wire::control::hello::{ControllerHello, RouterHello};
use portcullis_wire::control::link::{Fault, FaultSubject, RouterLinks, VerifyRouter};
use portcullis_wire::control::peer::{Listener, PeerState, PeerStateChange, PeerStateChanges};
use portcullis_wire::control::refusal::Refusal;
use portcullis_wire::control::route::{
    DestinationKind, Forward, Route, RouteContext, RouteFailure, RouteOutcome, RouteResult, Unroute,
};
use portcullis_wire::control::session::{ApiSession, ApiSessions, ApiSessionsAdded, INSTANT};
use portcullis_wire::control::terminator::{
    CreateTerminatorAnswerV2, TerminatorState, TerminatorToValidate, ValidateTerminators,
    ValidatedTerminators,
};
use portcullis_wire::peer_data;
use portcullis_wire::{Content as _, Token};
use portcullis_wire::{ErrorCode, RetryHint};

use std::collections::BTreeSet;

const PROTOCOL: &str = "control";

fn message(beginning: &str) -> Message {
    one(PROTOCOL, beginning)
}

fn decoded(beginning: &str) -> ControlMessage {
    ControlMessage::decode(&message(beginning)).unwrap()
}

#[test]
fn recorded_messages_are_written_as_they_were_recorded() {
    let mut known = 0;
    for (name, frame) in recorded(PROTOCOL) {
        let recorded = frame.into_message();
        let decoded = ControlMessage::decode(&recorded).unwrap();
        if matches!(decoded, ControlMessage::Unknown(_)) {
            assert!(recorded.content_type.0 < 1000, "{name}");
            continue;
        }
        known += 1;
        let written = decoded.encode().unwrap();
        assert_eq!(written.content_type, recorded.content_type, "{name}");
        assert_eq!(ControlMessage::decode(&written).unwrap(), decoded, "{name}");
        // Peers write maps in no particular order; what has them is compared as it is decoded.
        if !matches!(decoded, ControlMessage::Route(_)) {
            assert_eq!(written.body, recorded.body, "{name}");
        }
        if !matches!(decoded, ControlMessage::CreateCircuitAnswerV2(_)) {
            let headers = own_headers(&written.headers);
            assert_eq!(headers, own_headers(&recorded.headers), "{name}");
        }
    }
    assert_eq!(known, 20);
}

fn listener(address: &str) -> Listener {
    Listener {
        address: address.to_owned(),
        protocol: "tls".to_owned(),
        groups: vec!["default".to_owned()],
        local_binding: "lo".to_owned(),
    }
}

fn build(version: &str) -> BuildVersion {
    let rest = "|local|2020-01-01 01:01:01|linux|amd64";
    (version.to_owned() + rest).parse().unwrap()
}

#[test]
fn a_router_says_its_version_capabilities_and_listeners() {
    let recorded = message("router hello, first connection");
    let hello = RouterHello::from_headers(&recorded.headers).unwrap();
    let expected = RouterHello {
        version: build("v0.0.0"),
        capabilities: Capabilities::from_mask(0x4000_0000_0000_0076),
        listeners: vec![listener("tls:127.0.0.1:15231")],
        control_listeners: Vec::new(),
        unreadable: Vec::new(),
    };
    assert_eq!(hello, expected);
    assert!(hello.capabilities.has(RouterCapability::RouterDataModel));

    let recorded = own_headers(&recorded.headers);
    for (key, value) in own_headers(&hello.to_headers()) {
        assert_eq!(recorded.get(&key), Some(&value), "header {key}");
    }
}

#[test]
fn a_router_before_2_0_uses_other_numbers() {
    let new = RouterHello {
        version: build("v1.6.5"),
        capabilities: Capabilities::default(),
        listeners: vec![listener("tls:127.0.0.1:15231")],
        control_listeners: Vec::new(),
        unreadable: Vec::new(),
    };
    let old = new
        .to_headers()
        .iter()
        .fold(Headers::builder(), |old, (key, value)| {
            let key = match key.0 {
                1000 => HeaderKey(10),
                1002 => HeaderKey(12),
                _ => key,
            };
            old.bytes(key, value)
        });
    assert_eq!(RouterHello::from_headers(&old.build()).unwrap(), new);
    assert!(
        RouterHello::from_headers(&new.to_headers())
            .unwrap()
            .listeners
            .is_empty()
    );
}

#[test]
fn a_router_is_not_refused_for_listeners_that_cannot_be_read() {
    let recorded = message("router hello, first connection").headers;
    let broken = Headers::builder()
        .append(&recorded)
        .bytes(HeaderKey(1000), b"\x0a\x7f")
        .build();
    let hello = RouterHello::from_headers(&broken).unwrap();
    assert_eq!(hello.listeners, []);
    let [error] = hello.unreadable.try_into().unwrap();
    let said = error.to_string();
    assert!(said.contains("Listeners.listeners"), "{said}");
}

#[test]
fn a_hello_without_a_version_is_no_hello() {
    let refused = RouterHello::from_headers(&Headers::empty()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "RouterHello: header 4 (version) is missing or unreadable"
    );
}

#[test]
fn a_controller_says_what_routers_require() {
    let recorded = message("minimal hello answer");
    let hello = ControllerHello::from_headers(&recorded.headers).unwrap();
    assert_eq!(hello.version, build("v2.1.0"));
    assert!(
        hello
            .capabilities
            .has(ControllerCapability::LegacySessionsAreJwts)
    );
    assert_eq!(hello.capabilities.mask(), 0x7e);
    let written = hello.to_headers();
    assert_eq!(ControllerHello::from_headers(&written).unwrap(), hello);
    let recorded = own_headers(&recorded.headers);
    let mut written = own_headers(&written);
    assert_eq!(written.remove(&12), written.get(&1002).cloned());
    for (key, value) in written {
        assert_eq!(recorded.get(&key), Some(&value), "header {key}");
    }
}

#[test]
fn hellos_of_the_edge() {
    let hello = ServerHello {
        hello: ServerHelloBody {
            version: "v0.0.0".to_owned(),
            data: map([("instant", "true"), ("routerModel", "true")]),
            ..ServerHelloBody::default()
        },
        has_data_model: true,
    };
    assert_eq!(decoded("ServerHello"), ControlMessage::ServerHello(hello));

    let address = EdgeAddress {
        value: "tls:127.0.0.1:15241".to_owned(),
        protocol: "tls".to_owned(),
        hostname: "127.0.0.1".to_owned(),
        port: 15241,
    };
    let advertised = EdgeAddress {
        value: address.value.strip_prefix("tls:").unwrap().to_owned(),
        ..address.clone()
    };
    let hello = ClientHello {
        hello: ClientHelloBody {
            version: "v0.0.0".to_owned(),
            hostname: "127.0.0.1".to_owned(),
            protocols: vec!["tls".to_owned()],
            protocol_ports: vec!["15241".to_owned()],
            listeners: vec![EdgeListener {
                address: Some(address),
                advertised: Some(advertised),
            }],
            ..ClientHelloBody::default()
        },
        has_data_model: true,
        model_index: Some(0),
    };
    assert_eq!(decoded("ClientHello"), ControlMessage::ClientHello(hello));
}

#[test]
fn links_and_peers() {
    let links = RouterLinks {
        links: Vec::new(),
        is_full: true,
    };
    assert_eq!(decoded("RouterLinks"), ControlMessage::RouterLinks(links));

    let healthy = PeerStateChange {
        id: "3Ida3mYoY".to_owned(),
        version: "v0.0.0".to_owned(),
        state: PeerState::Healthy,
        listeners: vec![listener("tls:127.0.0.1:15232")],
    };
    let changes = PeerStateChanges {
        changes: vec![healthy],
    };
    assert_eq!(
        decoded("PeerStateChange"),
        ControlMessage::PeerStateChanges(changes)
    );

    let verify = VerifyRouter {
        router_id: "LidaxRYoY".to_owned(),
        fingerprints: vec!["d3aa05664a966c3548cf9038537859ae9ce82aae".to_owned()],
    };
    assert_eq!(
        decoded("VerifyRouter"),
        ControlMessage::VerifyRouter(verify)
    );

    let fault = Fault {
        subject: FaultSubject::Link,
        id: "5aCQr2Nu6VROhyqTS7zCw2".to_owned(),
        iteration: 1,
    };
    assert_eq!(decoded("LinkFault"), ControlMessage::Fault(fault));
}

#[test]
fn subscription_and_changes_of_the_data_model() {
    let subscription = Subscription {
        duration_seconds: 300,
        subscription_id: "oW0zQhR4R".to_owned(),
        ..Subscription::default()
    };
    assert_eq!(
        decoded("Subscribe"),
        ControlMessage::Subscription(subscription)
    );

    let identity = Identity {
        id: "BZ202gOxO".to_owned(),
        name: "host".to_owned(),
        ..Identity::default()
    };
    let created = Event {
        action: Action::Create,
        is_synthetic: false,
        subject: Some(Subject::Identity(Box::new(identity))),
    };
    let changes = ChangeSet {
        changes: Changes {
            index: 11,
            previous_index: 10,
            events: vec![created],
            ..Changes::default()
        },
        subscription_id: Some("oW0zQhR4R".to_owned()),
    };
    assert_eq!(decoded("change set"), ControlMessage::ChangeSet(changes));
    assert_eq!(
        decoded("CurrentIndex"),
        ControlMessage::CurrentIndex(CurrentIndex { index: 10 })
    );
}

#[test]
fn a_session_is_added_and_its_token_is_not_shown() {
    let added = decoded("ApiSessionAdded");
    let token = "80e60276-5c89-4bf6-bee9-3414d5b3dfd1";
    let session = ApiSession {
        token: Token::new(token.to_owned()),
        fingerprints: vec!["94683c945536b4a0024ddf3b0446b9992b6ffe34".to_owned()],
        id: "cmwqeydtp002xcs7doat0cm7n".to_owned(),
        identity_id: "BZ202gOxO".to_owned(),
    };
    let expected = ApiSessionsAdded {
        sessions: ApiSessions {
            is_full_state: false,
            sessions: vec![session],
        },
        sync_type: INSTANT.to_owned(),
        sync_state: r#"{"id":"cmwqeydtq002ycs7d2si5wce6","isLast":true,"sequence":0}"#.to_owned(),
    };
    assert_eq!(added, ControlMessage::ApiSessionsAdded(expected));
    let shown = format!("{added:?}");
    assert!(
        !shown.contains(token) && shown.contains("token: Secret"),
        "{shown}"
    );
}

#[test]
fn terminators_are_created_and_validated() {
    let id = "2LxQMAaZ0wuJNjKQx4T02r";
    let answer = CreateTerminatorAnswerV2 {
        terminator_id: id.to_owned(),
        ..CreateTerminatorAnswerV2::default()
    };
    assert_eq!(
        decoded("CreateTerminatorV2Response"),
        ControlMessage::CreateTerminatorAnswerV2(answer)
    );

    let validate = ValidateTerminators {
        terminators: vec![TerminatorToValidate {
            id: id.to_owned(),
            binding: "edge".to_owned(),
            address: id.to_owned(),
            marker: 1,
        }],
        fixes_invalid: true,
        is_after_creation: true,
    };
    assert_eq!(
        decoded("ValidateTerminatorsV2"),
        ControlMessage::ValidateTerminators(validate)
    );

    let state = TerminatorState {
        is_valid: true,
        detail: "terminator present".to_owned(),
        marker: 2,
        ..TerminatorState::default()
    };
    let answer = ValidatedTerminators {
        states: [("6DpRSR3VyABX9B44GmF1I7".to_owned(), state)].into(),
    };
    assert_eq!(
        decoded("its answer for another"),
        ControlMessage::ValidatedTerminators(answer)
    );
}

#[test]
fn a_route_and_its_result() {
    let [circuit, ingress, link] = [
        "4SWXSjIeTuW8rb33Rhu9qk",
        "2qn7Ue5OwLZOLnP33tEdg7",
        "5OLYHwhVaMZUkjRZQhtPUn",
    ];
    let forward = |source: &str, destination: &str, destination_kind| Forward {
        source: source.to_owned(),
        destination: destination.to_owned(),
        destination_kind,
    };
    let route = Route {
        circuit_id: circuit.to_owned(),
        forwards: vec![
            forward(ingress, link, DestinationKind::Link),
            forward(link, ingress, DestinationKind::Start),
        ],
        context: Some(RouteContext {
            fields: map([
                ("apiSessionId", "cmwqf4k5c00bbcs7d4j7vqudo"),
                ("attemptNumber", "1"),
                ("circuitId", circuit),
                ("serviceId", "1UpgO4IL8Psf7PHs2ziru5"),
                ("sessionId", "cmwqf4k6a00bdcs7dj0pszbms"),
            ]),
            channel_mask: 0,
        }),
        timeout_nanos: 9_999_749_910,
        tags: map([
            ("clientId", "BmaSagQxO"),
            ("hostId", "BZ202gOxO"),
            ("serviceId", "1UpgO4IL8Psf7PHs2ziru5"),
        ]),
        ..Route::default()
    };
    assert_eq!(
        decoded("Route for the first router"),
        ControlMessage::Route(route)
    );

    let ControlMessage::RouteResult(result) = decoded("RouteResult success") else {
        panic!("not a result");
    };
    let RouteOutcome::Routed(peer_data) = &result.outcome else {
        panic!("{result:?}");
    };
    assert_eq!((result.attempt, result.circuit_id.len()), (0, 22));
    let known = [
        peer_data::PUBLIC_KEY,
        peer_data::LOCAL_ADDRESS,
        peer_data::REMOTE_ADDRESS,
    ];
    assert!(peer_data.keys().eq(known.iter()));
    assert_eq!(
        peer_data[&peer_data::REMOTE_ADDRESS].expose(),
        "127.0.0.1:15260"
    );
}

#[test]
fn a_failed_route_names_its_cause() {
    let failed = RouteResult {
        circuit_id: "c1".to_owned(),
        attempt: 2,
        outcome: RouteOutcome::Failed {
            reason: "no such host".to_owned(),
            failure: RouteFailure::DnsResolutionFailed,
        },
    };
    let written = ControlMessage::RouteResult(failed.clone())
        .encode()
        .unwrap();
    let headers = own_headers(&written.headers);
    assert_eq!(headers[&1103], b"no such host");
    assert_eq!(headers[&1104], [6]);
    assert!(!headers.contains_key(&1102), "its presence is success");
    assert_eq!(
        ControlMessage::decode(&written).unwrap(),
        ControlMessage::RouteResult(failed)
    );
}

#[test]
fn a_circuit_is_created_and_ends() {
    let circuit = "2R5kIQszmQ6sarVipmTg0T";
    let ControlMessage::CreateCircuitAnswerV2(answer) = decoded("CreateCircuitV2Response") else {
        panic!("not an answer");
    };
    assert_eq!(answer.circuit_id, circuit);
    assert_eq!(answer.address, "5YArqUOq2JJvePQPYEW4y3");
    assert_eq!(answer.tags["clientId"], "BmaSagQxO");
    assert!(
        answer
            .peer_data
            .keys()
            .eq(&[1, peer_data::PUBLIC_KEY, 1101])
    );

    let ends: Vec<ControlMessage> = named(PROTOCOL, "Fault EgressFault / Unroute / Unroute now")
        .iter()
        .map(|message| ControlMessage::decode(message).unwrap())
        .collect();
    let fault = Fault {
        subject: FaultSubject::Egress,
        id: circuit.to_owned(),
        iteration: 0,
    };
    let unroute = |is_immediate| Unroute {
        circuit_id: circuit.to_owned(),
        is_immediate,
    };
    assert_eq!(
        ends,
        [
            ControlMessage::Fault(fault),
            ControlMessage::Unroute(unroute(false)),
            ControlMessage::Unroute(unroute(true)),
        ]
    );
}

#[test]
fn the_addresses_of_controllers() {
    let endpoint = Endpoint {
        address: "tls:127.0.0.1:15210".to_owned(),
        groups: Vec::new(),
    };
    let addresses = ControllerAddresses {
        addresses: vec![endpoint.address.clone()],
        index: 1,
        is_leader: true,
        controllers: vec![Controller {
            id: "instance-1".to_owned(),
            endpoints: vec![endpoint],
        }],
    };
    assert_eq!(
        decoded("UpdateCtrlAddresses"),
        ControlMessage::ControllerAddresses(addresses)
    );
}

#[test]
fn a_fault_about_forwarding_names_circuits() {
    let fault = Fault {
        subject: FaultSubject::Forward,
        id: "c1 c2".to_owned(),
        iteration: 0,
    };
    assert!(fault.circuits().eq(["c1", "c2"]));
}

#[test]
fn what_a_newer_peer_says_is_kept_or_passed_over() {
    // Subject 9, id "x", and a field 15.
    let mut message =
        Message::new(ContentType(1004)).with_body(&b"\x08\x09\x12\x01x\x7a\x03new"[..]);
    let fault = ControlMessage::decode(&message).unwrap();
    let expected = Fault {
        subject: FaultSubject::Unrecognized(9),
        id: "x".to_owned(),
        iteration: 0,
    };
    assert_eq!(fault, ControlMessage::Fault(expected));
    assert_eq!(&fault.encode().unwrap().body[..], b"\x08\x09\x12\x01x");

    message.content_type = ContentType(1_999);
    let unknown = ControlMessage::decode(&message).unwrap();
    assert_eq!(unknown, ControlMessage::Unknown(message.clone()));
    assert_eq!(unknown.encode().unwrap(), message);
}

#[test]
fn the_verification_of_a_certificate_shares_its_content_type_with_refusals() {
    let success = Message::new(ContentType(20002));
    let verified = CertificateVerification::decode(&success.headers, &success.body).unwrap();
    assert_eq!(verified, CertificateVerification::default());

    let refusal = Refusal {
        reason: "no terminators".to_owned(),
        code: Some(ErrorCode::Internal),
        retry_hint: Some(RetryHint::StartOver),
        circuit_id: Some("c1".to_owned()),
    };
    let written = ControlMessage::Refusal(refusal.clone()).encode().unwrap();
    let headers = own_headers(&written.headers);
    assert_eq!(&written.body[..], b"no terminators");
    assert_eq!(
        (&headers[&1014][..], &headers[&18][..]),
        (&[1, 0, 0, 0][..], &[2, 0, 0, 0][..])
    );
    assert_eq!(
        ControlMessage::decode(&written).unwrap(),
        ControlMessage::Refusal(refusal)
    );
}

#[test]
fn what_circuits_wait_for_is_sent_first() {
    let high = recorded(PROTOCOL)
        .into_iter()
        .map(|(_, frame)| ControlMessage::decode(&frame.into_message()).unwrap())
        .filter(|message| message.priority() == Priority::High)
        .map(|message| message.content_type().0)
        .collect::<BTreeSet<_>>();
    // Route, Unroute, RouteResult and ServerHello.
    assert!(high.into_iter().eq([1005, 1006, 1022, 20000]));
}
