//! A controller under load, and what every measurement needs of it.

use super::scale::Scale;
use crate::testbed::calls::{enroll, log_in, total};
use crate::testbed::controller::Controller;
use crate::testbed::credential::Credential;
use crate::testbed::link::{Endpoint, Link};
use crate::testbed::request::{self, MANAGEMENT};

/// A controller with its administrator's session and devices that have certificates.
pub(super) struct Fixture {
    /// The controller.
    pub(super) controller: Controller,
    /// How much is measured.
    pub(super) scale: Scale,
    /// The token of the administrator's session.
    pub(super) admin: String,
    /// The devices.
    pub(super) devices: Vec<Credential>,
}

impl Fixture {
    /// Logs in and enrolls the devices.
    pub(super) async fn prepare(controller: Controller, scale: Scale) -> anyhow::Result<Self> {
        let mut link = controller.endpoint(None)?.connect().await?;
        let admin = log_in(&mut link).await?;
        let mut devices = Vec::with_capacity(scale.devices);
        for number in 0..scale.devices {
            devices.push(enroll(&mut link, &admin, &format!("device-{number}")).await?);
        }
        Ok(Self {
            controller,
            scale,
            admin,
            devices,
        })
    }

    /// Opens connections without a certificate.
    pub(super) async fn links(&self, count: usize) -> anyhow::Result<Vec<Link>> {
        self.controller.endpoint(None)?.connect_many(count).await
    }

    /// The endpoint as each device comes to it.
    pub(super) fn as_devices(&self) -> anyhow::Result<Vec<Endpoint>> {
        self.devices
            .iter()
            .map(|device| self.controller.endpoint(Some(device)))
            .collect()
    }

    /// Counts the identities.
    pub(super) async fn identities(&self) -> anyhow::Result<u64> {
        let mut link = self.controller.endpoint(None)?.connect().await?;
        let path = format!("{MANAGEMENT}/identities?limit=1");
        let ask = request::get(&path, Some(&self.admin));
        total(link.expect(200, &ask).await?)
    }
}
