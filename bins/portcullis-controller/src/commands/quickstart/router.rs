//! The router beside the controller: in the same process, with its files in the home.

use crate::files::{self, SECRET_MODE};
use crate::home::Home;
use crate::output;
use crate::serve::{RunningController, control};
use anyhow::{Context as _, bail};
use portcullis_app::enrollments::{self, Redemption, RedemptionProof, RedemptionResult};
use portcullis_app::routers;
use portcullis_controller_config::ControllerConfig;
use portcullis_domain::access::Origin;
use portcullis_domain::ids::RequestId;
use portcullis_listener::Listener;
use portcullis_pki::{KeyType, SigningKey};
use portcullis_program::{descriptors, memory};
use portcullis_router_config::generate::{GenerateOptions, RouterKind, Tunnel, generate};
use portcullis_router_config::model::RouterConfig;
use portcullis_router_io::{
    CertificateRequest, IdentityFiles, KeyRole, NewIdentity, Router, RouterClock, RouterFile,
    RouterOptions,
};
use std::fs;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Name of the router, of its directory and of its files.
const NAME: &str = "router";

const DEFAULT_PORT: u16 = 3022;

/// A router that there is to be.
pub(super) struct Companion {
    file: PathBuf,
    /// Where clients reach it, unless its file exists and says otherwise.
    host: String,
    port: Option<u16>,
    /// Host and port of the controller.
    controller: String,
    key_type: KeyType,
}

/// A router that runs.
pub(super) struct RunningCompanion {
    router: Router,
    /// Where clients reach it.
    pub(super) address: String,
}

impl Companion {
    /// The router of a home: one that is there already, or one that `is_wanted`.
    pub(super) fn of(
        home: &Home,
        (is_wanted, port): (bool, Option<u16>),
        config: &ControllerConfig,
        key_type: KeyType,
    ) -> Option<Self> {
        let file = home.folder.join(NAME).join(format!("{NAME}.yml"));
        let is_there = file.exists();
        if is_there && port.is_some() {
            output::print_message(format_args!(
                "Ignored, because the router exists: --router-port (see {})",
                file.display()
            ));
        }
        (is_there || is_wanted).then(|| Self {
            file,
            host: config.edge.api.address.host.clone(),
            port,
            controller: config.router_address().endpoint.to_string(),
            key_type,
        })
    }

    /// Creates, enrolls and starts it, as far as that has not been done.
    pub(super) async fn start(
        self,
        running: &RunningController,
        home: &Home,
        stop: CancellationToken,
    ) -> anyhow::Result<RunningCompanion> {
        if !self.file.exists() {
            self.create()?;
        }
        follow_home(&self.file)?;
        let file = read(&self.file)?;
        let config = &file.config;
        let identity = IdentityFiles::from_config(&config.identity)?;
        if !identity.is_enrolled() {
            self.enroll(running, (config, &identity), home)
                .await
                .context("the router cannot be enrolled")?;
        }
        let edge = config.listeners.iter().find_map(|it| it.advertise.as_ref());
        let address = edge.map(|address| address.value.clone());
        let env = running.app().env();
        let starting = Router::start(RouterOptions {
            file,
            identity,
            version: control::version(),
            clock: RouterClock::start(env.now()),
            entropy: Arc::clone(&env.entropy),
            max_descriptors: descriptors::limit(),
            buffer_memory: Some(memory::for_buffers()),
            memory_profiler: None,
            renews_at_once: false,
            stop,
        });
        let router = Box::pin(starting).await;
        let router = router.context("the router cannot be started")?;
        Ok(RunningCompanion {
            router,
            address: address.unwrap_or_default(),
        })
    }

    fn create(&self) -> anyhow::Result<()> {
        let folder = files::directory_of(&self.file);
        files::create_directory(folder)?;
        let folder = directory(&self.file)?;
        let interface = super::interface(&self.host);
        let options = GenerateOptions {
            interface: Some(interface),
            folder: folder.display().to_string(),
            controller: Some(self.controller.clone()),
            edge_port: match self.port {
                Some(0) => free_port(interface)?,
                port => port.unwrap_or(DEFAULT_PORT),
            },
            public: false,
            tunnel: Tunnel::None,
            ..GenerateOptions::new(RouterKind::Edge, NAME, &*self.host)
        };
        let text = generate(&options).context("the router's file cannot be written")?;
        Ok(files::replace(&self.file, text.as_bytes(), SECRET_MODE)?)
    }

    /// Enrolls it without a connection: the controller is here.
    async fn enroll(
        &self,
        running: &RunningController,
        (config, identity): (&RouterConfig, &IdentityFiles),
        home: &Home,
    ) -> anyhow::Result<()> {
        let app = running.app();
        let draft = identity.draft()?;
        let request = CertificateRequest::from_config(config);
        let key = if let Some(key) = identity.key(KeyRole::Client)? {
            key
        } else {
            let key = SigningKey::generate(self.key_type)?;
            identity.write_key(KeyRole::Client, &key.to_pkcs8_pem()?)?;
            key
        };
        let enrollment = routers::prepare_companion(app, NAME).await?;
        let csr = request.to_pem(enrollment.router.as_str(), &key)?;
        let redemption = Redemption {
            token: enrollment.token,
            method: None,
            proof: RedemptionProof {
                router: enrollments::RouterCsrs {
                    client_csr: csr.clone(),
                    server_csr: csr,
                },
                ..RedemptionProof::default()
            },
        };
        let request = RequestId::generate(&*app.env().entropy)?;
        let origin = Origin::new(request, (Ipv4Addr::LOCALHOST, 0).into());
        let redeemed = enrollments::redeem(app, &origin, redemption).await?;
        let RedemptionResult::Router(certificates) = redeemed else {
            bail!("the token of a router gave something else than its certificates");
        };
        let authorities = fs::read_to_string(&home.ca)
            .with_context(|| format!("{} cannot be read", home.ca.display()))?;
        Ok(draft.write(&NewIdentity {
            certificate: &certificates.client,
            server_certificate: &certificates.server,
            authorities: Some(&authorities),
        })?)
    }
}

impl RunningCompanion {
    /// Waits until it has stopped.
    pub(super) async fn wait(self) {
        self.router.wait().await;
    }
}

/// The file names its own directory, which is another one since the home was moved or copied.
fn follow_home(file: &Path) -> anyhow::Result<()> {
    let Some(certificate) = read(file)?.config.identity.cert else {
        return Ok(());
    };
    let certificate = PathBuf::from(certificate.value);
    let named = files::directory_of(&certificate);
    let folder = directory(file)?;
    let name = certificate.file_name();
    let is_beside = name.is_some_and(|name| folder.join(name).exists());
    if !is_beside || fs::canonicalize(named).is_ok_and(|named| named == folder) {
        return Ok(());
    }
    let [before, after] = [named, &folder].map(|folder| format!("{}/", folder.display()));
    let text = fs::read_to_string(file)?.replace(&before, &after);
    files::replace(file, text.as_bytes(), SECRET_MODE)?;
    output::print_message(format_args!(
        "The home was moved or copied: {} names the files beside it now.",
        file.display()
    ));
    Ok(())
}

/// The directory of a file, from the root on.
fn directory(file: &Path) -> anyhow::Result<PathBuf> {
    let folder = files::directory_of(file);
    fs::canonicalize(folder).with_context(|| format!("{} cannot be read", folder.display()))
}

/// Reads the file of the router, which its owner may have changed.
fn read(path: &Path) -> anyhow::Result<RouterFile> {
    let name = path.display().to_string();
    let bytes = fs::read(path).with_context(|| format!("{name} cannot be read"))?;
    let judged = RouterFile::judge(path, &bytes, Path::exists);
    let mistake = judged.mistakes().next();
    let mistake = mistake.map(|finding| finding.diagnostic.message.clone());
    judged.accepted.with_context(|| {
        format!(
            "{name}: {}; see `portcullis-router config check {}`",
            mistake.unwrap_or_default(),
            output::shell_quoted(&name),
        )
    })
}

/// A port that was free a moment ago.
fn free_port(interface: IpAddr) -> anyhow::Result<u16> {
    Ok(Listener::bind(SocketAddr::new(interface, 0))?
        .local_addr()
        .port())
}
