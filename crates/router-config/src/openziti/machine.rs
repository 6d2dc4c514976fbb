//! Facts about the machine that the prediction depends on.

use crate::environment::Environment;
use crate::network::could_be_interface;

/// Machine on which the router would run.
///
/// Unknown facts are assumed to be favorable: every interface exists and every name resolves.
///
/// # Examples
///
/// ```
/// use portcullis_router_config::openziti::Machine;
///
/// let variables = |name: &str| (name == "HOST").then(|| "r1.example".to_owned());
/// let machine = Machine::new().host_names(&["r1.example"]).environment(&variables);
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Machine<'a> {
    /// Network interfaces with their IP addresses, written as Go does.
    pub interfaces: Option<&'a [(&'a str, &'a [&'a str])]>,
    /// Host names that resolve to an address of this machine.
    pub host_names: Option<&'a [&'a str]>,
    /// The variables that the file may refer to. OpenZiti also sets `TMP`, `TEMP` and `TMPDIR` to the
    /// directory for temporary files.
    pub environment: Environment<'a>,
}

impl<'a> Machine<'a> {
    /// A machine of which nothing is known, without environment variables.
    pub const fn new() -> Self {
        Self {
            interfaces: None,
            host_names: None,
            environment: Environment::empty(),
        }
    }

    /// Has these interfaces alone, with their IP addresses, written as Go does.
    #[must_use]
    pub const fn interfaces(self, interfaces: &'a [(&'a str, &'a [&'a str])]) -> Self {
        Self {
            interfaces: Some(interfaces),
            ..self
        }
    }

    /// Is reached by these host names alone.
    #[must_use]
    pub const fn host_names(self, host_names: &'a [&'a str]) -> Self {
        Self {
            host_names: Some(host_names),
            ..self
        }
    }

    /// Finds the variables that the file may refer to.
    #[must_use]
    pub const fn environment(self, lookup: &'a dyn Fn(&str) -> Option<String>) -> Self {
        Self {
            environment: Environment::new(lookup),
            ..self
        }
    }
}

impl Machine<'_> {
    /// Finds the interface with a name or an IP address; `Err` if there is none.
    ///
    /// If the interfaces are unknown, any plausible name gives `Ok("")`.
    pub(super) fn find_interface(&self, name: &str) -> Result<&str, ()> {
        match self.interfaces {
            Some(interfaces) => interfaces
                .iter()
                .find(|(interface, addresses)| *interface == name || addresses.contains(&name))
                .map(|(interface, _)| *interface)
                .ok_or(()),
            None if could_be_interface(name) => Ok(""),
            None => Err(()),
        }
    }
}
