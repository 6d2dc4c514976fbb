//! Tests of the crate as others use it.

#[cfg(test)]
mod capabilities;
#[cfg(test)]
mod control;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod random;
#[cfg(test)]
mod round_trips;
#[cfg(test)]
mod support;
