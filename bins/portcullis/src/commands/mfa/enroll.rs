//! `portcullis mfa enroll`.

use super::app_setup::{AppSetup, SetupDisplay};
use super::save::{self, SaveArgs};
use super::{finish, own_enrollment};
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::files::PrivateFile;
use crate::mfa_code::{AcceptedCodes, CodeArgs, CodeSource};
use crate::terminal;
use crate::{invocation, output};
use clap::Args;
use portcullis_api::mfa::MfaDetail;
use portcullis_client::Client;
use secrecy::ExposeSecret as _;
use serde_json::json;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Shows a QR code and a secret for an authenticator app, prompts for the first code of the app, and
then shows the recovery codes. You are enrolled once the first code is accepted. Until then,
continue the enrollment with this command or `mfa verify`, or cancel it with `mfa remove`.

Without a terminal or a code, the enrollment is only started. Scripts take the secret from the JSON
output and finish with `mfa verify`.

Examples:
  portcullis mfa enroll
  portcullis mfa enroll --save-codes recovery-codes.txt
  portcullis mfa enroll --no-qr --qr code.png      # the QR code as an image instead
  portcullis mfa enroll --output json < /dev/null | jq -r .secret";

/// Arguments of `mfa enroll`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct EnrollArgs {
    /// Do not draw the QR code
    #[arg(long)]
    no_qr: bool,

    /// Write the QR code to a new PNG file that only you can read
    #[arg(long, value_name = "FILE", group = "files", value_parser = save::parse_file)]
    qr: Option<PathBuf>,

    /// Also show the URL in the QR code
    #[arg(long)]
    show_url: bool,

    #[command(flatten)]
    code: CodeArgs,

    #[command(flatten)]
    save: SaveArgs,
}

impl EnrollArgs {
    fn style(&self, is_drawn: bool) -> SetupDisplay {
        SetupDisplay {
            has_qr: is_drawn && !self.no_qr,
            has_url: self.show_url,
        }
    }

    /// Prepares the file for the QR code.
    fn prepare_qr_file(&self) -> Result<Option<(PrivateFile, &Path)>, CliError> {
        let Some(path) = self.qr.as_deref() else {
            return Ok(None);
        };
        Ok(Some((
            PrivateFile::prepare(path, self.save.existing())?,
            path,
        )))
    }

    /// Validates that the enrollment can proceed.
    fn validate(&self, codes: &CodeSource, found: Option<&MfaDetail>) -> Result<(), CliError> {
        if found.is_some_and(|found| found.is_verified) {
            return Err(own_enrollment::already_enrolled());
        }
        if found.is_none() && !codes.is_prompt() {
            return Err(CliError::failed(
                "no enrollment was started, so there is nothing to verify",
            )
            .hint("run `portcullis mfa enroll` without a code and without PORTCULLIS_CODE first"));
        }
        if self.save.is_wanted() && !codes.is_available() {
            return Err(CliError::usage(
                "recovery codes can only be saved once the first code is accepted, and there is no \
                 terminal to prompt for it",
            )
            .hint("use `--save-codes` with `portcullis mfa verify` instead"));
        }
        Ok(())
    }
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: EnrollArgs,
) -> Result<(), CliError> {
    let client = &session.client;
    let codes = arguments.code.source(AcceptedCodes::Totp)?;
    let found = own_enrollment::find(client).await?;
    arguments.validate(&codes, found.as_ref())?;
    let destination = arguments.save.prepare()?;
    let picture = arguments.prepare_qr_file()?;
    let started = start_or_resume(client, found).await?;
    let set_up = AppSetup::from_detail(&started)?;
    if let Some((file, path)) = picture {
        file.finish(&client.own_mfa_qr_code().await?)?;
        output::note(&format!(
            "The QR code is in {}. It contains the secret.",
            path.display()
        ));
    }
    if !codes.is_available() {
        return show_started(context, &set_up, &arguments);
    }
    if codes.is_prompt() {
        output::note(&set_up.render(arguments.style(true)));
    }
    finish::run(context, session, &started, &codes, destination).await
}

/// Resumes a started enrollment, or starts a new one.
async fn start_or_resume(client: &Client, found: Option<MfaDetail>) -> Result<MfaDetail, CliError> {
    if let Some(found) = found {
        output::note("Continuing the enrollment that was started before.");
        return Ok(found);
    }
    client.start_own_mfa().await?;
    Ok(client.own_mfa().await?)
}

/// Shows the setup data to a user who will finish with another command.
fn show_started(
    context: &Context,
    set_up: &AppSetup,
    arguments: &EnrollArgs,
) -> Result<(), CliError> {
    let next = "Started but not finished: run `portcullis mfa verify` with the first code.";
    if context.output.is_machine_readable() {
        output::note(next);
        return context.output.write_document(&json!({
            "state": "started",
            "secret": set_up.secret().expose_secret(),
            "provisioningUrl": set_up.url().expose_secret(),
        }));
    }
    let style = arguments.style(io::stdout().is_terminal());
    let text = set_up.render(style);
    output::write(&format!(
        "{}\n{}\n",
        terminal::escape_control_characters(&text),
        invocation::repeat_options(next)
    ))
}
