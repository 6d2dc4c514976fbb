//! `roleFilter` and `roleSemantic`: lists restricted by role selectors, as in policies.

use super::ListError;
use portcullis_filter::{Predicate, Schema};

/// The selectors of a request; without any, the list is not restricted.
#[derive(Debug, Clone, Copy, Default)]
pub struct RoleFilter<'p> {
    /// `#attribute`, `#all`, `@id` or `@name`; all `roleFilter` parameters of the request.
    pub selectors: &'p [&'p str],
    /// `AllOf`, the default, or `AnyOf`; case-insensitive.
    pub semantic: Option<&'p str>,
}

impl RoleFilter<'_> {
    /// The predicate that rows with the symbols of `schema` have to satisfy.
    ///
    /// # Errors
    ///
    /// [`ListError::Roles`] when a selector or the semantic is invalid.
    pub(crate) fn predicate(&self, schema: &'static Schema) -> Result<Predicate, ListError> {
        let (mut by_attribute, mut by_id_or_name) = (Vec::new(), Vec::new());
        for selector in self.selectors {
            match parse_selector(schema, selector)? {
                SelectorCondition::Attribute(condition) => by_attribute.push(condition),
                SelectorCondition::IdOrName(condition) => by_id_or_name.push(condition),
            }
        }
        let combine: fn(Vec<Predicate>) -> Predicate = match self.semantic {
            None | Some("") => Predicate::all,
            Some(semantic) if semantic.eq_ignore_ascii_case("allof") => Predicate::all,
            Some(semantic) if semantic.eq_ignore_ascii_case("anyof") => Predicate::any,
            Some(other) => {
                return Err(ListError::Roles(format!(
                    "roleSemantic must be AllOf or AnyOf, not `{other}`"
                )));
            },
        };
        if self.selectors.is_empty() {
            return Ok(Predicate::Constant(true));
        }
        // The semantic applies to attributes; ids and names are alternatives in any case, as in
        // policies.
        if !by_attribute.is_empty() {
            by_id_or_name.push(combine(by_attribute));
        }
        Ok(Predicate::any(by_id_or_name))
    }
}

/// The condition of one selector.
enum SelectorCondition {
    /// Carries an attribute.
    Attribute(Predicate),
    /// Has this id or name.
    IdOrName(Predicate),
}

fn parse_selector(schema: &'static Schema, selector: &str) -> Result<SelectorCondition, ListError> {
    let none = Predicate::Constant(false);
    match selector.split_at_checked(1) {
        Some(("#" | "@", "")) => Err(ListError::Roles(format!(
            "`{selector}` is not a selector: write #attribute, or @ and an id or name"
        ))),
        Some(("#", "all")) => Ok(SelectorCondition::Attribute(Predicate::Constant(true))),
        Some(("#", attribute)) => {
            let carries = Predicate::has_element(schema, "roleAttributes", attribute);
            Ok(SelectorCondition::Attribute(carries.unwrap_or(none)))
        },
        Some(("@", by_id_or_name)) => {
            let by = |symbol| Predicate::equals(schema, symbol, by_id_or_name);
            let either = [by("id"), by("name")].into_iter().flatten();
            Ok(SelectorCondition::IdOrName(Predicate::any(either)))
        },
        _ => Err(ListError::Roles(format!(
            "`{selector}` is not a selector: write #attribute, or @ and an id or name"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listing::kinds::IDENTITIES;

    fn condition(selectors: &[&str], semantic: Option<&str>) -> Result<String, String> {
        let roles = RoleFilter {
            selectors,
            semantic,
        };
        roles
            .predicate(&IDENTITIES)
            .map(|predicate| predicate.to_string())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn selectors_become_conditions() {
        let red = r#"anyOf(roleAttributes) = "red""#;
        let both = format!(r#"{red} and anyOf(roleAttributes) = "blue""#);
        let either = both.replace(" and ", " or ");
        let by_id_or_name = r#"id = "x" or name = "x""#;
        let or_named = format!("{by_id_or_name} or {red}");
        let or_both = format!("{by_id_or_name} or ({both})");
        for (selectors, semantic, expected) in [
            (&[][..], None, "true"),
            (&["#all"], None, "true"),
            (&["#red"], None, red),
            (&["#red", "#blue"], None, &*both),
            (&["#red", "#blue"], Some("AllOf"), &*both),
            (&["#red", "#blue"], Some("anyof"), &*either),
            (&["#red", "#all"], Some("AnyOf"), "true"),
            (&["@x"], None, by_id_or_name),
            (&["#red", "@x"], Some(""), &*or_named),
            (&["#red", "@x"], Some("AnyOf"), &*or_named),
            (&["#red", "@x", "#blue"], None, &*or_both),
        ] {
            assert_eq!(condition(selectors, semantic).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn what_selects_nothing_is_refused() {
        for (selectors, semantic, by_id_or_name) in [
            (&["red"][..], None, "`red`"),
            (&["#red", ""], None, "``"),
            (&["#red"], Some("OneOf"), "`OneOf`"),
            (&[], Some("OneOf"), "`OneOf`"),
            (&["#"], None, "`#`"),
            (&["#red", "@"], None, "`@`"),
        ] {
            let error = condition(selectors, semantic).unwrap_err();
            assert!(error.contains(by_id_or_name), "{error}");
        }
    }
}
