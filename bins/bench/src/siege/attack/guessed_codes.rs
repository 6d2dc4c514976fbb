//! TOTP codes of somebody whose password is known.

use super::{Ground, repeat};
use crate::testbed::calls::token;
use crate::testbed::controller::PASSWORD;
use crate::testbed::request::{self, CLIENT};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::sleep;

const CONNECTIONS: usize = 4;
const PAUSE: Duration = Duration::from_secs(1);
/// Guesses in one session.
const GUESSES: u32 = 1000;
const GUESS_PAUSE: Duration = Duration::from_millis(10);

pub(super) fn begin(ground: &Arc<Ground>, tasks: &mut JoinSet<()>) {
    repeat(ground, tasks, (CONNECTIONS, PAUSE), |ground| async move {
        let mut link = ground.endpoint.connect().await?;
        let login = request::password_login(&ground.scene.victim, PASSWORD);
        let session = token(link.expect(200, &login).await?)?;
        for guess in 0..GUESSES {
            ground.count();
            let body = format!(r#"{{"code":"{guess:06}"}}"#);
            let path = format!("{CLIENT}/authenticate/mfa");
            link.exchange(&request::post(&path, Some(&session), &body))
                .await?;
            sleep(GUESS_PAUSE).await;
        }
        Ok(())
    });
}
