//! `run`: run the router of a configuration file.

use crate::cli::RunArgs;
use crate::{config, memory_profile};
use anyhow::{Context as _, bail};
use portcullis_channel::BuildVersion;
use portcullis_domain::compatibility::OPENZITI_LEVEL;
use portcullis_program::signals::{self, Hangups};
use portcullis_program::{build, descriptors, output, privileges, service_manager};
use portcullis_router_io::{IdentityFiles, Reload, Router, RouterClock, RouterOptions};
use portcullis_system::SystemEntropy;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;

pub(super) async fn run(arguments: RunArgs) -> anyhow::Result<()> {
    let (shutdown, hangups) = signals::listen_as_service()?;
    for (option, instead) in arguments.of_openziti.given() {
        tracing::warn!("{option} has no effect: {instead}");
    }
    let file = config::load_file(&arguments.config, Path::exists)?;
    if file.config.profile.memory_path.is_some() {
        memory_profile::begin().context("`profile.memory`")?;
    }
    privileges::warn_about_root("router");
    let identity = IdentityFiles::from_config(&file.config.identity)?;
    if identity.finish_enrollment()? {
        tracing::info!("an enrollment that was interrupted is finished");
    }
    if !identity.is_enrolled() {
        bail!(
            "the router is not enrolled, since there is no {} in {}, where relative paths start; enroll it \
             with `portcullis-router enroll {} --jwt TOKEN`, or start it in the directory of its files",
            identity.describe(),
            working_directory(),
            output::shell_quoted(&arguments.config.display().to_string()),
        );
    }
    if arguments.extend && !file.has_edge {
        tracing::warn!(
            "--extend has no effect: controllers renew the certificates of edge routers only"
        );
    }
    let buffer_bytes = arguments.buffer_bytes();
    tracing::info!(
        mebibytes = buffer_bytes >> 20,
        "memory that messages may wait in"
    );
    let starting = Router::start(RouterOptions {
        file,
        identity,
        version: BuildVersion::of_program(OPENZITI_LEVEL, build::REVISION, build::BUILD_DATE),
        clock: RouterClock::start(portcullis_system::env().now()),
        entropy: Arc::new(SystemEntropy),
        max_descriptors: descriptors::raise_limit(),
        buffer_memory: Some(buffer_bytes),
        memory_profiler: Some(memory_profile::take),
        renews_at_once: arguments.extend,
        stop: shutdown.stop.clone(),
    });
    let router = Box::pin(starting).await?;
    tracing::info!(id = router.id(), version = build::VERSION, "running");
    service_manager::notify_ready();
    tokio::spawn(reload_on_each(hangups, router.reload()));
    let mut contact = pin!(router.first_contact());
    let mut stopped = pin!(router.wait());
    tokio::select! {
        Err(error) = &mut contact => {
            shutdown.stop.cancel();
            stopped.await;
            Err(error.into())
        },
        () = &mut stopped => {
            tracing::info!("stopped");
            Ok(())
        },
        () = shutdown.abort.cancelled() => bail!("stopped at once"),
    }
}

/// For messages.
fn working_directory() -> String {
    let directory = std::env::current_dir();
    directory.map_or_else(
        |_unknown| "the working directory".to_owned(),
        |directory| directory.display().to_string(),
    )
}

/// Reads the certificates again at each SIGHUP. Keys of the configuration take a restart.
async fn reload_on_each(mut hangups: Hangups, reload: Reload) {
    loop {
        hangups.next().await;
        tracing::info!("reloading certificates");
        reload.request();
    }
}
