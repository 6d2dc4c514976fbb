//! Finding entities by what people call them: an id or a name.

use crate::error::CliError;
use crate::listed::Listed;
use crate::pages::Pages;
use portcullis_client::{Client, ListQuery};

/// A kind whose members have names beside their ids.
pub(crate) trait Named: Listed {
    /// The command that lists them.
    const LIST: &'static str;

    /// Its name.
    fn name(&self) -> &str;
}

/// What a text may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Id,
    Name,
}

impl By {
    /// The symbol of filters for it.
    fn symbol(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Name => "name",
        }
    }

    fn of<N: Named>(self, entity: &N) -> &str {
        match self {
            Self::Id => entity.id(),
            Self::Name => entity.name(),
        }
    }
}

/// Finds the one that is called by an id or a name, or by `id:` or `name:` and either.
pub(crate) async fn one<N: Named>(client: &Client, text: &str) -> Result<N, CliError> {
    let (wanted, text) = parse(text);
    let mut found: Option<(By, N)> = None;
    for by in wanted {
        let Some(entity) = find::<N>(client, *by, text).await? else {
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
    found
        .map(|(_, entity)| entity)
        .ok_or_else(|| missing::<N>(wanted, text))
}

/// Tells what a text may be, and takes what says so off.
fn parse(text: &str) -> (&'static [By], &str) {
    if let Some(id) = text.strip_prefix("id:") {
        (&[By::Id], id)
    } else if let Some(name) = text.strip_prefix("name:") {
        (&[By::Name], name)
    } else {
        (&[By::Id, By::Name], text)
    }
}

/// Goes through what can be meant until it is found.
async fn find<N: Named>(client: &Client, by: By, text: &str) -> Result<Option<N>, CliError> {
    let candidates = ListQuery::candidates(by.symbol(), text);
    let mut pages = Pages::<N>::new(client, candidates);
    while let Some(page) = pages.next().await? {
        let mut entities = page.data.into_iter();
        if let Some(found) = entities.find(|entity| by.of(entity) == text) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn missing<N: Named>(wanted: &[By], text: &str) -> CliError {
    let words: Vec<_> = wanted.iter().map(|by| by.symbol()).collect();
    let error = CliError::failed(format!(
        "no {} with the {} `{text}` exists",
        N::SINGULAR,
        words.join(" or ")
    ));
    let error = error.hint(format!("see `{}`", N::LIST));
    match wanted {
        [only] => {
            let prefix = only.symbol();
            error.hint(format!(
                "a name that begins with `{prefix}:` is written `name:{prefix}:{text}`"
            ))
        },
        _ => error,
    }
}

fn ambiguous<N: Named>(text: &str, first: (By, &N), second: (By, &N)) -> CliError {
    let described = |(by, entity): (By, &N)| {
        let other = match by {
            By::Id => format!("name `{}`", entity.name()),
            By::Name => format!("id `{}`", entity.id()),
        };
        format!(
            "the {} of the {} with the {other}",
            by.symbol(),
            N::SINGULAR
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
    use portcullis_api::envelope::ListEnvelope;
    use portcullis_client::ClientError;
    use portcullis_domain::clock::Timestamp;
    use serde::Serialize;

    #[derive(Serialize)]
    struct Cat(&'static str, &'static str);

    impl Listed for Cat {
        const SINGULAR: &'static str = "cat";
        const PLURAL: &'static str = "cats";
        const COLUMNS: &'static [&'static str] = &[];

        async fn fetch(_: &Client, _: &ListQuery) -> Result<ListEnvelope<Self>, ClientError> {
            Err(ClientError::Unwritable(String::new()))
        }

        fn id(&self) -> &str {
            self.0
        }

        fn cells(&self, _: Timestamp) -> Vec<String> {
            Vec::new()
        }
    }

    impl Named for Cat {
        const LIST: &'static str = "portcullis cat list";

        fn name(&self) -> &str {
            self.1
        }
    }

    #[test]
    fn texts_say_what_they_are() {
        for (text, wanted, rest) in [
            ("x", &[By::Id, By::Name][..], "x"),
            ("id:x", &[By::Id], "x"),
            ("name:x", &[By::Name], "x"),
            ("name:id:x", &[By::Name], "id:x"),
            ("identity:x", &[By::Id, By::Name], "identity:x"),
        ] {
            assert_eq!(parse(text), (wanted, rest), "{text}");
        }
    }

    #[test]
    fn two_that_can_be_meant_are_both_named() {
        let error = ambiguous(
            "tom",
            (By::Id, &Cat("tom", "felix")),
            (By::Name, &Cat("a1", "tom")),
        );
        assert_eq!(
            error.message(),
            "`tom` is ambiguous: it is the id of the cat with the name `felix` and the name of the \
             cat with the id `a1`"
        );
    }

    #[test]
    fn what_is_missing_is_told() {
        let both = missing::<Cat>(&[By::Id, By::Name], "tom");
        assert_eq!(both.message(), "no cat with the id or name `tom` exists");
        let only = missing::<Cat>(&[By::Name], "tom");
        assert_eq!(only.message(), "no cat with the name `tom` exists");
    }
}
