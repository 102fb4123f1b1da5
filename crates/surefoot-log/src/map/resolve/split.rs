//! Where an action changes its behaviour: tests over what the map names, as PDDL.
//!
//! ```text
//! CUT  = TEST and TEST ...
//! TEST = not TEST | FLAG | SUM <= SUM | OBJECT = OBJECT
//! ```
//!
//! A sum adds and subtracts numbers and names. A name is a column, a fact or a parameter. Whatever
//! stands in parentheses is PDDL. A name that may mean two things is refused.

use indexmap::IndexMap;
use surefoot_base::model::{ActionId, Domain, FunctionId, PredicateId, Variable};
use surefoot_base::parts::{DeclaredParts, DomainParts, PartsMap};
use surefoot_base::pddl::{Diagnostic, Numbers, Source, Span, nearest};
use toml::Spanned;

use super::span;
use crate::map::fact::asks;
use crate::map::meaning::{
    ActionRule, Argument, CellMeaning, CellReport, InputColumn, Parameter, SplitAction,
};
use crate::map::{SplitItem, SplitMap};

/// A message about a test, and what to do.
type Refusal = (String, String);

/// The class of models is known only when something is learned: until then products of functions
/// are read, however many factors they have.
const ANY_DEGREE: (u32, bool) = (u32::MAX, true);

/// What tests are read with.
pub(super) struct SplitReader<'m> {
    pub source: &'m Source,
    pub domain: &'m Domain,
    pub rules: &'m IndexMap<String, ActionRule>,
    /// What columns report, before and after a row.
    pub reports: Vec<&'m CellReport>,
    pub inputs: &'m [InputColumn],
    pub value_of_inputs: Option<FunctionId>,
}

impl SplitReader<'_> {
    /// The parts of every action that the map splits.
    pub(super) fn read(
        &self,
        split: &IndexMap<Spanned<String>, Spanned<SplitMap>>,
    ) -> Result<Vec<SplitAction>, Diagnostic> {
        let mut actions: Vec<SplitAction> = Vec::new();
        for (key, what) in split {
            for word in key.get_ref().split(',').map(str::trim) {
                let Some(ActionRule::Attempt(action, sources)) = self.rules.get(word) else {
                    return Err(self.no_action(word, span(key)));
                };
                let tests = SplitTests { reader: self, action: *action, sources };
                if actions.iter().any(|known| known.action == *action) {
                    let message = format!("`split` has the action `{word}` twice");
                    return Err(self.source.error(message, span(key)));
                }
                let parts = tests.parts(what)?;
                actions.push(SplitAction { action: *action, parts, span: span(what) });
            }
        }
        Ok(actions)
    }

    fn no_action(&self, word: &str, at: Span) -> Diagnostic {
        let message = match self.rules.get(word) {
            Some(_) => format!("rows of `{word}` only report a state, so `{word}` has no parts"),
            None => format!("`{word}` is not an action of this map"),
        };
        let error = self.source.error(message, at);
        let known = self.rules.iter().filter(|(_, rule)| matches!(rule, ActionRule::Attempt(..)));
        match nearest(word, known.map(|(word, _)| word.as_str())) {
            Some(near) if near != word => error.help(format!("did you mean `{near}`?")),
            _ => error.help("`split` has words of the action column, as [actions] has them"),
        }
    }
}

/// Reads the tests of one action.
struct SplitTests<'m> {
    reader: &'m SplitReader<'m>,
    action: ActionId,
    /// Where its parameters are read from.
    sources: &'m [Parameter],
}

/// What a name or a term means.
#[derive(Clone, PartialEq, Eq)]
enum Operand {
    /// A number, as PDDL.
    Number(String),
    /// Something that is true or false, as PDDL.
    Flag(String),
    /// A parameter, with its question mark.
    Object(String),
    /// The object that a predicate names: the text before it and after it.
    Place(String, String),
}

impl Operand {
    fn text(&self) -> String {
        match self {
            Operand::Number(text) | Operand::Flag(text) | Operand::Object(text) => text.clone(),
            Operand::Place(before, after) => format!("{before}…{after}"),
        }
    }
}

/// A word of a test.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Token<'t> {
    /// A comparison.
    Comparison(&'t str),
    /// What stands in parentheses, with them.
    Group(&'t str),
    /// Any other word.
    Word(&'t str),
}

impl Token<'_> {
    fn is_word(self, word: &str) -> bool {
        matches!(self, Token::Word(found) if found == word)
    }
}

impl SplitTests<'_> {
    fn name(&self) -> &str {
        self.reader.domain.action_name(self.action)
    }

    fn error(&self, at: Span, (message, help): Refusal) -> Diagnostic {
        let error = self.reader.source.error(format!("{}: {message}", self.name()), at);
        if help.is_empty() { error } else { error.help(help) }
    }

    fn parts(&self, what: &Spanned<SplitMap>) -> Result<DeclaredParts, Diagnostic> {
        let parts = match what.get_ref() {
            SplitMap::Cut(text) => DeclaredParts::Cut(self.cut(text, span(what))?),
            SplitMap::List(items) => {
                let (mut cuts, mut parts) = (Vec::new(), Vec::new());
                for item in items {
                    match item.get_ref() {
                        SplitItem::Cut(text) => cuts.push(self.cut(text, span(item))?),
                        SplitItem::Part(texts) => parts.push(self.part(texts, span(item))?),
                    }
                }
                if let ([_, ..], [_, ..]) = (&cuts[..], &parts[..]) {
                    let message = "a list has cuts, or parts in brackets, not both".to_owned();
                    let help = "write [\"battery <= 70\", \"docked\"], or [[\"battery <= 66\"], \
                                [\"battery >= 74\"]]";
                    return Err(self.error(span(what), (message, help.to_owned())));
                }
                if parts.is_empty() {
                    DeclaredParts::Cuts(cuts)
                } else {
                    DeclaredParts::Listed(parts)
                }
            }
        };
        self.proved(parts, span(what))
    }

    /// The tests of a part as PDDL.
    fn part(&self, texts: &[Spanned<String>], at: Span) -> Result<Vec<String>, Diagnostic> {
        let mut tests = Vec::new();
        for text in texts {
            let test = self.written(text.get_ref(), span(text))?;
            self.proved(DeclaredParts::Listed(vec![vec![test.clone()]]), span(text))?;
            tests.push(test);
        }
        self.proved(DeclaredParts::Listed(vec![tests.clone()]), at)?;
        Ok(tests)
    }

    /// A cut as PDDL.
    fn cut(&self, text: &str, at: Span) -> Result<String, Diagnostic> {
        let written = self.written(text, at)?;
        self.proved(DeclaredParts::Cut(written.clone()), at)?;
        Ok(written)
    }

    /// The same parts, if they are such.
    fn proved(&self, parts: DeclaredParts, at: Span) -> Result<DeclaredParts, Diagnostic> {
        let map = PartsMap::from([(self.name().to_owned(), parts.clone())]);
        match DomainParts::read(self.reader.domain, &map, ANY_DEGREE) {
            Ok(_) => Ok(parts),
            Err(error) => Err(self.reader.source.error(error.0, at)),
        }
    }

    /// Tests that are joined by `and`, as PDDL.
    fn written(&self, text: &str, at: Span) -> Result<String, Diagnostic> {
        self.conjunction(text).map_err(|refusal| self.error(at, refusal))
    }

    fn conjunction(&self, text: &str) -> Result<String, Refusal> {
        let tokens = tokens(text)?;
        if let Some((_, Token::Word(word))) =
            tokens.iter().find(|(_, token)| token.is_word("or") || token.is_word("||"))
        {
            let message = format!("`{word}` joins no tests");
            let help = "list the cuts: every combination of their sides is a part of its own";
            return Err((message, help.to_owned()));
        }
        let tests = tokens.split(|(_, token)| token.is_word("and"));
        let mut written =
            tests.map(|tokens| self.test(text, tokens)).collect::<Result<Vec<_>, _>>()?;
        Ok(match written.len() {
            1 => written.remove(0),
            _ => format!("(and {})", written.join(" ")),
        })
    }

    fn test(&self, text: &str, tokens: &[(usize, Token<'_>)]) -> Result<String, Refusal> {
        if let [(_, first), rest @ ..] = tokens
            && first.is_word("not")
        {
            return match rest.first() {
                Some((_, next)) if next.is_word("not") => Err(unclear(text)),
                _ => Ok(format!("(not {})", self.test(text, rest)?)),
            };
        }
        let comparisons: Vec<usize> = (0..tokens.len())
            .filter(|&place| matches!(tokens[place].1, Token::Comparison(_)))
            .collect();
        match comparisons[..] {
            [] => match self.sum(text, tokens)? {
                Operand::Flag(written) => Ok(written),
                _ => Err((
                    format!("`{}` is no test", slice(text, tokens)),
                    "compare it: battery <= 70; or name a fact that is true or false".to_owned(),
                )),
            },
            [place] => {
                let Token::Comparison(sign) = tokens[place].1 else { return Err(unclear(text)) };
                let (left, right) = (&tokens[..place], &tokens[place + 1..]);
                self.comparison(text, sign, [left, right])
            }
            _ => Err((
                format!("`{}` has more than one comparison", slice(text, tokens)),
                "join tests by `and`: battery >= 50 and battery <= 70".to_owned(),
            )),
        }
    }

    fn comparison(
        &self,
        text: &str,
        sign: &str,
        [left, right]: [&[(usize, Token<'_>)]; 2],
    ) -> Result<String, Refusal> {
        let read = [left, right].map(|side| (side, self.sum(text, side)));
        if let Some((flag, _)) = read.iter().find(|(_, sum)| matches!(sum, Ok(Operand::Flag(_)))) {
            let flag = slice(text, flag);
            return Err((
                format!("`{flag}` is true or false, so it is compared with nothing"),
                format!("write `{flag}` or `not {flag}`"),
            ));
        }
        let [(_, left), (_, right)] = read;
        let sides = [left?, right?];
        let (sign, negated) = match sign {
            "==" => ("=", false),
            "!=" => ("=", true),
            sign => (sign, false),
        };
        let same = match &sides {
            [Operand::Number(left), Operand::Number(right)] => format!("({sign} {left} {right})"),
            [Operand::Object(left), Operand::Object(right)] if sign == "=" => {
                format!("(= {left} {right})")
            }
            [Operand::Place(before, after), Operand::Object(object)]
            | [Operand::Object(object), Operand::Place(before, after)]
                if sign == "=" =>
            {
                format!("{before}{object}{after}")
            }
            [left, right] => {
                return Err((
                    format!("`{sign}` does not compare {} with {}", left.text(), right.text()),
                    "numbers are compared with numbers, and objects with parameters, by = and !="
                        .to_owned(),
                ));
            }
        };
        Ok(if negated { format!("(not {same})") } else { same })
    }

    /// Terms with plus or minus between them.
    fn sum(&self, text: &str, tokens: &[(usize, Token<'_>)]) -> Result<Operand, Refusal> {
        let is_sign = |(_, token): &(usize, Token<'_>)| token.is_word("+") || token.is_word("-");
        let mut terms = tokens.split(is_sign);
        let mut signs = tokens.iter().filter(|token| is_sign(token));
        let mut sum = self.term(text, terms.next().unwrap_or(&[]))?;
        for term in terms {
            let (Some((_, Token::Word(sign))), Operand::Number(before), Operand::Number(next)) =
                (signs.next(), &sum, self.term(text, term)?)
            else {
                return Err((
                    format!("`{}` adds what is no number", slice(text, tokens)),
                    String::new(),
                ));
            };
            sum = Operand::Number(format!("({sign} {before} {next})"));
        }
        Ok(sum)
    }

    fn term(&self, text: &str, tokens: &[(usize, Token<'_>)]) -> Result<Operand, Refusal> {
        match tokens {
            [] => Err(unclear(text)),
            [(_, Token::Group(group))] => self.group(group),
            [(_, Token::Word(word))] if Numbers::Exact.read(word).is_ok() => {
                Ok(Operand::Number((*word).to_owned()))
            }
            _ if tokens.iter().all(|(_, token)| matches!(token, Token::Word(_))) => {
                self.named(slice(text, tokens))
            }
            _ => Err(unclear(text)),
        }
    }

    /// PDDL: what it is follows from its first word.
    fn group(&self, group: &str) -> Result<Operand, Refusal> {
        let inside = group.trim_start_matches('(').trim_start();
        let head = inside.split(|c: char| c.is_whitespace() || c == '(' || c == ')').next();
        let head = head.unwrap_or_default();
        let is_function = self.reader.domain.signature.functions.find(head).is_some();
        Ok(match is_function || ["+", "-", "*", "/"].contains(&head) {
            true => Operand::Number(group.to_owned()),
            false => Operand::Flag(group.to_owned()),
        })
    }

    /// What a name means; refused if that may be several things.
    fn named(&self, name: &str) -> Result<Operand, Refusal> {
        let mut found = self.of_parameters(name.strip_prefix('?').unwrap_or(name));
        let columns = self.of_columns(name)?;
        let symbols = self.of_symbols(name);
        // A fact by its name is also that of the column, if the column has the name of its fact.
        let is_of_column = |symbol: &Operand| columns.contains(symbol);
        match symbols.iter().any(is_of_column) {
            true => {}
            false => found.extend(symbols),
        }
        found.extend(columns);
        let mut distinct: Vec<Operand> = Vec::new();
        for operand in found {
            if !distinct.contains(&operand) {
                distinct.push(operand);
            }
        }
        match &distinct[..] {
            [only] => Ok(only.clone()),
            [] => Err(self.unknown(name)),
            several => {
                let readings: Vec<String> = several.iter().take(4).map(Operand::text).collect();
                Err((
                    format!("`{name}` may mean {}", readings.join(" or ")),
                    "write the one that is meant, in place of the name".to_owned(),
                ))
            }
        }
    }

    fn unknown(&self, name: &str) -> Refusal {
        let signature = &self.reader.domain.signature;
        let is_fact =
            signature.functions.find(name).is_some() || signature.predicates.find(name).is_some();
        if is_fact {
            let message = format!("`{name}` is about objects that {} does not have", self.name());
            return (message, "a test reads only facts about parameters of the action".to_owned());
        }
        let message = format!(
            "`{name}` is neither a column that shows a state, nor a fact, nor a parameter of {}",
            self.name()
        );
        if name.contains(['*', '/']) {
            let help = "a test adds and subtracts; write anything else in PDDL, such as (<= (* 2 \
                        (battery ?robot)) 70)";
            return (message, help.to_owned());
        }
        let columns = self.reader.reports.iter().filter_map(|report| report.column.literal());
        let facts = signature.functions.iter().map(|(name, _)| name);
        let known = columns.chain(facts).chain(signature.predicates.iter().map(|(name, _)| name));
        match nearest(name, known) {
            Some(near) => (message, format!("did you mean `{near}`?")),
            None => (message, "tests are such as `battery <= 70` or `docked`".to_owned()),
        }
    }

    /// The parameter of a name, or read from a column of that name.
    fn of_parameters(&self, name: &str) -> Vec<Operand> {
        let parameters = &self.reader.domain.action(self.action).parameters;
        let of = |(parameter, source): (&Variable, &Parameter)| {
            let is_named = *parameter.name == *name;
            match source {
                Parameter::Column(column, _) if is_named || column.name == name => {
                    Some(Operand::Object(format!("?{}", parameter.name)))
                }
                Parameter::Before(..) if is_named => {
                    Some(Operand::Object(format!("?{}", parameter.name)))
                }
                Parameter::Input(column, _)
                    if is_named || column.name == name || self.is_input(name, &column.name) =>
                {
                    let value = self.reader.value_of_inputs?;
                    let value = self.reader.domain.signature.functions.name(value.index());
                    Some(Operand::Number(format!("({value} ?{})", parameter.name)))
                }
                _ => None,
            }
        };
        parameters.iter().zip(self.sources).filter_map(of).collect()
    }

    fn is_input(&self, name: &str, column: &str) -> bool {
        self.reader.inputs.iter().any(|input| input.name == name && input.column.name == column)
    }

    /// What the cells of a column mean: of the objects that other columns of the row name.
    fn of_columns(&self, name: &str) -> Result<Vec<Operand>, Refusal> {
        let mut found = Vec::new();
        let is_named = |report: &&&CellReport| report.column.literal() == Some(name);
        for report in self.reader.reports.iter().filter(is_named) {
            let mut before = format!("({}", self.symbol(&report.fact.kind));
            let mut after = String::new();
            let mut has_place = false;
            for (argument, _) in &report.fact.arguments {
                let text = match argument {
                    Argument::Cell => {
                        before.push(' ');
                        has_place = true;
                        continue;
                    }
                    Argument::Column(column) => self.parameter_of(column, name)?,
                    // Such a column has no name of its own.
                    Argument::Captured(_) => return Err(self.unknown(name)),
                };
                let target = if has_place { &mut after } else { &mut before };
                *target += &format!(" {text}");
            }
            after.push(')');
            found.push(match &report.fact.kind {
                CellMeaning::Number(_) => Operand::Number(before + &after),
                CellMeaning::Object(_) => Operand::Place(before, after),
                // The predicate may be true where the column says no.
                CellMeaning::Flag(predicate, words) => match asks(words) {
                    Some(true) => Operand::Flag(before + &after),
                    Some(false) => Operand::Flag(format!("(not {before}{after})")),
                    None => {
                        let fact = self.predicate(*predicate);
                        return Err((
                            format!("`{name}` has words that are neither yes nor no"),
                            format!("name the fact: `{fact}` or `not {fact}`"),
                        ));
                    }
                },
            });
        }
        Ok(found)
    }

    /// The parameter that is read from a column.
    fn parameter_of(&self, column: &str, of: &str) -> Result<String, Refusal> {
        let parameters = &self.reader.domain.action(self.action).parameters;
        let is_read = |source: &Parameter| match source {
            Parameter::Column(read, _) => read.name == column,
            Parameter::Input(..) | Parameter::Before(..) => false,
        };
        match self.sources.iter().position(is_read) {
            Some(place) => Ok(format!("?{}", parameters[place].name)),
            None => Err((
                format!(
                    "`{of}` is about the object in column `{column}`, which is no parameter of {}",
                    self.name()
                ),
                "a test reads only facts about parameters of the action".to_owned(),
            )),
        }
    }

    fn symbol(&self, kind: &CellMeaning) -> &str {
        match kind {
            CellMeaning::Number(function) => {
                self.reader.domain.signature.functions.name(function.index())
            }
            CellMeaning::Object(predicate) | CellMeaning::Flag(predicate, _) => {
                self.predicate(*predicate)
            }
        }
    }

    fn predicate(&self, predicate: PredicateId) -> &str {
        self.reader.domain.signature.predicates.name(predicate.index())
    }

    /// A fact by its name, with each choice of parameters that have its types.
    fn of_symbols(&self, name: &str) -> Vec<Operand> {
        let signature = &self.reader.domain.signature;
        let functions = signature.functions.find(name).map(|index| {
            let texts = self.applied(
                signature.functions.name(index),
                &signature.function(index.into()).parameters,
            );
            texts.into_iter().map(Operand::Number).collect::<Vec<_>>()
        });
        let predicates = signature.predicates.find(name).map(|index| {
            let texts = self.applied(
                signature.predicates.name(index),
                &signature.predicate(index.into()).parameters,
            );
            texts.into_iter().map(Operand::Flag).collect::<Vec<_>>()
        });
        functions.into_iter().chain(predicates).flatten().collect()
    }

    fn applied(&self, name: &str, places: &[Variable]) -> Vec<String> {
        // Every choice so far goes on in as many ways as any other, so a few show whether there is
        // more than one.
        const FEW: usize = 5;
        let parameters = &self.reader.domain.action(self.action).parameters;
        let mut chosen: Vec<Vec<usize>> = vec![Vec::new()];
        for place in places {
            let fits = |number: &usize| parameters[*number].types == place.types;
            chosen = chosen
                .iter()
                .flat_map(|earlier| {
                    (0..parameters.len())
                        .filter(fits)
                        .filter(|number| !earlier.contains(number))
                        .map(|number| earlier.iter().copied().chain([number]).collect())
                })
                .take(FEW)
                .collect();
        }
        let text = |numbers: &Vec<usize>| {
            let words = numbers.iter().map(|&number| format!(" ?{}", parameters[number].name));
            format!("({name}{})", words.collect::<String>())
        };
        chosen.iter().map(text).collect()
    }
}

fn unclear(text: &str) -> Refusal {
    (
        format!("`{}` is no test", text.trim()),
        "write battery <= 70, docked, not docked or PDDL such as (<= (battery ?robot) 70)"
            .to_owned(),
    )
}

/// What some words are in the text.
fn slice<'t>(text: &'t str, tokens: &[(usize, Token<'t>)]) -> &'t str {
    let end = |(start, token): &(usize, Token<'_>)| match token {
        Token::Comparison(word) | Token::Group(word) | Token::Word(word) => start + word.len(),
    };
    match (tokens.first(), tokens.last()) {
        (Some((start, _)), Some(last)) => &text[*start..end(last)],
        _ => "",
    }
}

/// The words of a test, each with its place.
fn tokens(text: &str) -> Result<Vec<(usize, Token<'_>)>, Refusal> {
    const SIGNS: [char; 4] = ['<', '>', '=', '!'];
    let mut tokens = Vec::new();
    let mut start = 0;
    while let Some(next) = text[start..].chars().next() {
        let rest = &text[start..];
        let token = if next.is_whitespace() {
            start += next.len_utf8();
            continue;
        } else if next == '(' {
            let mut depth = 0_usize;
            let close = rest.char_indices().find(|(_, c)| {
                depth = match c {
                    '(' => depth + 1,
                    ')' => depth.saturating_sub(1),
                    _ => depth,
                };
                depth == 0
            });
            match close {
                Some((place, _)) => Token::Group(&rest[..=place]),
                None => return Err((format!("a `)` is missing in `{text}`"), String::new())),
            }
        } else if SIGNS.contains(&next) {
            let end = rest.find(|c| !SIGNS.contains(&c)).unwrap_or(rest.len());
            match &rest[..end] {
                sign @ ("<" | "<=" | ">" | ">=" | "=" | "==" | "!=") => Token::Comparison(sign),
                other => {
                    let message = format!("`{other}` compares nothing");
                    return Err((message, "comparisons are < <= = >= > and !=".to_owned()));
                }
            }
        } else {
            let is_end = |c: char| c.is_whitespace() || c == '(' || SIGNS.contains(&c);
            Token::Word(&rest[..rest.find(is_end).unwrap_or(rest.len())])
        };
        let length = match token {
            Token::Comparison(word) | Token::Group(word) | Token::Word(word) => word.len(),
        };
        tokens.push((start, token));
        start += length;
    }
    Ok(tokens)
}
