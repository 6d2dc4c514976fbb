//! Work that takes longer than a thread that serves connections can be spared.

use crate::error::AppError;

/// Does `work` on a thread that serves nobody else.
///
/// # Errors
///
/// Those of `work`, and [`AppError::NotReady`] when the program ends before it began.
pub async fn aside<T, E>(work: impl FnOnce() -> Result<T, E> + Send + 'static) -> Result<T, E>
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
