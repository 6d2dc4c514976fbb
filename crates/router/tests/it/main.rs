//! Tests of the crate as others use it.

#[cfg(test)]
mod access;
#[cfg(test)]
mod address;
#[cfg(test)]
mod circuits;
#[cfg(test)]
mod config;
#[cfg(test)]
mod control;
#[cfg(test)]
mod document;
#[cfg(test)]
mod duplicates;
#[cfg(test)]
mod edge;
#[cfg(test)]
mod egress;
#[cfg(test)]
mod ingress;
#[cfg(test)]
mod links;
#[cfg(test)]
mod pace;
#[cfg(test)]
mod rhythm;
#[cfg(test)]
mod served;
#[cfg(test)]
mod tunnel;
#[cfg(test)]
mod world;
