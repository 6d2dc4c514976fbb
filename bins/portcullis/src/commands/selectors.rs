//! Selectors of policies.

use crate::commands::role_attributes::HasRoleAttributes;
use crate::entity::{EntityKind, Named};
use crate::error::CliError;
use crate::listable::Listable as _;
use crate::output;
use crate::resolve;
use crate::suggestions;
use crate::text::split_commas;
use portcullis_client::{Client, ListQuery};
use portcullis_domain::ids::EntityId;
use portcullis_domain::roles::RoleSelectors;

/// The attribute that everything has.
const ALL: &str = "all";

/// Selectors as typed by users, with names in place of ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Selectors(Vec<String>);

/// Parses comma-separated selectors.
pub(crate) fn parse(text: &str) -> Result<Selectors, String> {
    let words = split_commas(text);
    match words.iter().find(|word| !is_selector(word)) {
        None => Ok(Selectors(words)),
        Some(word) if matches!(word.as_str(), "#" | "@") => Err(format!(
            "`{word}` is empty: add an attribute after `#`, or a name or id after `@`"
        )),
        Some(word) => Err(format!(
            "`{word}` is not a selector: use `#{word}` for a role attribute, or `@{word}` for a name \
             or id"
        )),
    }
}

fn is_selector(word: &str) -> bool {
    word.len() > 1 && word.starts_with(['#', '@'])
}

/// Resolves the names in the selectors of `option` to ids. Warns of attributes that nothing has.
pub(crate) async fn resolve<N: Named + HasRoleAttributes, I: EntityId>(
    client: &Client,
    option: &str,
    given: Option<&[Selectors]>,
) -> Result<Option<RoleSelectors<I>>, CliError> {
    let attributes: Vec<_> = attributes(given.unwrap_or_default()).collect();
    warn_of_unused::<N>(client, option, &attributes).await;
    let find = async |text: &str| {
        Ok(resolve::by_id_or_name::<N>(client, text)
            .await?
            .id()
            .to_owned())
    };
    resolve_roles(option, given, find).await
}

/// The attributes in selectors, apart from the one that everything has.
fn attributes(given: &[Selectors]) -> impl Iterator<Item = &str> {
    let words = given.iter().flat_map(|Selectors(words)| words);
    words
        .filter_map(|word| word.strip_prefix('#'))
        .filter(|&attribute| attribute != ALL)
}

/// Warns of attributes that no entity has, which may be intended for now.
async fn warn_of_unused<N: Named + HasRoleAttributes>(
    client: &Client,
    option: &str,
    attributes: &[&str],
) {
    if attributes.is_empty() {
        return;
    }
    let find = async |query: ListQuery| {
        let found = client.role_attributes(N::OWNER, &query).await;
        found.map(|page| page.data)
    };
    // They may be hidden from this user.
    let Ok(used) = find(any_of(attributes)).await else {
        return;
    };
    for attribute in attributes {
        if used.iter().any(|known| known == *attribute) {
            continue;
        }
        let similar = match suggestions::query("id", attribute) {
            Some(query) => find(query).await.unwrap_or_default(),
            None => Vec::new(),
        };
        let similar: Vec<_> = similar.iter().map(|known| format!("#{known}")).collect();
        let similar = similar.iter().map(String::as_str);
        let question = suggestions::did_you_mean(&format!("#{attribute}"), similar);
        let question = question.map_or_else(String::new, |question| format!("; {question}"));
        output::warn(&format!(
            "{option}: no {} has the role attribute `#{attribute}` yet{question}",
            <N as EntityKind>::SINGULAR
        ));
    }
}

/// A query for some attributes; for all, if a filter cannot hold one of them.
fn any_of(attributes: &[&str]) -> ListQuery {
    let conditions = attributes
        .iter()
        .map(|attribute| ListQuery::candidates("id", attribute).filter);
    match conditions.collect::<Option<Vec<_>>>() {
        Some(conditions) => ListQuery::with_filter(conditions.join(" or ")),
        None => ListQuery::default(),
    }
}

/// Converts selectors; `find` resolves a name or id to an id.
async fn resolve_roles<I: EntityId>(
    option: &str,
    given: Option<&[Selectors]>,
    find: impl AsyncFn(&str) -> Result<String, CliError>,
) -> Result<Option<RoleSelectors<I>>, CliError> {
    let Some(given) = given else {
        return Ok(None);
    };
    let mut selectors = Vec::new();
    for selector in given.iter().flat_map(|Selectors(words)| words) {
        selectors.push(match selector.strip_prefix('@') {
            None => selector.clone(),
            Some(text) => {
                let found = find(text).await;
                let id =
                    found.map_err(|error| error.with_context(format!("{option} `{selector}`")))?;
                format!("@{id}")
            },
        });
    }
    let roles = RoleSelectors::new(option, selectors);
    roles.map(Some).map_err(|error| {
        CliError::usage(format!("{option}: these selectors cannot be combined")).with_source(error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_domain::ids::ServiceId;

    /// Resolves the service `web` with the id `s1`; `twin` is ambiguous.
    async fn find(text: &str) -> Result<String, CliError> {
        match text {
            "web" | "s1" => Ok("s1".to_owned()),
            "twin" => Err(CliError::failed("`twin` is two services")),
            _ => Err(CliError::failed(format!("there is no `{text}`"))),
        }
    }

    fn resolved(texts: &[&str]) -> Result<Vec<String>, CliError> {
        let given: Vec<_> = texts.iter().map(|text| parse(text).unwrap()).collect();
        let future = resolve_roles::<ServiceId>("--service-roles", Some(&given), find);
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let roles = runtime.unwrap().block_on(future)?.unwrap();
        Ok(roles.selectors().collect())
    }

    #[test]
    fn attributes_are_looked_for_together() {
        for (attributes, filter) in [
            (&["a"][..], Some(r#"id="a""#)),
            (&["a", "b\"c"], Some(r#"id="a" or id="b\"c""#)),
            (&["a", "\u{1}"], None),
        ] {
            assert_eq!(any_of(attributes).filter.as_deref(), filter);
        }
    }

    #[test]
    fn names_become_ids() {
        for (texts, expected) in [
            (&["#a,@web", "#b"][..], &["#a", "#b", "@s1"][..]),
            (&["@web,@s1"], &["@s1"]),
            (&["#all"], &["#all"]),
            (&[""], &[]),
        ] {
            assert_eq!(resolved(texts).unwrap(), expected, "{texts:?}");
        }
    }

    #[test]
    fn what_is_not_found_or_not_clear_is_named() {
        for (texts, message) in [
            (
                &["#a,@nobody"][..],
                "--service-roles `@nobody`: there is no `nobody`",
            ),
            (
                &["@twin"],
                "--service-roles `@twin`: `twin` is two services",
            ),
        ] {
            assert_eq!(resolved(texts).unwrap_err().message(), message);
        }
        let together = resolved(&["#all,#a"]).unwrap_err().message();
        assert!(together.contains("#all"), "{together}");
    }

    #[test]
    fn words_without_a_mark_are_no_selectors() {
        for text in ["web", "#", "@", "#a,web", "all"] {
            assert!(parse(text).is_err(), "{text}");
        }
        let hint = parse("web").unwrap_err();
        assert!(hint.contains("`#web`") && hint.contains("`@web`"), "{hint}");
        assert_eq!(parse("").unwrap(), Selectors(Vec::new()));
    }
}
