//! Logins with passwords, of people whom there are and of people whom there are not. Each costs the
//! controller a hash, whether or not it is right.

use super::{Ground, repeat};
use crate::testbed::request;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

const CONNECTIONS: usize = 32;
const PAUSE: Duration = Duration::from_millis(100);
/// Guesses on one connection.
const GUESSES: usize = 20;

pub(super) fn begin(ground: &Arc<Ground>, tasks: &mut JoinSet<()>) {
    repeat(ground, tasks, (CONNECTIONS, PAUSE), |ground| async move {
        guess(&ground, "nobody-at-all").await
    });
    repeat(ground, tasks, (CONNECTIONS, PAUSE), |ground| async move {
        let person = ground.scene.people.first().map_or("admin", String::as_str);
        guess(&ground, person).await
    });
}

async fn guess(ground: &Ground, username: &str) -> anyhow::Result<()> {
    let mut link = ground.endpoint.connect().await?;
    for guess in 0..GUESSES {
        ground.count();
        let login = request::password_login(username, &format!("guess-{guess}"));
        link.exchange(&login).await?;
    }
    Ok(())
}
