//! Candidates from the profiles and from the controller.

use super::option;
use super::values::{Candidate, Entities, Values};
use crate::context::{Context, GlobalArgs};
use crate::controller_url;
use crate::terminal::escape_control_characters;
use clap_complete::CompletionCandidate;
use portcullis_client::{Client, ListQuery, RoleAttributeKind, quote};
use portcullis_domain::terminal::is_terminal_control;
use std::ffi::{OsStr, OsString};
use std::time::Duration;

/// How long a person waits after pressing the key.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Most candidates to offer.
const MAX_CANDIDATES: i64 = 200;

/// Where candidates come from. All failures are silent: there is no place for messages.
#[derive(Debug, Clone)]
pub(super) struct Source {
    context: Option<Context>,
}

impl Source {
    /// Takes the profile from the words of the line.
    pub(super) fn new(words: &[OsString]) -> Self {
        let profile = option(words, "--profile").and_then(|name| name.into_string().ok());
        let dir = option(words, "--config-dir").map(Into::into);
        let context = Context::new(GlobalArgs::hasty(profile, dir, TIMEOUT));
        Self {
            context: context.ok(),
        }
    }

    pub(super) fn complete(&self, values: Values, current: &OsStr) -> Vec<CompletionCandidate> {
        let Some(current) = current.to_str() else {
            return Vec::new();
        };
        // Some shells hand over the quote that is still open.
        let current = current.strip_prefix(['\'', '"']).unwrap_or(current);
        let (before, part) = match values {
            Values::Profiles | Values::One(_) | Values::Attribute(_) => ("", current),
            Values::List(_) | Values::Attributes(_) | Values::Selectors(..) => last_item(current),
        };
        let found = self.find(values, part).unwrap_or_default().into_iter();
        let found = found.filter(|candidate| {
            candidate.value.starts_with(part) && !candidate.value.contains(is_terminal_control)
        });
        found
            .map(|candidate| {
                let help = candidate.help.as_deref().map(escape_control_characters);
                CompletionCandidate::new(format!("{before}{}", candidate.value))
                    .help(help.map(Into::into))
            })
            .collect()
    }

    fn find(&self, values: Values, part: &str) -> Option<Vec<Candidate>> {
        let context = self.context.as_ref()?;
        if let Values::Profiles = values {
            return Some(profiles(context));
        }
        let client = context.session_without_renewal().ok()?.client;
        let fetch = fetch(client, values, part);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .ok()?;
        let found = runtime.block_on(async { tokio::time::timeout(TIMEOUT, fetch).await });
        runtime.shutdown_background();
        found.ok()?
    }
}

/// Splits off the last item of a comma-separated list.
fn last_item(list: &str) -> (&str, &str) {
    let start = list.rfind(',').map_or(0, |comma| comma + 1);
    list.split_at(start)
}

fn profiles(context: &Context) -> Vec<Candidate> {
    let profiles = context.store.read_all().unwrap_or_default().profiles;
    let candidates = profiles.into_iter().map(|(value, profile)| Candidate {
        value,
        help: Some(controller_url::display(&profile.url)),
    });
    candidates.collect()
}

async fn fetch(client: Client, values: Values, part: &str) -> Option<Vec<Candidate>> {
    match values {
        Values::Profiles => None,
        Values::One(entities) | Values::List(entities) => named(client, entities, part).await,
        Values::Attribute(kind) => match part.strip_prefix('#') {
            Some(word) => Some(marked('#', attributes(&client, kind, word).await?)),
            None => attributes(&client, kind, part).await,
        },
        Values::Attributes(kind) => attributes(&client, kind, part).await,
        Values::Selectors(entities, kind) => selectors(client, entities, kind, part).await,
    }
}

/// Both kinds of selectors, until there is a mark.
async fn selectors(
    client: Client,
    entities: Entities,
    kind: RoleAttributeKind,
    part: &str,
) -> Option<Vec<Candidate>> {
    if let Some(name) = part.strip_prefix('@') {
        return Some(marked('@', named(client, entities, name).await?));
    }
    let word = part.strip_prefix('#').unwrap_or(part);
    let mut found = marked('#', attributes(&client, kind, word).await?);
    if part.is_empty() {
        found.extend(marked('@', named(client, entities, "").await?));
    }
    Some(found)
}

fn marked(mark: char, candidates: Vec<Candidate>) -> Vec<Candidate> {
    let marked = candidates.into_iter().map(|candidate| Candidate {
        value: format!("{mark}{}", candidate.value),
        ..candidate
    });
    marked.collect()
}

async fn named(client: Client, entities: Entities, part: &str) -> Option<Vec<Candidate>> {
    let query = ListQuery {
        limit: Some(MAX_CANDIDATES),
        sort: Some(entities.field.to_owned()),
        ..containing(entities.field, part)
    };
    (entities.fetch)(client, query).await.ok()
}

/// Controllers can look for parts of texts, not for their beginnings.
fn containing(field: &str, part: &str) -> ListQuery {
    let filter = format!("{field} contains {}", quote(part));
    ListQuery {
        filter: Some(filter).filter(|_| !part.is_empty()),
        ..ListQuery::default()
    }
}

async fn attributes(
    client: &Client,
    kind: RoleAttributeKind,
    part: &str,
) -> Option<Vec<Candidate>> {
    let query = containing("id", part);
    let page = client.role_attributes(kind, &query).await.ok()?;
    let words = page
        .data
        .into_iter()
        .map(|value| Candidate { value, help: None });
    let most = usize::try_from(MAX_CANDIDATES).unwrap_or_default();
    Some(words.take(most).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_stand_behind_commas() {
        for (list, parts) in [
            ("", ("", "")),
            ("#a", ("", "#a")),
            ("#a,@w", ("#a,", "@w")),
            ("#a,", ("#a,", "")),
        ] {
            assert_eq!(last_item(list), parts);
        }
    }

    #[test]
    fn characters_that_terminals_obey_are_unfit() {
        for name in ["a\u{1b}[2Jb", "a\nb", "evil\u{202e}txt", "a\tb"] {
            assert!(name.contains(is_terminal_control), "{name:?}");
        }
        assert!(!"größe 漢字 's".contains(is_terminal_control));
    }
}
