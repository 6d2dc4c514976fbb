//! Query parameters of lists.

use crate::endpoint::Endpoint;

/// Query parameters of a list. For those that are `None`, the controller uses its defaults.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListQuery {
    /// Filter expression.
    pub filter: Option<String>,
    /// Maximum number of entities on the page; -1 for no limit.
    pub limit: Option<i64>,
    /// Number of entities to skip.
    pub offset: Option<i64>,
    /// Sort order, written like after `sort by`.
    pub sort: Option<String>,
    /// Role attributes to select entities by, on lists that support it.
    pub roles: Vec<String>,
    /// Whether entities need all of the role attributes or any one of them.
    pub role_semantic: Option<RoleSemantic>,
}

/// Whether entities need all of several role attributes or any one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoleSemantic {
    /// All role attributes.
    AllOf,
    /// At least one role attribute.
    AnyOf,
}

impl RoleSemantic {
    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AllOf => "AllOf",
            Self::AnyOf => "AnyOf",
        }
    }
}

impl ListQuery {
    /// Entities that match `filter`, with the default page size.
    pub fn with_filter(filter: impl Into<String>) -> Self {
        Self {
            filter: Some(filter.into()),
            ..Self::default()
        }
    }

    /// Entities with exactly this value in a field.
    ///
    /// Filter strings cannot contain every control character, and controllers differ in their handling
    /// of backslashes; [`ListQuery::candidates`] handles both.
    ///
    /// # Examples
    ///
    /// ```
    /// use portcullis_client::ListQuery;
    ///
    /// let query = ListQuery::equals("name", r#"the "best" laptop"#);
    /// assert_eq!(query.filter.unwrap(), r#"name="the \"best\" laptop""#);
    /// ```
    pub fn equals(field: &str, value: &str) -> Self {
        Self::with_filter(format!("{field}={}", quote(value)))
    }

    /// Entities that may have this value in a field: the caller has to compare the results with `value`.
    /// The filter looks for the longest part that all controllers interpret alike.
    ///
    /// # Examples
    ///
    /// ```
    /// use portcullis_client::ListQuery;
    ///
    /// let query = ListQuery::candidates("name", "plain");
    /// assert_eq!(query, ListQuery::equals("name", "plain"));
    /// let query = ListQuery::candidates("name", "a\u{1b}[2Jb");
    /// assert_eq!(query.filter.unwrap(), r#"name contains "[2Jb""#);
    /// ```
    pub fn candidates(field: &str, value: &str) -> Self {
        if !value.contains(is_ambiguous) {
            return Self::equals(field, value);
        }
        let parts = value.split(is_ambiguous);
        match parts.max_by_key(|part| part.len()) {
            Some(part) if !part.is_empty() => {
                Self::with_filter(format!("{field} contains {}", quote(part)))
            },
            _ => Self::default(),
        }
    }

    /// The condition that a field is greater than a value; `None` if not all controllers read it alike.
    pub(crate) fn greater(field: &str, value: &str) -> Option<String> {
        let is_clear = !value.contains(is_ambiguous);
        is_clear.then(|| format!("{field} > {}", quote(value)))
    }

    /// Whether the list may have another order than that of ids. Strings in the filter count too, which
    /// does not matter for short lists.
    pub fn is_sorted(&self) -> bool {
        let filter = self.filter.as_deref().unwrap_or_default();
        self.sort.is_some() || filter.to_ascii_lowercase().contains("sort")
    }

    /// Adds a condition to the filter.
    ///
    /// The condition comes first, since `and` extends to the end of the filter, and existing `sort by`
    /// and `limit` clauses have to stay last.
    ///
    /// # Examples
    ///
    /// ```
    /// use portcullis_client::ListQuery;
    ///
    /// let query = ListQuery::with_filter("isAdmin limit 5").and("name > \"m\"");
    /// assert_eq!(query.filter.unwrap(), r#"name > "m" and isAdmin limit 5"#);
    /// ```
    #[must_use]
    pub fn and(mut self, condition: &str) -> Self {
        let filter = self.filter.as_deref().unwrap_or_default().trim();
        let first = filter.split_whitespace().next().unwrap_or_default();
        let is_clause = |word: &&str| first.eq_ignore_ascii_case(word);
        self.filter = Some(if filter.is_empty() {
            condition.to_owned()
        } else if ["sort", "skip", "limit"].iter().any(is_clause) {
            format!("{condition} {filter}")
        } else {
            format!("{condition} and {filter}")
        });
        self
    }

    /// Adds the parameters to `endpoint`.
    pub(crate) fn apply(&self, mut endpoint: Endpoint) -> Endpoint {
        if let Some(filter) = &self.filter {
            endpoint = endpoint.with_parameter("filter", filter);
        }
        if let Some(limit) = self.limit {
            endpoint = endpoint.with_parameter("limit", limit.to_string());
        }
        if let Some(offset) = self.offset {
            endpoint = endpoint.with_parameter("offset", offset.to_string());
        }
        if let Some(sort) = &self.sort {
            endpoint = endpoint.with_parameter("sort", sort);
        }
        for role in &self.roles {
            endpoint = endpoint.with_parameter("roleFilter", format!("#{role}"));
        }
        if let Some(semantic) = self.role_semantic {
            endpoint = endpoint.with_parameter("roleSemantic", semantic.name());
        }
        endpoint
    }
}

/// Whether a character cannot be written in a filter string, or is interpreted differently by some
/// controllers: OpenZiti decodes an escaped backslash before `n` as a line feed.
fn is_ambiguous(character: char) -> bool {
    matches!(character, '\\' | '\0'..='\u{1f}')
        && !matches!(character, '\n' | '\r' | '\t' | '\u{c}')
}

/// Quotes a text as a string of the filter language.
pub fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{c}' => quoted.push_str("\\f"),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::Api;

    #[test]
    fn values_cannot_leave_their_quotes() {
        for (value, written) in [
            ("plain", r#"name="plain""#),
            (r#"" or true"#, r#"name="\" or true""#),
            (r"back\slash", r#"name="back\\slash""#),
            ("line\nfeed", r#"name="line\nfeed""#),
        ] {
            assert_eq!(ListQuery::equals("name", value).filter.unwrap(), written);
        }
    }

    #[test]
    fn candidates_are_found_by_what_can_be_written() {
        for (value, filter) in [
            ("plain \"x\"", Some(r#"name="plain \"x\"""#)),
            ("line\nfeed", Some(r#"name="line\nfeed""#)),
            (r"dir\name", Some(r#"name contains "name""#)),
            ("evil\u{1b}[2Jname", Some(r#"name contains "[2Jname""#)),
            ("\u{7}bell\u{0}", Some(r#"name contains "bell""#)),
            ("\u{1}\\", None),
            ("", Some(r#"name="""#)),
        ] {
            let query = ListQuery::candidates("name", value);
            assert_eq!(query.filter.as_deref(), filter, "{value:?}");
        }
    }

    #[test]
    fn conditions_join_every_filter() {
        for (filter, joined) in [
            (None, "c"),
            (Some(""), "c"),
            (Some(" \t"), "c"),
            (Some("a or b"), "c and a or b"),
            (Some(" sort by name"), "c sort by name"),
            (Some("LIMIT none"), "c LIMIT none"),
            (Some("skip 3 limit 5"), "c skip 3 limit 5"),
            (Some("limits = 3"), "c and limits = 3"),
            (Some("a limit 5"), "c and a limit 5"),
        ] {
            let query = ListQuery {
                filter: filter.map(str::to_owned),
                ..ListQuery::default()
            };
            assert_eq!(query.and("c").filter.as_deref(), Some(joined), "{filter:?}");
        }
    }

    #[test]
    fn only_what_is_set_is_sent() {
        let to = |query: ListQuery| query.apply(Endpoint::new(Api::Client, "x")).to_string();
        assert_eq!(to(ListQuery::default()), "/edge/client/v1/x");
        let query = ListQuery {
            filter: Some("true".to_owned()),
            limit: Some(-1),
            offset: Some(2),
            sort: Some("name".to_owned()),
            ..ListQuery::default()
        };
        assert_eq!(
            to(query),
            "/edge/client/v1/x?filter=true&limit=-1&offset=2&sort=name"
        );
        let query = ListQuery {
            roles: vec!["a".to_owned(), "b".to_owned()],
            role_semantic: Some(RoleSemantic::AnyOf),
            ..ListQuery::default()
        };
        assert_eq!(
            to(query),
            "/edge/client/v1/x?roleFilter=%23a&roleFilter=%23b&roleSemantic=AnyOf"
        );
    }
}
