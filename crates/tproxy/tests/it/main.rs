//! What the kernel hands over, in network namespaces that the tests make.
//!
//! Each test is this program once more, as a child of `unshare`, so nothing of the machine is touched. Without the
//! rights to make namespaces the tests are passed over.

#![cfg(target_os = "linux")]

#[cfg(test)]
mod command;
#[cfg(test)]
mod echo;
#[cfg(test)]
mod lan;
#[cfg(test)]
mod namespace;

#[cfg(test)]
mod changes;
#[cfg(test)]
mod flood;
#[cfg(test)]
mod load;
#[cfg(test)]
mod names;
#[cfg(test)]
mod own_traffic;
#[cfg(test)]
mod removal;
#[cfg(test)]
mod rights;
#[cfg(test)]
mod tcp;
#[cfg(test)]
mod udp;
