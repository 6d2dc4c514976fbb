//! Tests of the crate as others use it.

#[cfg(test)]
mod dialing;
#[cfg(test)]
mod encryption;
#[cfg(test)]
mod flood;
#[cfg(test)]
mod hosting;
#[cfg(test)]
mod questions;
#[cfg(test)]
mod recorded;
#[cfg(test)]
mod session;
#[cfg(test)]
mod simulation;
#[cfg(test)]
mod streams;
#[cfg(test)]
mod support;
