//! What is held packed between the reading of logs and their analysis: LZ4, which takes a third more room
//! than deflate, and a fifth of the time to write and to read.

use super::deflate::inflate;
use lz4_flex::block::{CompressTable, compress_into_with_table, get_maximum_output_size};
use std::cell::RefCell;

/// What a thread packs with: made once, as to make it takes as long as to pack what most files say.
struct Packer {
    small: CompressTable,
    large: CompressTable,
    room: Vec<u8>,
}

thread_local! {
    static PACKER: RefCell<Packer> = RefCell::new(Packer {
        small: CompressTable::small(),
        large: CompressTable::large(),
        room: Vec::new(),
    });
}

/// Packs bytes, their length before them.
#[must_use]
pub fn pack(plain: &[u8]) -> Vec<u8> {
    PACKER.with_borrow_mut(|Packer { small, large, room }| {
        // By length alone: what a table is left with from before shall not change the bytes.
        let table = if plain.len() < usize::from(u16::MAX) { small } else { large };
        room.resize(room.len().max(get_maximum_output_size(plain.len())), 0);
        match (u32::try_from(plain.len()), compress_into_with_table(plain, room, table)) {
            (Ok(length), Ok(packed)) => [&length.to_le_bytes(), room.get(..packed).unwrap_or_default()].concat(),
            // There is room for the worst case.
            _ => lz4_flex::compress_prepend_size(plain),
        }
    })
}

/// What was packed. `None` if the bytes are damaged, or more than `limit` unpacked.
#[must_use]
pub fn unpack(packed: &[u8], limit: usize) -> Option<Vec<u8>> {
    let (length, packed) = lz4_flex::block::uncompressed_size(packed).ok().filter(|(length, _)| *length <= limit)?;
    lz4_flex::decompress(packed, length).ok().filter(|plain| plain.len() == length)
}

/// What was deflated, by versions 1 to 4, packed; nothing where it is damaged.
#[must_use]
pub fn repacked(deflated: &[u8], limit: usize) -> Vec<u8> {
    inflate(deflated, limit as u64).map_or_else(Vec::new, |plain| pack(&plain))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_was_packed_comes_back(plain in prop::collection::vec(0_u8..4, 0..5_000)) {
            let packed = pack(&plain);
            prop_assert_eq!(unpack(&packed, plain.len()), Some(plain.clone()));
            prop_assert!(plain.is_empty() || unpack(&packed, plain.len() - 1).is_none());
        }

        #[test]
        fn whatever_is_unpacked_keeps_to_the_limit(bytes in prop::collection::vec(any::<u8>(), 0..200), limit in 0_usize..1_000) {
            prop_assert!(unpack(&bytes, limit).is_none_or(|plain| plain.len() <= limit));
        }
    }

    #[test]
    fn bytes_are_the_same_whatever_was_packed_before() {
        for length in [0, 1, 100, 65_534, 65_535, 200_000, 70, 65_534] {
            let plain: Vec<u8> = (0..length).map(|i: u64| (i * i / 7 % 11) as u8).collect();
            assert_eq!(pack(&plain), lz4_flex::compress_prepend_size(&plain), "{length}");
        }
    }

    #[test]
    fn a_length_that_lies_takes_no_memory() {
        let mut packed = pack(&[7; 1000]);
        packed[..4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(unpack(&packed, 1 << 20), None);
        packed[..4].copy_from_slice(&1001_u32.to_le_bytes());
        assert_eq!(unpack(&packed, 1 << 20), None);
    }
}
