//! `portcullis profile list`.

use super::session;
use crate::context::Context;
use crate::controller_url;
use crate::error::CliError;
use crate::grid::{Grid, Title};
use crate::profile::StoredSession;
use crate::table::pluralize;
use portcullis_api::time::WireTime;
use serde::Serialize;

pub(super) const EXAMPLES: &str = "\
Examples:
  portcullis profile list
  portcullis profile list --output json | jq -r '.[] | select(.isCurrent).name'";

/// Machine-readable row.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    name: String,
    is_current: bool,
    controller: String,
    username: Option<String>,
    is_logged_in: bool,
    expires_at: Option<WireTime>,
    #[serde(skip)]
    session: String,
}

pub(super) fn run(context: &Context) -> Result<(), CliError> {
    let all = context.store.read_all()?;
    let rows = all.profiles.into_iter().map(|(name, profile)| Row {
        is_current: name == context.profile,
        name,
        controller: controller_url::display(&profile.url),
        is_logged_in: profile.session.is_some(),
        expires_at: profile.session.as_ref().and_then(StoredSession::expires_at),
        session: session(&profile, context.now()),
        username: profile.username,
    });
    let rows: Vec<_> = rows.collect();
    let names = rows.iter().map(|row| row.name.as_str());
    context.output.write_named(names, &rows, || table(&rows))
}

fn table(rows: &[Row]) -> Grid {
    let titles = ["name", "current", "controller", "user", "session"];
    let mut table = Grid::with_titles(titles.map(Title::from), true);
    for row in rows {
        let current = if row.is_current { "*" } else { "" };
        let user = row.username.as_deref().unwrap_or_default();
        table.push([&row.name, current, &row.controller, user, &row.session]);
    }
    if rows.is_empty() {
        table.footer("no profiles; `portcullis login URL` makes one")
    } else {
        table.footer(pluralize(rows.len(), "profile", "profiles"))
    }
}
