//! Regular expressions of whoever subscribes, whose size in memory is bounded.

use crate::expression::{ExpressionError, compile_expression};
use regex::Regex;

/// A regular expression, which is the same as another one if its text is.
#[derive(Debug, Clone)]
pub(crate) struct Pattern(Regex);

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl Eq for Pattern {}

/// Sizes in bytes, in one of which an expression has to fit when it is compiled. `link\..*` fits into the first and
/// `\w`, which knows all letters there are, into the third.
const SIZES: [usize; 4] = [8 << 10, 32 << 10, 128 << 10, 256 << 10];

/// How large regular expressions that come together may be, once they are compiled.
#[derive(Debug)]
pub struct PatternBudget {
    /// In bytes.
    left: usize,
}

impl PatternBudget {
    /// In bytes.
    const WHOLE: usize = 1 << 20;
}

impl Default for PatternBudget {
    fn default() -> Self {
        Self { left: Self::WHOLE }
    }
}

impl Pattern {
    /// Compiles an expression.
    ///
    /// # Errors
    ///
    /// What is wrong with the expression, or that there is no room for it.
    pub(crate) fn new(text: &str, budget: &mut PatternBudget) -> Result<Self, String> {
        // How large one is, is not told; so sizes are tried, of which the last costs as much as all others.
        for size in SIZES {
            if size > budget.left {
                return Err(format!(
                    "the regular expressions of a request take more than {} KiB together; repeat less in them, \
                     or distribute the subscriptions over several requests",
                    PatternBudget::WHOLE >> 10
                ));
            }
            match compile_expression(text, size) {
                Ok(regex) => {
                    budget.left -= size;
                    return Ok(Self(regex));
                },
                Err(ExpressionError::TooLarge) => {},
                Err(other) => return Err(other.to_string()),
            }
        }
        Err(ExpressionError::TooLarge.to_string())
    }

    pub(crate) fn matches(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_bounded_alone_and_together() {
        let mut budget = PatternBudget::default();
        let mut new = |text: &str| Pattern::new(text, &mut budget).map(drop);
        let too_much = Err("the regular expression repeats too much".to_owned());
        for text in [r"\w{9}", "(a{100}){100}"] {
            assert_eq!(new(text), too_much, "{text}");
        }
        // What does not compile takes nothing.
        let usual = [r"^link\..*", r"^\w+\.latency\.(p99|mean)$", ""];
        for _ in 0..7 {
            for text in usual {
                assert_eq!(new(text), Ok(()), "{text}");
            }
        }
        let error = new(r"\w\w").unwrap_err();
        assert!(error.contains("more than 1024 KiB together"), "{error}");
    }
}
