//! A program in one file, as actions of servers write it: a [bundle](super::bundle) whose line also says what the program was made from
//! and how, so that what is under a wrong name is known for it.

use super::bundle::{Bundle, joined};
#[cfg(feature = "remote")]
use super::bundle::{ProgramSources, split};
use super::digest::Digest;
use super::elsewhere::{Elsewhere, Wanted};
use super::program::{Fate, Product};
use super::write_whole;
use crate::diagnostic::{Code, Message, Severity};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The version of the format.
const PRODUCT_VERSION: &str = "shaderport-product/1";

/// The line.
#[derive(Serialize, Deserialize, Debug)]
struct PackedHead {
    schema: String,
    /// How it was made.
    form: Digest,
    /// The files that it was made from.
    inputs: BTreeMap<String, Digest>,
    #[serde(flatten)]
    bundle: Bundle,
}

/// The file of a program.
pub fn pack(product: &Product, wanted: &Wanted) -> Vec<u8> {
    let head = PackedHead {
        schema: PRODUCT_VERSION.to_owned(),
        form: wanted.form(),
        inputs: digests(product),
        bundle: Bundle::of(product, wanted.base),
    };
    joined(&head, product)
}

/// The program of a file, which was read from what `checked` was read from; `None` if it is not that program.
#[cfg(feature = "remote")]
pub fn unpack(bytes: &[u8], wanted: &Wanted, checked: Product) -> Option<Product> {
    let (head, rest) = split(bytes)?;
    let PackedHead { schema, form, inputs, bundle } = serde_json::from_slice(head).ok()?;
    let is_it = schema == PRODUCT_VERSION && form == wanted.form() && inputs == digests(&checked);
    if !is_it || bundle.fate.is_error() {
        return None;
    }
    let Product { dependencies, inputs, misses, .. } = checked;
    bundle.product(rest, wanted.base, ProgramSources { dependencies, inputs, misses })
}

/// What was in the files that a program was read from.
fn digests(product: &Product) -> BTreeMap<String, Digest> {
    product.inputs.iter().map(|(name, input)| (name.clone(), input.digest)).collect()
}

/// Makes programs here, and packs them for whoever has asked.
pub struct Packing {
    file: PathBuf,
}

impl Packing {
    /// Into a file, of a build of one program.
    pub fn new(file: &Path) -> Packing {
        Packing { file: file.to_path_buf() }
    }
}

impl Elsewhere for Packing {
    fn product(&self, wanted: &Wanted) -> Product {
        let mut product = wanted.here();
        if let Err(e) = write_whole(&self.file, &pack(&product, wanted)) {
            let text = format!("cannot write {}: {e}", self.file.display());
            let color = wanted.order.color;
            product.messages.push(Message::without_place(Severity::Error, Some(Code::OUTPUT), &text, color));
            product.fate = product.fate.max(Fate::Failed);
        }
        product
    }
}
