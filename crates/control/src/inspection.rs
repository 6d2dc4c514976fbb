//! Questions to routers about their insides.

mod data_model;
mod values;

use crate::ControlPlane;
use crate::identities::ConnectedIdentities;
use crate::model::ModelPublisher;
use crate::network::LiveFabric;
use crate::plane::Plane;
use crate::questions;
use crate::sessions::Sessions;
use portcullis_app::App;
use portcullis_app::network_inspection::{
    InspectionError, InspectionFuture, NetworkInspection, RouterAnswer,
};
use portcullis_domain::ids::RouterId;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::inspection::{InspectRequest, InspectResponse};
use std::sync::{Arc, Weak};
use std::time::Duration;
use values::Sources;

impl ControlPlane {
    /// Asks a connected router for values by their names, such as `links` or `circuit:<id>`, and
    /// waits for its answer at most for `within`. If its channel ends meanwhile, there is an error at
    /// once. When the future is dropped, the answer will be dropped too.
    ///
    /// The answer is as the router gives it: what `is_success` and the names say is for the caller to
    /// judge, and values may have tokens in them. What is shown to people comes from
    /// [`portcullis_app::fabric::inspect`].
    ///
    /// # Errors
    ///
    /// [`InspectionError`], if there is no answer.
    pub async fn inspect_router(
        &self,
        router: &RouterId,
        names: &[&str],
        within: Duration,
    ) -> Result<InspectResponse, InspectionError> {
        let names = names.iter().map(|&name| name.to_owned()).collect();
        inspect(&self.0.sessions, router, names, within).await
    }
}

/// What use cases ask of routers. It does not own the controller, which owns it.
pub(crate) struct RouterInspection {
    sessions: Arc<Sessions>,
    identities: Arc<ConnectedIdentities>,
    network: Arc<LiveFabric>,
    model: Weak<ModelPublisher>,
    app: Weak<App>,
}

impl RouterInspection {
    pub(crate) fn new(plane: &Plane) -> Self {
        Self {
            sessions: Arc::clone(&plane.sessions),
            identities: Arc::clone(&plane.identities),
            network: Arc::clone(&plane.network),
            model: Arc::downgrade(&plane.model),
            app: Arc::downgrade(&plane.app),
        }
    }
}

impl NetworkInspection for RouterInspection {
    fn inspect_router(
        &self,
        router: &RouterId,
        names: &Arc<[String]>,
        within: Duration,
    ) -> InspectionFuture {
        let (sessions, router) = (Arc::clone(&self.sessions), router.clone());
        let names = names.to_vec();
        Box::pin(async move {
            let response = inspect(&sessions, &router, names, within).await?;
            let mut errors = response.errors;
            if !response.is_success && errors.is_empty() {
                errors.push("the router does not tell, and not why".to_owned());
            }
            let values = response.values.into_iter();
            Ok(RouterAnswer {
                values: values
                    .map(|value| (value.name, value.value.into_inner()))
                    .collect(),
                errors,
            })
        })
    }

    fn own_value(&self, name: &str) -> Result<Option<String>, String> {
        let (Some(model), Some(app)) = (self.model.upgrade(), self.app.upgrade()) else {
            return Ok(None);
        };
        let sources = Sources {
            sessions: &self.sessions,
            identities: &self.identities,
            network: &self.network,
            model: &model,
            app: &app,
        };
        sources.value(name).map_err(|error| error.to_string())
    }
}

/// Asks a router, if it is connected.
pub(crate) async fn inspect(
    sessions: &Sessions,
    router: &RouterId,
    names: Vec<String>,
    within: Duration,
) -> Result<InspectResponse, InspectionError> {
    let question = ControlMessage::InspectRequest(InspectRequest { names });
    let read = |answer| match answer {
        ControlMessage::InspectResponse(response) => Some(response),
        _ => None,
    };
    questions::ask(sessions, router, question, read, within).await
}
