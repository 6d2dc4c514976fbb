//! What routers have beside what the controller knows, router by router.
//!
//! A network does not stand still while a router answers. So the controller looks at what it knows before it asks and
//! after the answer, and once more a little later if the two disagree. What was not the same all the time proves
//! nothing, and is left out.

mod data_model;
mod look;
mod subject;
mod terminators;

pub use terminators::TerminatorDetails;

use crate::ControlPlane;
use crate::sessions::tells_circuits;
use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};
use look::{Look, Looks};
use portcullis_app::fabric::{self as selected, OpenChannel};
use portcullis_app::network_inspection::InspectionError;
use portcullis_app::{AppError, run_blocking};
use portcullis_domain::access::Permit;
use portcullis_domain::ids::RouterId;
use portcullis_domain::view::NamedRef;
use portcullis_validation::{Comparison, NoAnswer, Router};
use portcullis_wire::management::{
    ComponentDetails, ErtTerminatorDetails, LinkDetails, RouterCircuits, SdkTerminatorDetails,
};
use std::sync::Arc;
use std::time::Duration;
use subject::{Circuits, Identities, Links, SdkTerminators, Subject, TunnelTerminators};
use tokio::time::sleep;

/// Routers that are asked at a time for one validation.
const AT_A_TIME: usize = 10;

/// How long a router has for its answer.
const TIME: Duration = Duration::from_mins(1);

/// How long news may be on its way: what routers report, and what was committed, to the data model.
const LAG: Duration = Duration::from_secs(1);

/// Details of selected routers, as many as there are routers, in any order.
pub struct RouterDetails<D> {
    pub count: usize,
    pub details: BoxStream<'static, D>,
}

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
        self.compare::<Links, _>(permit, filter).await
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
        self.compare::<Circuits, _>(permit, filter).await
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
        self.compare::<SdkTerminators, _>(permit, filter).await
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
        self.compare::<TunnelTerminators, _>(permit, filter).await
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
        self.compare::<Identities, _>(permit, filter).await
    }

    async fn compare<S, D>(
        &self,
        permit: Permit<OpenChannel>,
        filter: String,
    ) -> Result<RouterDetails<D>, AppError>
    where
        S: Subject,
        D: for<'c> From<&'c Comparison<S::Entry>> + Send + 'static,
    {
        let permitted = permit.clone();
        let ask = move |plane: Self, router: NamedRef<RouterId>| {
            let permit = permitted.clone();
            async move {
                let router = plane.router(router);
                D::from(&plane.compare_one::<S>(&permit, router).await)
            }
        };
        self.ask_routers(permit, filter, ask).await
    }

    async fn compare_one<S: Subject>(
        &self,
        permit: &Permit<OpenChannel>,
        router: Router,
    ) -> Comparison<S::Entry> {
        let mut looks = Looks::<S>::new(self.look::<S>(permit, &router).await);
        let answer = self.inspect_router(&router.id, S::INSPECTIONS, TIME).await;
        let answer = answer.as_ref().map_err(no_answer);
        looks.add(self.look::<S>(permit, &router).await);
        let compared = looks.compare(&self.0, &router, answer.clone());
        if compared.disagreements().next().is_none() {
            return compared;
        }
        sleep(LAG).await;
        looks.add(self.look::<S>(permit, &router).await);
        looks.compare(&self.0, &router, answer)
    }

    async fn look<S: Subject>(
        &self,
        permit: &Permit<OpenChannel>,
        router: &Router,
    ) -> Result<Look<S>, NoAnswer> {
        let (plane, permit, of) = (Arc::clone(&self.0), permit.clone(), router.clone());
        let look = run_blocking(move || S::look(&plane, &permit, &of)).await;
        look.map_err(|error: AppError| {
            tracing::warn!(%error, router = %router.id, "what is known of a router cannot be read");
            NoAnswer::Unreadable("the controller cannot read its own records".to_owned())
        })
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
