//! The environment of a file.

use std::fmt;

/// The environment variables that a file may refer to, by a function from names to values.
///
/// By default there are none.
///
/// # Examples
///
/// ```
/// use portcullis_router_config::Environment;
///
/// let own = |name: &str| std::env::var(name).ok();
/// assert_eq!(Environment::new(&own).get("PATH"), std::env::var("PATH").ok());
/// assert_eq!(Environment::default().get("PATH"), None);
/// ```
#[derive(Clone, Copy, Default)]
pub struct Environment<'a>(Option<&'a Lookup<'a>>);

/// Finds the value of a variable by its name.
type Lookup<'a> = dyn Fn(&str) -> Option<String> + 'a;

impl<'a> Environment<'a> {
    /// The variables that `lookup` finds.
    pub const fn new(lookup: &'a dyn Fn(&str) -> Option<String>) -> Self {
        Self(Some(lookup))
    }

    /// No variables.
    pub const fn empty() -> Self {
        Self(None)
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<String> {
        self.0?(name)
    }
}

/// Does not show values, which may be secrets.
impl fmt::Debug for Environment<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Environment(..)")
    }
}
