//! Reads a domain: its types, symbols and actions, with an error for each part of PDDL that is not
//! supported.

use super::diagnostic::{Diagnostic, ReadError};
use super::formula::Scope;
use super::sexpr::{Expr, Tree};
use super::source::{Source, Span};
use super::syntax::{
    Diagnostics, Typed, definition, objects, sections_named, type_names, typed_list,
    unique_sections, variables,
};
use crate::model::{
    Action, ActionId, CHOSEN_NUMBER, Condition, Domain, Effect, Expression, Names, Signature,
    Symbol, TypeId, Types,
};

/// Reads a domain of PDDL 2.1, level 2. What lies outside (durative actions, derived predicates,
/// processes, events, constraints, object fluents) is refused by name.
pub fn read_domain(source: &Source) -> Result<Domain, ReadError> {
    let tree = Tree::read(source)?;
    let mut report = Diagnostics::new(source);
    let domain = domain(&mut report, &tree);
    report.finish(domain)
}

/// Reads a numeric expression over the parameters of an action, as maps of relevant functions hold
/// them.
pub fn read_expression(
    source: &Source,
    domain: &Domain,
    action: ActionId,
) -> Result<Expression, ReadError> {
    without_comments(source)?;
    let tree = Tree::read(source)?;
    let mut report = Diagnostics::new(source);
    let signature = &domain.signature;
    let parameters = domain.action(action).parameters.clone();
    let mut scope = Scope { signature, objects: &signature.constants, variables: parameters };
    let expression = scope.expression(&mut report, tree.root());
    report.finish(expression)
}

/// Refuses a comment. What is read stands among the assumptions of a model, and a comment there
/// would promise what nobody verifies.
fn without_comments(source: &Source) -> Result<(), ReadError> {
    match source.text().contains(';') {
        true => Err(Diagnostic::of_file(source.name(), "a comment cannot stand here").into()),
        false => Ok(()),
    }
}

/// Reads a condition over the parameters of an action, as declared parts of it have them.
pub fn read_condition(
    source: &Source,
    domain: &Domain,
    action: ActionId,
) -> Result<Condition, ReadError> {
    without_comments(source)?;
    let tree = Tree::read(source)?;
    let mut report = Diagnostics::new(source);
    let signature = &domain.signature;
    let parameters = domain.action(action).parameters.clone();
    let mut scope = Scope { signature, objects: &signature.constants, variables: parameters };
    let condition = scope.condition(&mut report, tree.root());
    report.finish(condition)
}

fn domain(report: &mut Diagnostics<'_>, tree: &Tree<'_>) -> Option<Domain> {
    let (name, sections) = definition(report, tree, "domain")?;
    unique_sections(report, &sections, ":action");
    let mut domain = Domain { name: name.into(), ..Domain::default() };
    // The sections of a file may stand in any order; what they need of each other fixes the order
    // of reading.
    for section in sections_named(&sections, ":requirements") {
        domain.requirements =
            section.items().skip(1).filter_map(|item| Some(item.word()?.into())).collect();
    }
    let Signature { types: known_types, constants, predicates, .. } = &mut domain.signature;
    for section in sections_named(&sections, ":types") {
        types(report, section, known_types);
    }
    for section in sections_named(&sections, ":constants") {
        objects(report, known_types, section.items().skip(1), 0, constants);
    }
    for item in sections_named(&sections, ":predicates").flat_map(|section| section.items().skip(1))
    {
        declaration(report, "predicate", item, known_types, predicates);
    }
    for section in sections_named(&sections, ":functions") {
        functions(report, section, &mut domain.signature);
    }
    for section in sections_named(&sections, ":action") {
        action(report, section, &mut domain);
    }
    for section in &sections {
        let Some(head) = section.head() else { continue };
        let unsupported = match head.to_ascii_lowercase().as_str() {
            ":requirements" | ":types" | ":constants" | ":predicates" | ":functions"
            | ":action" => continue,
            ":durative-action" => "durative actions are not supported",
            ":derived" => "derived predicates are not supported",
            ":process" => "processes are not supported",
            ":event" => "events are not supported",
            ":constraints" => "constraints are not supported",
            _ if !head.starts_with(':') => continue,
            _ => {
                let _: Option<()> = report.error_with_help(section.head_span(), format!("unknown \
                    section `{head}`"), || {
                    Some("a domain has :requirements, :types, :constants, :predicates, :functions \
                          and :action".into())
                });
                continue;
            }
        };
        let _: Option<()> = report.error(section.head_span(), unsupported);
    }
    if let Err(reason) = domain.inputs() {
        let place = sections_named(&sections, ":types").next();
        let span = place.map_or_else(|| tree.root().head_span(), |types| types.head_span());
        let message =
            format!("the type `{CHOSEN_NUMBER}` is for numbers that are chosen: {reason}");
        let _: Option<()> = report.error_with_help(span, message, || {
            let help = format!(
                "one function `(value ?n - {CHOSEN_NUMBER})` may be about such numbers, and \
                 nothing else; for anything else, give the type another name"
            );
            Some(help)
        });
    }
    Some(domain)
}

/// People declare dozens. Every type holds a bit for every other, so a file of nothing but types
/// would eat memory.
const MAX_TYPES: usize = 4096;

/// Names that conditions, effects and expressions read as something else.
const CONNECTIVES: [&str; 17] = [
    "and",
    "or",
    "not",
    "imply",
    "forall",
    "exists",
    "when",
    "=",
    "<",
    "<=",
    ">=",
    ">",
    "assign",
    "increase",
    "decrease",
    "scale-up",
    "scale-down",
];
const OPERATORS: [&str; 4] = ["+", "-", "*", "/"];

/// Whether a word can be the name of something; reports it where not.
fn is_name(report: &mut Diagnostics<'_>, kind: &str, word: &str, span: Span) -> bool {
    if word.starts_with(['?', ':']) || word == "-" {
        let _: Option<()> =
            report.error(span, format!("expected the {kind}'s name, found `{word}`"));
        return false;
    }
    let reserved = match kind {
        "predicate" => &CONNECTIVES[..],
        "function" => &OPERATORS[..],
        _ => &[],
    };
    let is_reserved = reserved.iter().any(|reserved| reserved.eq_ignore_ascii_case(word));
    if is_reserved {
        let _: Option<()> = report
            .error(span, format!("`{word}` is a word of PDDL and cannot be the name of a {kind}"));
    }
    !is_reserved
}

fn declare_type(
    report: &mut Diagnostics<'_>,
    word: &str,
    span: Span,
    types: &mut Types,
) -> Option<TypeId> {
    if !is_name(report, "type", word, span) {
        return None;
    }
    if types.ids().len() > MAX_TYPES {
        return report.error(span, format!("more than {MAX_TYPES} types"));
    }
    Some(types.declare(word))
}

fn types(report: &mut Diagnostics<'_>, section: Expr<'_>, types: &mut Types) {
    let Some(list) = typed_list(report, section.items().skip(1)) else { return };
    // Listed types come first, in the order of the list, so that reading what was written gives the
    // same ids.
    for typed in &list {
        if declare_type(report, typed.word, typed.span, types).is_none() {
            return;
        }
    }
    for Typed { word, span, types: parents } in list {
        let child = types.declare(word);
        let Some(parents) = parents.map_or(Some(Vec::new()), |parents| type_names(report, parents))
        else {
            continue;
        };
        for (name, place) in parents {
            // A parent that is declared nowhere is declared by being one.
            let Some(parent) = declare_type(report, name, place, types) else { return };
            if parent != TypeId::OBJECT && !types.add_parent(child, parent) {
                let _: Option<()> =
                    report.error(span, format!("type `{word}` would be a subtype of itself"));
            }
        }
    }
}

fn declaration(
    report: &mut Diagnostics<'_>,
    kind: &str,
    item: Expr<'_>,
    types: &Types,
    table: &mut Names<Symbol>,
) {
    let Some(name) = item.head() else {
        let _: Option<()> =
            report.error(item.head_span(), format!("expected a {kind} in parentheses"));
        return;
    };
    if !is_name(report, kind, name, item.head_span()) {
        return;
    }
    let parameters = report.within(format!("in the declaration of {kind} {name}"), |report| {
        variables(report, types, item.items().skip(1))
    });
    let Some(parameters) = parameters else { return };
    if table.insert(name, Symbol { parameters }).is_err() {
        let _: Option<()> =
            report.error(item.head_span(), format!("{kind} `{name}` is declared twice"));
    }
}

fn functions(report: &mut Diagnostics<'_>, section: Expr<'_>, signature: &mut Signature) {
    let mut items = section.items().skip(1);
    while let Some(item) = items.next() {
        // As elsewhere, the space after the dash may be missing.
        if item.is_word("-number") {
            continue;
        }
        if !item.is_word("-") {
            declaration(report, "function", item, &signature.types, &mut signature.functions);
            continue;
        }
        match items.next() {
            Some(of) if of.is_word("number") => {}
            Some(of) => {
                let _: Option<()> =
                    report.error_with_help(of.span(), "object fluents are not supported", || {
                        Some("a function has a number: `- number`, or nothing".into())
                    });
            }
            None => {
                let _: Option<()> = report.error(item.span(), "expected `number` after `-`");
            }
        }
    }
}

fn action(report: &mut Diagnostics<'_>, section: Expr<'_>, domain: &mut Domain) {
    let mut items = section.items().skip(1);
    let named = items.next().and_then(|item| Some((item.word()?, item.span())));
    let Some((name, span)) = named.filter(|(name, _)| !name.starts_with(':')) else {
        let _: Option<()> = report.error(section.head_span(), "expected `(:action NAME ...)`");
        return;
    };
    if !is_name(report, "action", name, span) {
        return;
    }
    let body = report.within(format!("in action {name}"), |report| {
        let (mut parameters, mut precondition, mut effect) = (None, None, None);
        while let Some(keyword) = items.next() {
            let slot = match keyword.word().map(str::to_ascii_lowercase).as_deref() {
                Some(":parameters") => &mut parameters,
                Some(":precondition") => &mut precondition,
                Some(":effect") => &mut effect,
                Some(":duration") => {
                    return report.error(keyword.span(), "durative actions are not supported");
                }
                Some(":condition") => {
                    return report.error_with_help(
                        keyword.span(),
                        "`:condition` belongs to durative actions",
                        || Some("an action without duration has a `:precondition`".into()),
                    );
                }
                _ => {
                    return report.error(
                        keyword.head_span(),
                        "expected `:parameters`, `:precondition` or `:effect`",
                    );
                }
            };
            if slot.is_some() {
                return report.error(
                    keyword.span(),
                    format!("a second `{}`", keyword.word().unwrap_or_default()),
                );
            }
            match items.next() {
                Some(value) if value.is_list() => *slot = Some(value),
                _ => {
                    return report.error(
                        keyword.span(),
                        format!("`{}` needs a list", keyword.word().unwrap_or_default()),
                    );
                }
            }
        }
        let signature = &domain.signature;
        let parameters = match parameters {
            Some(list) => variables(report, &signature.types, list.items())?,
            None => Vec::new(),
        };
        let mut scope = Scope { signature, objects: &signature.constants, variables: parameters };
        let precondition = precondition.map_or(Some(Condition::TRUE), |condition| {
            report.within("in its precondition", |report| scope.condition(report, condition))
        });
        let effect = effect.map_or(Some(Effect::NONE), |effect| {
            report.within("in its effect", |report| scope.effect(report, effect))
        });
        Some(Action { parameters: scope.variables, precondition: precondition?, effect: effect? })
    });
    let Some(body) = body else { return };
    if domain.actions.insert(name, body).is_err() {
        let _: Option<()> =
            report.error(section.head_span(), format!("action `{name}` is declared twice"));
    }
}
