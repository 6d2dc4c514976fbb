//! `portcullis fabric top`.

mod rates;
mod sample;
mod screen;
mod view;

use crate::commands::verb::Verb;
use crate::context::{Context, Session};
use crate::controller_url;
use crate::error::{CliError, ErrorKind};
use crate::moment;
use crate::output::Output;
use crate::prompt;
use crate::terminal;
use clap::Args;
use rates::Rates;
use sample::Sample;
use screen::{Screen, Wake};
use std::convert::Infallible;
use std::io::{self, IsTerminal as _};
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval};
use view::{Overview, Room};

/// Circuits that are shown at most, the newest first.
const CIRCUITS: i64 = 100;

/// Help footer of `fabric top`.
const EXAMPLES: &str = "\
Routers with what they carry, links with the busiest first, and the newest circuits. EDGE is what clients
and hosts send to a router (in) and get from it (out), LINKS what it gets from other routers and sends to
them, all in bytes per second since the last look. The first numbers are means of the last minute.

It ends with Ctrl-C, and leaves the terminal as it was. Numbers of bytes need the right to inspections;
what cannot be seen is left out.

Examples:
  portcullis fabric top
  portcullis fabric top --interval 10
  portcullis fabric top --once -o json | jq '.links[] | {from, to, sent}'";

/// Arguments of `fabric top`.
#[derive(Debug, Args)]
#[command(about = "Watch routers, links, circuits and bytes", after_long_help = EXAMPLES)]
pub(crate) struct TopArgs {
    /// Look again every so many seconds
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 2,
        value_parser = clap::value_parser!(u64).range(1..=3600)
    )]
    interval: u64,

    /// Look once, and write the tables whole
    #[arg(long, conflicts_with = "interval")]
    once: bool,
}

impl Verb for TopArgs {
    fn check(&self, output: Output) -> Result<(), CliError> {
        if self.once || (io::stdout().is_terminal() && !output.is_for_programs()) {
            return Ok(());
        }
        let message = "live tables are for a terminal";
        Err(CliError::usage(message).hint("`portcullis fabric top --once` writes them once"))
    }

    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let client = &session.client;
        if self.once {
            let sample = Sample::take(client).await?;
            let overview = Overview::new(&sample, &Rates::of(&sample, None));
            let names = overview.router_names();
            return context
                .output
                .write_named(names, &overview, || overview.tables(context.now()));
        }
        let pause = Duration::from_secs(self.interval);
        let watched = prompt::run_until_cancelled(watch(context, session, pause)).await;
        match watched {
            Err(error) => Err(error),
        }
    }
}

/// Looks again and again. The first look has to succeed; later on, a controller that is not there is waited
/// for.
async fn watch(
    context: &Context,
    session: &Session,
    pause: Duration,
) -> Result<Infallible, CliError> {
    let client = &session.client;
    let url = controller_url::display(&session.profile.url);
    let mut last = Sample::take(client).await?;
    let mut overview = Overview::new(&last, &Rates::of(&last, None));
    let mut trouble: Option<String> = None;
    let mut screen = Screen::enter()?;
    let mut ticks = interval(pause);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks.tick().await;
    loop {
        let room = Room {
            columns: terminal::stdout_width(),
            lines: terminal::stdout_height(),
        };
        let title = title(context, &url, trouble.as_deref());
        screen.draw(&overview.fitting(&title, room, context.now()))?;
        let look = async {
            ticks.tick().await;
            Sample::take(client).await
        };
        // A look that is broken off is taken again at the next tick.
        let taken = tokio::select! {
            biased;
            wake = screen.wake() => match wake? {
                Wake::Redraw => None,
                Wake::End => return Err(CliError::cancelled()),
            },
            taken = look => Some(taken),
        };
        match taken {
            None => {},
            Some(Ok(sample)) => {
                overview = Overview::new(&sample, &Rates::of(&sample, Some(&last)));
                last = sample;
                trouble = None;
            },
            Some(Err(error)) if error.kind() == ErrorKind::Unreachable => {
                trouble = Some(error.message());
            },
            Some(Err(error)) => return Err(error),
        }
    }
}

fn title(context: &Context, controller: &str, trouble: Option<&str>) -> String {
    let time = moment::absolute(context.now());
    match trouble {
        Some(trouble) => format!("{controller}  {time}  {trouble}"),
        None => format!("{controller}  {time}"),
    }
}

/// When something was seen.
type Seen = Instant;
