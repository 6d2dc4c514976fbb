//! The network as a tunnel uses it, through the SDK.

mod circuit;
mod hosting;

use bytes::Bytes;
use circuit::SdkCircuit;
use hosting::SdkHost;
use portcullis_sdk::{Context, DialOptions, ListenOptions};
use portcullis_tunnel::{DialError, DialRequest, HostError, Network};
use portcullis_tunneler::{TerminatorId, TerminatorOptions};

/// The network, as an identity has joined it.
#[derive(Debug, Clone)]
pub(crate) struct SdkNetwork(Context);

impl SdkNetwork {
    pub(crate) const fn new(context: Context) -> Self {
        Self(context)
    }
}

impl Network for SdkNetwork {
    type Circuit = SdkCircuit;
    type Host = SdkHost;

    async fn dial(&self, request: DialRequest) -> Result<SdkCircuit, DialError> {
        let dial = request.dial;
        let options = DialOptions {
            identity: dial.identity,
            app_data: Some(Bytes::from(dial.app_data.encode())),
            timeout: dial.timeout,
            ..DialOptions::new(&*dial.service_name)
        };
        match self.0.dial(options).await {
            Ok(stream) => Ok(SdkCircuit::new(stream)),
            Err(error) => Err(DialError {
                reason: error.to_string(),
            }),
        }
    }

    async fn host(
        &self,
        _terminator: TerminatorId,
        options: TerminatorOptions,
    ) -> Result<SdkHost, HostError> {
        let mut listening = ListenOptions {
            identity: options.identity,
            cost: Some(options.cost),
            precedence: Some(options.precedence),
            ..ListenOptions::new(&*options.service_name)
        };
        let limit = options
            .max_connections
            .and_then(|limit| limit.try_into().ok());
        listening.max_connections = limit.unwrap_or(listening.max_connections);
        let established = async {
            let listener = self.0.listen_with(listening).await?;
            listener.established().await?;
            Ok(listener)
        };
        match established.await {
            Ok(listener) => {
                tracing::info!(service = %options.service_name, "the service is hosted");
                Ok(SdkHost::new(listener))
            },
            Err(error) => Err(reason_of(&error)),
        }
    }
}

fn reason_of(error: &portcullis_sdk::ListenError) -> HostError {
    HostError {
        reason: error.to_string(),
    }
}
