//! A message and its attachments, as `postMessage` carries them.

use js_sys::{Array, ArrayBuffer, Uint8Array};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::{JsCast, JsValue};

/// Numbers of 64 bits are `BigInt`s: logs, reports and addresses may claim what no JavaScript number holds.
const SERIALIZER: Serializer = Serializer::new().serialize_large_number_types_as_bigints(true);

/// What goes beside a message.
#[derive(Clone, Debug, Default)]
pub struct Attachments {
    /// Handles and buffers in the order of the message's description.
    pub items: Array,
    /// Those of them that change hands instead of being copied.
    pub transfer: Array,
}

impl Attachments {
    /// Bytes that are handed over.
    pub fn bytes(bytes: &[u8]) -> Self {
        Self::in_parts([bytes])
    }

    /// Bytes that are handed over in parts.
    pub fn in_parts(parts: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Self {
        Self::handed_over(parts.into_iter().map(|part| Uint8Array::from(part.as_ref()).buffer().into()))
    }

    /// Buffers that are handed over.
    pub fn handed_over(buffers: impl IntoIterator<Item = JsValue>) -> Self {
        let attachments = Self::default();
        buffers.into_iter().for_each(|buffer| attachments.hand_over(&buffer));
        attachments
    }

    /// Hands over one buffer more.
    pub fn hand_over(&self, buffer: &JsValue) {
        self.items.push(buffer);
        self.transfer.push(buffer);
    }

    /// Handles that are shared.
    pub fn handles<'a>(handles: impl IntoIterator<Item = &'a JsValue>) -> Self {
        Self { items: handles.into_iter().collect(), transfer: Array::new() }
    }
}

/// `[message, attachment…]`.
///
/// # Errors
/// What cannot be put into JavaScript values.
pub fn pack(message: &impl Serialize, attachments: &Attachments) -> Result<JsValue, JsValue> {
    let packed = Array::of1(&message.serialize(&SERIALIZER)?);
    for item in attachments.items.iter() {
        packed.push(&item);
    }
    Ok(packed.into())
}

/// Takes apart what [`pack`] made.
///
/// # Errors
/// A message of another build.
pub fn unpack<M: DeserializeOwned>(data: JsValue) -> Result<(M, Vec<JsValue>), JsValue> {
    let packed: Array = data.dyn_into()?;
    let message = serde_wasm_bindgen::from_value(packed.get(0))?;
    Ok((message, packed.iter().skip(1).collect()))
}

/// The bytes of an attached buffer; nothing if there is none.
pub fn bytes_of(attachment: Option<&JsValue>) -> Vec<u8> {
    head_of(attachment, usize::MAX)
}

/// The first bytes of an attached buffer, so many or all there are; nothing if there is none.
pub fn head_of(attachment: Option<&JsValue>, bytes: usize) -> Vec<u8> {
    let buffer = attachment.and_then(|a| a.dyn_ref::<ArrayBuffer>());
    let head = |b: &ArrayBuffer| {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX).min(b.byte_length());
        Uint8Array::new_with_byte_offset_and_length(b, 0, bytes).to_vec()
    };
    buffer.map(head).unwrap_or_default()
}
