//! The listener that the browser comes back to.

use crate::error::CliError;
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use portcullis_client::Denial;
use portcullis_client::oidc::{AuthorizationRequest, CallbackError, Provider};
use secrecy::SecretString;
use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::select;
use tokio::task::JoinSet;
use url::Url;

/// The path that controllers register for programs on the same machine.
const PATH: &str = "/auth/callback";

/// Time for the head of a request. Browsers open connections that they may use later.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);

/// A page without scripts, and nothing from elsewhere.
const POLICY: &str = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'";

/// What came to the redirect URI.
type Answer = Result<SecretString, Denial>;

/// A listener on a free port of the loopback interface.
pub(super) struct CallbackListener {
    listener: TcpListener,
    address: SocketAddr,
}

/// What the requests are held against.
struct Expectation {
    request: AuthorizationRequest,
    provider: Provider,
    redirect_uri: Url,
}

impl CallbackListener {
    pub(super) async fn bind() -> Result<Self, CliError> {
        let bind = async {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
            let address = listener.local_addr()?;
            Ok::<_, io::Error>(Self { listener, address })
        };
        bind.await.map_err(|error| {
            CliError::failed("no port of this machine can be opened for the browser")
                .with_source(error)
        })
    }

    /// Where the browser is sent in the end.
    pub(super) fn redirect_uri(&self) -> Result<Url, CliError> {
        let uri = format!("http://{}{PATH}", self.address);
        uri.parse().map_err(|error| {
            CliError::failed("the address for the browser is not valid")
                .with_source(anyhow::Error::new::<url::ParseError>(error))
        })
    }

    /// Waits for the answer to `request`. Whatever else comes is turned away, so that nobody can end the
    /// login who does not know its state.
    pub(super) async fn wait_for_code(
        self,
        request: &AuthorizationRequest,
        provider: &Provider,
    ) -> Result<Answer, CliError> {
        let expected = Arc::new(Expectation {
            request: request.clone(),
            provider: provider.clone(),
            redirect_uri: self.redirect_uri()?,
        });
        let mut connections = JoinSet::new();
        loop {
            select! {
                accepted = self.listener.accept() => {
                    // Whoever has gone already asks for nothing.
                    if let Ok((stream, _)) = accepted {
                        connections.spawn(serve(stream, Arc::clone(&expected)));
                    }
                },
                Some(served) = connections.join_next() => {
                    if let Ok(Some(answer)) = served {
                        return Ok(answer);
                    }
                },
            }
        }
    }
}

/// Serves one request; answers what it brought after the browser has been told.
async fn serve(stream: TcpStream, expected: Arc<Expectation>) -> Option<Answer> {
    let brought = OnceLock::new();
    let service = service_fn(|request: Request<Incoming>| {
        let (page, answer) = expected.judge(request.method(), request.uri());
        if let Some(answer) = answer {
            // The connection carries one request.
            let _ = brought.set(answer);
        }
        async { Ok::<_, Infallible>(page) }
    });
    let _ = http1::Builder::new()
        .keep_alive(false)
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .serve_connection(TokioIo::new(stream), service)
        .await;
    brought.into_inner()
}

impl Expectation {
    fn judge(&self, method: &Method, uri: &hyper::Uri) -> (Response<Full<Bytes>>, Option<Answer>) {
        if uri.path() != PATH {
            return (page(StatusCode::NOT_FOUND, "There is nothing here."), None);
        }
        if method != Method::GET {
            let refusal = "This page is only read.";
            return (page(StatusCode::METHOD_NOT_ALLOWED, refusal), None);
        }
        let mut callback = self.redirect_uri.clone();
        callback.set_query(uri.query());
        match self.request.code(&self.provider, &callback) {
            Ok(code) => {
                let done = "The terminal goes on from here. You may close this window.";
                (page(StatusCode::OK, done), Some(Ok(code)))
            },
            Err(CallbackError::Denied(denial)) => {
                let refused = "The login failed. The terminal says why; you may close this window.";
                (page(StatusCode::OK, refused), Some(Err(denial)))
            },
            Err(CallbackError::Foreign) => {
                let foreign = "This does not belong to the login that the terminal waits for.";
                (page(StatusCode::BAD_REQUEST, foreign), None)
            },
        }
    }
}

fn page(status: StatusCode, text: &str) -> Response<Full<Bytes>> {
    let html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width\"><meta name=\"color-scheme\" content=\"light dark\">\
         <title>Portcullis</title></head><body><h1>Portcullis</h1><p>{text}</p></body></html>\n"
    );
    let mut response = Response::new(Full::from(html));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CACHE_CONTROL, "no-store"),
        (CONTENT_SECURITY_POLICY, POLICY),
        // The address holds the code.
        (REFERRER_POLICY, "no-referrer"),
    ] {
        headers.insert(name, hyper::header::HeaderValue::from_static(value));
    }
    response
}
