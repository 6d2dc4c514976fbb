//! `run`: serve the network of a configuration file.

mod reload;

use crate::cli::RunArgs;
use crate::home::Home;
use crate::serve::{self, ServeOptions};
use crate::{config, logging, output, privileges, service_manager, signals};
use anyhow::bail;
use portcullis_app::administrator;

pub(super) async fn run(arguments: RunArgs) -> anyhow::Result<()> {
    let (shutdown, hangups) = signals::listen_as_service()?;
    let loaded = config::load_files(&[&arguments.config])?;
    let mut plan = ServeOptions::of_files(loaded, portcullis_system::env());
    logging::configure_filter(&plan.config.log.filter)?;
    plan.audit = arguments.audit.destination(&plan.config.audit);
    plan.accept_damage = arguments.damage.accept_damage;
    plan.stop = shutdown.stop;
    let home = Home::at(&config::folder_of(&arguments.config));
    plan.renew_leaf = home.owns_server_certificate_of(&plan.config);
    plan.store_must_exist = plan.renew_leaf && home.keeps_store_of(&plan.config);
    privileges::warn_about_root("controller");
    let running = serve::serve(plan).await?;
    running.start_report().log(&[&arguments.config]);
    service_manager::notify_ready();
    tokio::spawn(reload::on_each(
        hangups,
        running.reloader(),
        arguments.config.clone(),
    ));
    if !administrator::exists(running.app())? {
        tracing::warn!(
            "there is no administrator, so nobody can log in: stop the controller and run \
             `portcullis-controller init {} -u admin`",
            output::shell_quoted(&arguments.config.display().to_string()),
        );
    }
    tokio::select! {
        outcome = running.wait() => outcome,
        () = shutdown.abort.cancelled() => bail!("stopped at once"),
    }
}
