//! Tests of the crate as others use it.

#[cfg(test)]
mod ending;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod idle;
#[cfg(test)]
mod model;
#[cfg(test)]
mod network;
#[cfg(test)]
mod routes;
#[cfg(test)]
mod support;
#[cfg(test)]
mod traces;
#[cfg(test)]
mod work_queue;
