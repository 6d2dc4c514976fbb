//! `portcullis policy-advisor`.

mod assessment;
mod paging;
mod pair;
mod posture;
mod problem;
mod scan;

use crate::commands::columns::ColumnArgs;
use crate::commands::verb::Verb;
use crate::completion::Values;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::resolve;
use crate::table_layout::TableChoice;
use assessment::Assessment;
use clap::{Args, Subcommand};
use portcullis_api::identity::IdentityDetail;
use portcullis_api::service::ServiceDetail;
use scan::{AdvisorScan, Direction};

/// Help footer of `policy-advisor`.
pub(crate) const EXAMPLES: &str = "\
To use a service, an identity needs a service policy that lets it dial or bind, and an online edge
router that both may use: the identity by an edge-router policy, the service by a
service-edge-router policy. The advisor shows what is missing. For an identity and a service, it
also names the posture checks that sessions have to pass.

Examples:
  portcullis policy-advisor identities anna wiki        # why can anna not reach the wiki?
  portcullis policy-advisor identities anna             # all services that anna may use
  portcullis policy-advisor services --quiet            # everything that does not work";

const IDENTITIES_EXAMPLES: &str = "\
With an identity and a service, this shows the details for the pair. Otherwise it lists each service
that an identity may use, and each identity that may use none.

Examples:
  portcullis policy-advisor identities anna wiki
  portcullis policy-advisor identities anna
  portcullis policy-advisor identities --quiet --limit 10000";

const SERVICES_EXAMPLES: &str = "\
With a service and an identity, this shows the details for the pair. Otherwise it lists each
identity that may use a service, and each service that nobody may use.

Examples:
  portcullis policy-advisor services wiki anna
  portcullis policy-advisor services wiki --output json
  portcullis policy-advisor services --quiet";

/// Subcommands for the policy advisor.
#[derive(Debug, Subcommand)]
pub(crate) enum PolicyAdvisorCommand {
    /// Explain which services identities can use, and why not
    #[command(visible_alias = "identity", after_long_help = IDENTITIES_EXAMPLES)]
    Identities(IdentitiesArgs),
    /// Explain which identities can use services, and why not
    #[command(visible_alias = "service", after_long_help = SERVICES_EXAMPLES)]
    Services(ServicesArgs),
}

/// Arguments of `policy-advisor identities`.
#[derive(Debug, Args)]
pub(crate) struct IdentitiesArgs {
    /// Id or name of the identity (default: all)
    #[arg(add = Values::one::<IdentityDetail>())]
    identity: Option<String>,

    /// Id or name of the service (default: all that the identity may use)
    #[arg(add = Values::one::<ServiceDetail>())]
    service: Option<String>,

    #[command(flatten)]
    extent: ScanArgs,

    #[command(flatten)]
    columns: ColumnArgs<Assessment>,
}

/// Arguments of `policy-advisor services`.
#[derive(Debug, Args)]
pub(crate) struct ServicesArgs {
    /// Id or name of the service (default: all)
    #[arg(add = Values::one::<ServiceDetail>())]
    service: Option<String>,

    /// Id or name of the identity (default: all that may use the service)
    #[arg(add = Values::one::<IdentityDetail>())]
    identity: Option<String>,

    #[command(flatten)]
    extent: ScanArgs,

    #[command(flatten)]
    columns: ColumnArgs<Assessment>,
}

/// Extent of a scan.
#[derive(Debug, Clone, Copy, Args)]
struct ScanArgs {
    /// Show only what does not work
    #[arg(short, long)]
    quiet: bool,

    /// Maximum number of identity-service pairs to check
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 1000,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    limit: u32,
}

/// Identity and service to check.
struct AdvisorQuery {
    identity: Option<IdentityDetail>,
    service: Option<ServiceDetail>,
}

impl Verb for PolicyAdvisorCommand {
    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let (from, identity, service, extent, columns) = match self {
            Self::Identities(arguments) => {
                let IdentitiesArgs {
                    identity,
                    service,
                    extent,
                    columns,
                } = arguments;
                (Direction::Identities, identity, service, extent, columns)
            },
            Self::Services(arguments) => {
                let ServicesArgs {
                    service,
                    identity,
                    extent,
                    columns,
                } = arguments;
                (Direction::Services, identity, service, extent, columns)
            },
        };
        let question = AdvisorQuery::resolve(session, identity, service).await?;
        let columns = columns.choice();
        run_query(context, session, from, question, extent, &columns).await
    }
}

impl AdvisorQuery {
    async fn resolve(
        session: &Session,
        identity: Option<String>,
        service: Option<String>,
    ) -> Result<Self, CliError> {
        let client = &session.client;
        Ok(Self {
            identity: match identity {
                Some(text) => Some(resolve::by_id_or_name(client, &text).await?),
                None => None,
            },
            service: match service {
                Some(text) => Some(resolve::by_id_or_name(client, &text).await?),
                None => None,
            },
        })
    }
}

async fn run_query(
    context: &Context,
    session: &Session,
    from: Direction,
    question: AdvisorQuery,
    extent: ScanArgs,
    columns: &TableChoice,
) -> Result<(), CliError> {
    let mut sweep = AdvisorScan::new(&session.client, extent);
    match (question.identity, question.service) {
        (Some(identity), Some(service)) => {
            return pair::run(context, session, &identity, &service, extent.quiet).await;
        },
        (Some(identity), None) => sweep.scan_identity(&identity).await?,
        (None, Some(service)) => sweep.scan_service(&service).await?,
        (None, None) => sweep.scan_all(from).await?,
    }
    sweep.finish(context, from, columns)
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
