//! `portcullis events`.

mod feed;
mod line;
mod wanted;

use crate::commands::verb::Verb;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::{self, Format, Output};
use crate::prompt;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use feed::Feed;
use line::EventLine;
use portcullis_command_line::supports_color;
use portcullis_events::{EventType, Namespace};
use std::convert::Infallible;
use std::io::{self, IsTerminal as _};
use tokio::select;
use wanted::{EventOption, WantedEvents};

/// Help footer of `events`.
const EXAMPLES: &str = "\
At a terminal each event is a line for people: time, type, what happened, and its members. Elsewhere,
and with -o json, it is a JSON object on a line of its own, as the controller writes events to files.

The connection is opened again when it is lost, or when the controller is restarted. A line on standard
error says so: events that happened meanwhile are missing. It takes an administrator, or the permission
`ops` as a whole.

Options of types are those of the section `events` of the controller's file: `include` of apiSession,
authentication, circuit, entityChange, session and usage; `interval` of entityCount; `metricFilter` and
`sourceFilter` of metrics, which are regular expressions; `version` of usage, 3 if it is not given.

Examples:
  portcullis events --follow
  portcullis events --follow --type router,link,circuit
  portcullis events --follow --type entityChange --option entityChange.include=services,identities
  portcullis events --follow --type metrics --option 'metrics.metricFilter=link.*latency'
  portcullis events --follow -o json | jq 'select(.event_type == \"failed\")'";

/// Arguments of `events`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct EventsArgs {
    /// Write events as they happen, until Ctrl-C
    #[arg(short, long)]
    follow: bool,

    /// Only events of these types; by default all but `metrics`, which are very many
    #[arg(long = "type", value_name = "NAME", value_delimiter = ',', value_parser = type_parser())]
    types: Vec<Namespace>,

    /// Option of a type, such as `circuit.include=failed`
    #[arg(long = "option", value_name = "TYPE.NAME=VALUE", value_parser = wanted::parse_option)]
    options: Vec<EventOption>,
}

fn type_parser() -> impl TypedValueParser<Value = Namespace> {
    PossibleValuesParser::new(Namespace::ALL.map(Namespace::as_str)).try_map(|name| {
        let known = name.parse::<EventType>();
        known
            .map(|known| known.namespace)
            .map_err(|unknown| unknown.to_string())
    })
}

impl EventsArgs {
    fn wanted(&self) -> Result<WantedEvents, CliError> {
        WantedEvents::new(&self.types, &self.options)
    }
}

impl Verb for EventsArgs {
    fn check(&self, _output: Output) -> Result<(), CliError> {
        if !self.follow {
            return Err(CliError::usage(
                "controllers keep no events: only those that happen from now on can be shown",
            )
            .hint(
                "`portcullis events --follow` shows them; to have them later, name a file in the section \
                 `events` of the controller's file",
            ));
        }
        self.wanted().map(drop)
    }

    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let wanted = self.wanted()?;
        let writer = Writer::new(context.output);
        let following = async {
            let mut feed = Feed::open(&session.client, wanted).await?;
            if io::stdout().is_terminal() {
                // Nothing may happen for long.
                output::note("following events; Ctrl-C ends it");
            }
            loop {
                let event = feed.next().await?;
                writer.write(&event.event_type, event.json.expose())?;
            }
        };
        // On the heap, so that the futures of callers stay small.
        let following = Box::pin(following);
        let written: Result<Infallible, CliError> = prompt::run_until_cancelled(async {
            select! {
                biased;
                () = output::closed() => Err(io::Error::from(io::ErrorKind::BrokenPipe).into()),
                ended = following => ended,
            }
        })
        .await;
        match written {
            Err(error) => Err(error),
        }
    }
}

/// Writes events in the form that suits the reader.
#[derive(Debug, Clone, Copy)]
struct Writer {
    output: Output,
    form: Form,
}

#[derive(Debug, Clone, Copy)]
enum Form {
    /// JSON as it comes.
    Json,
    Yaml,
    Name,
    ForPeople {
        is_colored: bool,
    },
}

impl Writer {
    fn new(output: Output) -> Self {
        let form = match output.format() {
            Format::Json => Form::Json,
            Format::Table if !io::stdout().is_terminal() => Form::Json,
            Format::Table | Format::Wide => Form::ForPeople {
                is_colored: supports_color(&io::stdout()),
            },
            Format::Yaml => Form::Yaml,
            Format::Name => Form::Name,
        };
        Self { output, form }
    }

    fn write(self, event_type: &str, json: &str) -> Result<(), CliError> {
        match self.form {
            // Controllers write no line feeds into events, but a line has to stay one.
            Form::Json => output::write_json(&format!("{}\n", json.replace(['\r', '\n'], " "))),
            Form::Yaml | Form::Name => {
                let document: serde_yaml::Value =
                    serde_json::from_str(json).map_err(output::serialization_error)?;
                self.output.write_line(event_type, &document, "")
            },
            Form::ForPeople { is_colored } => {
                let line = EventLine::read(event_type, json);
                output::write(&format!("{}\n", line.render(is_colored)))
            },
        }
    }
}
