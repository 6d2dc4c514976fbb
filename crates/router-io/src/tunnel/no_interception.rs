//! Systems whose kernel intercepts nothing for a router.

use std::sync::Arc;

use portcullis_domain::entropy::Entropy;
use portcullis_router::tunnel::InterceptSettings;
use portcullis_tunnel::Runner;

use super::InterceptionError;
use super::network::RouterNetwork;
use crate::socket_mark::SocketMark;

pub(crate) fn own_mark(_router: &str) -> SocketMark {
    SocketMark::default()
}

#[expect(clippy::unused_async, reason = "it waits for the kernel on Linux")]
pub(super) async fn intercept(
    _runner: Runner<RouterNetwork>,
    _router: &str,
    _settings: InterceptSettings,
    _entropy: Arc<dyn Entropy>,
) -> Result<Runner<RouterNetwork>, InterceptionError> {
    Err(InterceptionError {
        reason: "it takes the kernel of Linux".to_owned(),
    })
}
