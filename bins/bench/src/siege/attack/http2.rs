//! HTTP/2 connections whose streams are held for as long as the controller lets them be.

use super::Ground;
use super::body::Spaces;
use anyhow::{Context as _, bail};
use http_body_util::BodyExt as _;
use hyper::Request;
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::sleep;

/// Streams of one connection: as many as the controller lets it have.
const STREAMS: usize = 100;
/// The wait after a stream that came to an end.
const PAUSE: Duration = Duration::from_millis(250);

/// Opens a connection whose streams have the given window, and keeps it full of requests; ends with
/// the connection. It answers PINGs, as every client does.
pub(super) async fn hold(
    ground: &Arc<Ground>,
    window: Option<u32>,
    request: &Request<()>,
    body: fn() -> Spaces,
) -> anyhow::Result<()> {
    let stream = ground.endpoint.http2().tls().await?;
    let (sender, connection) = Builder::new(TokioExecutor::new())
        .initial_stream_window_size(window)
        .handshake(TokioIo::new(stream))
        .await?;
    let mut streams = JoinSet::new();
    for _ in 0..STREAMS {
        streams.spawn(stream_again(
            Arc::clone(ground),
            sender.clone(),
            request.clone(),
            body,
        ));
    }
    connection.await.context("the connection broke down")?;
    bail!("the controller closed the connection")
}

/// Opens one stream after another.
async fn stream_again(
    ground: Arc<Ground>,
    mut sender: SendRequest<Spaces>,
    request: Request<()>,
    body: fn() -> Spaces,
) {
    while sender.ready().await.is_ok() {
        ground.count();
        let sent = sender.send_request(request.clone().map(|()| body()));
        if let Ok(answer) = sent.await {
            // With a closed window nothing comes but the end of the stream.
            let _ = answer.into_body().collect().await;
        }
        sleep(PAUSE).await;
    }
}
