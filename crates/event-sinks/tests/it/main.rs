//! Public behavior of the crate.

#[cfg(test)]
mod burst;
#[cfg(test)]
mod bus;
#[cfg(test)]
mod order;
#[cfg(test)]
mod stall;
#[cfg(test)]
mod support;
