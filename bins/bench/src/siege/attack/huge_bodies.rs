//! Bodies with a session, as large as they may be, that do not end: what was sent waits at the
//! controller for the rest.

use super::body::Spaces;
use super::{Ground, http2, repeat};
use crate::testbed::request::CLIENT;
use hyper::Request;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

const CONNECTIONS: usize = 4;
const PAUSE: Duration = Duration::from_secs(1);
/// A byte less than the controller takes.
const LENGTH: usize = 1024 * 1024 - 1;

pub(super) fn begin(ground: &Arc<Ground>, tasks: &mut JoinSet<()>) {
    repeat(ground, tasks, (CONNECTIONS, PAUSE), |ground| async move {
        let request = Request::get(format!("https://localhost{CLIENT}/current-identity"))
            .header("zt-session", &ground.scene.plain)
            .body(())?;
        let body = || Spaces::without_end(LENGTH);
        http2::hold(&ground, None, &request, body).await
    });
}
