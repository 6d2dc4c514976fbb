//! Tests of the crate as others use it.

#[cfg(test)]
mod answers;
#[cfg(test)]
mod channel;
#[cfg(test)]
mod closing;
#[cfg(test)]
mod dialing;
#[cfg(test)]
mod flows;
#[cfg(test)]
mod frames;
#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod groups;
#[cfg(test)]
mod headers;
#[cfg(test)]
mod heartbeats;
#[cfg(test)]
mod hello;
#[cfg(test)]
mod queues;
#[cfg(test)]
mod requests;
#[cfg(test)]
mod simulation;
#[cfg(test)]
mod support;
#[cfg(test)]
mod vectors;
