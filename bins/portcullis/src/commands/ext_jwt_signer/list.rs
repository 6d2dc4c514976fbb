//! `portcullis ext-jwt-signer list`.

use crate::commands::columns::ColumnArgs;
use crate::commands::entity_command::Noun as _;
use crate::commands::fields;
use crate::commands::listing::Listing;
use crate::commands::pagination::PageArgs;
use crate::commands::search::SearchArgs;
use crate::commands::verb::Verb;
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Args;
use portcullis_api::external_jwt_signer::{ClientExternalJwtSignerDetail, ExternalJwtSignerDetail};

#[derive(Debug, Args)]
#[command(about = ExternalJwtSignerDetail::LIST.about, after_long_help = fields::list_footer::<ExternalJwtSignerDetail>(ExternalJwtSignerDetail::LIST.examples))]
pub(crate) struct ListArgs {
    #[command(flatten)]
    search: SearchArgs<ExternalJwtSignerDetail>,

    #[command(flatten)]
    page: PageArgs,

    #[command(flatten)]
    columns: ColumnArgs<ExternalJwtSignerDetail>,

    /// List the enabled signers, as clients see them before logging in
    #[arg(long)]
    public: bool,
}

impl Verb for ListArgs {
    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let (query, extent) = self.page.query();
        let listing = Listing {
            query: self.search.apply(&session.client, query).await?,
            extent,
            columns: self.columns.choice(),
        };
        let client = &session.client;
        if self.public {
            listing
                .run::<ClientExternalJwtSignerDetail>(context, client)
                .await
        } else {
            listing
                .run::<ExternalJwtSignerDetail>(context, client)
                .await
        }
    }
}
