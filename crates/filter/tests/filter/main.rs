//! Tests of the filter language through its public interface.

// `cfg(test)` marks the helpers as test code for the lints.
#[cfg(test)]
mod accepted;
#[cfg(test)]
mod composed;
#[cfg(test)]
mod evaluation;
#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod golden;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod listing;
#[cfg(test)]
mod naive;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod refused;
#[cfg(test)]
mod support;
