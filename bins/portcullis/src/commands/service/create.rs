//! `portcullis service create`.

use super::args::ServiceArgs;
use crate::commands::entities;
use crate::commands::tags::NewTagsArgs;
use crate::commands::verb::Verb;
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Args;
use portcullis_api::service::{ServiceCreate, ServiceDetail, ServicePatch};

const EXAMPLES: &str = "\
No identity can use a new service until a service policy allows it.

Examples:
  portcullis service create wiki
  portcullis service create wiki -a intranet,berlin --configs wiki-host,wiki-intercept
  portcullis service create cache --encryption false --terminator-strategy random \\
      --max-idle-time 5m";

/// Create a service
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct CreateArgs {
    /// Name of the service; must be unique
    name: String,

    #[command(flatten)]
    members: ServiceArgs,

    #[command(flatten)]
    tags: NewTagsArgs,
}

impl Verb for CreateArgs {
    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let members = ServicePatch {
            tags: Some(self.tags.to_tags()),
            ..self.members.to_patch(&session.client, None).await?
        };
        let body = to_create(self.name, members);
        entities::create::<ServiceDetail>(context, session, &body).await
    }
}

/// Builds the request, with defaults.
fn to_create(name: String, members: ServicePatch) -> ServiceCreate {
    ServiceCreate {
        configs: members.configs.unwrap_or_default(),
        encryption_required: members.encryption_required.unwrap_or(true),
        max_idle_time_millis: members.max_idle_time_millis.unwrap_or_default(),
        name,
        role_attributes: members.role_attributes.unwrap_or_default(),
        tags: members.tags.unwrap_or_default(),
        terminator_strategy: members.terminator_strategy,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_service_demands_encryption() {
        let service = to_create("wiki".to_owned(), ServicePatch::default());
        assert!(service.encryption_required && service.terminator_strategy.is_none());
        let open = ServicePatch {
            encryption_required: Some(false),
            ..ServicePatch::default()
        };
        assert!(!to_create("wiki".to_owned(), open).encryption_required);
    }
}
