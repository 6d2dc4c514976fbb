//! `run`: serve the network of a configuration file.

use crate::cli::Run;
use crate::home::Home;
use crate::serve::{self, Plan};
use crate::{config, output, privileges, signals, system};
use anyhow::bail;
use portcullis_app::administrator;

pub(super) async fn run(arguments: Run) -> anyhow::Result<()> {
    let wishes = signals::listen()?;
    let mut plan = Plan::new(config::load(&[&arguments.config])?, system::env());
    plan.audit = arguments.audit.target(&plan.config.audit);
    plan.accept_damage = arguments.damage.accept_damage;
    plan.stop = wishes.stop;
    let home = Home::at(&config::folder_of(&arguments.config));
    plan.renew_leaf = home.owns_leaf_of(&plan.config);
    plan.store_was_made = plan.renew_leaf && home.keeps_store_of(&plan.config);
    privileges::warn_about_root();
    let running = serve::serve(plan).await?;
    if !administrator::exists(running.app())? {
        tracing::warn!(
            "there is no administrator, so nobody can log in: stop the controller and run \
             `portcullis-controller init {} -u admin --password-file -`",
            output::shell_word(&arguments.config.display().to_string()),
        );
    }
    tokio::select! {
        outcome = running.wait() => outcome,
        () = wishes.hurry.cancelled() => bail!("stopped at once"),
    }
}
