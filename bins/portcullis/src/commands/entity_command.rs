//! The command of a kind of entity.

use crate::commands::columns::ColumnArgs;
use crate::commands::deletion::{self, DeletionArgs, DeletionTargets};
use crate::commands::entities;
use crate::commands::fields;
use crate::commands::listing::Listing;
use crate::commands::pagination::PageArgs;
use crate::commands::search::SearchArgs;
use crate::commands::verb::Verb;
use crate::completion::Values;
use crate::context::{Context, Session};
use crate::entity::Entity;
use crate::error::CliError;
use crate::output::Output;
use clap::{Args, Subcommand};
use portcullis_client::{Client, ListQuery};
use std::fmt::Debug;
use std::marker::PhantomData;

/// Help of a verb.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VerbHelp {
    pub(crate) about: &'static str,
    /// Help footer.
    pub(crate) examples: &'static str,
}

/// A positional argument.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Positional {
    /// Name in completion scripts.
    pub(crate) id: &'static str,
    pub(crate) value_name: &'static str,
    pub(crate) help: &'static str,
}

/// A kind of entity that users list and show.
pub(crate) trait Noun: Entity {
    const LIST: VerbHelp;
    const SHOW: VerbHelp;
    /// The argument that refers to one.
    const REFERENCE: Positional = Positional {
        id: "text",
        value_name: "NAME",
        help: "Id or name, as shown by `list`",
    };
}

/// A kind of entity that users delete.
pub(crate) trait Deletable: Noun {
    const DELETE: VerbHelp;
    /// The argument that refers to several.
    const TARGETS: Positional = Positional {
        id: "names",
        value_name: "NAME",
        help: "Ids or names, as shown by `list`",
    };
}

/// A kind of entity with the usual verbs.
pub(crate) trait UsualVerbs: Deletable {
    type Create: Verb + Args + Debug;
    type List: Verb + Args + Debug;
    type Show: Verb + Args + Debug;
    type Update: Verb + Args + Debug;
    type Delete: Verb + Args + Debug;
    /// Further verbs; their display order is relative to [`EntityCommand`].
    type Other: Verb + Subcommand + Debug;
}

/// Subcommands for a kind of entity.
#[derive(Debug, Subcommand)]
pub(crate) enum EntityCommand<E: UsualVerbs> {
    #[command(display_order = 10)]
    Create(Box<E::Create>),
    #[command(display_order = 20, visible_alias = "ls")]
    List(E::List),
    #[command(display_order = 30, alias = "get")]
    Show(E::Show),
    #[command(display_order = 40)]
    Update(Box<E::Update>),
    #[command(display_order = 50, visible_alias = "rm")]
    Delete(E::Delete),
    #[command(flatten)]
    Other(E::Other),
}

impl<E: UsualVerbs> Verb for EntityCommand<E> {
    fn check(&self, output: Output) -> Result<(), CliError> {
        match self {
            Self::Create(verb) => verb.check(output),
            Self::List(verb) => verb.check(output),
            Self::Show(verb) => verb.check(output),
            Self::Update(verb) => verb.check(output),
            Self::Delete(verb) => verb.check(output),
            Self::Other(verb) => verb.check(output),
        }
    }

    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        match self {
            Self::Create(verb) => verb.run(context, session).await,
            Self::List(verb) => verb.run(context, session).await,
            Self::Show(verb) => verb.run(context, session).await,
            Self::Update(verb) => verb.run(context, session).await,
            Self::Delete(verb) => verb.run(context, session).await,
            Self::Other(verb) => verb.run(context, session).await,
        }
    }
}

/// Options that narrow a list.
pub(crate) trait ListFilter: Args {
    async fn apply(&self, client: &Client, query: ListQuery) -> Result<ListQuery, CliError>;
}

impl ListFilter for () {
    async fn apply(&self, _client: &Client, query: ListQuery) -> Result<ListQuery, CliError> {
        Ok(query)
    }
}

/// Arguments of `list`.
#[derive(Debug, Args)]
#[command(about = E::LIST.about, after_long_help = fields::list_footer::<E>(E::LIST.examples))]
pub(crate) struct ListArgs<E: Noun, F: ListFilter = ()> {
    #[command(flatten)]
    search: SearchArgs<E>,

    #[command(flatten)]
    page: PageArgs,

    #[command(flatten)]
    filter: F,

    #[command(flatten)]
    columns: ColumnArgs<E>,
}

impl<E: Noun, F: ListFilter> ListArgs<E, F> {
    /// What is listed, and how.
    pub(crate) async fn listing(self, client: &Client) -> Result<Listing, CliError> {
        let (query, extent) = self.page.query();
        let query = self.filter.apply(client, query).await?;
        Ok(Listing {
            query: self.search.apply(client, query).await?,
            extent,
            columns: self.columns.choice(),
        })
    }
}

impl<E: Noun, F: ListFilter> Verb for ListArgs<E, F> {
    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let client = &session.client;
        let listing = self.listing(client).await?;
        listing.run::<E>(context, client).await
    }
}

/// Arguments of `show`.
#[derive(Debug, Args)]
#[command(about = E::SHOW.about, after_long_help = E::SHOW.examples)]
pub(crate) struct ShowArgs<E: Noun> {
    #[arg(
        id = E::REFERENCE.id,
        value_name = E::REFERENCE.value_name,
        help = E::REFERENCE.help,
        add = Values::one::<E>()
    )]
    reference: String,

    #[arg(skip)]
    kind: PhantomData<fn() -> E>,
}

impl<E: Noun> Verb for ShowArgs<E> {
    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let found = E::find(&session.client, &self.reference).await?;
        entities::show_entity(context, &session.client, &found).await
    }
}

/// Arguments of `delete`.
#[derive(Debug, Args)]
#[command(about = E::DELETE.about, after_long_help = E::DELETE.examples)]
pub(crate) struct DeleteArgs<E: Deletable> {
    #[arg(
        id = E::TARGETS.id,
        required_unless_present = "filter",
        conflicts_with = "filter",
        value_name = E::TARGETS.value_name,
        help = E::TARGETS.help,
        add = Values::one::<E>()
    )]
    references: Vec<String>,

    #[command(flatten)]
    deletion: DeletionArgs,

    #[arg(skip)]
    kind: PhantomData<fn() -> E>,
}

impl<E: Deletable> Verb for DeleteArgs<E> {
    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let client = &session.client;
        let targets = match &self.deletion.filter {
            Some(filter) => {
                DeletionTargets::from_query::<E>(client, ListQuery::with_filter(filter)).await?
            },
            None => DeletionTargets::resolve::<E>(client, &self.references).await?,
        };
        deletion::run::<E>(context, session, targets, &self.deletion).await
    }
}
