//! Orders at the socket of a router whose controller is the test.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use portcullis_channel::{ContentType, Frame, Priority, ResultMessage, ResultStatus};
use portcullis_wire::control::ControlMessage;
use tempfile::TempDir;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::order::socket_path;
use super::{Operations, OperatorSocket, Order, OrderError, ask};
use crate::channel_pair::{End, control_channel};
use crate::control::{RenewalTrigger, waiting_renewal};
use crate::controllers::Controllers;

/// A router with its socket, and its control channel as the controller has it.
struct Site {
    config: PathBuf,
    controllers: Arc<Controllers>,
    controller: End,
    stop: CancellationToken,
    serving: JoinHandle<()>,
    _router: End,
    _directory: TempDir,
}

impl Site {
    async fn start() -> Self {
        Self::with_renewal(None).await
    }

    async fn with_renewal(renewal: Option<RenewalTrigger>) -> Self {
        let directory = TempDir::new().unwrap();
        let config = directory.path().join("r1.yml");
        let controllers = Arc::new(Controllers::new(Duration::from_secs(5)));
        let (router, controller) = control_channel().await;
        controllers.add("c1".into(), router.handle.clone());
        let stop = CancellationToken::new();
        let operations = Operations {
            controllers: Arc::clone(&controllers),
            renewal,
            stop: stop.clone(),
        };
        let socket = OperatorSocket::bind(&config).unwrap();
        Self {
            config,
            controllers,
            controller,
            serving: tokio::spawn(socket.serve(operations, stop.clone())),
            stop,
            _router: router,
            _directory: directory,
        }
    }

    fn ask(&self, order: Order) -> JoinHandle<Result<String, OrderError>> {
        let config = self.config.clone();
        spawn_blocking(move || ask(&config, order))
    }

    /// What the controller is asked next.
    async fn next(&mut self) -> Frame {
        let next = timeout(Duration::from_secs(10), self.controller.inbox.next());
        next.await.unwrap().unwrap()
    }

    fn answer(&self, request: &Frame, status: ResultStatus, text: &str) {
        let text = text.to_owned();
        let result = ResultMessage { status, text }.into_message();
        let handle = &self.controller.handle;
        handle
            .reply(&request.reply_to(), Priority::Default, result)
            .unwrap();
    }
}

fn content_type(message: &ControlMessage) -> ContentType {
    message.content_type()
}

#[tokio::test]
async fn controller_says_what_becomes_of_an_order() {
    let mut site = Site::start().await;
    for (order, message) in [
        (Order::Quiesce, ControlMessage::QuiesceRouter),
        (Order::Dequiesce, ControlMessage::DequiesceRouter),
    ] {
        let asked = site.ask(order);
        let request = site.next().await;
        assert_eq!(request.content_type(), content_type(&message));
        site.answer(&request, ResultStatus::Success, "it is done");
        assert_eq!(asked.await.unwrap().unwrap(), "it is done");
    }
    let asked = site.ask(Order::Quiesce);
    let request = site.next().await;
    site.answer(&request, ResultStatus::Failure, "not\nnow");
    let failed = asked.await.unwrap().unwrap_err();
    assert!(matches!(failed, OrderError::Failed(text) if text == "not\nnow"));

    site.controllers.remove(&"c1".into());
    let failed = site.ask(Order::Quiesce).await.unwrap().unwrap_err();
    assert_eq!(failed.to_string(), "no controller is connected");
    let failed = site.ask(Order::Renew).await.unwrap().unwrap_err();
    assert!(failed.to_string().contains("edge routers only"), "{failed}");
}

#[tokio::test]
async fn an_order_that_takes_long_keeps_no_other_waiting() {
    let (renewal, _guard) = waiting_renewal();
    let mut site = Site::with_renewal(Some(renewal)).await;
    let renewing = site.ask(Order::Renew);
    tokio::time::sleep(Duration::from_millis(100)).await;
    let asked = site.ask(Order::Quiesce);
    let request = site.next().await;
    site.answer(&request, ResultStatus::Success, "it is done");
    assert_eq!(asked.await.unwrap().unwrap(), "it is done");
    assert!(!renewing.is_finished());

    site.controllers.remove(&"c1".into());
    let failed = site.ask(Order::Renew).await.unwrap().unwrap_err();
    assert_eq!(failed.to_string(), "no controller is connected");
    site.stop.cancel();
    site.serving.await.unwrap();
    renewing.await.unwrap().unwrap_err();
}

#[tokio::test]
async fn router_that_was_decommissioned_stops() {
    let mut site = Site::start().await;
    let asked = site.ask(Order::Decommission);
    let request = site.next().await;
    assert_eq!(
        request.content_type(),
        content_type(&ControlMessage::DecommissionRouter)
    );
    site.answer(&request, ResultStatus::Failure, "it is needed");
    let failed = asked.await.unwrap().unwrap_err();
    assert_eq!(failed.to_string(), "it is needed");
    assert!(!site.stop.is_cancelled());

    let asked = site.ask(Order::Decommission);
    site.next().await;
    // As when the session notices that the channel is gone.
    site.controllers.remove(&"c1".into());
    site.controller.handle.close();
    assert_eq!(asked.await.unwrap().unwrap(), "router decommissioned");
    timeout(Duration::from_secs(10), site.stop.cancelled())
        .await
        .unwrap();
}

#[tokio::test]
async fn socket_is_the_owners_alone_and_goes_with_the_router() {
    let site = Site::start().await;
    let path = socket_path(&site.config);
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let second = OperatorSocket::bind(&site.config);
    assert!(second.is_err(), "another router runs with the file");
    site.stop.cancel();
    site.serving.await.unwrap();
    assert!(!path.exists());
    let failed = ask(&site.config, Order::Quiesce).unwrap_err();
    assert!(matches!(failed, OrderError::NoFile(at) if at == site.config));
    fs::write(&site.config, "").unwrap();
    let failed = ask(&site.config, Order::Quiesce).unwrap_err();
    assert!(matches!(failed, OrderError::NoRouter(at) if at == path));

    // What a crash leaves is replaced.
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    assert!(UnixStream::connect(&path).is_err());
    OperatorSocket::bind(&site.config).unwrap();
}
