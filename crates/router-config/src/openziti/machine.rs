//! What the verdict needs to know of the machine.

/// The machine on which the router would run.
///
/// What is not known is taken as good: every interface exists and every name resolves.
#[derive(Clone, Copy, Debug, Default)]
pub struct Machine<'a> {
    /// Network interfaces with their IP addresses, written as Go does.
    pub interfaces: Option<&'a [(&'a str, &'a [&'a str])]>,
    /// Host names that resolve to an address of this machine.
    pub host_names: Option<&'a [&'a str]>,
}

impl Machine<'_> {
    /// Finds the interface that has a name or an IP address; `Err` when there is none.
    ///
    /// Without knowledge of the machine it is `Ok("")` for whatever could be one.
    pub(super) fn interface(&self, name: &str) -> Result<&str, ()> {
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

/// Linux bounds the name of an interface and forbids blanks, slashes and colons in it.
pub(crate) fn could_be_interface(name: &str) -> bool {
    if let Ok(address) = name.parse::<std::net::IpAddr>() {
        return !address.is_unspecified();
    }
    let forbidden = |c: char| c.is_whitespace() || c == '/' || c == ':';
    (1..=15).contains(&name.len()) && !name.contains(forbidden) && name != "." && name != ".."
}
