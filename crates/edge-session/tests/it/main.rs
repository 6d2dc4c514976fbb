//! Sessions with a controller that is reached by a socket.

#[cfg(test)]
mod enrollment;
#[cfg(test)]
mod login;
#[cfg(test)]
mod network;
#[cfg(test)]
mod posture;
#[cfg(test)]
mod renewal;
#[cfg(test)]
mod services;
#[cfg(test)]
mod totp;
