//! Tests of the crate as others use it.

#[cfg(test)]
mod circuits;
#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod shared_link;
#[cfg(test)]
mod simulation;
#[cfg(test)]
mod speed;
#[cfg(test)]
mod support;
