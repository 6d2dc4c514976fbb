//! `portcullis posture-check update`.

use super::domain::DomainArgs;
use super::mac::MacArgs;
use super::mfa::MfaArgs;
use super::os::OsArgs;
use super::process::{ProcessArgs, ProcessMultiArgs};
use super::question::{Question, word};
use crate::commands::attributes::AttributesArgs;
use crate::commands::entities::{self, NamedArgs, NewNameArgs};
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::resolve;
use clap::{Args, Subcommand};
use portcullis_api::posture_check::{PostureCheckDetail, PostureCheckMerge};

/// Which type of posture checks to change.
#[derive(Debug, Subcommand)]
pub(crate) enum UpdateCommand {
    /// Change a check of the operating system
    #[command(after_long_help = OsArgs::UPDATE)]
    Os(UpdateArgs<OsArgs>),
    /// Change a check of network cards
    #[command(after_long_help = MacArgs::UPDATE)]
    Mac(UpdateArgs<MacArgs>),
    /// Change a check of the Windows domain
    #[command(after_long_help = DomainArgs::UPDATE)]
    Domain(UpdateArgs<DomainArgs>),
    /// Change a check of a process
    #[command(after_long_help = ProcessArgs::UPDATE)]
    Process(UpdateArgs<ProcessArgs>),
    /// Change a check of several processes
    #[command(after_long_help = ProcessMultiArgs::UPDATE)]
    ProcessMulti(UpdateArgs<ProcessMultiArgs>),
    /// Change a check of codes of an authenticator app (TOTP)
    #[command(after_long_help = MfaArgs::UPDATE)]
    Mfa(UpdateArgs<MfaArgs>),
}

/// Arguments of `posture-check update` for a type.
#[derive(Debug, Args)]
pub(crate) struct UpdateArgs<Q: Question> {
    #[command(flatten)]
    chosen: NamedArgs,

    #[command(flatten)]
    name: NewNameArgs,

    #[command(flatten)]
    attributes: AttributesArgs,

    #[command(flatten)]
    question: Q,
}

impl UpdateCommand {
    /// Refuses arguments that make no sense together.
    pub(super) fn check(&self) -> Result<(), CliError> {
        self.change().map(drop)
    }

    /// Which check is meant, and what is to change about it.
    pub(super) fn change(&self) -> Result<(&NamedArgs, PostureCheckMerge), CliError> {
        match self {
            Self::Os(arguments) => arguments.change(),
            Self::Mac(arguments) => arguments.change(),
            Self::Domain(arguments) => arguments.change(),
            Self::Process(arguments) => arguments.change(),
            Self::ProcessMulti(arguments) => arguments.change(),
            Self::Mfa(arguments) => arguments.change(),
        }
    }
}

impl<Q: Question> UpdateArgs<Q> {
    fn change(&self) -> Result<(&NamedArgs, PostureCheckMerge), CliError> {
        let is_nothing = self.name == NewNameArgs::default()
            && self.attributes == AttributesArgs::default()
            && self.question == Q::default();
        entities::refuse_nothing::<PostureCheckDetail>(is_nothing)?;
        let change = PostureCheckMerge {
            name: self.name.new_name.clone(),
            role_attributes: self.attributes.read()?,
            tags: None,
            check: self.question.change()?,
        };
        Ok((&self.chosen, change))
    }
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    command: &UpdateCommand,
) -> Result<(), CliError> {
    let (chosen, change) = command.change()?;
    let client = &session.client;
    let found: PostureCheckDetail = resolve::one(client, &chosen.text).await?;
    let kind = word(found.check.kind());
    if found.check.kind() != change.check.kind() {
        let name = &found.name;
        let asked = word(change.check.kind());
        return Err(CliError::failed(format!(
            "`{name}` is a check of the type {kind}, not {asked}"
        ))
        .hint(format!(
            "run `portcullis posture-check update {kind} {name}`"
        )));
    }
    client
        .patch_entity::<PostureCheckDetail>(&found.base.id, &change)
        .await?;
    let changed: PostureCheckDetail = client.entity(&found.base.id).await?;
    entities::write(context, &changed)
}
