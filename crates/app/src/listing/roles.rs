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
        let (mut carried, mut named) = (Vec::new(), Vec::new());
        for selector in self.selectors {
            match select(schema, selector)? {
                Selected::Carrying(condition) => carried.push(condition),
                Selected::Named(condition) => named.push(condition),
            }
        }
        let joined: fn(Vec<Predicate>) -> Predicate = match self.semantic {
            None | Some("") => Predicate::all,
            Some(semantic) if semantic.eq_ignore_ascii_case("allof") => Predicate::all,
            Some(semantic) if semantic.eq_ignore_ascii_case("anyof") => Predicate::any,
            Some(other) => {
                return Err(BadListing::Roles(format!(
                    "roleSemantic must be AllOf or AnyOf, not `{other}`"
                )));
            },
        };
        if self.selectors.is_empty() {
            return Ok(Predicate::Constant(true));
        }
        // The semantic is about attributes. Whoever is named is selected in any case, as in policies.
        if !carried.is_empty() {
            named.push(joined(carried));
        }
        Ok(Predicate::any(named))
    }
}

/// What a selector stands for.
enum Selected {
    /// Whoever carries an attribute.
    Carrying(Predicate),
    /// Whoever has an id or a name.
    Named(Predicate),
}

fn select(schema: &'static Schema, selector: &str) -> Result<Selected, BadListing> {
    let nobody = Predicate::Constant(false);
    match selector.split_at_checked(1) {
        Some(("#" | "@", "")) => Err(BadListing::Roles(format!(
            "`{selector}` is not a selector: write #attribute, or @ and an id or name"
        ))),
        Some(("#", "all")) => Ok(Selected::Carrying(Predicate::Constant(true))),
        Some(("#", attribute)) => {
            let carries = Predicate::has_element(schema, "roleAttributes", attribute);
            Ok(Selected::Carrying(carries.unwrap_or(nobody)))
        },
        Some(("@", named)) => {
            let by = |symbol| Predicate::equals(schema, symbol, named);
            let either = [by("id"), by("name")].into_iter().flatten();
            Ok(Selected::Named(Predicate::any(either)))
        },
        _ => Err(BadListing::Roles(format!(
            "`{selector}` is not a selector: write #attribute, or @ and an id or name"
        ))),
    }
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
        let named = r#"id = "x" or name = "x""#;
        let or_named = format!("{named} or {red}");
        let or_both = format!("{named} or ({both})");
        for (selectors, semantic, expected) in [
            (&[][..], None, "true"),
            (&["#all"], None, "true"),
            (&["#red"], None, red),
            (&["#red", "#blue"], None, &*both),
            (&["#red", "#blue"], Some("AllOf"), &*both),
            (&["#red", "#blue"], Some("anyof"), &*either),
            (&["#red", "#all"], Some("AnyOf"), "true"),
            (&["@x"], None, named),
            (&["#red", "@x"], Some(""), &*or_named),
            (&["#red", "@x"], Some("AnyOf"), &*or_named),
            (&["#red", "@x", "#blue"], None, &*or_both),
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
            (&[], Some("OneOf"), "`OneOf`"),
            (&["#"], None, "`#`"),
            (&["#red", "@"], None, "`@`"),
        ] {
            let error = condition(selectors, semantic).unwrap_err();
            assert!(error.contains(named), "{error}");
        }
    }
}
