//! Tests of the crate as others use it.

#[cfg(test)]
mod openziti;
#[cfg(test)]
mod recorded;
#[cfg(test)]
mod specification;
