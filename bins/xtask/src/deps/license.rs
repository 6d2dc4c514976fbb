//! SPDX license expressions (SPDX 2.3, annex D).

/// Whether the licenses in `allowed` satisfy the expression.
///
/// A slash counts as `OR`, as it does in manifests from before SPDX.
///
/// # Errors
/// A message if the expression is invalid.
pub(super) fn satisfies(expression: &str, allowed: &[String]) -> Result<bool, String> {
    let spaced = expression
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace('/', " OR ");
    let mut reader = ExpressionParser {
        words: spaced.split_whitespace().peekable(),
        allowed,
    };
    let verdict = reader.parse_or()?;
    match reader.words.next() {
        None => Ok(verdict),
        Some(word) => Err(format!("'{word}' is not expected")),
    }
}

struct ExpressionParser<'e, W: Iterator<Item = &'e str>> {
    words: std::iter::Peekable<W>,
    allowed: &'e [String],
}

impl<'e, W: Iterator<Item = &'e str>> ExpressionParser<'e, W> {
    fn parse_or(&mut self) -> Result<bool, String> {
        let mut verdict = self.parse_and()?;
        while self.words.next_if_eq(&"OR").is_some() {
            verdict |= self.parse_and()?;
        }
        Ok(verdict)
    }

    fn parse_and(&mut self) -> Result<bool, String> {
        let mut verdict = self.parse_term()?;
        while self.words.next_if_eq(&"AND").is_some() {
            verdict &= self.parse_term()?;
        }
        Ok(verdict)
    }

    fn parse_term(&mut self) -> Result<bool, String> {
        match self.words.next() {
            Some("(") => {
                let verdict = self.parse_or()?;
                match self.words.next() {
                    Some(")") => Ok(verdict),
                    _ => Err("a parenthesis is not closed".to_owned()),
                }
            },
            Some(word @ (")" | "AND" | "OR" | "WITH")) => Err(format!("'{word}' is not a license")),
            Some(name) => {
                let mut name = name.to_owned();
                if self.words.next_if_eq(&"WITH").is_some() {
                    let exception = self.words.next().ok_or("WITH needs an exception")?;
                    name = format!("{name} WITH {exception}");
                }
                Ok(self.allowed.contains(&name))
            },
            None => Err("a license is missing".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::satisfies;

    #[test]
    fn expressions_are_judged() {
        let allowed = ["MIT", "ISC", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned);
        for (expression, verdict) in [
            ("MIT", true),
            ("GPL-3.0", false),
            ("GPL-3.0 OR MIT", true),
            ("GPL-3.0/MIT", true),
            ("MIT / GPL-3.0", true),
            ("MIT AND GPL-3.0", false),
            ("MIT AND ISC", true),
            ("GPL-3.0 AND ISC OR MIT", true),
            ("ISC AND (GPL-3.0 OR MIT)", true),
            ("ISC AND (GPL-3.0 OR GPL-2.0)", false),
            ("Apache-2.0 WITH LLVM-exception", true),
            ("Apache-2.0", false),
            ("MIT WITH LLVM-exception", false),
        ] {
            assert_eq!(satisfies(expression, &allowed), Ok(verdict), "{expression}");
        }
        for broken in [
            "", "MIT OR", "(MIT", "MIT)", "AND MIT", "MIT ISC", "MIT WITH",
        ] {
            assert!(satisfies(broken, &allowed).is_err(), "{broken}");
        }
    }
}
