//! What routers have beside what the controller knows, router by router.

mod data_model;
mod terminators;

pub use terminators::TerminatorDetails;

use crate::ControlPlane;
use crate::plane::Plane;
use crate::sessions::tells_circuits;
use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};
use portcullis_app::fabric::{self as selected, OpenChannel};
use portcullis_app::network_inspection::InspectionError;
use portcullis_app::{AppError, run_blocking};
use portcullis_domain::access::Permit;
use portcullis_domain::ids::{CircuitId, IdentityId, LinkId, RouterId};
use portcullis_domain::view::NamedRef;
use portcullis_fabric::Fabric;
use portcullis_validation as validation;
use portcullis_validation::{
    Answer, Known, KnownCircuit, KnownConnection, KnownLink, KnownTerminator, LinkConnection,
    NoAnswer, Router,
};
use portcullis_wire::management::{
    ComponentDetails, ErtTerminatorDetails, LinkDetails, RouterCircuits, SdkTerminatorDetails,
};
use std::sync::Arc;
use std::time::Duration;

/// Routers that are asked at a time for one validation.
const AT_A_TIME: usize = 10;

/// How long a router has for its answer.
const TIME: Duration = Duration::from_mins(1);

/// Circuits that are looked through before others get to see the network.
const BATCH: usize = 1024;

/// Details of selected routers, as many as there are routers, in any order.
pub struct RouterDetails<D> {
    pub count: usize,
    pub details: BoxStream<'static, D>,
}

/// Compares what one router has answered with what is known.
type Compare<D> = fn(&Plane, &Permit<OpenChannel>, &Router, Answer<'_>) -> D;

impl ControlPlane {
    /// Compares the links of the routers that a filter of lists selects, all if it is empty.
    ///
    /// # Errors
    ///
    /// If the routers cannot be selected by the filter.
    pub async fn validate_links(
        &self,
        permit: Permit<OpenChannel>,
        filter: String,
    ) -> Result<RouterDetails<LinkDetails>, AppError> {
        self.compare(permit, filter, &[validation::LINKS], links)
            .await
    }

    /// Compares the circuits of selected routers.
    ///
    /// # Errors
    ///
    /// As for [`ControlPlane::validate_links`].
    pub async fn validate_circuits(
        &self,
        permit: Permit<OpenChannel>,
        filter: String,
    ) -> Result<RouterDetails<RouterCircuits>, AppError> {
        self.compare(permit, filter, &validation::CIRCUIT_INSPECTIONS, circuits)
            .await
    }

    /// Compares the terminators that selected routers hold for SDKs.
    ///
    /// # Errors
    ///
    /// As for [`ControlPlane::validate_links`].
    pub async fn validate_sdk_terminators(
        &self,
        permit: Permit<OpenChannel>,
        filter: String,
    ) -> Result<RouterDetails<SdkTerminatorDetails>, AppError> {
        let names = &[validation::SDK_TERMINATORS];
        self.compare(permit, filter, names, sdk_terminators).await
    }

    /// Compares the terminators of selected routers that are tunnelers.
    ///
    /// # Errors
    ///
    /// As for [`ControlPlane::validate_links`].
    pub async fn validate_ert_terminators(
        &self,
        permit: Permit<OpenChannel>,
        filter: String,
    ) -> Result<RouterDetails<ErtTerminatorDetails>, AppError> {
        let names = &[validation::ERT_TERMINATORS];
        self.compare(permit, filter, names, ert_terminators).await
    }

    /// Compares which identities are connected to selected routers.
    ///
    /// # Errors
    ///
    /// As for [`ControlPlane::validate_links`].
    pub async fn validate_identity_connections(
        &self,
        permit: Permit<OpenChannel>,
        filter: String,
    ) -> Result<RouterDetails<ComponentDetails>, AppError> {
        let names = &[validation::IDENTITY_CONNECTIONS];
        self.compare(permit, filter, names, identities).await
    }

    async fn compare<D: Send + 'static>(
        &self,
        permit: Permit<OpenChannel>,
        filter: String,
        names: &'static [&'static str],
        compare: Compare<D>,
    ) -> Result<RouterDetails<D>, AppError> {
        let permitted = permit.clone();
        let ask = move |plane: Self, router: NamedRef<RouterId>| {
            let permit = permitted.clone();
            async move {
                let answer = plane.inspect_router(&router.id, names, TIME).await;
                let answer = answer.as_ref().map_err(no_answer);
                compare(&plane.0, &permit, &plane.router(router), answer)
            }
        };
        self.ask_routers(permit, filter, ask).await
    }

    /// Asks the routers that a filter selects, so many at a time.
    async fn ask_routers<D, F>(
        &self,
        permit: Permit<OpenChannel>,
        filter: String,
        ask: impl Fn(Self, NamedRef<RouterId>) -> F + Send + 'static,
    ) -> Result<RouterDetails<D>, AppError>
    where
        D: Send + 'static,
        F: Future<Output = D> + Send + 'static,
    {
        let routers = self.select_routers(permit, filter).await?;
        Ok(self.ask_selected(routers, ask))
    }

    async fn select_routers(
        &self,
        permit: Permit<OpenChannel>,
        filter: String,
    ) -> Result<Vec<NamedRef<RouterId>>, AppError> {
        let app = Arc::clone(&self.0.app);
        run_blocking(move || selected::select_routers(&app, &permit, &filter)).await
    }

    fn ask_selected<D, F>(
        &self,
        routers: Vec<NamedRef<RouterId>>,
        ask: impl Fn(Self, NamedRef<RouterId>) -> F + Send + 'static,
    ) -> RouterDetails<D>
    where
        D: Send + 'static,
        F: Future<Output = D> + Send + 'static,
    {
        let count = routers.len();
        let plane = self.clone();
        let details = stream::iter(routers)
            .map(move |router| ask(plane.clone(), router))
            .buffer_unordered(AT_A_TIME);
        RouterDetails {
            count,
            details: details.boxed(),
        }
    }

    fn router(&self, router: NamedRef<RouterId>) -> Router {
        let session = self.0.sessions.get(&router.id);
        Router {
            tells_circuits: session.is_none_or(|session| tells_circuits(&session.hello)),
            id: router.id,
            name: router.name,
        }
    }
}

fn no_answer(error: &InspectionError) -> NoAnswer {
    match error {
        InspectionError::NotConnected | InspectionError::Disconnected => NoAnswer::NotConnected,
        InspectionError::TimedOut => NoAnswer::TimedOut,
        InspectionError::Busy | InspectionError::Unsendable(_) => {
            NoAnswer::Refused(vec![error.to_string()])
        },
        InspectionError::Unreadable(why) => NoAnswer::Unreadable(why.clone()),
    }
}

fn links(
    plane: &Plane,
    _permit: &Permit<OpenChannel>,
    router: &Router,
    answer: Answer<'_>,
) -> LinkDetails {
    let known = plane.network.read(|fabric| links_of(fabric, &router.id));
    let is_connected = |id: &RouterId| plane.sessions.get(id).is_some();
    let compared = validation::compare_links(router, &known, is_connected, answer);
    LinkDetails::from(&compared)
}

fn links_of(fabric: &Fabric, router: &RouterId) -> Known<LinkId, KnownLink> {
    let network = fabric.network();
    let Some(slot) = network.find_router(router) else {
        return Known::new();
    };
    let links = network
        .links()
        .filter(|link| link.source == slot || link.destination == slot);
    let known = links.filter_map(|link| {
        let connections = link.connections.list.iter();
        let known = KnownLink {
            source: network.router_id(link.source)?.clone(),
            destination: network.router_id(link.destination)?.clone(),
            iteration: link.iteration,
            connections_iteration: link.connections.iteration,
            connections: connections
                .map(|connection| LinkConnection {
                    kind: connection.kind.clone(),
                    local_address: connection.local_address.clone(),
                    remote_address: connection.remote_address.clone(),
                })
                .collect(),
            since: None,
        };
        Some((LinkId::from_wire(link.id.as_str()), known))
    });
    known.collect()
}

fn circuits(
    plane: &Plane,
    _permit: &Permit<OpenChannel>,
    router: &Router,
    answer: Answer<'_>,
) -> RouterCircuits {
    let controller = plane.app.network().serving_state().controller.id.clone();
    let known = circuits_through(plane, &router.id);
    let compared = validation::compare_circuits(router, &controller, &known, answer);
    RouterCircuits::from(&compared)
}

/// The established circuits whose path has the router.
fn circuits_through(plane: &Plane, router: &RouterId) -> Known<CircuitId, KnownCircuit> {
    let mut known = Known::new();
    let mut last = None;
    loop {
        let (seen, next) = plane.network.read(|fabric| {
            let slot = fabric.network().find_router(router);
            let (mut seen, mut next) = (0, None);
            for circuit in fabric.circuits_after(last.as_ref()).take(BATCH) {
                seen += 1;
                next = Some(circuit.names.circuit.clone());
                let is_on_path = slot.is_some_and(|slot| circuit.path.routers().contains(&slot));
                if circuit.is_open && is_on_path {
                    let id = CircuitId::from_wire(circuit.names.circuit.as_str());
                    let path = vec![router.clone()];
                    known.insert(id, KnownCircuit { path, since: None });
                }
            }
            (seen, next)
        });
        if seen < BATCH {
            return known;
        }
        last = next;
    }
}

fn identities(
    plane: &Plane,
    _permit: &Permit<OpenChannel>,
    router: &Router,
    answer: Answer<'_>,
) -> ComponentDetails {
    let connected = plane.identities.at(&router.id).into_iter();
    let known: Known<IdentityId, KnownConnection> = connected
        .map(|identity| (identity, KnownConnection::default()))
        .collect();
    let compared = validation::compare_identities(router, &known, answer);
    ComponentDetails::from(&compared)
}

fn sdk_terminators(
    plane: &Plane,
    permit: &Permit<OpenChannel>,
    router: &Router,
    answer: Answer<'_>,
) -> SdkTerminatorDetails {
    let known = terminators(plane, permit, router);
    let (known, answer) = match &known {
        Ok(known) => (known.as_slice(), answer),
        Err(failure) => (&[][..], Err(failure.clone())),
    };
    let compared = validation::compare_sdk_terminators(router, known, answer);
    SdkTerminatorDetails::from(&compared)
}

fn ert_terminators(
    plane: &Plane,
    permit: &Permit<OpenChannel>,
    router: &Router,
    answer: Answer<'_>,
) -> ErtTerminatorDetails {
    let known = terminators(plane, permit, router);
    let (known, answer) = match &known {
        Ok(known) => (known.as_slice(), answer),
        Err(failure) => (&[][..], Err(failure.clone())),
    };
    let compared = validation::compare_ert_terminators(router, known, answer);
    ErtTerminatorDetails::from(&compared)
}

/// The terminators of a router by the store. Names of services do not matter where it is only compared
/// which there are.
fn terminators(
    plane: &Plane,
    permit: &Permit<OpenChannel>,
    router: &Router,
) -> Result<Vec<KnownTerminator>, NoAnswer> {
    let found = selected::terminators_at(&plane.app, permit, &router.id).map_err(|error| {
        tracing::warn!(%error, router = %router.id, "the terminators of a router cannot be read");
        NoAnswer::Unreadable("the controller cannot read its own terminators".to_owned())
    })?;
    let known = found.into_iter().map(|terminator| KnownTerminator {
        id: terminator.id,
        service: terminator.spec.service,
        service_name: String::new(),
        router: router.id.clone(),
        router_name: router.name.clone(),
        binding: terminator.spec.binding,
        address: terminator.spec.address,
        host: None,
        created_at: terminator.created_at,
    });
    Ok(known.collect())
}
