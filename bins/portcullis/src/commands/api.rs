//! `portcullis api`.

mod body;
mod request_target;
mod response;

use crate::commands::verb::Verb;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use body::BodySource;
use clap::{Args, ValueEnum};
use portcullis_client::{Body, ClientError, Method};
use request_target::RequestTarget;

const EXAMPLES: &str = "\
Paths are relative to the management API, or to the client API with --client, or whole: they start
with /edge/management/v1, /edge/client/v1 or /fabric/v1, as links in responses do. The response is
printed unchanged with `--output json`, and formatted otherwise.

Examples:
  portcullis api GET identities 'name contains \"lap\" limit 5'
  portcullis api GET identity-types --query limit=1
  portcullis api GET /edge/client/v1/version
  portcullis api GET /fabric/v1/links
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
    method: HttpMethod,

    /// Path, for example `identities` or `identities/uI2Rn3.8h`
    path: String,

    /// List filter; for GET only
    filter: Option<String>,

    /// Query parameter; can be repeated
    #[arg(long = "query", value_name = "NAME=VALUE", value_parser = request_target::parse_parameter)]
    parameters: Vec<(String, String)>,

    /// JSON body: the text itself, `@FILE`, or `-` for standard input
    #[arg(long, value_name = "JSON|@FILE|-")]
    body: Option<BodySource>,

    /// Use the client API instead of the management API
    #[arg(long)]
    client: bool,
}

/// HTTP methods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum HttpMethod {
    /// Read
    #[value(name = "GET")]
    Get,
    /// Create, or perform an action
    #[value(name = "POST")]
    Post,
    /// Replace
    #[value(name = "PUT")]
    Put,
    /// Update
    #[value(name = "PATCH")]
    Patch,
    /// Delete
    #[value(name = "DELETE")]
    Delete,
}

impl From<HttpMethod> for Method {
    fn from(verb: HttpMethod) -> Self {
        match verb {
            HttpMethod::Get => Self::GET,
            HttpMethod::Post => Self::POST,
            HttpMethod::Put => Self::PUT,
            HttpMethod::Patch => Self::PATCH,
            HttpMethod::Delete => Self::DELETE,
        }
    }
}

impl ApiArgs {
    /// The path with all query parameters.
    fn target_url(&self) -> Result<RequestTarget, CliError> {
        let mut target = RequestTarget::parse(&self.path, self.client)?;
        target.add_parameters(self.parameters.iter().cloned());
        if let Some(filter) = &self.filter {
            if target.has_parameter("filter") {
                return Err(CliError::usage("the filter was given twice")
                    .hint("give it either after the path or with `--query`"));
            }
            target.add_parameters([("filter".to_owned(), filter.clone())]);
        }
        Ok(target)
    }
}

impl Verb for ApiArgs {
    fn check(&self, _output: Output) -> Result<(), CliError> {
        if self.method == HttpMethod::Get && self.body.is_some() {
            return Err(CliError::usage("GET requests cannot have a body"));
        }
        if self.method != HttpMethod::Get && self.filter.is_some() {
            return Err(CliError::usage("only GET requests can have a filter")
                .hint("send data with `--body JSON`"));
        }
        self.target_url().map(drop)
    }

    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let endpoint = self.target_url()?.into_endpoint()?;
        let body = match &self.body {
            Some(source) => source.read()?,
            None => Body::empty(),
        };
        let method = self.method.into();
        let reply = session.client.send(method, &endpoint, body).await?;
        let reply = reply.into_success().map_err(ClientError::Refused)?;
        response::print_response(context.output, &reply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Format;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        api: ApiArgs,
    }

    fn parse(words: &[&str]) -> Result<ApiArgs, String> {
        let words = std::iter::once("api").chain(words.iter().copied());
        let line = Line::try_parse_from(words).map_err(|error| error.to_string())?;
        line.api
            .check(Output::new(Format::Table))
            .map_err(|error| error.message())?;
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
            let endpoint = parse(words).unwrap().target_url().unwrap().into_endpoint();
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
