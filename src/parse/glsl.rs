//! Blocks of GLSL.
//!
//! Before: `buffer Name { uint data[]; } x;    uniform Name { float f; } y;    uniform Name { float f; };`
//! After:  `RWStructuredBuffer<uint> x;        ConstantBuffer<Name> y;         cbuffer Name { float f; }`
//!
//! A block with sizes behind its variable is an array of buffers. `out gl_PerVertex { vec4 gl_Position; };` declares what the
//! library has.
//!
//! A storage block is a buffer of one element, its struct, or a buffer of the elements of the array that it consists of. Where an
//! array without a size is behind other members, it is a `GLSLShaderStorageBuffer<Name>`, whose element 0 is the struct, too.
//! Uses of its variable are written so as they are parsed: `x.data[i]` is `x[i]`, and `x.f` is `x[0].f`.

use super::attributes::Prefix;
use super::decl::{bare_decl, is_path_of};
use super::words::W;
use super::{Parser, R};
use crate::ast::*;
use crate::source::Span;
use crate::symbol::Symbol;

/// What the variable of a storage block is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Block {
    /// A buffer of one struct. Its last member may be an array without a size.
    Whole,
    /// A buffer of the elements of the array of this name, which is all of the block.
    Elements(Symbol),
}

impl Parser<'_> {
    /// storage-block = "buffer" name "{" members "}" name ";"
    pub(super) fn glsl_storage_block(&mut self, prefix: Prefix, name: Ident, out: &mut Vec<Decl>) -> R<()> {
        let members = self.members(&format!("`{}`", name.name))?;
        let named = self.is_name_at(self.pos);
        let variable = if named { self.name("the variable of the block")? } else { hidden_variable(name, &members) };
        let open = |m: &Decl| match &m.kind {
            DeclKind::Var(VarDecl { ty: TypeExpr { kind: TypeKind::Array(inner, None), .. }, name, .. }) => {
                Some(((**inner).clone(), name.name))
            }
            _ => None,
        };
        let ends_open = members.last().and_then(open).is_some();
        let (element, block) = match (members.as_slice(), members.first().and_then(open)) {
            ([_], Some((element, array))) => (element, Block::Elements(array)),
            _ => {
                out.push(block_struct(name, members.clone()));
                (path_type(name, None), Block::Whole)
            }
        };
        match block {
            // The buffer has the name of its elements.
            Block::Elements(_) if !named => {}
            Block::Whole if !named => {
                let names = members.iter().filter_map(member_name);
                self.block_members.extend(names.map(|member| (member, variable.name)));
            }
            _ => {
                let dimensions = self.dimensions();
                self.blocks.insert(variable.name, (block, dimensions));
            }
        }
        let readonly = prefix.has_modifier("readonly");
        let buffer = match (block, ends_open) {
            (Block::Whole, true) if readonly => "__ReadonlyStorageBuffer",
            (Block::Whole, true) => "GLSLShaderStorageBuffer",
            _ if readonly => "StructuredBuffer",
            _ => "RWStructuredBuffer",
        };
        self.declare_block(prefix, variable, (buffer, Vec::new()), element, out)
    }

    /// uniform-block = name "{" members "}" [name] ";"
    pub(super) fn glsl_uniform_block(&mut self, prefix: Prefix, ty: &TypeExpr, out: &mut Vec<Decl>) -> R<()> {
        if prefix.has_modifier("out") && is_path_of(ty, "gl_PerVertex") {
            self.members("`gl_PerVertex`")?;
            return self.semicolon("the block");
        }
        let name = match &ty.kind {
            TypeKind::Path(path) if prefix.has_modifier("uniform") => path.first().map(|s| s.name),
            _ => None,
        };
        let Some(name) = name else { return self.fail("a declaration: blocks of inputs and outputs are no Slang") };
        let members = self.members(&format!("`{}`", name.name))?;
        let mut prefix = prefix;
        prefix.modifiers.retain(|m| m.name != "uniform");
        if self.w() == W::Semi {
            self.bump();
            let buffer = BufferDecl { texture: false, name, semantics: Vec::new(), members };
            return self.declare(prefix, DeclKind::Buffer(buffer), out);
        }
        let variable = self.name("the variable of the block")?;
        self.variable_of_block(prefix, (name, members), variable, ("ConstantBuffer", Vec::new()), out)
    }

    /// A block that has a variable: a struct, and a buffer of it with its registers.
    pub(super) fn variable_of_block(
        &mut self,
        prefix: Prefix,
        (name, members): (Ident, Vec<Decl>),
        variable: Ident,
        (buffer, semantics): (&str, Vec<Semantic>),
        out: &mut Vec<Decl>,
    ) -> R<()> {
        out.push(block_struct(name, members));
        self.declare_block(prefix, variable, (buffer, semantics), path_type(name, None), out)
    }

    /// How many sizes of an array stand at the cursor.
    fn dimensions(&self) -> usize {
        let after = |at: &usize| self.partner_of(*at).map(|close| close + 1);
        let is_size = |at: &usize| self.word_at(*at).w == W::LBracket;
        std::iter::successors(Some(self.pos), after).take_while(is_size).count()
    }

    fn declare_block(
        &mut self,
        prefix: Prefix,
        name: Ident,
        (buffer, semantics): (&str, Vec<Semantic>),
        element: TypeExpr,
        out: &mut Vec<Decl>,
    ) -> R<()> {
        let mut prefix = prefix;
        // They say what the type says.
        prefix.modifiers.retain(|m| !matches!(m.name.as_str(), "readonly" | "writeonly" | "restrict"));
        let ty = path_type(Ident { name: Symbol::new(buffer), span: name.span }, Some(element));
        let ty = self.array_suffixes(ty)?;
        self.note_sizes(name, &ty);
        let var =
            VarDecl { ty, name, owner: Vec::new(), generics: None, semantics, init: None, is_let: false, bits: None };
        self.semicolon("the block")?;
        self.declare(prefix, DeclKind::Var(var), out)
    }

    /// A member of a block that has no variable: `f` is `block[0].f`.
    pub(super) fn hidden_block_member(&self, path: Vec<PathSegment>, span: Span) -> ExprKind {
        let buffer = match path.as_slice() {
            [only] if only.args.is_none() => self.block_members.get(&only.name.name).copied(),
            _ => None,
        };
        let (Some(name), Some(member)) = (buffer, path.last().cloned()) else { return ExprKind::Path(path) };
        let buffer = PathSegment { name: Ident { name, span }, args: None };
        let base = Expr { kind: ExprKind::Path(vec![buffer]), span };
        let zero = Expr { kind: ExprKind::Int(0, Symbol::new(""), Symbol::new("0")), span };
        let element = Expr { kind: ExprKind::Index(Box::new(base), vec![zero]), span };
        ExprKind::Member(Box::new(element), member)
    }

    /// A member of an expression, in which the variable of a storage block is a buffer.
    pub(super) fn block_member(&mut self, base: Expr, member: PathSegment) -> ExprKind {
        let (mut variable, mut indices) = (&base, 0);
        while let ExprKind::Index(inner, _) = &variable.kind {
            (variable, indices) = (inner, indices + 1);
        }
        let block = match &variable.kind {
            ExprKind::Path(path) => match path.as_slice() {
                [only] if only.args.is_none() => self.blocks.get(&only.name.name).copied(),
                _ => None,
            },
            _ => None,
        };
        // One of an array of blocks.
        let block = block.filter(|(_, dimensions)| *dimensions == indices).map(|(block, _)| block);
        match block {
            Some(Block::Elements(array)) if array == member.name.name => base.kind,
            Some(Block::Whole) => {
                let span = base.span;
                let zero = Expr { kind: ExprKind::Int(0, Symbol::new(""), Symbol::new("0")), span };
                let element = Expr { kind: ExprKind::Index(Box::new(base), vec![zero]), span };
                ExprKind::Member(Box::new(element), member)
            }
            _ => ExprKind::Member(Box::new(base), member),
        }
    }
}

/// The name of a buffer whose block has no variable: that of its elements, or one made of the block's.
fn hidden_variable(block: Ident, members: &[Decl]) -> Ident {
    let elements = match members {
        [
            Decl {
                kind: DeclKind::Var(VarDecl { ty: TypeExpr { kind: TypeKind::Array(_, None), .. }, name, .. }), ..
            },
        ] => Some(*name),
        _ => None,
    };
    elements.unwrap_or_else(|| Ident { name: Symbol::new(&format!("{}_data", block.name)), span: block.span })
}

fn member_name(member: &Decl) -> Option<Symbol> {
    match &member.kind {
        DeclKind::Var(var) => Some(var.name.name),
        _ => None,
    }
}

fn block_struct(name: Ident, members: Vec<Decl>) -> Decl {
    let kind = StructDecl {
        name,
        generics: None,
        specializes: None,
        bases: Vec::new(),
        members: Some(members),
        magic: None,
        is_variable: false,
    };
    bare_decl(DeclKind::Struct(kind), name.span)
}

fn path_type(name: Ident, arg: Option<TypeExpr>) -> TypeExpr {
    let args = arg.map(|ty| vec![GenericArg::Type(ty)]);
    TypeExpr { kind: TypeKind::Path(vec![PathSegment { name, args }]), span: name.span }
}
