//! The controller's end of the control channel.
//!
//! Between what routers say (`portcullis-wire`) and what the controller knows and decides: records and
//! rights (`portcullis-app`), the picture of the network (`portcullis-fabric`), and the router data model
//! (`portcullis-data-model`).
