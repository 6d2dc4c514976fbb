//! Recorded messages of the management channel.

use crate::support::{named, one, own_headers, recorded};
use bytes::Bytes;
use portcullis_channel::{ContentType, Message};
use portcullis_wire::management::{
    CircuitDetail, Found, InspectResponse, InspectedValue, LinkDetail, LinkDetails, LinkValidity,
    ManagementMessage, RouterCircuits, RouterFilter, StreamEvents, StreamedEvent, TerminatorDetail,
    TerminatorValidity,
};
use portcullis_wire::trace::{PipeTraces, TraceEvent};

const PROTOCOL: &str = "management";

fn decoded(beginning: &str) -> ManagementMessage {
    ManagementMessage::decode(&one(PROTOCOL, beginning)).unwrap()
}

#[test]
fn recorded_messages_of_management_are_written_as_they_were_recorded() {
    let mut known = 0;
    for (name, frame) in recorded(PROTOCOL) {
        let recorded = frame.into_message();
        let decoded = ManagementMessage::decode(&recorded).unwrap();
        if matches!(decoded, ManagementMessage::Unknown(_)) {
            assert_eq!(recorded.content_type, ContentType::RESULT, "{name}");
            continue;
        }
        known += 1;
        let written = decoded.encode().unwrap();
        assert_eq!(written.content_type, recorded.content_type, "{name}");
        assert_eq!(written.body, recorded.body, "{name}");
        assert_eq!(
            own_headers(&written.headers),
            own_headers(&recorded.headers),
            "{name}"
        );
    }
    assert_eq!(known, 35);
}

#[test]
fn links_are_validated() {
    let all = ManagementMessage::ValidateLinks(RouterFilter::default());
    assert_eq!(decoded("C validate links, no filter"), all);
    let found = Found {
        is_success: true,
        text: String::new(),
        count: 2,
    };
    assert_eq!(
        decoded("S answer, 2 routers"),
        ManagementMessage::LinksFound(found)
    );

    let link = LinkDetail {
        link_id: "4uYvCF42fGS3hUxGKjt7UD".to_owned(),
        controller_state: LinkValidity::Established,
        router_state: LinkValidity::Established,
        is_destination_connected: true,
        is_valid: true,
        destination: "Pomig.x1H".to_owned(),
        is_dialed: true,
        texts: Vec::new(),
    };
    let details = LinkDetails {
        router_id: "06xiZ.HqH".to_owned(),
        router_name: "r1".to_owned(),
        is_success: true,
        text: String::new(),
        links: vec![link],
    };
    assert_eq!(
        decoded("S result r1 (dialer)"),
        ManagementMessage::LinkDetails(details)
    );
    let offline = LinkDetails {
        router_id: "06xiZ.HqH".to_owned(),
        router_name: "r1".to_owned(),
        text: "router not connected".to_owned(),
        ..LinkDetails::default()
    };
    assert_eq!(
        decoded("S result r1 offline"),
        ManagementMessage::LinkDetails(offline)
    );
}

#[test]
fn terminators_and_circuits_are_validated() {
    let terminator = TerminatorDetail {
        terminator_id: "2zO5yIa1cTpCfcBzRVZZA4".to_owned(),
        service_id: "5KvbpQ6bEoPNWp20a6CRpt".to_owned(),
        service_name: "svc2".to_owned(),
        router_id: "Pomig.x1H".to_owned(),
        router_name: "r2".to_owned(),
        binding: "tunnel".to_owned(),
        address: "2zO5yIa1cTpCfcBzRVZZA4".to_owned(),
        host_id: "Pomig.x1H".to_owned(),
        created_at: "2026-11-22T23:01:32Z".to_owned(),
        state: TerminatorValidity::Valid,
        is_fixed: false,
        detail: "valid".to_owned(),
    };
    assert_eq!(
        decoded("S result, valid tunnel terminator"),
        ManagementMessage::TerminatorDetail(terminator)
    );

    let circuit = "5lVh5jt821OhXaMKiDqwH6";
    let kinds = [
        ("60WeiTmbTx6nlmSsAGc1ti", "xgress"),
        ("6gh73JhRTRy1rllNStcJ4T", "xg-edge-fwd"),
    ];
    let ManagementMessage::RouterCircuits(RouterCircuits { circuits, .. }) =
        decoded("S circuits r2, one circuit")
    else {
        panic!("no circuits");
    };
    let expected = CircuitDetail {
        circuit_id: circuit[1..].to_owned(),
        destinations: crate::support::map(kinds),
        ..CircuitDetail::default()
    };
    assert_eq!(circuits.into_values().collect::<Vec<_>>(), [expected]);
}

#[test]
fn events_and_traces_are_streamed() {
    let event = StreamedEvent {
        event_type: "sdk".to_owned(),
        json: r#"{"namespace":"sdk","event_src_id":"c1","timestamp":"2026-11-22T23:11:18.16865186Z","event_type":"sdk-online","identity_id":"5iKJgsH1x"}"#
            .to_owned()
            .into(),
    };
    assert_eq!(
        decoded("S event sdk"),
        ManagementMessage::StreamedEvent(event)
    );
    let events = StreamEvents {
        json: r#"{"format":"json","subscriptions":[]}"#.to_owned(),
    };
    let written = ManagementMessage::StreamEvents(events.clone())
        .encode()
        .unwrap();
    assert_eq!(&written.body[..], events.json.as_bytes());

    let toggle = PipeTraces {
        is_enabled: true,
        verbosity: 3,
        app_regex: "c1".to_owned(),
        pipe_regex: ".*".to_owned(),
    };
    assert_eq!(
        decoded("C toggle on"),
        ManagementMessage::TogglePipeTraces(toggle)
    );
    let trace = TraceEvent {
        time_nanos: 1_795_389_102_210_595_473,
        identity: "c1".to_owned(),
        channel: "mgmt".to_owned(),
        is_received: true,
        content_type: 2,
        sequence: 1,
        reply_for: 1,
        length: 533,
        decoded: Bytes::from_static(
            br#"{"__decoder__":"channel","__message__":"Result","success":true}"#,
        )
        .into(),
    };
    assert_eq!(
        decoded("S trace event"),
        ManagementMessage::StreamedTrace(trace)
    );
}

#[test]
fn values_are_inspected_and_not_shown() {
    let value = r#"{"index":70,"timeline":"E73zA7gdR"}"#;
    let response = InspectResponse {
        is_success: true,
        errors: Vec::new(),
        values: vec![InspectedValue {
            app_id: "c1".to_owned(),
            name: "data-model-index".to_owned(),
            value: value.to_owned().into(),
        }],
    };
    let recorded = decoded("S inspect answer");
    assert_eq!(recorded, ManagementMessage::InspectResponse(response));
    assert!(!format!("{recorded:?}").contains("timeline"));
}

#[test]
fn a_request_without_content_is_known_by_its_type() {
    let [request, _] = named(PROTOCOL, "C dialers").try_into().unwrap();
    let decoded = ManagementMessage::decode(&request).unwrap();
    assert_eq!(decoded, ManagementMessage::ValidateDialers);
    assert_eq!(decoded.encode().unwrap(), Message::new(ContentType(10122)));
}
