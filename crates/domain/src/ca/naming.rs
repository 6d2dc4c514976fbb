//! Names of auto-enrolled identities.

/// Variables of a name format.
#[derive(Debug, Clone, Copy)]
pub struct NameVariables<'a> {
    /// Name of the authority.
    pub ca_name: &'a str,
    /// Id of the authority.
    pub ca_id: &'a str,
    /// Common name of the certificate, or empty.
    pub common_name: &'a str,
    /// The name that the client asked for.
    pub requested_name: &'a str,
    /// Id of the identity.
    pub identity_id: &'a str,
}

impl NameVariables<'_> {
    /// Renders a name: symbols in brackets are replaced, everything else is copied. Replacement
    /// values are not expanded again.
    pub fn render(&self, format: &str) -> String {
        let mut name = String::with_capacity(format.len());
        let mut rest = format;
        while let Some((before, after)) = rest.split_once('[') {
            name.push_str(before);
            let known = self.symbols().into_iter().find_map(|(symbol, value)| {
                let after = after.strip_prefix(symbol)?.strip_prefix(']')?;
                Some((value, after))
            });
            let (value, after) = known.unwrap_or(("[", after));
            name.push_str(value);
            rest = after;
        }
        name.push_str(rest);
        name
    }

    fn symbols(&self) -> [(&'static str, &str); 5] {
        [
            ("caName", self.ca_name),
            ("caId", self.ca_id),
            ("commonName", self.common_name),
            ("requestedName", self.requested_name),
            ("identityId", self.identity_id),
        ]
    }
}

/// Appends a counter of at least six digits, for a name that is already in use.
pub fn with_counter(name: &str, counter: u64) -> String {
    format!("{name}{counter:06}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_replaced_once() {
        let parts = NameVariables {
            ca_name: "partner",
            ca_id: "c1",
            common_name: "[identityId]",
            requested_name: "laptop",
            identity_id: "i1",
        };
        for (format, name) in [
            ("[caName]-[commonName]", "partner-[identityId]"),
            ("[caId]/[requestedName]/[identityId]", "c1/laptop/i1"),
            (
                "[caname] [nobody] [[caName]] [",
                "[caname] [nobody] [partner] [",
            ),
            ("[caName", "[caName"),
            ("", ""),
            ("plain", "plain"),
        ] {
            assert_eq!(parts.render(format), name, "{format}");
        }
    }

    #[test]
    fn counter_has_six_digits_until_it_needs_more() {
        assert_eq!(with_counter("n", 1), "n000001");
        assert_eq!(with_counter("n", 1_000_000), "n1000000");
    }
}
