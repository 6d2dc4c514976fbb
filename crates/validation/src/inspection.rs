//! The lists of which answers to inspections are made.

use crate::answer::{Answer, Gap, NoAnswer};
use crate::bounded::{Keyed, Listed};
use portcullis_wire::control::inspection::InspectResponse;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Texts of a router about what went wrong that are passed on.
const MAX_ERRORS: usize = 16;

/// A list of a router, named as in its JSON.
#[derive(Debug, Default)]
pub(crate) struct Inspection<E> {
    pub(crate) entries: E,
    /// What is missing in the list.
    pub(crate) gaps: Vec<Gap>,
}

impl<E> Inspection<E> {
    /// Whether what is missing in the list does not exist.
    pub(crate) const fn is_complete(&self) -> bool {
        self.gaps.is_empty()
    }
}

/// Whose entries beyond a bound were counted.
pub(crate) trait Bounded {
    fn left_out(&self) -> usize;
}

impl<T, const MOST: usize> Bounded for Listed<T, MOST> {
    fn left_out(&self) -> usize {
        self.left_out
    }
}

impl<T, const MOST: usize> Bounded for Keyed<T, MOST> {
    fn left_out(&self) -> usize {
        self.left_out
    }
}

#[derive(Deserialize)]
#[serde(bound = "E: Default + Deserialize<'de>")]
struct Told<E> {
    #[serde(
        default,
        alias = "circuits",
        alias = "identity_connections",
        alias = "links"
    )]
    entries: E,
    #[serde(default)]
    errors: Listed<String, MAX_ERRORS>,
}

/// The list of this name in an answer; `None` if the router says nothing of it.
pub(crate) fn find<E>(
    answer: &InspectResponse,
    name: &'static str,
) -> Result<Option<Inspection<E>>, NoAnswer>
where
    E: Bounded + Default + DeserializeOwned,
{
    let Some(value) = answer.values.iter().find(|value| value.name == name) else {
        return Ok(None);
    };
    // The text of the error could quote what the router has sent, which may have tokens in it.
    let told: Told<E> = serde_json::from_str(value.value.expose()).map_err(|error| {
        NoAnswer::Unreadable(format!(
            "`{name}` is not what it should be from line {} column {} on",
            error.line(),
            error.column()
        ))
    })?;
    let mut gaps: Vec<_> = told.errors.kept.into_iter().map(Gap::Told).collect();
    if told.entries.left_out() > 0 {
        gaps.push(Gap::Unread {
            inspection: name,
            count: told.entries.left_out(),
        });
    }
    Ok(Some(Inspection {
        entries: told.entries,
        gaps,
    }))
}

/// The list of this name in an answer.
pub(crate) fn read<E>(answer: Answer<'_>, name: &'static str) -> Result<Inspection<E>, NoAnswer>
where
    E: Bounded + Default + DeserializeOwned,
{
    let answer = answer?;
    if let Some(told) = find(answer, name)? {
        return Ok(told);
    }
    without_errors(answer)?;
    Err(NoAnswer::Unreadable(format!("it has no value `{name}`")))
}

/// An answer that says of nothing that it went wrong.
pub(crate) fn without_errors(answer: &InspectResponse) -> Answer<'_> {
    if answer.errors.is_empty() {
        Ok(answer)
    } else {
        Err(refused(answer))
    }
}

fn refused(answer: &InspectResponse) -> NoAnswer {
    let errors = answer.errors.iter().take(MAX_ERRORS);
    NoAnswer::Refused(errors.cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use proptest::prelude::*;

    type List = Inspection<Listed<u8, 2>>;

    fn read_text(json: &str) -> Result<List, NoAnswer> {
        read(Ok(&fixture::answer([("links", json)])), "links")
    }

    #[test]
    fn what_is_left_out_makes_a_list_incomplete() {
        for (json, gaps) in [
            (r#"{"links": [1]}"#, vec![]),
            (
                r#"{"links": null, "errors": null, "destinations": [{}]}"#,
                vec![],
            ),
            (
                r#"{"links": [1, 2, 3, 4], "errors": ["some are missing"]}"#,
                vec![
                    "the router does not tell all: some are missing",
                    "entries of `links` that were not read: 2",
                ],
            ),
        ] {
            let told = read_text(json).unwrap();
            let texts: Vec<_> = told.gaps.iter().map(ToString::to_string).collect();
            assert_eq!(texts, gaps);
            assert_eq!(told.is_complete(), gaps.is_empty());
        }
    }

    #[test]
    fn errors_do_not_quote_what_was_sent() {
        for json in [
            r#"{"links": ["ey.secret"]}"#,
            r#"{"links": {"ey.secret": 1}}"#,
            r#"{"links": ey.secret}"#,
            "ey.secret",
        ] {
            let error = read_text(json).unwrap_err().to_string();
            assert!(
                error.contains("`links`") && !error.contains("secret"),
                "{error}"
            );
        }
    }

    #[test]
    fn deep_json_is_refused() {
        for name in ["links", "other"] {
            let deep = format!("{{\"{name}\":{}", "[".repeat(100_000));
            read_text(&deep).unwrap_err();
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(json in any::<String>()) {
            prop_assert!(matches!(read_text(&json), Ok(_) | Err(NoAnswer::Unreadable(_))));
        }
    }
}
