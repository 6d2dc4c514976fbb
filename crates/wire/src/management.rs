//! The management channel, between an administrator's program and a controller.
//!
//! It runs over a websocket, each message of which is a frame. There is no hello.

mod inspection;
mod stream;
mod validation;

pub use inspection::{InspectRequest, InspectResponse, InspectedValue};
pub use stream::{StreamEvents, StreamTraces, StreamedEvent, TraceFilter};
pub use validation::{
    CircuitDetail, ComponentDetails, DialerDetails, ErtTerminatorDetail, ErtTerminatorDetails,
    Found, HostState, LinkDetail, LinkDetails, LinkValidity, RouterCircuits, RouterFilter,
    SdkTerminatorDetail, SdkTerminatorDetails, TerminatorDetail, TerminatorValidity,
    ValidateDataModel, ValidateTerminators,
};

use crate::message_set::message_set;
use crate::trace::{PipeTraces, TraceEvent};

message_set! {
    /// A message of the management channel.
    ///
    /// A request to validate is answered by what was found, and then by as many details. Other requests
    /// are answered by a [`ResultMessage`](portcullis_channel::ResultMessage).
    pub enum ManagementMessage {
        10040 => StreamEvents(StreamEvents),
        10041 => StreamedEvent(StreamedEvent),
        10044 => TogglePipeTraces(PipeTraces),
        /// Not answered.
        10046 => StreamTraces(StreamTraces),
        10047 => StreamedTrace(TraceEvent),
        10048 => InspectRequest(InspectRequest),
        10049 => InspectResponse(InspectResponse),
        10100 => ValidateTerminators(ValidateTerminators),
        10101 => TerminatorsFound(Found),
        10102 => TerminatorDetail(TerminatorDetail),
        10103 => ValidateLinks(RouterFilter),
        10104 => LinksFound(Found),
        10105 => LinkDetails(LinkDetails),
        10106 => ValidateSdkTerminators(RouterFilter),
        10107 => SdkTerminatorsFound(Found),
        10108 => SdkTerminatorDetails(SdkTerminatorDetails),
        10109 => ValidateDataModel(ValidateDataModel),
        10110 => DataModelsFound(Found),
        10111 => DataModelDetails(ComponentDetails),
        10112 => ValidateIdentityConnections(RouterFilter),
        10113 => IdentityConnectionsFound(Found),
        10114 => IdentityConnectionDetails(ComponentDetails),
        10115 => ValidateErtTerminators(RouterFilter),
        10116 => ErtTerminatorsFound(Found),
        10117 => ErtTerminatorDetails(ErtTerminatorDetails),
        10118 => ValidateCircuits(RouterFilter),
        10119 => CircuitsFound(Found),
        10120 => RouterCircuits(RouterCircuits),
        /// Beside the terminators that were counted.
        10121 => HostState(HostState),
        10123 => DialersFound(Found),
        10124 => DialerDetails(DialerDetails),
        empty:
        10122 => ValidateDialers,
    }
}
