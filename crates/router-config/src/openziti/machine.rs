//! Facts about the machine that the prediction depends on.

use crate::network::could_be_interface;

/// Machine on which the router would run.
///
/// Unknown facts are assumed to be favorable: every interface exists and every name resolves.
#[derive(Clone, Copy, Debug, Default)]
pub struct Machine<'a> {
    /// Network interfaces with their IP addresses, written as Go does.
    pub interfaces: Option<&'a [(&'a str, &'a [&'a str])]>,
    /// Host names that resolve to an address of this machine.
    pub host_names: Option<&'a [&'a str]>,
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
