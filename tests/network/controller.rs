//! The controller of a network.

use crate::person::Person;
use crate::router::RouterFiles;
use http::Method;
use portcullis_app::{revocations, service_sessions, sessions};
use portcullis_channel::BuildVersion;
use portcullis_channel::hello::HELLO_TIMEOUT;
use portcullis_control::{ControlOptions, ControlPlane, Peer};
use portcullis_domain::clock::SignedDuration;
use portcullis_edge_session::EdgeIdentity;
use portcullis_fabric::FabricOptions;
use portcullis_listener::{
    Connection, DrainFuture, Greeting, Limits, Listener, ServerTls, StreamFuture, StreamService,
    TlsVersion,
};
use portcullis_pki::{KeyType, ServerNames, SigningKey, Subject, create_csr_with_names};
use portcullis_testkit::{Harness, HarnessOptions, OnThisComputer, Remains, client_key_and_csr};
use portcullis_transport::Incoming;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use support::controller::free_port;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout};
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Time for what a network does by itself.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// A controller with its store in memory, whose routers reach it by a socket.
pub(crate) struct Controller {
    harness: Box<Harness>,
    admin: String,
    address: SocketAddr,
    stop: CancellationToken,
    tasks: TaskTracker,
}

/// What is left of one that was killed.
pub(crate) struct Killed {
    remains: Remains,
    address: SocketAddr,
}

/// Where routers connect.
struct ControlChannel(ControlPlane);

impl StreamService for ControlChannel {
    fn serve(
        &self,
        connection: Arc<Connection>,
        stream: TlsStream<TcpStream>,
        greeting: Greeting,
        shutdown: CancellationToken,
    ) -> StreamFuture {
        let plane = self.0.clone();
        let certificates = connection.certificates();
        let peer = Peer {
            address: connection.peer,
            local: connection.local,
            certificates: certificates.into_iter().map(<[u8]>::to_vec).collect(),
        };
        Box::pin(async move {
            let reading = Incoming::read(stream, Instant::now() + HELLO_TIMEOUT);
            if let Some(Ok(incoming)) = shutdown.run_until_cancelled(reading).await {
                greeting.finish();
                Box::pin(plane.serve(peer, incoming)).await;
            }
        })
    }

    fn drain(&self) -> DrainFuture<'_> {
        Box::pin(self.0.wait())
    }
}

impl Controller {
    /// A controller with its administrator. Identities and services may use all routers.
    pub(crate) async fn start() -> Self {
        let port = free_port();
        let options = HarnessOptions {
            has_prompt_store: true,
            ..HarnessOptions::default()
        };
        let place = OnThisComputer {
            // Routers compare certificates with the time of this computer.
            start: portcullis_system::env().now(),
            control_port: Some(port),
            api_port: Some(port),
        };
        let harness = Harness::start_at(options, place);
        let harness = Box::new(Box::pin(harness).await);
        let admin = harness.admin().await;
        let controller = Self::serve(harness, admin, ([127, 0, 0, 1], port).into());
        let all = json!(["#all"]);
        for (kind, others) in [
            ("edge-router-policies", "identityRoles"),
            ("service-edge-router-policies", "serviceRoles"),
        ] {
            let policy = json!({
                "name": "all", "semantic": "AnyOf", "edgeRouterRoles": all, others: all,
            });
            controller.create(kind, &policy).await;
        }
        controller
    }

    fn serve(harness: Box<Harness>, admin: String, address: SocketAddr) -> Self {
        let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
        let options = ControlOptions {
            version: BuildVersion {
                version: "v2.1.0".to_owned(),
                revision: "0".to_owned(),
                build_date: "2031-01-01T00:00:00Z".to_owned(),
                os: "linux".to_owned(),
                arch: "amd64".to_owned(),
            },
            fabric: FabricOptions {
                // How long circuits wait for another path.
                path_wait: Duration::from_secs(2),
                ..FabricOptions::default()
            },
            takeover_after: Duration::from_mins(1),
            report_interval: Duration::from_mins(1),
            interval_age: Duration::from_secs(80),
            max_connections: 1000,
        };
        let plane = ControlPlane::start(&harness.app, options, stop.clone());
        let (chain, key) = harness.server_identity();
        let chain = chain.iter().map(|one| one.as_rustls().clone()).collect();
        let pair = ServerTls::certified_key(chain, key.to_rustls().unwrap()).unwrap();
        let tls = ServerTls::new(vec![pair], TlsVersion::Tls12, TlsVersion::Tls13).unwrap();
        let listener = Listener::bind(address)
            .unwrap()
            .with_protocol("ziti-ctrl", Arc::new(ControlChannel(plane)));
        let address = listener.local_addr();
        let limits = Limits::default();
        let service = Arc::new(harness.service());
        tasks.spawn(listener.serve(service, Arc::new(tls), limits, stop.clone()));
        Self {
            harness,
            admin,
            address,
            stop,
            tasks,
        }
    }

    /// Ends as if it were killed: routers lose their connections, and what is not in the store is lost.
    pub(crate) async fn kill(self) -> Killed {
        let killed = self.remains();
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
        killed
    }

    /// What would be left if it were killed now.
    pub(crate) fn remains(&self) -> Killed {
        Killed {
            remains: self.harness.remains(),
            address: self.address,
        }
    }

    /// Starts again what was killed, at the same address and so much later.
    pub(crate) async fn restart(killed: Killed, away: Duration) -> Self {
        let Killed { remains, address } = killed;
        let remains = remains.after(SignedDuration::try_from(away).unwrap());
        let harness = Box::new(Box::pin(Harness::restart(remains)).await);
        let admin = harness.admin().await;
        Self::serve(harness, admin, address)
    }

    /// Whom somebody logs in as, and where.
    pub(crate) fn identity(&self, person: &Person) -> EdgeIdentity {
        let url = format!("https://localhost:{}", self.address.port());
        EdgeIdentity {
            controllers: vec![url.parse().unwrap()],
            authorities: vec![self.harness.authority().clone()],
            certificate: Some(Arc::new(person.credential())),
            config_types: Vec::new(),
        }
    }

    /// Creates something; returns its id.
    pub(crate) async fn create(&self, kind: &str, body: &Value) -> String {
        let path = format!("/{kind}");
        let request = self.harness.manage(Method::POST, &path, &self.admin);
        Box::pin(request.json(body).send()).await.id()
    }

    /// Changes something.
    pub(crate) async fn patch(&self, path: &str, body: &Value) {
        let path = format!("/{path}");
        let request = self.harness.manage(Method::PATCH, &path, &self.admin);
        let reply = Box::pin(request.json(body).send()).await;
        assert!(reply.status.is_success(), "{reply:?}");
    }

    /// What there is at a path of the management API.
    pub(crate) async fn get(&self, path: &str) -> Value {
        let path = format!("/{path}");
        let request = self.harness.manage(Method::GET, &path, &self.admin);
        Box::pin(request.send()).await.data()
    }

    /// Traces an identity under an id.
    pub(crate) async fn trace(&self, identity: &str, trace: &str) {
        let path = format!("/identities/{identity}/trace");
        let body = json!({"enabled": true, "duration": "5m", "traceId": trace});
        let request = self.harness.manage(Method::PUT, &path, &self.admin);
        let traced = Box::pin(request.json(&body).send()).await.data();
        assert_eq!(traced["enabled"], true);
    }

    pub(crate) async fn delete(&self, path: &str) {
        let path = format!("/{path}");
        let request = self.harness.manage(Method::DELETE, &path, &self.admin);
        let reply = Box::pin(request.send()).await;
        assert!(reply.status.is_success(), "{reply:?}");
    }

    /// All links, or all circuits.
    pub(crate) async fn fabric(&self, kind: &str) -> Vec<Value> {
        let path = format!("/fabric/v1/{kind}?filter=true%20limit%20none");
        let request = self.harness.request(Method::GET, &path);
        let reply = Box::pin(request.session(&self.admin).send()).await;
        reply.data().as_array().unwrap().clone()
    }

    /// Values of the controller, if its id matches, and of routers whose ids or names do.
    pub(crate) async fn inspect(&self, expression: &str, names: &[&str]) -> Value {
        let body = json!({"appRegex": expression, "requestedValues": names});
        let request = self.harness.request(Method::POST, "/fabric/v1/inspections");
        let reply = Box::pin(request.session(&self.admin).json(&body).send()).await;
        reply.json()
    }

    /// The id by which routers know it.
    pub(crate) fn id(&self) -> String {
        let serving = self.harness.app.network().serving_state();
        serving.controller.id.to_string()
    }

    /// All figures of the controller or of a router, by its id.
    pub(crate) async fn metrics(&self, id: &str) -> Value {
        let mut shown = self.inspect(&format!("^{id}$"), &["metrics:raw"]).await;
        shown["values"][0]["value"].take()
    }

    /// Runs each periodic job once. Sessions that are not used meanwhile are too old then.
    pub(crate) async fn run_jobs(&self) {
        let app = &self.harness.app;
        let timeout = app.settings().session_timeout;
        for _ in 0..2 {
            self.harness.clock.advance(timeout * 2 / 3);
            // The administrator goes on.
            self.get("edge-routers").await;
        }
        assert!(sessions::sweep(app).await.unwrap() > 0);
        service_sessions::sweep(app).await.unwrap();
        revocations::remove_expired(app).await.unwrap();
    }

    /// The services that somebody may use.
    pub(crate) async fn services_of(&self, person: &Person) -> Value {
        let path = "/edge/client/v1/services";
        let request = self.harness.request(Method::GET, path);
        Box::pin(request.session(&person.token).send()).await.data()
    }

    /// A service that anybody may dial and host without encryption; returns its id.
    pub(crate) async fn service(&self, name: &str) -> String {
        self.service_with(name, false).await
    }

    /// A service that anybody may dial and host; returns its id.
    pub(crate) async fn service_with(&self, name: &str, encryption_required: bool) -> String {
        let service = json!({"name": name, "encryptionRequired": encryption_required});
        let id = self.create("services", &service).await;
        for kind in ["Dial", "Bind"] {
            let policy = json!({
                "name": format!("{kind} {name}"), "type": kind, "semantic": "AnyOf",
                "identityRoles": ["#all"], "serviceRoles": [format!("@{id}")],
            });
            self.create("service-policies", &policy).await;
        }
        id
    }

    /// An identity with a certificate, which is logged in.
    pub(crate) async fn person(&self, name: &str) -> Person {
        let identity = json!({
            "name": name, "type": "Default", "isAdmin": false, "enrollment": {"ott": true},
        });
        let id = self.create("identities", &identity).await;
        let created = self.get(&format!("identities/{id}")).await;
        let token = created["enrollment"]["ott"]["token"].as_str().unwrap();
        let (key, csr) = client_key_and_csr();
        let path = format!("/edge/client/v1/enroll?method=ott&token={token}");
        let request = self.harness.request(Method::POST, &path);
        let request = request.json(&json!({"clientCsr": csr}));
        let issued = Box::pin(request.send()).await.data();
        let mut person = Person::new(id, issued["cert"].as_str().unwrap(), &key);
        self.log_in(&mut person).await;
        person
    }

    /// Gives an identity another API session.
    pub(crate) async fn log_in(&self, person: &mut Person) {
        let path = "/edge/client/v1/authenticate?method=cert";
        let request = self.harness.request(Method::POST, path);
        let request = request.certificates(&person.chain);
        let session = Box::pin(request.send()).await.data();
        session["token"]
            .as_str()
            .unwrap()
            .clone_into(&mut person.token);
    }

    /// The token of a session for a service; `kind` is `Dial` or `Bind`.
    pub(crate) async fn session(&self, person: &Person, service: &str, kind: &str) -> String {
        let request = self
            .harness
            .request(Method::POST, "/edge/client/v1/sessions");
        let request = request.session(&person.token);
        let request = request.json(&json!({"serviceId": service, "type": kind}));
        let session = Box::pin(request.send()).await.data();
        session["token"].as_str().unwrap().to_owned()
    }

    /// Creates a router, enrolls it, and writes its files.
    pub(crate) async fn router(&self, name: &str) -> RouterFiles {
        let id = self.create("edge-routers", &json!({"name": name})).await;
        let created = self.get(&format!("edge-routers/{id}")).await;
        let token = created["enrollmentToken"].as_str().unwrap();
        let key = SigningKey::generate(KeyType::P256).unwrap();
        let names = ServerNames::parse(["localhost", "127.0.0.1"]).unwrap();
        let subject = Subject::new().common_name(&id);
        let csr = create_csr_with_names(&key, &subject, &names).unwrap();
        let path = format!("/edge/client/v1/enroll?method=erott&token={token}");
        let request = self.harness.request(Method::POST, &path);
        let request = request.json(&json!({"certCsr": csr, "serverCertCsr": csr}));
        let issued = Box::pin(request.send()).await.data();
        RouterFiles::write(id, key, &issued, self.address)
    }

    /// Waits until something holds.
    pub(crate) async fn until(&self, what: &str, mut holds: impl AsyncFnMut(&Self) -> bool) {
        let waiting = async {
            while !holds(self).await {
                sleep(Duration::from_millis(10)).await;
            }
        };
        let seen = timeout(PATIENCE, waiting).await;
        assert!(seen.is_ok(), "{what}: it is not so in time");
    }

    /// A terminator at a server that a router dials.
    pub(crate) async fn server(&self, service: &str, router: &RouterFiles, address: SocketAddr) {
        let terminator = json!({
            "service": service, "router": router.id, "binding": "transport",
            "address": format!("tcp:{address}"),
        });
        self.create("terminators", &terminator).await;
    }

    /// The terminators of a service.
    pub(crate) async fn terminators(&self, service: &str) -> usize {
        let all = self.get("terminators").await;
        let all = all.as_array().unwrap().iter();
        all.filter(|terminator| terminator["serviceId"] == service)
            .count()
    }

    /// Waits until so many routers are connected.
    pub(crate) async fn until_online(&self, count: usize) {
        self.until("routers are online", async |controller| {
            let routers = controller.get("edge-routers").await;
            let routers = routers.as_array().unwrap().iter();
            routers.filter(|router| router["isOnline"] == true).count() == count
        })
        .await;
    }

    /// Waits until there are so many of the fabric: links or circuits.
    pub(crate) async fn until_count(&self, kind: &str, count: usize) {
        self.until(kind, async |controller| {
            controller.fabric(kind).await.len() == count
        })
        .await;
    }
}
