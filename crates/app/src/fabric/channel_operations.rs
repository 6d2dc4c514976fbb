//! What is done over the management channel to controllers and routers, which have no record of it.

use super::OpenChannel;
use crate::app::App;
use crate::error::AppError;
use portcullis_domain::access::Permit;
use portcullis_domain::audit::Actor;
use portcullis_storage::tables::RowsMut;

/// Something that a controller or a router is made to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChannelOperation {
    TraceController,
    EndTraceOfController,
    TraceRouter,
    EndTraceOfRouter,
    /// A router is to take the data model of the controller where its own differs.
    FixDataModel,
}

impl ChannelOperation {
    /// As the audit trail calls it.
    const fn name(self) -> &'static str {
        match self {
            Self::TraceController => "controller.trace",
            Self::EndTraceOfController => "controller.end-trace",
            Self::TraceRouter => "router.trace",
            Self::EndTraceOfRouter => "router.end-trace",
            Self::FixDataModel => "router.fix-data-model",
        }
    }
}

/// Records in the audit trail what the caller is about to do to controllers and routers with these ids, an event for
/// each.
///
/// # Errors
///
/// If the caller may not do that any more, or the store fails; nothing is to be done then.
pub async fn audit_operations(
    app: &App,
    permit: &Permit<OpenChannel>,
    operations: Vec<(ChannelOperation, String)>,
) -> Result<(), AppError> {
    if operations.is_empty() {
        return Ok(());
    }
    commit_on_channel(app, permit, move |rows| {
        for (operation, id) in &operations {
            rows.set_operation(operation.name(), id);
        }
        Ok(())
    })
    .await
}

/// Runs `body` in a transaction on behalf of somebody on the management channel, if it still may.
pub(super) async fn commit_on_channel<T: Send + 'static>(
    app: &App,
    permit: &Permit<OpenChannel>,
    mut body: impl FnMut(&mut RowsMut<'_>) -> Result<T, AppError> + Send + 'static,
) -> Result<T, AppError> {
    let actor = Actor::connected_caller(permit.caller());
    app.commit_as(actor, permit, move |rows, _caller| body(rows))
        .await
}
