//! Files that the user saves: made on the page or by a worker of it, never sent anywhere.

use super::dom::{document, el};
use js_sys::{Array, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, BlobPropertyBag, Element, HtmlElement, Url};

/// Bytes of this media type as a blob: the browser keeps them, and who has a handle may read them.
///
/// # Errors
/// If the browser has no room for it.
pub fn blob(bytes: &[u8], media_type: &str) -> Result<Blob, JsValue> {
    let options = BlobPropertyBag::new();
    options.set_type(media_type);
    Blob::new_with_u8_array_sequence_and_options(&Array::of1(&Uint8Array::from(bytes)), &options)
}

/// A piece of a long file goes to the browser once it is so long.
const PIECE_BYTES: usize = 4 << 20;

/// A blob in the making: of what is written only the last piece is in the module's memory.
#[derive(Debug, Default)]
pub struct Pieces {
    given: Array,
    last: Vec<u8>,
    trouble: Option<JsValue>,
}

impl Pieces {
    /// Writes on.
    pub fn write(&mut self, bytes: &[u8]) {
        self.last.extend_from_slice(bytes);
        if self.last.len() >= PIECE_BYTES {
            self.give();
        }
    }

    fn give(&mut self) {
        match blob(&self.last, "") {
            Ok(piece) => _ = self.given.push(&piece),
            Err(why) => self.trouble = Some(why),
        }
        self.last.clear();
    }

    /// All of it, of this media type.
    ///
    /// # Errors
    /// If the browser has no room for it.
    pub fn end(mut self, media_type: &str) -> Result<Blob, JsValue> {
        self.give();
        let options = BlobPropertyBag::new();
        options.set_type(media_type);
        self.trouble.map_or_else(|| Blob::new_with_blob_sequence_and_options(&self.given, &options), Err)
    }
}

/// The address of a blob; it is valid as long as this lives.
#[derive(Debug)]
pub struct BlobUrl(String);

impl BlobUrl {
    /// An address for bytes of this media type.
    ///
    /// # Errors
    /// If the browser has no room for it.
    pub fn of_bytes(bytes: &[u8], media_type: &str) -> Result<Self, JsValue> {
        Self::of(&blob(bytes, media_type)?)
    }

    /// An address for a blob.
    ///
    /// # Errors
    /// The browser's.
    pub fn of(blob: &Blob) -> Result<Self, JsValue> {
        Url::create_object_url_with_blob(blob).map(Self)
    }

    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Has the browser save it under a name.
    pub fn save_as(&self, name: &str) {
        let anchor: Element = el("a").attr("href", &self.0).attr("download", name).into();
        if let (Some(anchor), Some(body)) = (anchor.dyn_ref::<HtmlElement>(), document().body()) {
            let _ = body.append_child(anchor);
            anchor.click();
            anchor.remove();
        }
    }
}

impl Drop for BlobUrl {
    fn drop(&mut self) {
        let _ = Url::revoke_object_url(&self.0);
    }
}
