//! Two routers, a host and a client.

use super::echo::{OpenConnection, exchange};
use crate::ziti_cli::Ziti;
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command};
use std::time::Duration;
use support::controller::free_port;
use support::{Api, Controller, wait};

/// Time for routers and tunnelers to get ready.
const PATIENCE: Duration = Duration::from_mins(1);

/// A program that is killed with its owner.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub(super) struct Network {
    _routers: [Running; 2],
    _host: Running,
    _client: Running,
    /// Where the client listens for the service.
    port: u16,
}

impl Network {
    /// Two routers, and a service that is hosted where `port` is served.
    pub(super) fn start(ziti: &Ziti<'_>, controller: &Controller, port: u16) -> Self {
        let admin = Api::admin(controller);
        allow_everything(&admin);
        let configs = [
            create(&admin, "configs", &config(&admin, "host.v1", &host(port))),
            create(
                &admin,
                "configs",
                &config(&admin, "intercept.v1", &intercept()),
            ),
        ];
        let service = json!({"name": "echo", "encryptionRequired": true, "configs": configs});
        create(&admin, "services", &service);
        let routers = ["r1", "r2"].map(|name| router(ziti, (controller, &admin), name));
        let [host, client] = ["host", "client"].map(|name| {
            let role = json!([name]);
            let identity = json!({
                "name": name, "type": "Default", "isAdmin": false, "roleAttributes": role,
                "enrollment": {"ott": true},
            });
            let id = create(&admin, "identities", &identity);
            let jwt = &admin.get(&format!("/identities/{id}")).data()["enrollment"]["ott"]["jwt"];
            let file = format!("{name}.jwt");
            fs::write(ziti.site.work().join(&file), jwt.as_str().unwrap()).unwrap();
            ziti.done(&["enroll", &file, "--keyAlg", "EC"]);
            format!("{name}.json")
        });
        create(&admin, "service-policies", &policy("Bind", "#host"));
        create(&admin, "service-policies", &policy("Dial", "#client"));
        let port = free_port();
        let proxied = format!("echo:{port}");
        Self {
            _routers: routers,
            _host: run(ziti, "host", &["tunnel", "host", "-i", &host]),
            _client: run(
                ziti,
                "client",
                &["tunnel", "proxy", "-i", &client, &proxied],
            ),
            port,
        }
    }

    pub(super) fn connect(&self) -> TcpStream {
        TcpStream::connect(("127.0.0.1", self.port)).unwrap()
    }

    /// A connection that was used, and stays open.
    pub(super) fn open(&self) -> OpenConnection {
        OpenConnection::new(self.connect())
    }

    /// Waits until the service can be used.
    pub(super) fn until_reachable(&self) {
        let tried = wait::until(PATIENCE, || {
            let connection = TcpStream::connect(("127.0.0.1", self.port))?;
            exchange(&connection, 100)
        });
        tried.unwrap();
    }
}

/// Waits until both routers are online with a link between them.
pub(super) fn until_linked(admin: &Api) {
    until(admin, |admin| {
        let routers = admin.get("/edge-routers").data();
        let online = routers.as_array().unwrap().iter();
        let online = online.filter(|router| router["isOnline"] == json!(true));
        let links = admin.curl("/fabric/v1/links").send().data();
        online.count() == 2 && links.as_array().unwrap().len() == 1
    });
}

/// Waits until there are so many circuits.
pub(super) fn until_circuits(admin: &Api, count: usize) {
    until(admin, |admin| {
        let circuits = admin.curl("/fabric/v1/circuits").send().data();
        circuits.as_array().unwrap().len() == count
    });
}

pub(super) fn forbid_dialing(admin: &Api) {
    let policies = admin.get("/service-policies").data();
    let mut policies = policies.as_array().unwrap().iter();
    let policy = policies.find(|policy| policy["name"] == "Dial").unwrap();
    let id = policy["id"].as_str().unwrap();
    admin.delete(&format!("/service-policies/{id}")).data();
}

pub(super) fn allow_dialing(admin: &Api) {
    create(admin, "service-policies", &policy("Dial", "#client"));
}

pub(super) fn client_id(admin: &Api) -> String {
    let identities = admin.get("/identities").data();
    let mut identities = identities.as_array().unwrap().iter();
    let client = identities.find(|identity| identity["name"] == "client");
    client.unwrap()["id"].as_str().unwrap().to_owned()
}

fn until(admin: &Api, condition: impl Fn(&Api) -> bool) {
    let seen = wait::until(PATIENCE, || {
        condition(admin).then_some(()).ok_or("it is not so in time")
    });
    seen.unwrap();
}

fn create(admin: &Api, kind: &str, body: &Value) -> String {
    let created = admin.send("POST", &format!("/{kind}"), body);
    let id = created.expect_status(201).data()["id"].clone();
    id.as_str().unwrap().to_owned()
}

fn allow_everything(admin: &Api) {
    let all = json!(["#all"]);
    let routers = json!({
        "name": "all", "semantic": "AnyOf", "edgeRouterRoles": all, "identityRoles": all,
    });
    create(admin, "edge-router-policies", &routers);
    let services = json!({
        "name": "all", "semantic": "AnyOf", "edgeRouterRoles": all, "serviceRoles": all,
    });
    create(admin, "service-edge-router-policies", &services);
}

fn policy(kind: &str, who: &str) -> Value {
    json!({
        "name": kind, "type": kind, "semantic": "AnyOf",
        "identityRoles": [who], "serviceRoles": ["#all"],
    })
}

fn config(admin: &Api, kind: &str, data: &Value) -> Value {
    let types = admin.get("/config-types").data();
    let mut types = types.as_array().unwrap().iter();
    let found = types.find(|found| found["name"] == kind).unwrap();
    json!({"name": kind, "configTypeId": found["id"], "data": data})
}

fn host(port: u16) -> Value {
    json!({"protocol": "tcp", "address": "127.0.0.1", "port": port})
}

fn intercept() -> Value {
    json!({
        "protocols": ["tcp"],
        "addresses": ["echo.ziti"],
        "portRanges": [{"low": 80, "high": 80}],
    })
}

/// Enrolls a router, and runs it.
fn router(ziti: &Ziti<'_>, (controller, admin): (&Controller, &Api), name: &str) -> Running {
    let id = create(admin, "edge-routers", &json!({"name": name}));
    let jwt = &admin.get(&format!("/edge-routers/{id}")).data()["enrollmentJwt"];
    let work = ziti.site.work();
    let (config, token) = (format!("{name}.yml"), format!("{name}.jwt"));
    fs::write(work.join(&token), jwt.as_str().unwrap()).unwrap();
    let file = router_file(&work.join(name), controller.host_port());
    fs::write(work.join(&config), file).unwrap();
    let enroll = ["enroll", &config, "--jwt", &token, "--keyAlg", "EC"];
    let _ = ziti.run_in("router", &enroll).success();
    run(ziti, name, &["router", "run", &config])
}

/// The file of a router whose own files begin with `prefix`.
fn router_file(prefix: &Path, controller: &str) -> String {
    let prefix = prefix.display();
    let (link, edge) = (free_port(), free_port());
    format!(
        "\
v: 3
identity:
  cert: {prefix}.cert
  server_cert: {prefix}.server.chain.cert
  key: {prefix}.key
  ca: {prefix}.cas
ctrl:
  endpoint: tls:{controller}
link:
  dialers: [{{binding: transport}}]
  listeners:
    - binding: transport
      bind: tls:127.0.0.1:{link}
      advertise: tls:127.0.0.1:{link}
listeners:
  - binding: edge
    address: tls:127.0.0.1:{edge}
    options: {{advertise: '127.0.0.1:{edge}', connectTimeoutMs: 5000, getSessionTimeout: 60}}
edge:
  csr:
    sans: {{dns: [localhost], ip: [127.0.0.1]}}
"
    )
}

/// Runs a program of OpenZiti with a log of its own.
fn run(ziti: &Ziti<'_>, name: &str, arguments: &[&str]) -> Running {
    let log = ziti.site.work().join(format!("{name}.log"));
    let log = File::create(log).unwrap();
    let mut command = Command::new(OsStr::new(&ziti.program));
    command
        .args(arguments)
        .args(["--log-formatter", "text"])
        .current_dir(ziti.site.work())
        .env("HOME", ziti.site.work())
        .stdout(log.try_clone().unwrap())
        .stderr(log);
    Running(command.spawn().unwrap())
}
