//! Web applications, such as the console: files of a folder, below a path of the listener.
//!
//! A path without a file of its own leads to the index, whose script makes a page of it. What a
//! request is for ([`target`]) and what of a file it gets ([`selection`]) is decided without I/O;
//! [`folder`] and [`file_body`] read the disk, in pieces and on threads that may block.

mod file_body;
mod folder;
mod gzip_cache;
mod media_type;
mod selection;
mod target;

use crate::compress;
use crate::path::decode_parameter;
use folder::{Disk, OpenFile};
use gzip_cache::GzipCache;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, header};
use media_type::MediaType;
use portcullis_listener::{
    Body, Connection, DrainFuture, HeadRefusal, ResponseFuture, Service, ServiceResponse, full_body,
};
use selection::Selection;
use std::path::PathBuf;
use std::sync::Arc;
use target::Target;

const PLAIN_TEXT: &str = "text/plain; charset=utf-8";

/// What every response has: browsers neither guess types nor show the application in a frame.
const SAFETY: [(HeaderName, &str); 2] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::CONTENT_SECURITY_POLICY, "frame-ancestors 'none'"),
];

/// A folder with the files of a web application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebApp {
    /// Path segment under which it is served.
    pub segment: String,
    /// The folder. Nothing outside of it is served, wherever symbolic links in it lead.
    pub location: PathBuf,
    /// File for every path without a file of its own.
    pub index_file: String,
    /// Whether its folder `assets` is also served at the root of the listener.
    pub has_root_assets: bool,
}

/// A service in front of which web applications are served.
#[derive(Debug)]
pub struct WithWebApps<S> {
    service: S,
    files: Arc<Files>,
}

#[derive(Debug)]
struct Files {
    /// In the order in which they are asked.
    apps: Vec<WebApp>,
    /// Whether the last application gets the paths that are nobody's.
    has_fallback: bool,
    disk: Disk,
    gzip: GzipCache,
}

impl<S> WithWebApps<S> {
    /// Serves `apps` at their paths, and `service` everywhere else.
    pub fn new(service: S, apps: Vec<WebApp>) -> Self {
        Self::build(service, apps, false)
    }

    /// Serves `apps` alone: the last of them also gets the paths that are none of theirs.
    pub fn alone(service: S, apps: Vec<WebApp>) -> Self {
        Self::build(service, apps, true)
    }

    fn build(service: S, apps: Vec<WebApp>, has_fallback: bool) -> Self {
        let files = Arc::new(Files {
            apps,
            has_fallback,
            disk: Disk::default(),
            gzip: GzipCache::default(),
        });
        Self { service, files }
    }
}

impl<S: Service> Service for WithWebApps<S> {
    fn call(&self, connection: &Arc<Connection>, request: Request<Body>) -> ResponseFuture {
        let Some((number, target)) = self.files.find(request.uri().path()) else {
            return self.service.call(connection, request);
        };
        let files = Arc::clone(&self.files);
        Box::pin(async move {
            let (method, headers) = (request.method(), request.headers());
            let mut response = files.respond(number, target, method, headers).await;
            for (name, value) in SAFETY {
                let value = HeaderValue::from_static(value);
                response.headers_mut().insert(name, value);
            }
            response
        })
    }

    fn refuse(&self, connection: &Connection, refusal: HeadRefusal) -> ServiceResponse {
        self.service.refuse(connection, refusal)
    }

    fn drain(&self) -> DrainFuture<'_> {
        self.service.drain()
    }
}

impl Files {
    /// Finds the application that a path belongs to, by its position, and what of it is asked for.
    fn find(&self, path: &str) -> Option<(usize, Target)> {
        let decoded = decode_parameter(path);
        let path = decoded.as_deref().unwrap_or(path);
        let mut apps = self.apps.iter().enumerate();
        let found = apps.find_map(|(number, app)| Some((number, app.strip(path)?)));
        let fallback = || {
            let last = self.apps.len().checked_sub(1)?;
            self.has_fallback.then_some((last, path))
        };
        let (number, rest) = found.or_else(fallback)?;
        let target = match decoded {
            Some(_) => target::resolve(rest),
            None => Target::Invalid,
        };
        Some((number, target))
    }

    async fn respond(
        &self,
        number: usize,
        target: Target,
        method: &Method,
        headers: &HeaderMap,
    ) -> ServiceResponse {
        if !matches!(*method, Method::GET | Method::HEAD) {
            return wrong_method();
        }
        let relative = match target {
            Target::Invalid => return text(StatusCode::BAD_REQUEST, "invalid URL path\n"),
            Target::Folder => return redirect_to_folder(),
            Target::File(relative) => relative,
        };
        let Some(app) = self.apps.get(number) else {
            return not_found();
        };
        match self.disk.open(app, relative).await {
            Some(file) => self.send(file, method, headers).await,
            None => not_found(),
        }
    }

    /// Sends a file, or the part of it that the client lacks.
    async fn send(&self, file: OpenFile, method: &Method, headers: &HeaderMap) -> ServiceResponse {
        let media_type = MediaType::of(&file.path);
        let selection = selection::select(headers, &file.version);
        let mut response = Response::new(full_body(""));
        let answered = response.headers_mut();
        answered.insert(header::ETAG, file.version.etag());
        answered.insert(header::LAST_MODIFIED, file.version.last_modified());
        answered.insert(header::CACHE_CONTROL, cache_control(&file));
        answered.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
        if media_type.is_compressible {
            answered.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
        }
        let length = file.version.length;
        let range = match selection {
            Selection::NotModified => {
                *response.status_mut() = StatusCode::NOT_MODIFIED;
                return response;
            },
            Selection::Unsatisfiable => {
                *response.status_mut() = StatusCode::RANGE_NOT_SATISFIABLE;
                insert(
                    &mut response,
                    header::CONTENT_RANGE,
                    &format!("bytes */{length}"),
                );
                return response;
            },
            Selection::Part(range) => {
                *response.status_mut() = StatusCode::PARTIAL_CONTENT;
                let (first, end) = (range.start, range.end.saturating_sub(1));
                let part = format!("bytes {first}-{end}/{length}");
                insert(&mut response, header::CONTENT_RANGE, &part);
                range
            },
            Selection::Whole => 0..length,
        };
        insert(&mut response, header::CONTENT_TYPE, media_type.name);
        let is_whole = response.status() == StatusCode::OK;
        let wants_gzip = is_whole && media_type.is_compressible && compress::accepts_gzip(headers);
        let gzip = if wants_gzip {
            self.gzip.get(&self.disk, &file).await
        } else {
            None
        };
        let content_length = gzip
            .as_ref()
            .map_or(range.end - range.start, |it| it.len() as u64);
        insert(
            &mut response,
            header::CONTENT_LENGTH,
            &content_length.to_string(),
        );
        if gzip.is_some() {
            insert(&mut response, header::CONTENT_ENCODING, "gzip");
        }
        if *method == Method::GET {
            *response.body_mut() = match gzip {
                Some(gzip) => full_body(gzip),
                None => file_body::stream(self.disk.clone(), file, range),
            };
        }
        response
    }
}

/// How long browsers may keep a file: for ever if its name has a hash of what is in it; otherwise
/// they ask each time whether it is still the same.
fn cache_control(file: &OpenFile) -> HeaderValue {
    HeaderValue::from_static(if media_type::has_hashed_name(&file.path) {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    })
}

fn insert(response: &mut ServiceResponse, name: HeaderName, value: &str) {
    // The values are numbers and constants.
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}

fn text(status: StatusCode, message: &'static str) -> ServiceResponse {
    let mut response = Response::new(full_body(message));
    *response.status_mut() = status;
    insert(&mut response, header::CONTENT_TYPE, PLAIN_TEXT);
    response
}

fn not_found() -> ServiceResponse {
    text(StatusCode::NOT_FOUND, "404 page not found\n")
}

fn wrong_method() -> ServiceResponse {
    let mut response = text(StatusCode::METHOD_NOT_ALLOWED, "method not allowed\n");
    insert(&mut response, header::ALLOW, "GET, HEAD");
    response
}

fn redirect_to_folder() -> ServiceResponse {
    let mut response = Response::new(full_body(""));
    *response.status_mut() = StatusCode::MOVED_PERMANENTLY;
    insert(&mut response, header::LOCATION, "./");
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn app(segment: &str, has_root_assets: bool) -> WebApp {
        WebApp {
            segment: segment.to_owned(),
            location: "/opt/console".into(),
            index_file: "index.html".to_owned(),
            has_root_assets,
        }
    }

    #[test]
    fn paths_find_their_application() {
        let beside = WithWebApps::new((), vec![app("zac", true), app("status", false)]);
        let file = |number, path: &str| Some((number, Target::File(path.into())));
        for (path, found) in [
            ("/zac/a", file(0, "a")),
            ("/assets/a", file(0, "assets/a")),
            ("/status/a", file(1, "a")),
            ("/%7Aac/%61", file(0, "a")),
            ("/zac/%zz", Some((0, Target::Invalid))),
            ("/%zz", None),
            ("/edge/client/v1/version", None),
        ] {
            assert_eq!(beside.files.find(path), found, "{path}");
        }
    }

    #[test]
    fn an_application_alone_gets_every_path() {
        let alone = WithWebApps::alone((), vec![app("a", false), app("b", false)]);
        for (path, number, file) in [("/", 1, ""), ("/x/y", 1, "x/y"), ("/a/x", 0, "x")] {
            let found = alone.files.find(path);
            assert_eq!(found, Some((number, Target::File(file.into()))), "{path}");
        }
    }
}
