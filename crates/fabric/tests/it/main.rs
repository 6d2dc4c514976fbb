//! Tests of the crate as others use it.

#[cfg(test)]
mod circuits;
#[cfg(test)]
mod lies;
#[cfg(test)]
mod links;
#[cfg(test)]
mod paths;
#[cfg(test)]
mod simulation;
#[cfg(test)]
mod support;
#[cfg(test)]
mod terminators;
