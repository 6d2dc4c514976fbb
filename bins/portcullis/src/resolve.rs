//! Lookup of entities by id or name.

use crate::entity::{Entity, EntityKind, Named};
use crate::error::CliError;
use crate::listable::Listable as _;
use crate::suggestions;
use portcullis_api::code::Code;
use portcullis_client::{Client, ClientError, ListQuery};

impl<N: Named> Entity for N {
    const IS_NAMED: bool = true;

    fn optional_name(&self) -> Option<&str> {
        Some(self.name())
    }

    fn label(&self) -> String {
        self.name().to_owned()
    }

    async fn find(client: &Client, text: &str) -> Result<Self, CliError> {
        by_id_or_name(client, text).await
    }
}

/// Field to look up by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LookupField {
    Id,
    Name,
}

impl LookupField {
    /// Name of the field in filters.
    fn filter_field(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Name => "name",
        }
    }

    fn value_of<N: Named>(self, entity: &N) -> &str {
        match self {
            Self::Id => entity.id(),
            Self::Name => entity.name(),
        }
    }
}

/// Finds the entity with an id or name, or given as `id:ID` or `name:NAME`.
///
/// # Errors
///
/// If none exists, or if `text` is the id of one entity and the name of another.
pub(crate) async fn by_id_or_name<N: Named>(client: &Client, text: &str) -> Result<N, CliError> {
    let (fields, text) = parse_reference(text);
    let mut found: Option<(LookupField, N)> = None;
    for by in fields {
        let Some(entity) = find_by::<N>(client, *by, text).await? else {
            continue;
        };
        match &found {
            Some((first, other)) if other.id() != entity.id() => {
                return Err(ambiguous(text, (*first, other), (*by, &entity)));
            },
            Some(_) => {},
            None => found = Some((*by, entity)),
        }
    }
    if let Some((_, entity)) = found {
        return Ok(entity);
    }
    let suggestion = suggestion::<N>(client, text).await;
    Err(not_found::<N>(fields, text, suggestion))
}

/// Converts a failed request for the entity with an id that users gave. They may have given the name
/// of its identity.
pub(crate) fn unknown_id<E: EntityKind>(error: ClientError) -> CliError {
    let is_unknown = error.is_refused_with(Code::NotFound);
    let error = CliError::from(error);
    if !is_unknown {
        return error;
    }
    let command = E::COMMAND;
    error.hint(if E::HAS_IDENTITY {
        format!("`portcullis {command} list --identity NAME` shows the ids of an identity")
    } else {
        format!("`portcullis {command} list` shows the ids")
    })
}

/// Asks whether a similar name is meant.
async fn suggestion<N: Named>(client: &Client, text: &str) -> Option<String> {
    let query = suggestions::query("name", text)?;
    // Only a suggestion: the error is the one that nothing was found.
    let page = N::fetch_page(client, &query).await.ok()?;
    suggestions::did_you_mean(text, page.data.iter().map(Named::name))
}

/// Parses the prefix `id:` or `name:`.
fn parse_reference(text: &str) -> (&'static [LookupField], &str) {
    if let Some(id) = text.strip_prefix("id:") {
        (&[LookupField::Id], id)
    } else if let Some(name) = text.strip_prefix("name:") {
        (&[LookupField::Name], name)
    } else {
        (&[LookupField::Id, LookupField::Name], text)
    }
}

/// Pages through the candidates of a filter until one matches exactly.
async fn find_by<N: Named>(
    client: &Client,
    by: LookupField,
    text: &str,
) -> Result<Option<N>, CliError> {
    let candidates = ListQuery::candidates(by.filter_field(), text);
    let mut entities = N::pages(client, candidates).into_stream();
    while let Some(entity) = entities.try_next().await? {
        if by.value_of(&entity) == text {
            return Ok(Some(entity));
        }
    }
    Ok(None)
}

fn not_found<N: Named>(wanted: &[LookupField], text: &str, suggestion: Option<String>) -> CliError {
    let words: Vec<_> = wanted.iter().map(|by| by.filter_field()).collect();
    let error = CliError::failed(format!(
        "no {} with {} `{text}` exists",
        <N as EntityKind>::SINGULAR,
        words.join(" or ")
    ));
    let error = error.hint(
        suggestion.unwrap_or_else(|| format!("run `portcullis {} list` to list them", N::COMMAND)),
    );
    match wanted {
        [only] => {
            let prefix = only.filter_field();
            error.hint(format!(
                "write `name:{prefix}:{text}` for a name that starts with `{prefix}:`"
            ))
        },
        _ => error,
    }
}

fn ambiguous<N: Named>(
    text: &str,
    first: (LookupField, &N),
    second: (LookupField, &N),
) -> CliError {
    let described = |(by, entity): (LookupField, &N)| {
        let other = match by {
            LookupField::Id => format!("name `{}`", entity.name()),
            LookupField::Name => format!("id `{}`", entity.id()),
        };
        format!(
            "the {} of the {} with {other}",
            by.filter_field(),
            <N as EntityKind>::SINGULAR
        )
    };
    CliError::failed(format!(
        "`{text}` is ambiguous: it is {} and {}",
        described(first),
        described(second)
    ))
    .hint(format!("use `id:{text}` or `name:{text}`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_api::config_type::ConfigTypeDetail;
    use serde_json::json;

    fn config_type(id: &str, name: &str) -> ConfigTypeDetail {
        let config_type = json!({
            "_links": {}, "createdAt": "2031-04-05T06:07:08.009Z",
            "updatedAt": "2031-04-05T06:07:08.009Z", "id": id, "name": name, "schema": {},
        });
        serde_json::from_value(config_type).unwrap()
    }

    #[test]
    fn texts_say_what_they_are() {
        for (text, wanted, rest) in [
            ("x", &[LookupField::Id, LookupField::Name][..], "x"),
            ("id:x", &[LookupField::Id], "x"),
            ("name:x", &[LookupField::Name], "x"),
            ("name:id:x", &[LookupField::Name], "id:x"),
            (
                "identity:x",
                &[LookupField::Id, LookupField::Name],
                "identity:x",
            ),
        ] {
            assert_eq!(parse_reference(text), (wanted, rest), "{text}");
        }
    }

    #[test]
    fn two_that_can_be_meant_are_both_named() {
        let error = ambiguous(
            "tom",
            (LookupField::Id, &config_type("tom", "felix")),
            (LookupField::Name, &config_type("a1", "tom")),
        );
        assert_eq!(
            error.message(),
            "`tom` is ambiguous: it is the id of the configuration type with name `felix` and the name of the \
             configuration type with id `a1`"
        );
    }

    #[test]
    fn what_is_missing_is_told() {
        let both =
            not_found::<ConfigTypeDetail>(&[LookupField::Id, LookupField::Name], "tom", None);
        assert_eq!(
            both.message(),
            "no configuration type with id or name `tom` exists"
        );
        let only = not_found::<ConfigTypeDetail>(&[LookupField::Name], "tom", None);
        assert_eq!(
            only.message(),
            "no configuration type with name `tom` exists"
        );
    }
}
