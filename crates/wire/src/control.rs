//! The control channel, between a router and a controller.

pub mod address;
pub mod alert;
pub mod certificate;
pub mod circuit;
pub mod connect_event;
pub mod data_model;
pub mod edge_hello;
pub mod hello;
pub mod inspection;
pub mod interface;
pub mod link;
pub mod metrics;
pub mod peer;
pub mod refusal;
pub mod route;
pub mod session;
pub mod terminator;
pub mod tunnel;

use crate::message_set::message_set;
use crate::trace::{PipeTraces, TraceEvent};
use address::{ClusterLeader, ControllerAddresses, Settings};
use alert::Alerts;
use certificate::{ExtendCertificates, ExtendedCertificates, VerifyCertificates};
use circuit::{
    CircuitConfirmation, CircuitCreated, CircuitFailed, CircuitRequest, CreateCircuitAnswer,
    CreateCircuitAnswerV1, CreateCircuitV1, CreateCircuitV2, CreateCircuitV3,
};
use connect_event::ConnectEvents;
use data_model::{
    ChangeSet, CurrentIndex, DataState, DataStateValidation, Subscription, ValidateDataState,
};
use edge_hello::{ClientHello, ServerHello};
use inspection::{InspectRequest, InspectResponse};
use interface::RouterInterfaces;
use link::{Fault, LinkState, RouterLinks, VerifyRouter};
use metrics::Metrics;
use peer::{Listeners, PeerStateChanges};
use portcullis_channel::Priority;
use refusal::Refusal;
use route::{Route, RouteResult, Unroute};
use session::{
    ApiSessionHeartbeat, ApiSessionsAdded, ApiSessionsRemoved, ApiSessionsUpdated,
    ResynchronizationRequest, SessionsRemoved, ValidateSessions,
};
use terminator::{
    CreateTerminatorAnswerV2, CreateTerminatorV1, CreateTerminatorV2, HealthEvent,
    RemoveEdgeTerminator, RemoveTerminator, RemoveTerminators, UpdateEdgeTerminator,
    UpdateTerminator, ValidateTerminators, ValidateTerminatorsV1, ValidatedTerminators,
};
use tunnel::{
    CreateTunnelCircuit, CreateTunnelCircuitAnswer, CreateTunnelTerminator,
    CreateTunnelTerminatorAnswer, RemoveTunnelTerminator, TunnelHealthEvent,
    UpdateTunnelTerminator,
};

message_set! {
    /// A message of the control channel.
    ///
    /// Content types 0 to 6 belong to the channel itself; a Result, for example, is a
    /// [`ResultMessage`](portcullis_channel::ResultMessage).
    pub enum ControlMessage {
        1000 => CircuitRequest(CircuitRequest),
        1001 => CircuitCreated(CircuitCreated),
        1004 => Fault(Fault),
        1005 => Route(Route),
        1006 => Unroute(Unroute),
        1007 => Metrics(Metrics),
        1008 => TogglePipeTraces(PipeTraces),
        1010 => TraceEvent(TraceEvent),
        1011 => CreateTerminatorV1(CreateTerminatorV1),
        1012 => RemoveTerminator(RemoveTerminator),
        1013 => InspectRequest(InspectRequest),
        1014 => InspectResponse(InspectResponse),
        1016 => CircuitFailed(CircuitFailed),
        1017 => ValidateTerminatorsV1(ValidateTerminatorsV1),
        1018 => UpdateTerminator(UpdateTerminator),
        1020 => Settings(Settings),
        1022 => RouteResult(RouteResult),
        1034 => CircuitConfirmation(CircuitConfirmation),
        1035 => RouterLinks(RouterLinks),
        1036 => VerifyRouter(VerifyRouter),
        1037 => ControllerAddresses(ControllerAddresses),
        1038 => RemoveTerminators(RemoveTerminators),
        1041 => ValidateTerminators(ValidateTerminators),
        1042 => ValidatedTerminators(ValidatedTerminators),
        1050 => PeerStateChanges(PeerStateChanges),
        1051 => ClusterLeader(ClusterLeader),
        1052 => RouterInterfaces(RouterInterfaces),
        1053 => LinkState(LinkState),
        1054 => Alerts(Alerts),
        1056 => LinkListeners(Listeners),
        20000 => ServerHello(ServerHello),
        20001 => ClientHello(ClientHello),
        20002 => Refusal(Refusal),
        20102 => SessionsRemoved(SessionsRemoved),
        20200 => ApiSessionsAdded(ApiSessionsAdded),
        20201 => ApiSessionsUpdated(ApiSessionsUpdated),
        20202 => ApiSessionsRemoved(ApiSessionsRemoved),
        20203 => ApiSessionHeartbeat(ApiSessionHeartbeat),
        20204 => ResynchronizationRequest(ResynchronizationRequest),
        20205 => CreateCircuitV1(CreateCircuitV1),
        20206 => CreateCircuitAnswerV1(CreateCircuitAnswerV1),
        20209 => UpdateEdgeTerminator(UpdateEdgeTerminator),
        20211 => RemoveEdgeTerminator(RemoveEdgeTerminator),
        20213 => ValidateSessions(ValidateSessions),
        20214 => HealthEvent(HealthEvent),
        20216 => CreateTerminatorV2(CreateTerminatorV2),
        20217 => CreateTerminatorAnswerV2(CreateTerminatorAnswerV2),
        20218 => CreateCircuitV2(CreateCircuitV2),
        20219 => CreateCircuitAnswerV2(CreateCircuitAnswer),
        20220 => CreateTunnelCircuit(CreateTunnelCircuit),
        20221 => CreateTunnelCircuitAnswer(CreateTunnelCircuitAnswer),
        20222 => CreateCircuitV3(CreateCircuitV3),
        20223 => CreateCircuitAnswerV3(CreateCircuitAnswer),
        20301 => ExtendedCertificates(ExtendedCertificates),
        20302 => ExtendCertificates(ExtendCertificates),
        20303 => VerifyCertificates(VerifyCertificates),
        20408 => UpdateTunnelTerminator(UpdateTunnelTerminator),
        20410 => RemoveTunnelTerminator(RemoveTunnelTerminator),
        20412 => TunnelHealthEvent(TunnelHealthEvent),
        20413 => CreateTunnelTerminator(CreateTunnelTerminator),
        20414 => CreateTunnelTerminatorAnswer(CreateTunnelTerminatorAnswer),
        20415 => ConnectEvents(ConnectEvents),
        20500 => DataState(DataState),
        20501 => ChangeSet(ChangeSet),
        20503 => ValidateDataState(ValidateDataState),
        20504 => DataStateValidation(DataStateValidation),
        20505 => Subscription(Subscription),
        20506 => CurrentIndex(CurrentIndex),
        empty:
        /// No new circuits through the router, as far as there are other ways.
        1039 => QuiesceRouter,
        /// Takes [`QuiesceRouter`](Self::QuiesceRouter) back.
        1040 => DequiesceRouter,
        /// The controller is to delete the router. Answered only when it cannot.
        1043 => DecommissionRouter,
        /// Answered by [`ControllerAddresses`](Self::ControllerAddresses), not as a reply.
        1055 => RequestClusterMembers,
        20210 => UpdateEdgeTerminatorAnswer,
        20212 => RemoveEdgeTerminatorAnswer,
        20409 => UpdateTunnelTerminatorAnswer,
        20411 => RemoveTunnelTerminatorAnswer,
    }
}

impl ControlMessage {
    /// The priority that peers send the message with: high for what circuits wait for, except the answers
    /// to requests for them.
    pub const fn priority(&self) -> Priority {
        match self {
            Self::CircuitRequest(_)
            | Self::CircuitCreated(_)
            | Self::CircuitFailed(_)
            | Self::CreateCircuitV2(_)
            | Self::CreateCircuitV3(_)
            | Self::CreateTunnelCircuit(_)
            | Self::Route(_)
            | Self::RouteResult(_)
            | Self::Unroute(_)
            | Self::ServerHello(_) => Priority::High,
            _ => Priority::Default,
        }
    }
}
