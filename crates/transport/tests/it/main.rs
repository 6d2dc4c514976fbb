//! Channels over streams in memory, in virtual time, and over sockets.

#[cfg(test)]
mod faults;
#[cfg(test)]
mod group;
#[cfg(test)]
mod hello;
#[cfg(test)]
mod idle;
#[cfg(test)]
mod messages;
#[cfg(test)]
mod pressure;
#[cfg(test)]
mod sockets;
#[cfg(test)]
mod support;
