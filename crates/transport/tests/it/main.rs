//! Channels over streams in memory, in virtual time, and over sockets.

#[cfg(test)]
mod hello;
#[cfg(test)]
mod messages;
#[cfg(test)]
mod support;
