//! `roleFilter` and `roleSemantic`: a list restricted by selectors as policies have them.

use super::BadListing;
use portcullis_filter::{Predicate, Schema};

/// The selectors of a request; none restricts nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Roles<'p> {
    /// `#attribute`, `#all`, `@id` or `@name`; every `roleFilter` of the request.
    pub selectors: &'p [&'p str],
    /// `AllOf`, which is the default, or `AnyOf`; in any letter case.
    pub semantic: Option<&'p str>,
}

impl Roles<'_> {
    /// The condition that rows of the kind `schema` have to meet.
    ///
    /// # Errors
    ///
    /// [`BadListing::Roles`] when a selector or the semantic is none.
    pub(crate) fn condition(&self, schema: &'static Schema) -> Result<Predicate, BadListing> {
        let selected: Vec<Predicate> = self
            .selectors
            .iter()
            .map(|selector| select(schema, selector))
            .collect::<Result<_, _>>()?;
        if selected.is_empty() {
            return Ok(Predicate::Constant(true));
        }
        match self.semantic {
            None | Some("") => Ok(Predicate::all(selected)),
            Some(semantic) if semantic.eq_ignore_ascii_case("allof") => {
                Ok(Predicate::all(selected))
            },
            Some(semantic) if semantic.eq_ignore_ascii_case("anyof") => {
                Ok(Predicate::any(selected))
            },
            Some(other) => Err(BadListing::Roles(format!(
                "`roleSemantic` is `{other}`; it can be `AllOf` or `AnyOf`"
            ))),
        }
    }
}

fn select(schema: &'static Schema, selector: &str) -> Result<Predicate, BadListing> {
    let predicate = match selector.split_at_checked(1) {
        Some(("#", "all")) => Some(Predicate::Constant(true)),
        Some(("#", attribute)) => Predicate::has_element(schema, "roleAttributes", attribute),
        Some(("@", named)) => {
            let by = |symbol| Predicate::equals(schema, symbol, named);
            Some(Predicate::any([by("id"), by("name")].into_iter().flatten()))
        },
        _ => {
            return Err(BadListing::Roles(format!(
                "`{selector}` selects nothing: a role attribute begins with `#`, the id or name of \
                 an entity with `@`"
            )));
        },
    };
    Ok(predicate.unwrap_or(Predicate::Constant(false)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listing::kinds::IDENTITIES;

    fn condition(selectors: &[&str], semantic: Option<&str>) -> Result<String, String> {
        let roles = Roles {
            selectors,
            semantic,
        };
        roles
            .condition(&IDENTITIES)
            .map(|predicate| predicate.to_string())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn selectors_become_conditions() {
        let red = r#"anyOf(roleAttributes) = "red""#;
        let both = format!(r#"{red} and anyOf(roleAttributes) = "blue""#);
        let either = both.replace(" and ", " or ");
        let named = format!(r#"{red} and (id = "x" or name = "x")"#);
        for (selectors, semantic, expected) in [
            (&[][..], None, "true"),
            (&["#all"], None, "true"),
            (&["#red"], None, red),
            (&["#red", "#blue"], None, &*both),
            (&["#red", "#blue"], Some("AllOf"), &*both),
            (&["#red", "#blue"], Some("anyof"), &*either),
            (&["#red", "#all"], Some("AnyOf"), "true"),
            (&["#red", "@x"], Some(""), &*named),
        ] {
            assert_eq!(condition(selectors, semantic).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn what_selects_nothing_is_refused() {
        for (selectors, semantic, named) in [
            (&["red"][..], None, "`red`"),
            (&["#red", ""], None, "``"),
            (&["#red"], Some("OneOf"), "`OneOf`"),
        ] {
            let error = condition(selectors, semantic).unwrap_err();
            assert!(error.contains(named), "{error}");
        }
    }
}
