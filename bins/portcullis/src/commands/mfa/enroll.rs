//! `portcullis mfa enroll`.

use super::save::{self, SaveArgs};
use super::set_up::{SetUp, Style};
use super::{finish, own};
use crate::code::{Accepted, CodeArgs, Codes};
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::files::PrivateFile;
use crate::output;
use clap::Args;
use portcullis_api::mfa::MfaDetail;
use portcullis_client::Client;
use secrecy::ExposeSecret as _;
use serde_json::json;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Shows a QR code and a secret for an authenticator app, asks for the first code of the app, and then
shows the recovery codes. Until the first code is accepted you are not enrolled: the enrollment can
be continued with this command or with `mfa verify`, or cancelled with `mfa remove`.

Without a terminal and without a code it is only started. A script takes the secret from the JSON
output, and finishes with `mfa verify`.

Examples:
  portcullis mfa enroll
  portcullis mfa enroll --save-codes recovery-codes.txt
  portcullis mfa enroll --no-qr --qr code.png      the QR code as a picture instead
  portcullis mfa enroll --output json < /dev/null | jq -r .secret";

/// Arguments of `mfa enroll`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct EnrollArgs {
    /// Do not draw the QR code
    #[arg(long)]
    no_qr: bool,

    /// Write the QR code to a new file, a PNG that only you can read
    #[arg(long, value_name = "FILE", group = "files", value_parser = save::file)]
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
    fn style(&self, is_drawn: bool) -> Style {
        Style {
            has_qr: is_drawn && !self.no_qr,
            has_url: self.show_url,
        }
    }

    /// Prepares the file of the picture.
    fn picture(&self) -> Result<Option<(PrivateFile, &Path)>, CliError> {
        let Some(path) = self.qr.as_deref() else {
            return Ok(None);
        };
        Ok(Some((
            PrivateFile::prepare(path, self.save.existing())?,
            path,
        )))
    }

    /// Refuses what cannot come to an end.
    fn check(&self, codes: &Codes, found: Option<&MfaDetail>) -> Result<(), CliError> {
        if found.is_some_and(|found| found.is_verified) {
            return Err(own::already_enrolled());
        }
        if found.is_none() && !codes.are_asked() {
            return Err(CliError::failed(
                "no enrollment was started, so there is nothing to verify",
            )
            .hint(
                "run `portcullis mfa enroll` without a code first, and without PORTCULLIS_CODE",
            ));
        }
        if self.save.is_wanted() && !codes.is_there() {
            return Err(CliError::usage(
                "recovery codes can only be saved once the first code is accepted, and there is no \
                 terminal to ask for it on",
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
    let codes = arguments.code.codes(Accepted::Totp)?;
    let found = own::find(client).await?;
    arguments.check(&codes, found.as_ref())?;
    let destination = arguments.save.prepare()?;
    let picture = arguments.picture()?;
    let started = started(client, found).await?;
    let set_up = SetUp::of(&started)?;
    if let Some((file, path)) = picture {
        file.finish(&client.own_mfa_qr_code().await?)?;
        output::note(&format!(
            "The QR code is in {}. It contains the secret.",
            path.display()
        ));
    }
    if !codes.is_there() {
        return show_started(context, &set_up, &arguments);
    }
    if codes.are_asked() {
        output::note(&set_up.render(arguments.style(true)));
    }
    finish::run(context, session, &started, &codes, destination).await
}

/// The enrollment that was found, else a new one.
async fn started(client: &Client, found: Option<MfaDetail>) -> Result<MfaDetail, CliError> {
    if let Some(found) = found {
        output::note("Continuing the enrollment that was started before.");
        return Ok(found);
    }
    client.start_own_mfa().await?;
    Ok(client.own_mfa().await?)
}

/// Shows what an app is set up with, for somebody who will finish with another command.
fn show_started(context: &Context, set_up: &SetUp, arguments: &EnrollArgs) -> Result<(), CliError> {
    let next = "Started but not finished: run `portcullis mfa verify` with the first code.";
    if context.output.is_for_programs() {
        output::note(next);
        return context.output.document(&json!({
            "state": "started",
            "secret": set_up.secret().expose_secret(),
            "provisioningUrl": set_up.url().expose_secret(),
        }));
    }
    let style = arguments.style(io::stdout().is_terminal());
    let text = set_up.render(style);
    output::write(&format!("{}\n{next}\n", output::printable(&text)))
}
