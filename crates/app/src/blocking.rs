//! Blocking work off the threads that serve connections.

use crate::error::AppError;

/// Runs `work` on a blocking thread.
///
/// # Errors
///
/// Those of `work`; [`AppError::NotReady`] when the runtime shuts down before it started.
pub async fn run_blocking<T, E>(
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, E>
where
    T: Send + 'static,
    E: From<AppError> + Send + 'static,
{
    match tokio::task::spawn_blocking(work).await {
        Ok(outcome) => outcome,
        Err(failed) => match failed.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_cancelled) => Err(AppError::NotReady.into()),
        },
    }
}
