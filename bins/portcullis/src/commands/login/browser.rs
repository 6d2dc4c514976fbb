//! Logins in a browser (RFC 8252).
//!
//! The browser is sent to the controller, and from there back to a port of this machine that only this
//! program listens on, with a code that is of no use to anybody else.

mod callback;

use super::opened::OpenedSession;
use crate::context::Context;
use crate::error::CliError;
use crate::{output, prompt};
use callback::CallbackListener;
use portcullis_client::oidc::{AuthorizationRequest, Provider};
use portcullis_client::{Client, ClientError};
use portcullis_system::SystemEntropy;
use std::time::Duration;
use tokio::time;
use url::Url;

/// For how long controllers remember a login that has begun.
const TIME_LIMIT: Duration = Duration::from_mins(10);

/// Has a person log in in a browser, which is opened if `is_opened`.
pub(super) async fn log_in(
    context: &Context,
    client: &Client,
    provider: &Provider,
    is_opened: bool,
) -> Result<OpenedSession, CliError> {
    let listener = CallbackListener::bind().await?;
    let request = AuthorizationRequest::new(listener.redirect_uri()?, &SystemEntropy);
    let request = request
        .map_err(|error| CliError::failed("the login cannot be begun").with_source(error))?;
    let url = request
        .url(provider)
        .ok_or_else(|| CliError::failed("the login page has no address"))?;
    show(&url, is_opened);
    let answer = listener.wait_for_code(&request, provider);
    let answer = prompt::run_until_cancelled(async {
        let answer = time::timeout(TIME_LIMIT, answer).await;
        answer.unwrap_or_else(|_elapsed| {
            Err(CliError::failed("nobody logged in within ten minutes")
                .hint("begin again with `portcullis login --browser`"))
        })
    });
    let code = answer
        .await?
        .map_err(|denial| CliError::from(ClientError::Denied(denial)))?;
    let now = context.now();
    let tokens = client.redeem_code(provider, &request, &code, now).await?;
    OpenedSession::with_tokens(client, provider, tokens, context).await
}

/// Shows where to log in, and opens the browser there.
fn show(url: &Url, is_opened: bool) {
    // The address is shown in any case: that a browser was told of it does not mean that it is seen.
    let is_opened = is_opened && open::that_detached(url.as_str()).is_ok();
    let what = if is_opened {
        "Log in in the browser. If it does not open, go to this address on this machine:"
    } else {
        "To log in, go to this address with a browser on this machine:"
    };
    output::note(&format!("{what}\n{url}"));
}
