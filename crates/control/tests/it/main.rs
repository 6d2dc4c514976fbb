//! The control plane with routers of our own, over streams in memory.

#[cfg(test)]
mod admission;
#[cfg(test)]
mod circuits;
#[cfg(test)]
mod links;
#[cfg(test)]
mod router;
#[cfg(test)]
mod stage;
