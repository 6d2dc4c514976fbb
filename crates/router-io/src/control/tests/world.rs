//! A router's control sessions, and what they hand on.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use portcullis_channel::ReplyTo;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::entropy::{Entropy, EntropyError};
use portcullis_pki::Certificate;
use portcullis_router::control::{
    ControlSettings, EdgeOffer, Greeting, InterfaceSettings, KnownControllers,
};
use portcullis_router::edge::ControllerId;
use portcullis_router_config::{CheckOptions, SourceFile, load};
use portcullis_wire::control::ControlMessage;
use rcgen::{CertificateParams, Issuer, KeyPair, SanType};
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::controller::version;
use crate::channel_traces::{ChannelObserver, ChannelTraces};
use crate::clock::RouterClock;
use crate::control::{Control, ControlSetup, RenewableIdentity, known_controllers};
use crate::controllers::{ControlService, Controllers};
use crate::socket_mark::SocketMark;
use crate::tls::{Credentials, Tls};

/// Waits for what is to happen soon.
pub(crate) async fn soon<F: Future>(what: F) -> F::Output {
    let done = timeout(Duration::from_secs(20), what).await;
    done.expect("what was waited for did not happen")
}

/// What issues all certificates of a test.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    root: CertificateDer<'static>,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let root = params.self_signed(&key).unwrap().der().clone();
        Self {
            issuer: Issuer::new(params, key),
            root,
        }
    }

    pub(crate) fn root_pem(&self) -> String {
        let root = Certificate::from_der(self.root.to_vec()).unwrap();
        root.to_pem()
    }

    pub(crate) fn issue(
        &self,
        name: &str,
        uri: Option<&str>,
    ) -> (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>) {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        let uri = uri.map(|uri| SanType::URI(uri.try_into().unwrap()));
        params.subject_alt_names.extend(uri);
        let leaf = params.signed_by(&key, &self.issuer).unwrap();
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        (vec![leaf.der().clone()], key)
    }

    pub(crate) fn tls(&self) -> Arc<Tls> {
        let (client_chain, client_key) = self.issue("router", None);
        let tls = Tls::new(Credentials {
            client_chain,
            client_key,
            servers: vec![self.issue("localhost", None)],
            authorities: vec![self.root.clone()],
        });
        Arc::new(tls.unwrap())
    }
}

/// What the sessions hand on.
#[derive(Debug)]
pub(crate) enum Event {
    Connected(String),
    Disconnected(String),
    Message(String, Box<ControlMessage>),
}

struct Recorder(mpsc::UnboundedSender<Event>);

impl Recorder {
    fn record(&self, event: Event) {
        // A test that has ended is not interested.
        let _is_over = self.0.send(event);
    }
}

impl ControlService for Recorder {
    fn connected(&self, controller: &ControllerId) {
        self.record(Event::Connected(controller.to_string()));
    }

    fn disconnected(&self, controller: &ControllerId) {
        self.record(Event::Disconnected(controller.to_string()));
    }

    fn model_index(&self) -> u64 {
        17
    }

    fn handle(&self, from: &ControllerId, _request: ReplyTo, message: ControlMessage) {
        self.record(Event::Message(from.to_string(), Box::new(message)));
    }
}

struct NoRandomness;

impl Entropy for NoRandomness {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        bytes.fill(0);
        Ok(())
    }
}

/// What a router is started with.
pub(crate) struct Router<'a> {
    pub(crate) authority: &'a Authority,
    pub(crate) directory: &'a TempDir,
    /// The section `ctrl`.
    pub(crate) section: String,
    pub(crate) reports_interfaces: bool,
    pub(crate) identity: Option<Arc<dyn RenewableIdentity>>,
    pub(crate) renews_at_once: bool,
}

/// A router that runs.
pub(crate) struct Running {
    pub(crate) control: Control,
    pub(crate) controllers: Arc<Controllers>,
    known: Arc<Mutex<KnownControllers>>,
    events: mpsc::UnboundedReceiver<Event>,
    tasks: TaskTracker,
    stop: CancellationToken,
}

impl<'a> Router<'a> {
    pub(crate) fn at(authority: &'a Authority, directory: &'a TempDir, places: &[String]) -> Self {
        Self {
            authority,
            directory,
            section: format!("{{endpoints: [{}]}}", quoted(places)),
            reports_interfaces: false,
            identity: None,
            renews_at_once: false,
        }
    }

    pub(crate) fn start(self) -> Running {
        let text = format!(
            "ctrl: {}
listeners: [{{binding: edge, address: 'tls:0.0.0.0:3022', options: {{advertise: 'r.test:3022'}}}}]
",
            self.section
        );
        let file = SourceFile::new("router.yml", text.as_bytes());
        let config = load(&file, &CheckOptions::new()).config;
        let path = self.directory.path().join("router.yml");
        let settings = ControlSettings::from_config(&config.ctrl, &path).unwrap();
        let offer = EdgeOffer::from_config(&config.listeners);
        let controllers = Arc::new(Controllers::new(settings.request_timeout));
        let known = Arc::new(Mutex::new(known_controllers(&settings)));
        let (sender, events) = mpsc::unbounded_channel();
        let reports = self.reports_interfaces;
        let clock = RouterClock::start(Timestamp::from_second(1_790_000_000).unwrap());
        let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
        let traces =
            ChannelTraces::new("r1".into(), clock, Arc::clone(&controllers), tasks.clone());
        let observer = ChannelObserver {
            file: None,
            traces: Arc::clone(&traces),
        };
        let setup = ControlSetup {
            mark: SocketMark::default(),
            settings,
            greeting: Greeting::new("r1".to_owned(), version(), Vec::new(), Some(offer)),
            tls: self.authority.tls(),
            clock,
            entropy: Arc::new(NoRandomness),
            controllers: Arc::clone(&controllers),
            known: Arc::clone(&known),
            service: Arc::new(Recorder(sender)),
            observer: Some(Arc::new(observer)),
            traces,
            interfaces: reports.then_some(InterfaceSettings {
                check_interval: Duration::from_mins(1),
                report_interval: Duration::from_hours(24),
            }),
            identity: self.identity,
            renews_at_once: self.renews_at_once,
        };
        Running {
            control: setup.start(&tasks, &stop),
            controllers,
            known,
            events,
            tasks,
            stop,
        }
    }
}

impl Running {
    pub(crate) async fn event(&mut self) -> Event {
        soon(self.events.recv()).await.unwrap()
    }

    pub(crate) fn leader(&self) -> Option<ControllerId> {
        self.known.lock().leader().cloned()
    }

    pub(crate) async fn connects_to(&mut self, controller: &str) {
        match self.event().await {
            Event::Connected(to) if to == controller => {},
            other => panic!("not connected to {controller}: {other:?}"),
        }
    }

    pub(crate) async fn loses(&mut self, controller: &str) {
        match self.event().await {
            Event::Disconnected(from) if from == controller => {},
            other => panic!("not disconnected from {controller}: {other:?}"),
        }
    }

    pub(crate) fn has_no_event(&mut self) -> bool {
        self.events.try_recv().is_err()
    }

    /// Ends the router, and waits until nothing of it is left.
    pub(crate) async fn stop(self) {
        self.stop.cancel();
        self.tasks.close();
        soon(self.tasks.wait()).await;
    }
}

pub(crate) fn quoted(places: &[String]) -> String {
    places
        .iter()
        .map(|place| format!("'{place}'"))
        .collect::<Vec<_>>()
        .join(", ")
}

pub(crate) fn endpoints_file(directory: &TempDir) -> PathBuf {
    directory.path().join("endpoints.yml")
}

/// Waits until a file says something.
pub(crate) async fn until_file_has(path: &Path, text: &str) {
    soon(async {
        while !std::fs::read_to_string(path).is_ok_and(|content| content.contains(text)) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}
