//! `portcullis policy-advisor`.

mod gather;
mod pair;
mod problem;
mod sweep;
mod verdict;

use crate::context::{Context, Session};
use crate::error::CliError;
use crate::resolve;
use clap::{Args, Subcommand};
use portcullis_api::identity::IdentityDetail;
use portcullis_api::service::ServiceDetail;
use sweep::{Side, Sweep};

/// Shown below the help of `policy-advisor`.
pub(crate) const EXAMPLES: &str = "\
To use a service, an identity needs a service policy that lets it dial or bind, and an edge router
that is online and that both may use: the identity by an edge-router policy, the service by a
service-edge-router policy. The advisor says what of this is missing.

Examples:
  portcullis policy-advisor identities anna wiki        why can anna not reach the wiki?
  portcullis policy-advisor identities anna             everything that anna may use
  portcullis policy-advisor services --quiet            everything that is wrong";

const OF_IDENTITIES: &str = "\
With an identity and a service, it shows everything that matters between them. Without, each
service that an identity may use gets a line, and so does each identity that may use none.

Examples:
  portcullis policy-advisor identities anna wiki
  portcullis policy-advisor identities anna
  portcullis policy-advisor identities --quiet --limit 10000";

const OF_SERVICES: &str = "\
With a service and an identity, it shows everything that matters between them. Without, each
identity that may use a service gets a line, and so does each service that nobody may use.

Examples:
  portcullis policy-advisor services wiki anna
  portcullis policy-advisor services wiki --output json
  portcullis policy-advisor services --quiet";

/// From which side to look.
#[derive(Debug, Subcommand)]
pub(crate) enum PolicyAdvisorCommand {
    /// Tell which services identities can use, and why not
    #[command(visible_alias = "identity", after_long_help = OF_IDENTITIES)]
    Identities(IdentitiesArgs),
    /// Tell which identities can use services, and why not
    #[command(visible_alias = "service", after_long_help = OF_SERVICES)]
    Services(ServicesArgs),
}

/// Arguments of `policy-advisor identities`.
#[derive(Debug, Args)]
pub(crate) struct IdentitiesArgs {
    /// Id or name of the identity; all if left out
    identity: Option<String>,

    /// Id or name of the service; all that the identity may use if left out
    service: Option<String>,

    #[command(flatten)]
    extent: ExtentArgs,
}

/// Arguments of `policy-advisor services`.
#[derive(Debug, Args)]
pub(crate) struct ServicesArgs {
    /// Id or name of the service; all if left out
    service: Option<String>,

    /// Id or name of the identity; all that may use the service if left out
    identity: Option<String>,

    #[command(flatten)]
    extent: ExtentArgs,
}

/// How much is wanted.
#[derive(Debug, Clone, Copy, Args)]
struct ExtentArgs {
    /// Show only what does not work
    #[arg(short, long)]
    quiet: bool,

    /// Check at most this many pairs of an identity and a service
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 1000,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    limit: u32,
}

/// Who and what is asked about.
struct Question {
    identity: Option<IdentityDetail>,
    service: Option<ServiceDetail>,
}

pub(crate) async fn run(
    context: &Context,
    session: &Session,
    command: PolicyAdvisorCommand,
) -> Result<(), CliError> {
    let (from, identity, service, extent) = match command {
        PolicyAdvisorCommand::Identities(arguments) => {
            let IdentitiesArgs {
                identity,
                service,
                extent,
            } = arguments;
            (Side::Identities, identity, service, extent)
        },
        PolicyAdvisorCommand::Services(arguments) => {
            let ServicesArgs {
                service,
                identity,
                extent,
            } = arguments;
            (Side::Services, identity, service, extent)
        },
    };
    let question = Question::resolve(session, identity, service).await?;
    answer(context, session, from, question, extent).await
}

impl Question {
    async fn resolve(
        session: &Session,
        identity: Option<String>,
        service: Option<String>,
    ) -> Result<Self, CliError> {
        let client = &session.client;
        Ok(Self {
            identity: match identity {
                Some(text) => Some(resolve::one(client, &text).await?),
                None => None,
            },
            service: match service {
                Some(text) => Some(resolve::one(client, &text).await?),
                None => None,
            },
        })
    }
}

async fn answer(
    context: &Context,
    session: &Session,
    from: Side,
    question: Question,
    extent: ExtentArgs,
) -> Result<(), CliError> {
    let mut sweep = Sweep::new(&session.client, extent);
    match (question.identity, question.service) {
        (Some(identity), Some(service)) => {
            return pair::run(context, session, &identity, &service, extent.quiet).await;
        },
        (Some(identity), None) => sweep.identity(&identity).await?,
        (None, Some(service)) => sweep.service(&service).await?,
        (None, None) => sweep.all(from).await?,
    }
    sweep.finish(context)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(subcommand)]
        command: PolicyAdvisorCommand,
    }

    fn parse(line: &str) -> Result<PolicyAdvisorCommand, clap::Error> {
        let words = std::iter::once("x").chain(line.split_whitespace());
        Line::try_parse_from(words).map(|line| line.command)
    }

    #[test]
    fn sides_are_named_in_the_order_of_the_question() {
        let PolicyAdvisorCommand::Identities(asked) = parse("identities anna wiki -q").unwrap()
        else {
            panic!("identities were asked about");
        };
        assert_eq!(asked.identity.as_deref(), Some("anna"));
        assert_eq!(asked.service.as_deref(), Some("wiki"));
        assert!(asked.extent.quiet && asked.extent.limit == 1000);
        let PolicyAdvisorCommand::Services(asked) = parse("services wiki anna").unwrap() else {
            panic!("services were asked about");
        };
        assert_eq!(asked.identity.as_deref(), Some("anna"));
        assert_eq!(asked.service.as_deref(), Some("wiki"));
        for line in ["", "identities a b c", "services --limit 0"] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
