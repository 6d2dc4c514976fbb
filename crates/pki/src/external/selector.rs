//! Selectors of claims.

use serde_json::Value;

/// A selector cannot be parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ClaimSelectorError {
    #[error("must not be empty")]
    Empty,
    /// A `~` is not followed by `0` or `1` (RFC 6901 section 3).
    #[error("'~' must be followed by 0 or 1 (JSON Pointer escape)")]
    Escape,
}

/// Location of a value in the claims of a token: a JSON pointer (RFC 6901) or, without a leading
/// slash, the plain name of a claim.
///
/// # Examples
///
/// ```
/// use portcullis_pki::external::ClaimSelector;
///
/// let nested = ClaimSelector::parse("/realm_access/roles")?;
/// assert_ne!(nested, ClaimSelector::parse("realm_access/roles")?);
/// assert_eq!(ClaimSelector::parse("sub")?, ClaimSelector::parse("/sub")?);
/// # Ok::<(), portcullis_pki::external::ClaimSelectorError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimSelector {
    pointer: String,
}

impl ClaimSelector {
    /// Parses a selector. A plain name is taken literally, including slashes and tildes, because
    /// providers use URLs as names of their own claims.
    ///
    /// # Errors
    ///
    /// [`ClaimSelectorError`].
    pub fn parse(text: &str) -> Result<Self, ClaimSelectorError> {
        let pointer = match text {
            "" => return Err(ClaimSelectorError::Empty),
            pointer if pointer.starts_with('/') => pointer.to_owned(),
            name => format!("/{}", name.replace('~', "~0").replace('/', "~1")),
        };
        let mut escapes = pointer.split('~').skip(1);
        if escapes.any(|after| !after.starts_with(['0', '1'])) {
            return Err(ClaimSelectorError::Escape);
        }
        Ok(Self { pointer })
    }

    pub(super) fn find<'a>(&self, claims: &'a Value) -> Option<&'a Value> {
        claims.pointer(&self.pointer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pointers_are_followed_as_the_standard_says() {
        // The document of RFC 6901 section 5, and the value of each pointer.
        let document = json!({
            "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5,
            "k\"l": 6, " ": 7, "m~n": 8,
        });
        for (pointer, expected) in [
            ("/foo", json!(["bar", "baz"])),
            ("/foo/0", json!("bar")),
            ("/", json!(0)),
            ("/a~1b", json!(1)),
            ("/c%d", json!(2)),
            ("/e^f", json!(3)),
            ("/g|h", json!(4)),
            ("/i\\j", json!(5)),
            ("/k\"l", json!(6)),
            ("/ ", json!(7)),
            ("/m~0n", json!(8)),
        ] {
            let selector = ClaimSelector::parse(pointer).unwrap();
            assert_eq!(selector.find(&document), Some(&expected), "{pointer}");
        }
        for pointer in [
            "/foo/2", "/foo/-", "/foo/00", "/foo/+0", "/a/b", "/foo/0/x", "/Foo",
        ] {
            let selector = ClaimSelector::parse(pointer).unwrap();
            assert_eq!(selector.find(&document), None, "{pointer}");
        }
    }

    #[test]
    fn names_stand_for_themselves() {
        let url = "https://example.test/roles~";
        let document = json!({url: ["a"], "foo": {"bar": 1}, "foo/bar": 2, "m~0n": 3});
        for (name, expected) in [
            (url, Some(json!(["a"]))),
            ("foo/bar", Some(json!(2))),
            ("m~0n", Some(json!(3))),
            ("bar", None),
        ] {
            let selector = ClaimSelector::parse(name).unwrap();
            assert_eq!(selector.find(&document), expected.as_ref(), "{name}");
        }
    }

    #[test]
    fn broken_selectors_are_refused() {
        assert_eq!(ClaimSelector::parse(""), Err(ClaimSelectorError::Empty));
        for text in ["/a~", "/a~2", "/~", "/~~0"] {
            assert_eq!(
                ClaimSelector::parse(text),
                Err(ClaimSelectorError::Escape),
                "{text}"
            );
        }
    }
}
