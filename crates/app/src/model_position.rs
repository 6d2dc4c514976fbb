//! Where the router data model is, so that routers that are up to date stay so over a restart.

use crate::app::App;
use crate::error::AppError;

pub use portcullis_storage::tables::ModelPosition;

/// The position that was kept last; `None` if there is none that can be read.
///
/// # Errors
///
/// When the store cannot be read. A damaged position counts as none.
pub fn kept(app: &App) -> Result<Option<ModelPosition>, AppError> {
    match app.snapshot()?.rows().model_position() {
        Ok(position) => Ok(position),
        Err(error) if !error.is_transient() => {
            tracing::warn!(%error, "routers get the whole data model");
            Ok(None)
        },
        Err(error) => Err(error.into()),
    }
}

/// Keeps a position for the next start.
///
/// # Errors
///
/// What the store reports.
pub async fn keep(app: &App, position: ModelPosition) -> Result<(), AppError> {
    app.commit_unaudited(move |rows| Ok(rows.put_model_position(&position)?))
        .await
}
