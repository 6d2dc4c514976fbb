//! Tunnels over sockets of the loopback interface and a network in memory.

#[cfg(test)]
mod bounds;
#[cfg(test)]
mod checks;
#[cfg(test)]
mod datagrams;
#[cfg(test)]
mod ends;
#[cfg(test)]
mod hosting;
#[cfg(test)]
mod http_proxy;
#[cfg(test)]
mod interception;
#[cfg(target_os = "linux")]
#[cfg(test)]
mod namespace;
#[cfg(test)]
mod network;
#[cfg(test)]
mod ports;
#[cfg(test)]
mod streams;
#[cfg(test)]
mod support;
#[cfg(target_os = "linux")]
#[cfg(test)]
mod transparent;
