//! Waiting, but not for ever.

use std::time::Duration;
use tokio::time::timeout;

const PATIENCE: Duration = Duration::from_secs(20);

/// Waits for what is to happen soon.
pub(crate) async fn soon<F: Future>(what: F) -> F::Output {
    let Ok(done) = timeout(PATIENCE, what).await else {
        panic!("what was waited for did not happen")
    };
    done
}
