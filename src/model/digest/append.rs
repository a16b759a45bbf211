//! Values as `postcard` behind what a buffer holds, most of them numbers of a few bytes.

use postcard::ser_flavors::Flavor;
use serde::Serialize;

/// So many bytes are put one by one: to call what moves bytes takes longer, above all in a browser.
const FEW: usize = 16;

/// A buffer to write to.
struct Behind<'a>(&'a mut Vec<u8>);

impl Flavor for Behind<'_> {
    type Output = ();

    fn try_extend(&mut self, data: &[u8]) -> postcard::Result<()> {
        if data.len() > FEW {
            self.0.extend_from_slice(data);
        } else {
            data.iter().for_each(|byte| self.0.push(*byte));
        }
        Ok(())
    }

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.0.push(byte);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}

/// Appends a value; where that fails, `out` is as it was.
///
/// # Errors
/// Of values that `postcard` does not write.
pub(super) fn append(out: &mut Vec<u8>, value: &impl Serialize) -> postcard::Result<()> {
    let before = out.len();
    postcard::serialize_with_flavor(value, Behind(out)).inspect_err(|_| out.truncate(before))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_appended_is_postcard(text in ".{0,40}", numbers in prop::collection::vec(any::<i64>(), 0..9), before in 0_usize..40) {
            let value = (text, numbers);
            let mut out = vec![7; before];
            append(&mut out, &value).unwrap();
            prop_assert_eq!(out, [vec![7; before], postcard::to_stdvec(&value).unwrap()].concat());
        }
    }

    #[test]
    fn what_cannot_be_written_leaves_nothing_behind() {
        struct Endless;
        impl Serialize for Endless {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                // A sequence must know its length.
                to.collect_seq([1].iter().filter(|_| true))
            }
        }
        let mut out = vec![7];
        assert!(append(&mut out, &(5, Endless)).is_err());
        assert_eq!(out, [7]);
    }
}
