//! A controller with everything on one port, and its routers.

use portcullis_simulated_router::{
    Refused, RouterEnrollment, RouterIdentity, RouterOptions, SimulatedRouter, TlsConnector,
};
use portcullis_testkit::tls_client::{Client, say};
use serde_json::{Value, json};
use std::fs;
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::time::Duration;
use support::tools::are_available;
use support::{Api, Controller, TestDirectory, Tool};
use tokio::time::{Instant, sleep};

pub(super) struct Site {
    pub(super) admin: Api,
    pub(super) address: SocketAddr,
    controller: Option<Controller>,
    directory: TestDirectory,
}

impl Site {
    /// Starts a controller; `None` where the tools are missing.
    pub(super) fn start() -> Option<Self> {
        Self::start_with("v: 3\n")
    }

    /// As [`start`](Self::start), with a partial configuration file.
    pub(super) fn start_with(partial: &str) -> Option<Self> {
        if !are_available(&[Tool::Curl]) {
            return None;
        }
        let directory = TestDirectory::new();
        let file = directory.file("partial.yml");
        fs::write(&file, partial).unwrap();
        let launch = directory.quickstart();
        let controller = launch.with(["--config", file.to_str().unwrap()]).start();
        let mut addresses = controller.host_port().to_socket_addrs().unwrap();
        Some(Self {
            admin: Api::admin(&controller),
            address: addresses.find(SocketAddr::is_ipv4).unwrap(),
            controller: Some(controller),
            directory,
        })
    }

    pub(super) fn controller(&self) -> &Controller {
        self.controller.as_ref().unwrap()
    }

    pub(super) fn terminate(&mut self) {
        assert!(self.controller.take().unwrap().terminate().success());
    }

    pub(super) fn kill(&mut self) {
        self.controller.take().unwrap().kill();
    }

    /// Starts the controller again, on the same port.
    pub(super) fn restart(&mut self) {
        let controller = self.directory.quickstart().start();
        self.admin = Api::admin(&controller);
        self.controller = Some(controller);
    }

    /// Creates an edge router and enrolls it.
    pub(super) async fn enroll(&self, name: &str) -> RouterIdentity {
        let body = json!({"name": name});
        let created = self.admin.send("POST", "/edge-routers", &body);
        let id = created.expect_status(201).data()["id"].clone();
        let id = id.as_str().unwrap();
        let router = self.admin.get(&format!("/edge-routers/{id}")).data();
        let token = router["enrollmentToken"].as_str().unwrap();
        let enrollment = RouterEnrollment::new(id);
        let body = enrollment.request().to_string();
        let request = format!(
            "POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            RouterEnrollment::path(token),
            body.len()
        );
        let mut stream = Client::anonymous().connect(self.address).await;
        let reply = say(&mut stream, request.as_bytes()).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        let reply: Value = serde_json::from_str(reply.text()).unwrap();
        enrollment.finish(&reply["data"])
    }

    /// Connects, unless the first connection is refused.
    pub(super) async fn dial(
        &self,
        identity: &RouterIdentity,
        options: RouterOptions,
    ) -> Result<SimulatedRouter, Refused> {
        let connector = TlsConnector::new(self.address, identity);
        SimulatedRouter::connect(connector, &identity.id, options).await
    }

    /// Connects with one connection.
    pub(super) async fn connect(&self, identity: &RouterIdentity) -> SimulatedRouter {
        self.dial(identity, RouterOptions::default()).await.unwrap()
    }

    pub(super) fn is_online(&self, id: &str) -> bool {
        let shown = self.admin.get(&format!("/edge-routers/{id}"));
        shown.data()["isOnline"] == Value::Bool(true)
    }

    pub(super) async fn until_online(&self, id: &str, expected: bool) {
        until(Duration::from_secs(20), || self.is_online(id) == expected).await;
    }
}

/// Waits until something is the case, and returns how long that took.
pub(super) async fn until(patience: Duration, is_so: impl Fn() -> bool) -> Duration {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < patience, "it takes too long");
        sleep(Duration::from_millis(20)).await;
    }
    start.elapsed()
}
