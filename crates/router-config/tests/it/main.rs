//! Tests of the crate as others use it.

#[cfg(test)]
mod bounds;
#[cfg(test)]
mod findings;
#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod generated;
#[cfg(test)]
mod help;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod listed;
#[cfg(test)]
mod once;
#[cfg(test)]
mod openziti;
#[cfg(test)]
mod own;
mod places;
#[cfg(test)]
mod ports;
#[cfg(test)]
mod reasons;
#[cfg(test)]
mod recorded;
#[cfg(test)]
mod silent;
#[cfg(test)]
mod specification;
#[cfg(test)]
mod tolerance;
#[cfg(test)]
mod validated;
#[cfg(test)]
mod verdicts;
