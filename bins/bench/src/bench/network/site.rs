//! A controller with a network for the simulated routers.

use crate::testbed::calls::{self, log_in, text_of};
use crate::testbed::controller::{Controller, Program};
use crate::testbed::link::Link;
use crate::testbed::policies;
use crate::testbed::request::{self, MANAGEMENT};
use anyhow::Context as _;
use portcullis_simulated_router::{RouterEnrollment, RouterIdentity};
use serde_json::{Value, json};

/// The service that routers dial and host.
pub(super) const SERVICE: &str = "bench";

/// A controller, and its administrator.
pub(super) struct Site {
    pub(super) controller: Controller,
    pub(super) link: Link,
    /// The token of the administrator's session.
    pub(super) admin: String,
}

impl Site {
    pub(super) async fn start(program: &Program) -> anyhow::Result<Self> {
        let controller = program.start().await?;
        let mut link = controller.endpoint(None)?.connect().await?;
        let admin = log_in(&mut link).await?;
        Ok(Self {
            controller,
            link,
            admin,
        })
    }

    /// Connects anew: a long pause ends a connection.
    pub(super) async fn connect(&mut self) -> anyhow::Result<()> {
        self.link = self.controller.endpoint(None)?.connect().await?;
        Ok(())
    }

    pub(super) async fn stop(self) -> anyhow::Result<()> {
        self.controller.stop().await
    }

    /// Creates an entity; answers its id.
    pub(super) async fn create(&mut self, kind: &str, entity: &Value) -> anyhow::Result<String> {
        calls::create(&mut self.link, &self.admin, kind, entity).await
    }

    /// A service that all routers may dial and host, over all routers; answers its id.
    pub(super) async fn service(&mut self) -> anyhow::Result<String> {
        let service = json!({ "name": SERVICE, "encryptionRequired": false });
        let id = self.create("services", &service).await?;
        policies::for_everybody(&mut self.link, &self.admin).await?;
        Ok(id)
    }

    /// Creates a router with a tunneler, and enrolls it.
    pub(super) async fn router(&mut self, name: &str) -> anyhow::Result<RouterIdentity> {
        let router = json!({ "name": name, "isTunnelerEnabled": true });
        let id = self.create("edge-routers", &router).await?;
        let path = format!("{MANAGEMENT}/edge-routers/{id}");
        let ask = request::get(&path, Some(&self.admin));
        let token = text_of(self.link.expect(200, &ask).await?, "/data/enrollmentToken")?;
        let enrollment = RouterEnrollment::new(&id);
        let body = enrollment.request().to_string();
        let enroll = request::post(&RouterEnrollment::path(&token), None, &body);
        let answer: Value = serde_json::from_slice(self.link.expect(200, &enroll).await?)?;
        let data = answer.get("data").context("the answer has no data")?;
        Ok(enrollment.finish(data))
    }

    /// The controller's memory once it has nothing to do, in bytes.
    pub(super) async fn resident(&self) -> anyhow::Result<u64> {
        self.controller.process.calm().await?;
        self.controller.process.resident()
    }
}
