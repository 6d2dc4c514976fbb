//! Work that takes longer than a thread that serves connections can be spared.

use crate::app::App;
use crate::error::AppError;
use std::sync::Arc;

/// Does `work` on a thread that serves nobody else.
///
/// # Errors
///
/// Those of `work`, and [`AppError::NotReady`] when the program ends before it began.
pub(crate) async fn aside<T: Send + 'static>(
    app: &Arc<App>,
    work: impl FnOnce(&App) -> Result<T, AppError> + Send + 'static,
) -> Result<T, AppError> {
    let app = Arc::clone(app);
    match tokio::task::spawn_blocking(move || work(&app)).await {
        Ok(outcome) => outcome,
        Err(failed) => match failed.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_cancelled) => Err(AppError::NotReady),
        },
    }
}
