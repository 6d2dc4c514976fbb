//! A network while it is set up, from the administrator's side.

use super::program::{RouterProgram, Running};
use crate::testbed::calls::{self, log_in, text_of};
use crate::testbed::controller::Controller;
use crate::testbed::link::Link;
use crate::testbed::policies;
use crate::testbed::request::{self, MANAGEMENT, escaped};
use anyhow::{Context as _, ensure};
use portcullis_bad_line::Mirror;
use serde_json::{Value, json};
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tokio::time::sleep;

const PATIENCE: Duration = Duration::from_secs(30);
const RETRY: Duration = Duration::from_millis(2);

/// The administrator, and what routers are made of.
pub(in crate::bench) struct Founding<'n> {
    link: Link,
    admin: String,
    /// Host and port of the controller.
    authority: String,
    program: &'n RouterProgram,
    directory: PathBuf,
}

impl<'n> Founding<'n> {
    /// Logs in. Files of routers go to a folder in `directory`.
    pub(in crate::bench) async fn begin(
        controller: &Controller,
        program: &'n RouterProgram,
        directory: &Path,
    ) -> anyhow::Result<Self> {
        let mut link = controller.endpoint(None)?.connect().await?;
        let admin = log_in(&mut link).await?;
        let directory = directory.join(program.name);
        fs::create_dir_all(&directory)?;
        Ok(Self {
            link,
            admin,
            authority: controller.authority(),
            program,
            directory,
        })
    }

    pub(in crate::bench) async fn create(
        &mut self,
        kind: &str,
        entity: &Value,
    ) -> anyhow::Result<String> {
        calls::create(&mut self.link, &self.admin, kind, entity).await
    }

    /// Everybody may do everything.
    pub(in crate::bench) async fn allow_all(&mut self) -> anyhow::Result<()> {
        policies::for_everybody(&mut self.link, &self.admin).await
    }

    /// A service of a server that a router dials.
    pub(super) async fn routed_service(
        &mut self,
        name: &str,
        router: &str,
        server: SocketAddr,
    ) -> anyhow::Result<()> {
        let service = json!({ "name": name, "encryptionRequired": false });
        let service = self.create("services", &service).await?;
        let terminator = json!({
            "service": service, "router": router, "binding": "transport",
            "address": format!("tcp:{server}"),
        });
        self.create("terminators", &terminator).await?;
        Ok(())
    }

    /// A service with configurations, each by the name of its type.
    pub(in crate::bench) async fn configured_service(
        &mut self,
        name: &str,
        is_encrypted: bool,
        configs: &[(&str, Value)],
    ) -> anyhow::Result<()> {
        let mut ids = Vec::new();
        for (kind, data) in configs {
            let filter = escaped(&format!("name=\"{kind}\""));
            let path = format!("{MANAGEMENT}/config-types?filter={filter}");
            let kind_id = self.read(&path, "/data/0/id").await?;
            let config = json!({
                "name": format!("{name}-{kind}"), "configTypeId": kind_id, "data": data,
            });
            ids.push(self.create("configs", &config).await?);
        }
        let service = json!({ "name": name, "encryptionRequired": is_encrypted, "configs": ids });
        self.create("services", &service).await?;
        Ok(())
    }

    /// Creates an identity; answers the token of its enrollment, as clients take it.
    pub(in crate::bench) async fn identity(&mut self, name: &str) -> anyhow::Result<String> {
        let identity = json!({
            "name": name, "type": "Device", "isAdmin": false, "enrollment": { "ott": true },
        });
        let id = self.create("identities", &identity).await?;
        let path = format!("{MANAGEMENT}/identities/{id}");
        self.read(&path, "/data/enrollment/ott/jwt").await
    }

    async fn read(&mut self, path: &str, pointer: &str) -> anyhow::Result<String> {
        let ask = request::get(path, Some(&self.admin));
        text_of(self.link.expect(200, &ask).await?, pointer)
    }

    /// Creates and enrolls a router with these sections in its file; answers its id and the file.
    pub(in crate::bench) async fn enroll(
        &mut self,
        name: &str,
        sections: &Value,
    ) -> anyhow::Result<(String, PathBuf)> {
        // Listeners dial in the name of the router's own identity.
        let router = json!({ "name": name, "isTunnelerEnabled": true });
        let id = self.create("edge-routers", &router).await?;
        let path = format!("{MANAGEMENT}/edge-routers/{id}");
        let token = self.read(&path, "/data/enrollmentJwt").await?;
        let path = |end: &str| self.directory.join(format!("{name}{end}"));
        let mut file = json!({
            "v": 3,
            "identity": {
                "cert": path(".cert"), "server_cert": path(".server"),
                "key": path(".key"), "ca": path(".ca"),
            },
            "ctrl": { "endpoint": format!("tls:{}", self.authority) },
            "edge": { "csr": { "sans": { "dns": ["localhost"], "ip": ["127.0.0.1", Mirror::FAR] } } },
        });
        let sections = sections.as_object().context("sections are a map")?;
        for (key, section) in sections {
            file.as_object_mut()
                .context("a file is a map")?
                .insert(key.clone(), section.clone());
        }
        // What is JSON is YAML, too.
        let (yaml, jwt) = (path(".yml"), path(".jwt"));
        fs::write(&yaml, serde_json::to_vec_pretty(&file)?)?;
        fs::write(&jwt, token)?;
        self.program.enroll(&self.directory, &yaml, &jwt).await?;
        Ok((id, yaml))
    }

    pub(in crate::bench) fn run(&self, name: &str, file: &Path) -> anyhow::Result<Running> {
        let log = self.directory.join(format!("{name}.log"));
        self.program.run(&self.directory, file, &log)
    }

    pub(in crate::bench) async fn wait_online(&mut self, id: &str) -> anyhow::Result<()> {
        let begin = Instant::now();
        let path = format!("{MANAGEMENT}/edge-routers/{id}");
        let ask = request::get(&path, Some(&self.admin));
        loop {
            let answer: Value = serde_json::from_slice(self.link.expect(200, &ask).await?)?;
            if answer.pointer("/data/isOnline") == Some(&Value::Bool(true)) {
                return Ok(());
            }
            ensure!(begin.elapsed() < PATIENCE, "a router does not come online");
            sleep(RETRY).await;
        }
    }
}

/// What OpenZiti's edge routers do not enroll without.
pub(in crate::bench) fn edge_listener(address: SocketAddr) -> Value {
    json!({
        "binding": "edge", "address": format!("tls:{address}"),
        "options": { "advertise": address },
    })
}
