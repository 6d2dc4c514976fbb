//! Responses of a controller.

use http::{HeaderMap, StatusCode};
use serde_json::Value;

/// A response with its complete body.
#[derive(Debug, Clone)]
pub struct Reply {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Reply {
    /// The body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.body)))
    }

    /// The member `data` of a successful response.
    #[track_caller]
    pub fn data(&self) -> Value {
        assert!(self.status.is_success(), "{}: {}", self.status, self.text());
        self.json()["data"].clone()
    }

    /// The id of a created entity.
    #[track_caller]
    pub fn id(&self) -> String {
        assert_eq!(self.status, StatusCode::CREATED, "{}", self.text());
        self.json()["data"]["id"].as_str().unwrap().to_owned()
    }

    /// Status and code of an error response.
    #[track_caller]
    pub fn error(&self) -> (u16, String) {
        let json = self.json();
        let code = json["error"]["code"]
            .as_str()
            .unwrap_or_else(|| panic!("no code: {json}"));
        (self.status.as_u16(), code.to_owned())
    }

    /// The request field that an error names.
    #[track_caller]
    pub fn field(&self) -> String {
        let json = self.json();
        json["error"]["cause"]["field"]
            .as_str()
            .unwrap_or_else(|| panic!("{json}"))
            .to_owned()
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}
