//! What a tunneler does for services.

#[cfg(test)]
mod hosting;
#[cfg(test)]
mod interception;
#[cfg(test)]
mod proxies;
#[cfg(test)]
mod random;
#[cfg(test)]
mod support;
