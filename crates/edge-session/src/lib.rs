//! The API session of a program at the edge of the network.
