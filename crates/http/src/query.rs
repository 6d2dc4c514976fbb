//! Query strings of request URLs.

/// The parameters of a query string, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Parses `a=b&c=d`; `+` and `%20` are spaces.
    pub fn parse(raw: Option<&str>) -> Self {
        let raw = raw.unwrap_or_default();
        Self(
            url::form_urlencoded::parse(raw.as_bytes())
                .map(|(name, value)| (name.into_owned(), value.into_owned()))
                .collect(),
        )
    }

    /// All values of a parameter, in order.
    pub fn all<'q>(&'q self, name: &'q str) -> impl Iterator<Item = &'q str> {
        self.0
            .iter()
            .filter(move |(given, _)| given == name)
            .map(|(_, value)| value.as_str())
    }

    /// The first value of a parameter.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(given, _)| given == name)
            .map(|(_, value)| value.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_decoded() {
        let query = Query::parse(Some("filter=name%3D%22a+b%22&limit=5&limit=6&x"));
        assert_eq!(query.get("filter"), Some("name=\"a b\""));
        assert_eq!(query.get("limit"), Some("5"), "the first of several counts");
        assert!(query.all("limit").eq(["5", "6"]));
        assert_eq!(query.get("x"), Some(""));
        assert_eq!(query.get("absent"), None);
    }
}
