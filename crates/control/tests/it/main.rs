//! The control plane with routers of our own, over streams in memory.

#[cfg(test)]
mod admission;
#[cfg(test)]
mod bursts;
#[cfg(test)]
mod circuits;
#[cfg(test)]
mod clocks;
#[cfg(test)]
mod comparisons;
mod data_model;
#[cfg(test)]
mod events;
#[cfg(test)]
mod inspections;
#[cfg(test)]
mod lies;
#[cfg(test)]
mod links;
#[cfg(test)]
mod memory;
#[cfg(test)]
mod metrics;
#[cfg(test)]
mod recorder;
#[cfg(test)]
mod retirement;
#[cfg(test)]
mod simulation;
#[cfg(test)]
mod stage;
#[cfg(test)]
mod traces;
