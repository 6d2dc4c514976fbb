//! `portcullis api`: requests that have no command of their own.

mod answer;
mod body;
mod target;

use crate::context::{Context, Session};
use crate::error::CliError;
use body::Source;
use clap::{Args, ValueEnum};
use portcullis_client::{Body, ClientError, Method};
use target::Target;

const EXAMPLES: &str = "\
The path belongs to the management API, with --client to the client API, or begins with the prefix
of either; links in answers work too. The answer of the controller is printed unchanged with
`--output json`, and formatted otherwise.

Examples:
  portcullis api GET identities 'name contains \"lap\" limit 5'
  portcullis api GET identity-types --query limit=1
  portcullis api GET /edge/client/v1/version
  portcullis api GET current-identity --client
  portcullis api POST identities/uI2Rn3.8h/disable --body '{\"durationMinutes\": 30}'
  portcullis api PATCH identities/uI2Rn3.8h --body @change.json
  portcullis api DELETE identities/uI2Rn3.8h";

/// Arguments of `api`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ApiArgs {
    /// HTTP method
    #[arg(value_enum, ignore_case = true)]
    method: Verb,

    /// Path, for example `identities` or `identities/uI2Rn3.8h`
    path: String,

    /// Filter for the entries of a list; for GET only
    filter: Option<String>,

    /// Query parameter; may be given several times
    #[arg(long = "query", value_name = "NAME=VALUE", value_parser = target::parameter)]
    parameters: Vec<(String, String)>,

    /// JSON to send: the text itself, `@FILE`, or `@-` for the standard input
    #[arg(long, value_name = "JSON|@FILE|-")]
    body: Option<Source>,

    /// Use the client API instead of the management API
    #[arg(long)]
    client: bool,
}

/// The methods that controllers know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Verb {
    /// Show something
    #[value(name = "GET")]
    Get,
    /// Create something, or perform an action
    #[value(name = "POST")]
    Post,
    /// Replace something
    #[value(name = "PUT")]
    Put,
    /// Change parts of something
    #[value(name = "PATCH")]
    Patch,
    /// Delete something
    #[value(name = "DELETE")]
    Delete,
}

impl From<Verb> for Method {
    fn from(verb: Verb) -> Self {
        match verb {
            Verb::Get => Self::GET,
            Verb::Post => Self::POST,
            Verb::Put => Self::PUT,
            Verb::Patch => Self::PATCH,
            Verb::Delete => Self::DELETE,
        }
    }
}

impl ApiArgs {
    pub(crate) fn check(&self) -> Result<(), CliError> {
        if self.method == Verb::Get && self.body.is_some() {
            return Err(CliError::usage("GET takes no body"));
        }
        if self.method != Verb::Get && self.filter.is_some() {
            return Err(
                CliError::usage("only GET takes a filter").hint("send data with `--body JSON`")
            );
        }
        self.target().map(drop)
    }

    /// Where the request goes, with all parameters.
    fn target(&self) -> Result<Target, CliError> {
        let mut target = Target::parse(&self.path, self.client)?;
        target.add(self.parameters.iter().cloned());
        if let Some(filter) = &self.filter {
            if target.has("filter") {
                return Err(CliError::usage("the filter is given twice")
                    .hint("give it once: after the path, or with --query"));
            }
            target.add([("filter".to_owned(), filter.clone())]);
        }
        Ok(target)
    }
}

pub(crate) async fn run(
    context: &Context,
    session: &Session,
    arguments: ApiArgs,
) -> Result<(), CliError> {
    let endpoint = arguments.target()?.endpoint()?;
    let body = match &arguments.body {
        Some(source) => source.read()?,
        None => Body::none(),
    };
    let method = arguments.method.into();
    let reply = session.client.send(method, &endpoint, body).await?;
    let reply = reply.into_success().map_err(ClientError::Refused)?;
    answer::show(context.output, &reply)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        api: ApiArgs,
    }

    fn parse(words: &[&str]) -> Result<ApiArgs, String> {
        let words = std::iter::once("api").chain(words.iter().copied());
        let line = Line::try_parse_from(words).map_err(|error| error.to_string())?;
        line.api.check().map_err(|error| error.message())?;
        Ok(line.api)
    }

    #[test]
    fn requests_are_put_together() {
        for (words, sent) in [
            (
                &["GET", "identities", "name=\"x\""][..],
                "/edge/management/v1/identities?filter=name%3D%22x%22",
            ),
            (
                &[
                    "get",
                    "/identities/",
                    "--query",
                    "limit=1",
                    "--query",
                    "a=b=c",
                ],
                "/edge/management/v1/identities?limit=1&a=b%3Dc",
            ),
            (
                &["Delete", "identities/a.b", "--client"],
                "/edge/client/v1/identities/a.b",
            ),
            (
                &["GET", "x?limit=2", "true"],
                "/edge/management/v1/x?limit=2&filter=true",
            ),
        ] {
            let endpoint = parse(words).unwrap().target().unwrap().endpoint();
            assert_eq!(endpoint.unwrap().to_string(), sent, "{words:?}");
        }
    }

    #[test]
    fn requests_without_sense_are_refused() {
        for words in [
            &["FETCH", "identities"][..],
            &["GET"],
            &["GET", "x", "--body", "{}"],
            &["POST", "x", "true"],
            &["GET", "x", "true", "--query", "filter=false"],
            &["GET", "x?filter=a", "true"],
            &["GET", "x", "--query", "limit"],
            &["GET", "x", "--query", "=1"],
        ] {
            assert!(parse(words).is_err(), "{words:?}");
        }
    }
}
