//! Networks around a controller: routers of either kind, and programs at their edges.
//!
//! ```text
//!   Host -- router -- link -- router -- client
//!              \                /
//!               `- controller -'
//! ```
//!
//! An identity may be held to one router, so that a circuit has to take the link.

pub(crate) mod echo;
pub(crate) mod line;
pub(crate) mod load;
pub(crate) mod place;
pub(crate) mod router;
pub(crate) mod sdk;
pub(crate) mod tunneler;

use place::Place;
use router::{Router, RouterProgram};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;
use support::{Api, Controller, TestDirectory, binaries, run, wait};

/// Time for routers, links and programs at the edge to get ready.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// A controller, and what is created at it.
pub(crate) struct Overlay<'s> {
    pub(crate) site: &'s TestDirectory,
    pub(crate) admin: Api,
    /// Host and port of the controller.
    address: String,
}

impl<'s> Overlay<'s> {
    /// Around a controller of ours.
    pub(crate) fn new(site: &'s TestDirectory, controller: &Controller) -> Self {
        Self::around(site, Api::admin(controller), controller.host_port())
    }

    /// Around a controller of ours whose policies let everybody use all routers already.
    pub(crate) fn with_policies(site: &'s TestDirectory, controller: &Controller) -> Self {
        Self {
            site,
            admin: Api::admin(controller),
            address: controller.host_port().to_owned(),
        }
    }

    /// Around any controller, whose administrator is logged in. All routers may be used for all services.
    pub(crate) fn around(site: &'s TestDirectory, admin: Api, address: &str) -> Self {
        let overlay = Self {
            site,
            admin,
            address: address.to_owned(),
        };
        let all = json!(["#all"]);
        let services = json!({
            "name": "all", "semantic": "AnyOf", "edgeRouterRoles": all, "serviceRoles": all,
        });
        overlay.create("service-edge-router-policies", &services);
        overlay
    }

    /// Creates something; answers its id.
    #[track_caller]
    pub(crate) fn create(&self, kind: &str, body: &Value) -> String {
        let created = self.admin.send("POST", &format!("/{kind}"), body);
        let id = created.expect_status(201).data()["id"].clone();
        id.as_str().unwrap().to_owned()
    }

    /// Creates a router, enrolls it and runs it.
    pub(crate) fn router(&self, name: &str, program: &RouterProgram) -> Router {
        self.router_at(Place::LOOPBACK, name, program)
    }

    /// The same at another place.
    pub(crate) fn router_at(
        &self,
        place: Place<'_>,
        name: &str,
        program: &RouterProgram,
    ) -> Router {
        let router = json!({"name": name, "roleAttributes": [name]});
        let sections = [
            router::with_links(place.address()),
            router::with_edge(place.address(), ""),
        ];
        let (_id, router) = self.router_of(
            ("edge-routers", &router),
            (program, place),
            &sections.concat(),
        );
        router
    }

    /// The same for a router of any kind, with these sections in its file. Answers its id as well.
    pub(crate) fn router_of(
        &self,
        (kind, router): (&str, &Value),
        program: (&RouterProgram, Place<'_>),
        sections: &str,
    ) -> (String, Router) {
        let name = router["name"].as_str().unwrap();
        let id = self.create(kind, router);
        let created = self.admin.get(&format!("/{kind}/{id}")).data();
        let jwt = created["enrollmentJwt"].as_str().unwrap();
        let file = (&*self.address, sections);
        let running = Router::start(self.site, program, (name, jwt), file);
        (id, running)
    }

    /// Creates an identity that may use one router, and enrolls it; answers its file.
    pub(crate) fn identity(&self, name: &str, router: &str) -> PathBuf {
        let identity = json!({
            "name": name, "type": "Default", "isAdmin": false, "roleAttributes": [name],
            "enrollment": {"ott": true},
        });
        let id = self.create("identities", &identity);
        let role = json!([format!("#{name}")]);
        let policy = json!({
            "name": name, "semantic": "AnyOf", "edgeRouterRoles": [format!("#{router}")],
            "identityRoles": role,
        });
        self.create("edge-router-policies", &policy);
        let created = self.admin.get(&format!("/identities/{id}")).data();
        let jwt = created["enrollment"]["ott"]["jwt"].as_str().unwrap();
        let token = self.site.file(&format!("{name}.jwt"));
        fs::write(&token, jwt).unwrap();
        let file = self.site.file(&format!("{name}.json"));
        let mut enroll = Command::new(binaries::cli());
        enroll.arg("enroll").arg(&token).arg("--out").arg(&file);
        run(&mut enroll).success();
        file
    }

    /// Creates a service whose traffic is encrypted from end to end. `configs` are those of `host.v1` and the
    /// like, by type.
    pub(crate) fn service(&self, name: &str, configs: &[(&str, Value)]) {
        let types = self.admin.get("/config-types").data();
        let types = types.as_array().unwrap();
        let configs = configs.iter().map(|(kind, data)| {
            let found = types.iter().find(|found| found["name"] == *kind).unwrap();
            let name = format!("{name} {kind}");
            let config = json!({"name": name, "configTypeId": found["id"], "data": data});
            self.create("configs", &config)
        });
        let service = json!({
            "name": name, "encryptionRequired": true, "configs": configs.collect::<Vec<_>>(),
        });
        self.create("services", &service);
    }

    /// Creates a service that servers without SDK serve, and that everybody may dial and bind.
    pub(crate) fn plain_service(&self, name: &str) {
        self.create(
            "services",
            &json!({"name": name, "encryptionRequired": false}),
        );
        for kind in ["Dial", "Bind"] {
            let policy = json!({
                "name": kind, "type": kind, "semantic": "AnyOf", "identityRoles": ["#all"],
                "serviceRoles": ["#all"],
            });
            self.create("service-policies", &policy);
        }
    }

    /// Lets an identity dial or bind all services.
    pub(crate) fn allow(&self, kind: &str, identity: &str) {
        let policy = json!({
            "name": kind, "type": kind, "semantic": "AnyOf",
            "identityRoles": [format!("#{identity}")], "serviceRoles": ["#all"],
        });
        self.create("service-policies", &policy);
    }

    /// Takes that right away.
    pub(crate) fn forbid(&self, kind: &str) {
        let id = self.id("service-policies", kind);
        self.admin.delete(&format!("/service-policies/{id}")).data();
    }

    /// The id of what has this name.
    pub(crate) fn id(&self, kind: &str, name: &str) -> String {
        let all = self.admin.get(&format!("/{kind}")).data();
        let mut all = all.as_array().unwrap().iter();
        let found = all.find(|one| one["name"] == name).unwrap();
        found["id"].as_str().unwrap().to_owned()
    }

    /// Waits until two routers are online and linked, by one link, although both dial.
    pub(crate) fn until_linked(&self) {
        self.until("two routers are linked", |admin| {
            let routers = admin.get("/edge-routers").data();
            let online = routers.as_array().unwrap().iter();
            let online = online.filter(|router| router["isOnline"] == json!(true));
            let links = admin.curl("/fabric/v1/links").send().data();
            online.count() == 2 && links.as_array().unwrap().len() == 1
        });
    }

    /// Waits until a router of this kind is online.
    pub(crate) fn until_online(&self, kind: &str, id: &str) {
        self.until("a router is online", |admin| {
            admin.get(&format!("/{kind}/{id}")).data()["isOnline"] == json!(true)
        });
    }

    /// Waits until there is a link.
    pub(crate) fn until_link(&self) {
        self.until("there is a link", |admin| {
            let links = admin.curl("/fabric/v1/links").send().data();
            !links.as_array().unwrap().is_empty()
        });
    }

    /// The ids of all links.
    pub(crate) fn links(&self) -> BTreeSet<String> {
        let links = self.admin.curl("/fabric/v1/links").send().data();
        let ids = links.as_array().unwrap().iter().map(|link| &link["id"]);
        ids.map(|id| id.as_str().unwrap().to_owned()).collect()
    }

    /// Waits until there are so many circuits.
    pub(crate) fn until_circuits(&self, count: usize) {
        self.until("circuits", |admin| {
            let circuits = admin.curl("/fabric/v1/circuits").send().data();
            circuits.as_array().unwrap().len() == count
        });
    }

    /// Waits until a service has a host.
    pub(crate) fn until_hosted(&self, service: &str) {
        self.until("a service is hosted", |admin| {
            let terminators = admin.get("/terminators").data();
            let mut terminators = terminators.as_array().unwrap().iter();
            terminators.any(|terminator| terminator["service"]["name"] == service)
        });
    }

    fn until(&self, what: &str, condition: impl Fn(&Api) -> bool) {
        let seen = wait::until(PATIENCE, || {
            let is_so = condition(&self.admin);
            is_so.then_some(()).ok_or("it is not so in time")
        });
        seen.unwrap_or_else(|problem| panic!("{what}: {problem}"));
    }
}

/// What tunnelers need to host a service that is served at `port` of this computer.
pub(crate) fn host(port: u16) -> (&'static str, Value) {
    let data = json!({"protocol": "tcp", "address": "127.0.0.1", "port": port});
    ("host.v1", data)
}

/// Where clients reach a service, by this name.
pub(crate) fn intercept(name: &str) -> (&'static str, Value) {
    let data = json!({
        "protocols": ["tcp"], "addresses": [name], "portRanges": [{"low": 80, "high": 80}],
    });
    ("intercept.v1", data)
}
