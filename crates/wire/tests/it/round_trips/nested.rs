//! Messages within others.

use super::bodies;
use portcullis_channel::Message;
use portcullis_wire::Content;
use portcullis_wire::control::data_model as model;
use portcullis_wire::control::{
    address, alert, connect_event, edge_hello, hello, inspection, interface, link, metrics, peer,
    route, session, terminator,
};
use portcullis_wire::{edge, management};
use std::fmt::Debug;

/// Decodes and encodes a message of which only the type is known.
fn rewrite<T: Content + PartialEq + Debug>(message: &Message) -> Option<Message> {
    let decoded = T::decode(&message.headers, &message.body).ok()?;
    let (headers, body) = decoded.encode().unwrap();
    assert_eq!(T::decode(&headers, &body).unwrap(), decoded);
    Some(Message {
        content_type: message.content_type,
        headers,
        body,
    })
}

/// Holds the fields of a type against those of the protocol.
macro_rules! check {
    ($($type:ty: [$($field:literal),*],)*) => {$(
        let found = bodies(rewrite::<$type>, 0, 600);
        assert!(found.iter().eq(&[$($field),*]), "{}: {found:?}", <$type>::NAME);
    )*};
}

#[test]
fn every_field_within_messages_of_the_control_channel_comes_back() {
    check! {
        address::Controller: [1, 2],
        address::Endpoint: [1, 2],
        alert::Alert: [1, 2, 3, 4, 5, 6, 7],
        connect_event::ConnectEvent: [1, 2, 3],
        connect_event::ConnectTime: [1, 2, 3],
        edge_hello::EdgeListener: [10, 20],
        edge_hello::EdgeAddress: [10, 20, 30, 40],
        hello::ControlListeners: [1],
        inspection::InspectedValue: [1, 2],
        interface::Interface: [1, 2, 3, 4, 5, 6],
        link::RouterLink: [1, 2, 3, 5, 6, 7],
        link::LinkConnections: [1, 2],
        link::LinkConnection: [1, 2, 3],
        portcullis_wire::Timestamp: [1, 2],
        metrics::Meter: [1, 2, 3, 4, 5],
        metrics::Histogram: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
        metrics::Timer: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
        metrics::IntervalCounter: [1, 2],
        metrics::IntervalBucket: [1, 3],
        metrics::UsageCounter: [1, 2, 3],
        metrics::UsageBucket: [1, 2],
        peer::PeerStateChange: [1, 2, 3, 4],
        peer::Listener: [1, 2, 4, 5],
        route::Egress: [1, 2, 3, 4],
        route::Forward: [1, 2, 3],
        route::RouteContext: [1, 2],
        session::ApiSession: [1, 2, 3, 4],
        terminator::TerminatorToValidate: [1, 2, 3, 4],
        terminator::TerminatorState: [1, 2, 3, 4],
    }
}

#[test]
fn every_field_of_the_data_model_comes_back() {
    check! {
        model::Event: [1, 3, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19],
        model::Identity: [1, 2, 3, 4, 5, 6, 7, 8, 9],
        model::ServiceConfigs: [1],
        model::Service: [1, 2, 3, 4],
        model::Router: [1, 2, 3, 4, 5],
        model::ServicePolicy: [1, 2, 3],
        model::ServicePolicyChange: [1, 2, 3, 4],
        model::ConfigType: [1, 2, 3],
        model::Config: [1, 2, 3, 4],
        model::PublicKey: [1, 2, 3, 4],
        model::Revocation: [1, 2, 3, 4],
        model::PostureCheck: [1, 2, 4, 7, 8, 9, 10, 11, 12],
        model::MacAddresses: [1],
        model::Mfa: [1, 2, 3, 4],
        model::OperatingSystems: [1],
        model::OperatingSystem: [1, 2],
        model::Process: [1, 2, 3, 4],
        model::Processes: [1, 2],
        model::Domains: [1],
        model::DataStateDiff: [1, 2, 3, 4],
    }
}

#[test]
fn every_field_within_messages_of_the_edge_comes_back() {
    check! {
        edge::PostureResponse: [1, 2, 3, 4, 5, 6, 7, 8],
        edge::MacAddresses: [1],
        edge::OperatingSystem: [1, 2, 3],
        edge::Processes: [1],
        edge::Process: [1, 2, 3, 4],
        edge::Domain: [1],
        edge::Woken: [1],
        edge::Unlocked: [1],
        edge::SdkInfo: [1, 2, 3, 4, 5, 6],
        edge::TotpToken: [1, 2],
        edge::ChangedService: [1, 2, 3, 4, 5, 6, 7],
        edge::ConfigData: [1, 2, 3],
        edge::ChangedPolicy: [1, 2, 3, 4],
        edge::ChangedPostureCheck: [1, 2, 3, 4, 5, 6, 7, 8, 9],
        edge::RequiredProcess: [1, 2],
        edge::CheckState: [1, 2, 3, 4],
        edge::PolicyState: [1, 2],
    }
}

#[test]
fn every_field_within_messages_of_management_comes_back() {
    check! {
        management::InspectedValue: [1, 2, 3],
        management::LinkDetail: [1, 2, 3, 4, 5, 6, 7, 8],
        management::CircuitDetail: [1, 2, 3, 4, 5, 6],
        management::SdkTerminatorDetail: [1, 2, 3, 4, 5, 6, 7],
        management::ErtTerminatorDetail: [1, 2, 3, 4],
    }
}
