//! Routers of a network.

use crate::person;
use portcullis_channel::BuildVersion;
use portcullis_pki::{SigningKey, certificates_from_pem};
use portcullis_router_io::{IdentityFiles, Router, RouterClock, RouterFile, RouterOptions};
use portcullis_system::SystemEntropy;
use rustls::ClientConfig;
use rustls_pki_types::CertificateDer;
use serde_json::Value;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use support::controller::free_port;
use support::{Running, TestDirectory, binaries};
use tokio_util::sync::CancellationToken;

/// What routers dial others by.
pub(crate) const DIALER: &str = "dialers: [{binding: transport}]";

/// A router that is enrolled, by its files.
pub(crate) struct RouterFiles {
    pub(crate) id: String,
    pub(crate) authorities: Vec<CertificateDer<'static>>,
    /// Its client certificate, with the intermediate.
    chain: Vec<CertificateDer<'static>>,
    key: SigningKey,
    /// Where it reaches its controller.
    pub(crate) controller: SocketAddr,
    /// More of the section of controllers.
    pub(crate) control_options: &'static str,
    /// Where other routers reach it.
    pub(crate) link: SocketAddr,
    /// Where SDKs reach it.
    pub(crate) edge: SocketAddr,
    directory: TestDirectory,
}

/// A router that runs in this process as long as the test does.
pub(crate) struct RunningRouter {
    router: Router,
    stop: CancellationToken,
}

impl RunningRouter {
    /// Ends it.
    pub(crate) async fn end(self) {
        self.stop.cancel();
        self.router.wait().await;
    }
}

impl RouterFiles {
    pub(crate) fn write(
        id: String,
        key: SigningKey,
        issued: &Value,
        controller: SocketAddr,
    ) -> Self {
        let directory = TestDirectory::new();
        let pem = key.to_pkcs8_pem().unwrap();
        let text = |name: &str| issued[name].as_str().unwrap();
        for (name, content) in [
            ("router.cert", text("cert")),
            ("router.server.cert", text("serverCert")),
            ("router.cas", text("ca")),
            ("router.key", pem.as_str()),
        ] {
            fs::write(directory.file(name), content).unwrap();
        }
        let certificates = |name| -> Vec<_> {
            let found = certificates_from_pem(text(name)).unwrap();
            found.iter().map(|one| one.as_rustls().clone()).collect()
        };
        let [link, edge] = [(), ()].map(|()| SocketAddr::from(([127, 0, 0, 1], free_port())));
        let files = Self {
            authorities: certificates("ca"),
            chain: certificates("cert"),
            id,
            key,
            controller,
            control_options: "",
            link,
            edge,
            directory,
        };
        files.configure(link, DIALER);
        files
    }

    /// Writes its file, with the address that others are told for links, and more of the section of links.
    pub(crate) fn configure(&self, advertised: SocketAddr, links: &str) {
        let text = self.config(advertised, links);
        fs::write(self.directory.file("router.yml"), text).unwrap();
    }

    /// Adds sections to its file.
    pub(crate) fn add_to_config(&self, sections: &str) {
        let path = self.directory.file("router.yml");
        let text = fs::read_to_string(&path).unwrap() + sections;
        fs::write(path, text).unwrap();
    }

    /// Adds a listener to its file.
    pub(crate) fn add_listener(&self, listener: &str) {
        let path = self.directory.file("router.yml");
        let text = fs::read_to_string(&path).unwrap();
        let listeners = format!("listeners:\n  - {listener}\n");
        fs::write(
            path,
            text.replace(
                "listeners:\n  - binding: edge",
                &format!("{listeners}  - binding: edge"),
            ),
        )
        .unwrap();
    }

    /// Where a file beside its own is.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.directory.file(name)
    }

    fn config(&self, advertised: SocketAddr, links: &str) -> String {
        let prefix = self.directory.file("router");
        let (prefix, link, edge) = (prefix.display(), self.link, self.edge);
        let (controller, edge_port) = (self.controller.port(), edge.port());
        let control_options = self.control_options;
        let advertised = advertised.port();
        format!(
            "\
v: 3
identity:
  cert: {prefix}.cert
  server_cert: {prefix}.server.cert
  key: {prefix}.key
  ca: {prefix}.cas
ctrl:
  endpoint: tls:localhost:{controller}
  {control_options}
link:
  {links}
  listeners:
    - binding: transport
      bind: tls:{link}
      advertise: tls:localhost:{advertised}
      options: {{connectTimeout: 2s}}
dialers:
  - binding: transport
    options: {{connectTimeout: 1s}}
listeners:
  - binding: edge
    address: tls:{edge}
    options: {{advertise: 'localhost:{edge_port}', connectTimeout: 2s}}
edge:
  csr: {{sans: {{dns: [localhost], ip: [127.0.0.1]}}}}
"
        )
    }

    /// How it connects to other routers.
    pub(crate) fn tls(&self) -> ClientConfig {
        let mut config = person::builder(&self.authorities)
            .with_client_auth_cert(self.chain.clone(), self.key.to_rustls().unwrap())
            .unwrap();
        config.alpn_protocols = vec![b"ziti-link".to_vec()];
        config
    }

    /// Where SDKs reach it, and what its certificate goes back to.
    pub(crate) fn edge(&self) -> (SocketAddr, &[CertificateDer<'static>]) {
        (self.edge, &self.authorities)
    }

    /// Runs it in this process.
    pub(crate) async fn start(&self) -> RunningRouter {
        let path = self.directory.file("router.yml");
        let judged = RouterFile::judge(&path, &fs::read(&path).unwrap(), Path::exists);
        let mistakes: Vec<_> = judged.mistakes().collect();
        assert!(mistakes.is_empty(), "{mistakes:?}");
        let file = judged.accepted.unwrap();
        let stop = CancellationToken::new();
        let starting = Router::start(RouterOptions {
            identity: IdentityFiles::from_config(&file.config.identity).unwrap(),
            file,
            version: BuildVersion::of_program("v2.1.0", "test", "2031-01-01T00:00:00Z"),
            clock: RouterClock::start(portcullis_system::env().now()),
            entropy: Arc::new(SystemEntropy),
            max_descriptors: None,
            buffer_memory: None,
            memory_profiler: None,
            renews_at_once: false,
            stop: stop.clone(),
        });
        let router = Box::pin(starting).await.unwrap();
        RunningRouter { router, stop }
    }

    /// Runs it as a program, which is killed with its owner.
    pub(crate) fn run(&self) -> Running {
        self.run_with(&[])
    }

    /// Runs it with more arguments.
    pub(crate) fn run_with(&self, arguments: &[&str]) -> Running {
        let mut command = Command::new(binaries::router());
        command.arg("run").arg(self.directory.file("router.yml"));
        command.args(arguments);
        Running::start(&self.directory, "router", command)
    }
}
