//! `build --layout tree`: a flat build, and the tree that is made of it.

use super::build::BuildArgs;
use super::messages::Messages;
use super::validate::artifact;
use crate::batch::headers::{TreeOrder, WholeText, WrittenTree, flat_directory, write_tree};
use crate::batch::{Built, Fate, Finding, Order, OutputUse, SidecarForm, WgslImports, documents, prepare, validators};
use crate::diagnostic::Code;
use crate::reflect::Reflection;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Where the flat build of a tree is.
pub struct FlatBuild {
    directory: PathBuf,
    imports: WgslImports,
    /// It is kept by nobody: nothing is to be written.
    _temporary: Option<TempDir>,
}

impl FlatBuild {
    /// Below the output directory, or apart from it if nothing is to be written there.
    pub fn new(args: &BuildArgs, imports: WgslImports) -> Result<FlatBuild, Finding> {
        let in_way = |e| {
            let text = format!("cannot write to {}: {e}", args.out.display());
            Finding::error(Code::OUTPUT, text).in_file(&args.out)
        };
        if args.check {
            let temporary = tempfile::tempdir().map_err(in_way)?;
            return Ok(FlatBuild { directory: temporary.path().to_path_buf(), imports, _temporary: Some(temporary) });
        }
        prepare(&args.out).map_err(in_way)?;
        Ok(FlatBuild::below(&args.out, imports))
    }

    /// Below an output directory.
    pub fn below(out: &Path, imports: WgslImports) -> FlatBuild {
        FlatBuild { directory: flat_directory(out), imports, _temporary: None }
    }

    /// An order with its outputs there. They have source maps, which tell what comes from headers.
    pub fn order<'a>(&'a self, order: Order<'a>) -> Result<Order<'a>, Finding> {
        let choices = order.choices.of_flat_build().map_err(|text| Finding::error(Code::BAD_OPTION, text))?;
        // They tell validators of the tree what a text is.
        let sidecar = if order.sidecar == SidecarForm::None { SidecarForm::Compact } else { order.sidecar };
        let outputs = OutputUse::Write;
        Ok(Order { out: &self.directory, choices, sidecar, prunes: true, outputs, spare_code: true, ..order })
    }

    /// Writes the tree, and has its texts checked if that is asked for.
    pub fn finish(
        &self,
        mut built: Built,
        order: &Order,
        args: &BuildArgs,
        messages: &mut Messages,
    ) -> Result<Built, Finding> {
        let tree = TreeOrder {
            out: &args.out,
            writes: !args.check,
            prunes: args.prune,
            imports: self.imports,
            sidecars: args.sidecar != SidecarForm::None,
            choices: &args.program.choices,
        };
        self.write(&mut built, order, &tree, args.validate, messages)?;
        Ok(built)
    }

    /// Writes a tree, and has its texts checked if that is asked for.
    pub fn write(
        &self,
        built: &mut Built,
        order: &Order,
        tree: &TreeOrder,
        validates: bool,
        messages: &mut Messages,
    ) -> Result<WrittenTree, Finding> {
        let written = write_tree(built, order, tree)?;
        for name in written.left_out.iter().filter(|_| order.verbose) {
            messages.note(&format!("{name}, which no entry point uses, is in no header"));
        }
        for text in written.whole.iter().filter(|_| validates) {
            self.validate(text, built, messages)?;
        }
        Ok(written)
    }

    /// What validators say of a text with its headers.
    fn validate(&self, whole: &WholeText, built: &mut Built, messages: &mut Messages) -> Result<(), Finding> {
        let path = self.directory.join(&whole.sidecar);
        let text = documents::read_text(&path)?;
        let sidecar = Reflection::read(&text).map_err(|fault| Finding::of_json(&path, &text, fault))?;
        let artifact = artifact(Path::new(&whole.name), whole.text.clone(), &sidecar)?;
        for complaint in validators::validate(&artifact) {
            let no_texts = |source: &str| (source.to_owned(), None);
            messages.report(complaint.message((&whole.name, &whole.name), None, &no_texts, messages.color()));
            built.reports.iter_mut().take(1).for_each(|(_, report)| report.fate = report.fate.max(Fate::Failed));
        }
        Ok(())
    }
}
