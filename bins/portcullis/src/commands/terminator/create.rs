//! `portcullis terminator create`.

use super::args::TerminatorArgs;
use crate::commands::entities;
use crate::commands::tags::NewTagsArgs;
use crate::commands::verb::Verb;
use crate::completion::Values;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::resolve;
use crate::secret_source;
use clap::Args;
use portcullis_api::service::ServiceDetail;
use portcullis_api::terminator::{TerminatorCreate, TerminatorDetail, TerminatorUpdate};
use portcullis_api::transit_router::TransitRouterDetail;
use portcullis_domain::identity::Precedence;
use portcullis_domain::ids::{RouterId, ServiceId};
use secrecy::ExposeSecret as _;
use std::path::PathBuf;

/// Default binding, which connects circuits to an address.
const DEFAULT_BINDING: &str = "edge_transport";

const EXAMPLES: &str = "\
Examples:
  portcullis terminator create wiki r1 tcp:localhost:8080
  portcullis terminator create wiki r2 tcp:localhost:8080 --cost 100 --precedence failed
  portcullis terminator create chat r1 tcp:localhost:9000 --identity room-1 --identity-secret-file room-1.secret";

/// Create a terminator
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct CreateArgs {
    /// Id or name of the service
    #[arg(add = Values::one::<ServiceDetail>())]
    service: String,

    /// Id or name of the router that connects to the service
    #[arg(add = Values::one::<TransitRouterDetail>())]
    router: String,

    /// Address that the router connects to, such as `tcp:localhost:8080`
    #[arg(value_parser = crate::text::parse_non_blank)]
    address: String,

    #[command(flatten)]
    members: TerminatorArgs,

    /// Instance of the service, for clients that dial a specific one
    #[arg(long, value_name = "INSTANCE")]
    identity: Option<String>,

    /// Read what all terminators of the instance have to share from the first line of a file, or standard
    /// input for `-`
    #[arg(long, value_name = "FILE", requires = "identity")]
    identity_secret_file: Option<PathBuf>,

    #[command(flatten)]
    tags: NewTagsArgs,
}

impl CreateArgs {
    fn body(self, service: ServiceId, router: RouterId) -> Result<TerminatorCreate, CliError> {
        let members = self.members;
        let precedence = members.precedence.map(Precedence::from);
        let secret_file = self.identity_secret_file.as_deref();
        let secret = secret_source::read_from_args(None, secret_file, "secret")?;
        Ok(TerminatorCreate {
            replace: TerminatorUpdate {
                address: self.address,
                binding: members
                    .binding
                    .unwrap_or_else(|| DEFAULT_BINDING.to_owned()),
                cost: members.cost.unwrap_or_default(),
                precedence: precedence.unwrap_or_default(),
                router,
                service,
                tags: self.tags.to_tags(),
            },
            identity: self.identity.unwrap_or_default(),
            identity_secret: secret.map(|secret| secret.expose_secret().as_bytes().to_vec().into()),
        })
    }
}

impl Verb for CreateArgs {
    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let client = &session.client;
        let service: ServiceDetail = resolve::by_id_or_name(client, &self.service).await?;
        let router: TransitRouterDetail = resolve::by_id_or_name(client, &self.router)
            .await
            .map_err(|error| {
                error.hint("edge routers are listed by `portcullis edge-router list`")
            })?;
        let body = self.body(service.base.id, router.base.id)?;
        entities::create::<TerminatorDetail>(context, session, &body).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use serde_json::json;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        create: CreateArgs,
    }

    fn parse(line: &str) -> Result<CreateArgs, clap::Error> {
        let words = std::iter::once("create").chain(line.split_whitespace());
        Line::try_parse_from(words).map(|line| line.create)
    }

    #[test]
    fn new_terminator_is_bound_to_clients() {
        let body = |line: &str| {
            let ids = (ServiceId::from_wire("s1"), RouterId::from_wire("r1"));
            let body = parse(line).unwrap().body(ids.0, ids.1).unwrap();
            serde_json::to_value(body).unwrap()
        };
        assert_eq!(
            body("wiki r1 tcp:a:1"),
            json!({"address": "tcp:a:1", "binding": "edge_transport", "cost": 0, "identity": "",
                "precedence": "default", "router": "r1", "service": "s1", "tags": {}})
        );
        let given = body("w r udp:a:1 --binding udp -c 5 -p Required --identity one");
        assert_eq!(given["binding"], "udp");
        assert_eq!(
            (&given["cost"], &given["precedence"]),
            (&json!(5), &json!("required"))
        );
        assert_eq!(given["identity"], "one");
        for line in [
            "wiki r1",
            "wiki r1 a -c 65536",
            "wiki r1 a -p best",
            "wiki r1 a --identity-secret-file f",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
