//! Lists that are watched.

mod changes;

use crate::commands::entity_command::{ListArgs, Noun};
use crate::commands::listing::Listing;
use crate::commands::verb::Verb;
use crate::context::{Context, Session};
use crate::error::{CliError, ErrorKind};
use crate::output;
use crate::prompt;
use crate::render::Render as _;
use crate::terminal;
use changes::Changes;
use clap::Args;
use portcullis_client::Client;
use std::io::{self, IsTerminal as _};
use std::time::Duration;
use tokio::time::{MissedTickBehavior, interval};

/// Arguments of `list` for what changes by itself.
#[derive(Debug, Args)]
#[command(about = E::LIST.about)]
pub(crate) struct WatchedListArgs<E: Noun> {
    #[command(flatten)]
    list: ListArgs<E>,

    /// List again every so many seconds, 2 by default, until Ctrl-C. At a terminal the table is
    /// redrawn; elsewhere, what is new (`+`), changed (`~`) and gone (`-`) is added
    #[arg(
        long,
        value_name = "SECONDS",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "2",
        value_parser = clap::value_parser!(u64).range(1..=3600)
    )]
    watch: Option<u64>,
}

impl<E: Noun> Verb for WatchedListArgs<E> {
    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let client = &session.client;
        let Some(seconds) = self.watch else {
            return self.list.run(context, session).await;
        };
        let listing = self.list.listing(client).await?;
        let watched = watch::<E>(context, client, &listing, Duration::from_secs(seconds));
        prompt::run_until_cancelled(watched).await
    }
}

/// Shows a list again and again.
///
/// A controller that cannot be reached later on is waited for: whoever watches wants to see that it
/// returns.
async fn watch<E: Noun>(
    context: &Context,
    client: &Client,
    listing: &Listing,
    pause: Duration,
) -> Result<(), CliError> {
    let is_redrawn = io::stdout().is_terminal() && !context.output.is_for_programs();
    let mut ticks = interval(pause);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut changes: Option<Changes> = None;
    loop {
        ticks.tick().await;
        let page = match listing.fetch::<E>(client).await {
            Ok(page) => page,
            Err(error) if changes.is_some() && error.kind() == ErrorKind::Unreachable => {
                output::note(&error.message());
                continue;
            },
            Err(error) => return Err(error),
        };
        let changes = changes.get_or_insert_default();
        if is_redrawn {
            redraw(
                &listing
                    .table(context, &page)?
                    .render(terminal::stdout_width()),
            )?;
        } else {
            changes.write(context, listing, &page.data)?;
        }
    }
}

/// Replaces what the terminal shows. Lines that do not fit are left out.
fn redraw(text: &str) -> Result<(), CliError> {
    const TO_START: &str = "\u{1b}[H";
    const CLEAR_REST_OF_LINE: &str = "\u{1b}[K";
    const CLEAR_BELOW: &str = "\u{1b}[J";
    let mut screen = TO_START.to_owned();
    let room = terminal::stdout_height().map_or(usize::MAX, |height| height.saturating_sub(1));
    for line in text.lines().take(room) {
        screen.push_str(line);
        screen.push_str(CLEAR_REST_OF_LINE);
        screen.push('\n');
    }
    screen.push_str(CLEAR_BELOW);
    output::write(&screen)
}
