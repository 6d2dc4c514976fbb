//! HTTP/2 streams whose windows stay closed: the answers cannot leave the controller, and TCP has
//! nothing to complain about.

use super::body::Spaces;
use super::{Ground, http2, repeat};
use crate::siege::largest_answer;
use hyper::Request;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

const CONNECTIONS: usize = 8;
const PAUSE: Duration = Duration::from_secs(1);

pub(super) fn begin(ground: &Arc<Ground>, tasks: &mut JoinSet<()>) {
    repeat(ground, tasks, (CONNECTIONS, PAUSE), |ground| async move {
        let request = Request::get(format!("https://localhost{}", largest_answer()))
            .header("accept", "application/json")
            .body(())?;
        http2::hold(&ground, Some(0), &request, Spaces::none).await
    });
}
