//! Regular expressions of whoever subscribes, whose size in memory is bounded.

use regex::{Regex, RegexBuilder};

/// A regular expression, which is the same as another one if its text is.
#[derive(Debug, Clone)]
pub(crate) struct Pattern(Regex);

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl Eq for Pattern {}

/// Longest text, in bytes.
const MAX_LENGTH: usize = 4096;

/// Sizes in bytes, in one of which an expression has to fit when it is compiled. `link\..*` fits into the first and
/// `\w`, which knows all letters there are, into the third.
const SIZES: [usize; 4] = [8 << 10, 32 << 10, 128 << 10, 256 << 10];

/// What is remembered while texts are matched, at most, in bytes.
const MATCHING_SIZE: usize = 256 << 10;

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
        if text.len() > MAX_LENGTH {
            return Err(format!(
                "a regular expression has at most {MAX_LENGTH} bytes"
            ));
        }
        // How large one is, is not told; so sizes are tried, of which the last costs as much as all others.
        for size in SIZES {
            if size > budget.left {
                return Err(format!(
                    "the regular expressions of a request take more than {} KiB together; repeat less in them, \
                     or distribute the subscriptions over several requests",
                    PatternBudget::WHOLE >> 10
                ));
            }
            let regex = RegexBuilder::new(text)
                .size_limit(size)
                .dfa_size_limit(MATCHING_SIZE)
                .build();
            match regex {
                Ok(regex) => {
                    budget.left -= size;
                    return Ok(Self(regex));
                },
                Err(regex::Error::CompiledTooBig(_)) => {},
                // Its message is a drawing on several lines, the last of which says what is wrong.
                Err(other) => {
                    let message = other.to_string();
                    let last = message.lines().last().unwrap_or_default();
                    let cause = last.trim_start_matches("error: ");
                    return Err(format!("not a regular expression: {cause}"));
                },
            }
        }
        Err("the regular expression repeats too much".to_owned())
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
