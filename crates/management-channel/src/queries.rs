//! What answers questions about the network.

use futures_util::future::{BoxFuture, ready};
use futures_util::stream::{BoxStream, empty};
use portcullis_app::fabric::OpenChannel;
use portcullis_domain::access::Permit;
use portcullis_wire::management::{
    ComponentDetails, DialerDetails, ErtTerminatorDetails, HostState, InspectRequest,
    InspectResponse, LinkDetails, RouterCircuits, RouterFilter, SdkTerminatorDetails,
    TerminatorDetail, ValidateDataModel, ValidateTerminators,
};
use portcullis_wire::trace::{PipeTraces, TraceEvent};
use std::fmt;

/// Future of what is asked for.
pub type QueryFuture<T> = BoxFuture<'static, T>;

/// What an inspection shows.
#[derive(Debug)]
pub struct InspectionAnswer {
    pub response: InspectResponse,
    /// The memory of the response.
    pub held: HeldMemory,
}

/// Something that is kept until a message has been handed over to the client's connection.
pub type HeldMemory = Box<dyn fmt::Debug + Send + Sync>;

/// Future of a validation, or of a text for people that says why there is none. Clients wait for it no
/// longer than a few seconds; the details may take their time.
pub type ValidationFuture<D> = QueryFuture<Result<Validation<D>, String>>;

/// A validation that has begun.
pub struct Validation<D> {
    /// How many details there will be.
    pub count: u64,
    /// Exactly as many, in any order.
    pub details: BoxStream<'static, D>,
}

/// What is found about terminators.
#[derive(Debug, Clone, PartialEq)]
pub enum TerminatorFinding {
    Terminator(TerminatorDetail),
    /// Beside the terminators, and not counted. It is sent before the last of them, whenever it comes.
    Host(HostState),
}

/// Answers questions about controller and routers for whoever has opened a channel. What is not
/// implemented is answered at once, by its refusal. The channel puts the id of the controller in front of the
/// texts.
pub trait NetworkQueries: Send + Sync + 'static {
    /// The values of controllers and routers.
    fn inspect(
        &self,
        permit: Permit<OpenChannel>,
        request: InspectRequest,
    ) -> QueryFuture<Result<InspectionAnswer, String>> {
        let _ = (permit, request);
        Box::pin(ready(Err(not_supported("inspections"))))
    }

    /// Messages of the channels whose traces are on, from now on. Whoever takes them slowly misses some.
    fn traces(&self, permit: Permit<OpenChannel>) -> BoxStream<'static, TraceEvent> {
        let _ = permit;
        Box::pin(empty())
    }

    /// Turns traces on or off; a text of what has become of it, or what is wrong.
    fn toggle_traces(
        &self,
        permit: Permit<OpenChannel>,
        request: PipeTraces,
    ) -> QueryFuture<Result<String, String>> {
        let _ = (permit, request);
        Box::pin(ready(Err(not_supported("traces"))))
    }

    /// Terminators as their routers know them.
    fn validate_terminators(
        &self,
        permit: Permit<OpenChannel>,
        request: ValidateTerminators,
    ) -> ValidationFuture<TerminatorFinding> {
        let _ = (permit, request);
        refused("terminators")
    }

    /// Links, a detail for each router.
    fn validate_links(
        &self,
        permit: Permit<OpenChannel>,
        request: RouterFilter,
    ) -> ValidationFuture<LinkDetails> {
        let _ = (permit, request);
        refused("links")
    }

    /// Terminators of SDKs, a detail for each router.
    fn validate_sdk_terminators(
        &self,
        permit: Permit<OpenChannel>,
        request: RouterFilter,
    ) -> ValidationFuture<SdkTerminatorDetails> {
        let _ = (permit, request);
        refused("terminators of SDKs")
    }

    /// Terminators of routers that are tunnelers, a detail for each router.
    fn validate_ert_terminators(
        &self,
        permit: Permit<OpenChannel>,
        request: RouterFilter,
    ) -> ValidationFuture<ErtTerminatorDetails> {
        let _ = (permit, request);
        refused("terminators of tunnelers")
    }

    /// Copies of the router data model, a detail for each router and one for the controller if it is asked
    /// for.
    fn validate_data_model(
        &self,
        permit: Permit<OpenChannel>,
        request: ValidateDataModel,
    ) -> ValidationFuture<ComponentDetails> {
        let _ = (permit, request);
        refused("the router data model")
    }

    /// Which identities are connected, a detail for each router.
    fn validate_identity_connections(
        &self,
        permit: Permit<OpenChannel>,
        request: RouterFilter,
    ) -> ValidationFuture<ComponentDetails> {
        let _ = (permit, request);
        refused("the connections of identities")
    }

    /// Circuits, a detail for each router.
    fn validate_circuits(
        &self,
        permit: Permit<OpenChannel>,
        request: RouterFilter,
    ) -> ValidationFuture<RouterCircuits> {
        let _ = (permit, request);
        refused("circuits")
    }

    /// Dialing of routers by the controller. None is: routers dial their controllers.
    fn validate_dialers(&self, permit: Permit<OpenChannel>) -> ValidationFuture<DialerDetails> {
        let _ = permit;
        Box::pin(ready(Err("controller dialer is not enabled".to_owned())))
    }
}

/// Refuses all questions.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoNetworkQueries;

impl NetworkQueries for NoNetworkQueries {}

fn refused<D: 'static>(what: &str) -> ValidationFuture<D> {
    let text = not_supported(&format!("validations of {what}"));
    Box::pin(ready(Err(text)))
}

fn not_supported(what: &str) -> String {
    format!("{what} are not supported by this version of the controller")
}
