//! Tests of the crate as others use it.

#[cfg(test)]
mod capabilities;
#[cfg(test)]
mod control;
#[cfg(test)]
mod edge;
#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod link;
#[cfg(test)]
mod management;
#[cfg(test)]
mod round_trips;
#[cfg(test)]
mod support;
#[cfg(test)]
mod xgress;
