//! Copies of the router data model.

use super::{LAG, RouterDetails, TIME, no_answer};
use crate::ControlPlane;
use crate::questions;
use futures_util::StreamExt as _;
use futures_util::stream;
use portcullis_app::fabric::{self, ChannelOperation, OpenChannel};
use portcullis_app::network_inspection::InspectionError;
use portcullis_app::{AppError, run_blocking};
use portcullis_data_model::{Difference, DifferenceKind};
use portcullis_domain::access::Permit;
use portcullis_domain::ids::RouterId;
use portcullis_domain::view::NamedRef;
use portcullis_validation::{ModelDisagreement, compare_data_models, controller_model_details};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::data_model::{DataStateValidation, ValidateDataState};
use portcullis_wire::management::{ComponentDetails, ValidateDataModel};
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::time::sleep;

impl ControlPlane {
    /// Has selected routers compare their copies of the router data model with the controller's, and take that one
    /// where they differ if they are to; and compares the controller's with its records if that is asked for.
    ///
    /// # Errors
    ///
    /// As for [`ControlPlane::validate_links`]; and if the audit trail cannot tell that routers are to take the model.
    pub async fn validate_data_model(
        &self,
        permit: Permit<OpenChannel>,
        request: ValidateDataModel,
    ) -> Result<RouterDetails<ComponentDetails>, AppError> {
        let fixes = request.fixes;
        let ask = move |plane: Self, router: NamedRef<RouterId>| async move {
            let answer = plane.validate_copy(&router.id, fixes).await;
            let answer = answer.as_ref().map_err(no_answer);
            let compared = compare_data_models(&plane.router(router), answer);
            ComponentDetails::from(&compared)
        };
        let selected = self.select_routers(permit.clone(), request.filter).await?;
        if fixes {
            let routers = selected.iter().map(|router| router.id.to_string());
            let operations = routers.map(|router| (ChannelOperation::FixDataModel, router));
            fabric::audit_operations(&self.0.app, &permit, operations.collect()).await?;
        }
        let mut routers = self.ask_selected(selected, ask);
        if request.includes_controller {
            let plane = self.clone();
            let own = stream::once(async move { plane.validate_own_model().await });
            routers.count += 1;
            routers.details = stream::select(routers.details, own).boxed();
        }
        Ok(routers)
    }

    async fn validate_copy(
        &self,
        router: &RouterId,
        fixes: bool,
    ) -> Result<DataStateValidation, InspectionError> {
        let Some(state) = self.0.model.state_for(router) else {
            // A router without SDKs has no copy.
            let session = self.0.sessions.get(router);
            let nothing = session.map(|_| DataStateValidation::default());
            return nothing.ok_or(InspectionError::NotConnected);
        };
        let question = ControlMessage::ValidateDataState(ValidateDataState {
            state: Some(state.to_message()),
            fixes,
        });
        let read = |answer| match answer {
            ControlMessage::DataStateValidation(validation) => Some(validation),
            _ => None,
        };
        questions::ask(&self.0.sessions, router, question, read, TIME).await
    }

    /// What differs now and a little later is no change that is just taken over.
    async fn validate_own_model(&self) -> ComponentDetails {
        let controller = self.0.app.network().serving_state().controller.id.clone();
        let found = match self.differences().await {
            Ok(first) if !first.is_empty() => {
                sleep(LAG).await;
                let first: BTreeSet<_> = first.into_iter().collect();
                let second = self.differences().await;
                second.map(|second| second.into_iter().filter(|it| first.contains(it)).collect())
            },
            first => first,
        };
        match found {
            Ok(found) => {
                let found: Vec<_> = found.iter().map(disagreement).collect();
                controller_model_details(&controller, &found)
            },
            Err(error) => {
                tracing::warn!(%error, "the router data model cannot be compared with the records");
                ComponentDetails {
                    is_success: false,
                    errors: vec!["the controller cannot read its own records".to_owned()],
                    ..controller_model_details(&controller, &[])
                }
            },
        }
    }

    async fn differences(&self) -> Result<Vec<Difference>, AppError> {
        let model = Arc::clone(&self.0.model);
        run_blocking(move || model.differences()).await
    }
}

fn disagreement(difference: &Difference) -> ModelDisagreement {
    let detail = match difference.kind {
        DifferenceKind::Missing => "routers are not told of it",
        DifferenceKind::Extra => "there is no such record",
        DifferenceKind::Different => "the record is another",
    };
    ModelDisagreement {
        entity_type: difference.key.kind.name().to_owned(),
        entity_id: difference.key.id.clone(),
        kind: difference.kind.name().to_owned(),
        detail: detail.to_owned(),
    }
}
