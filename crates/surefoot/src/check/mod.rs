//! Verifies a learned model against the recorded steps, without trusting whoever learned it (theory, section 8).
//!
//! Plain code on purpose: it shares with the learner the numbers, the readers and the semantics, and nothing of how models are
//! found. A model is accepted when each of these obligations is met, for each of its actions α; together they are the promise of
//! the theory's section 1, for the assumptions that the certificate declares.
//!
//! 1. *The same world.* Domain and model have the vocabulary that the certificate names, and the trajectories are those it names,
//!    all of them and no others. Steps that it sets aside as recording errors are assumed away, and everything else is read.
//! 2. *Reproduction.* Every step satisfies the Boolean conditions, and the effects turn its state before into its state after, by
//!    [`crate::model::semantics`]. So M itself is consistent with all that was seen.
//! 3. *Literals.* A literal of L(α), or an (in)equality of two parameters, that no step refutes may be a real precondition: it is
//!    a conjunct of the model's. (Under "no negative atoms" only positive ones may.) Then the Boolean part of every consistent real
//!    precondition is implied.
//! 4. *Boolean effects.* For every binding of parameters to equal or different objects that the conditions allow, and every ground
//!    atom: no assignment of effects to lifted atoms that explains all steps makes the atom's truth afterwards differ from what the
//!    model says. Found by exhaustive search, so guards are needed exactly where they matter, in whatever form they are written.
//! 5. *Region.* The linear conditions, read back from the PDDL, describe a part of conv(P) + cone(R). Equations: all that hold on
//!    P are implied, so the region stays in the affine hull. Facets: the inequalities hold for all observations and rays, and the
//!    boundary they make is closed (see `boundary.rs`), so none is missing. Under A(k), so for each shadow on k columns. Where the
//!    certificate says that the region is only a part, the same for the observations inside it. Where inequalities were rounded to
//!    fewer digits, all this holds for the exact ones that the certificate lists, and the rounded ones imply those. Every convex condition of the real
//!    model holds on P, hence on the region.
//! 6. *Nothing left out.* Unless declared so, every observation satisfies every numeric condition. (Not needed for safety: a region
//!    may be a part of what is safe, and where equations are added for obligation 7 it is.)
//! 7. *Numeric effects.* Where a function is a ground function of its own, its change is known on the affine hull of those steps:
//!    the equations of the region imply those of that hull. (Under E(k): every map of k columns that explains the steps agrees
//!    with the learned one under the equations.) Where several functions are one, either each is known by itself, and changes add
//!    up, or that very binding was seen. Functions without a value in some step are neither read nor changed.
//! 8. *Evidence.* An action of the model was observed; for N-SAM, often enough. What the certificate says of the model is what the
//!    model says, and the observations it lists were observed, lie on the facets they are listed for, and span them.

mod boolean;
mod boundary;
mod linear;
mod numeric;
mod vocabulary;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;

use boolean::{Binding, Classes, Seen, binding_of, conjuncts};
use linear::{Span, dot};
use numeric::{Changes, EffectFault, Effects, Fault, Frame, Region, not_implied};
use vocabulary::{Monomial, Vocabulary};

use crate::exact::Rational;
use crate::learn::{AlgorithmRecord, Certificate, MonotoneRecord, SetAside, digest, vocabulary_digest};
use crate::model::semantics::{Inapplicable, Semantics};
use crate::model::{
    Action, ActionId, Condition, Domain, Effect, Ground, GroundAction, GroundAtom, GroundFunction, ObjectId, Objects, State,
    Universe,
};
use crate::pddl::{Numbers, ReadError, Source, TrajectoryReader, Transition, Writer, read_expression};

/// Why a model is not accepted.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Reason {
    /// The action, where it is about one.
    pub action: Option<String>,
    /// Which obligation is not met.
    pub kind: Kind,
    /// What about it.
    pub what: String,
}

/// Which obligation is not met.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// The domain or the model has another vocabulary.
    Vocabulary,
    /// The trajectories are others.
    Traces,
    /// The certificate contradicts itself, the model or the steps.
    Certificate,
    /// There are too few observations.
    Evidence,
    /// A step contradicts a condition.
    Condition,
    /// A literal that may be a precondition is missing.
    Literal,
    /// An equation is missing.
    Equation,
    /// A facet is missing, or an inequality is none.
    Facet,
    /// An effect does not reproduce the steps, or is not determined by them.
    Effect,
    /// Something is in the model that cannot be verified.
    Unverifiable,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.action {
            Some(action) => write!(f, "{action}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

/// Reads the trajectories, then says what is wrong.
pub struct Checker<'a> {
    domain: &'a Domain,
    /// The model without its numeric conditions, which are looked at by themselves.
    stripped: Domain,
    certificate: &'a Certificate,
    /// By action of the domain, where the model has it.
    actions: Vec<Option<ActionCheck<'a>>>,
    traces: BTreeSet<String>,
    met: BTreeSet<SetAside>,
    reasons: BTreeSet<Reason>,
    /// Whether ids of domain and model mean the same, so that going on makes sense.
    comparable: bool,
}

/// The values of all functions before, and their changes.
type Steps = BTreeSet<(Vec<Option<Rational>>, Vec<Rational>)>;

/// What was seen of one action, and what the model makes of it.
struct ActionCheck<'a> {
    name: String,
    id: ActionId,
    action: &'a Action,
    vocabulary: Vocabulary,
    columns: Vec<Monomial>,
    classes: Classes,
    bindings: BTreeSet<Binding>,
    steps: BTreeMap<Binding, Steps>,
}

impl<'a> Checker<'a> {
    /// Starts with the domain, the learned model as it reads back, and its certificate.
    pub fn new(domain: &'a Domain, model: &'a Domain, certificate: &'a Certificate) -> Self {
        let mut checker = Checker {
            domain,
            stripped: domain.clone(),
            certificate,
            actions: domain.action_ids().map(|_| None).collect(),
            traces: BTreeSet::new(),
            met: BTreeSet::new(),
            reasons: BTreeSet::new(),
            comparable: true,
        };
        if vocabulary_digest(domain) != certificate.vocabulary {
            checker.global(Kind::Vocabulary, "the certificate is of another domain: its vocabulary has another digest".into());
        }
        if model.signature != domain.signature {
            let what = "the types, constants, predicates or functions of the model are not those of the domain";
            checker.global(Kind::Vocabulary, what.into());
            checker.comparable = false;
            return checker;
        }
        for (name, action) in model.actions.iter() {
            match domain.actions.find(name) {
                Some(index) if domain.action(index.into()).parameters == action.parameters => checker.add(index.into(), action),
                Some(_) => {
                    checker.global(Kind::Vocabulary, format!("{name} has other parameters in the model than in the domain"))
                }
                None => checker.global(Kind::Vocabulary, format!("the domain has no action {name}, but the model has")),
            }
        }
        let known = |name: &String| model.actions.find(name).is_some();
        for name in certificate.actions.keys().filter(|name| !known(name)) {
            checker.global(Kind::Certificate, format!("the certificate has an action {name}, but the model has not"));
        }
        checker
    }

    fn global(&mut self, kind: Kind, what: String) {
        self.reasons.insert(Reason { action: None, kind, what });
    }

    fn add(&mut self, id: ActionId, action: &'a Action) {
        let name = self.domain.action_name(id).to_ascii_lowercase();
        let vocabulary = Vocabulary::of(self.domain, action);
        let columns = match self.certificate.class.relevant.get(&name) {
            None => Ok(vocabulary.monomials(self.certificate.class.degree, self.certificate.class.squares)),
            Some(texts) => texts.iter().map(|text| self.monomial(&vocabulary, id, text)).collect(),
        };
        let columns = columns.unwrap_or_else(|what| {
            self.reasons.insert(Reason { action: Some(name.clone()), kind: Kind::Certificate, what });
            Vec::new()
        });
        let precondition = conjuncts(&action.precondition).into_iter().filter(|part| !matches!(part, Condition::Compare(..)));
        *self.stripped.actions.value_mut(id.index()) = Action {
            parameters: action.parameters.clone(),
            precondition: Condition::And(precondition.cloned().collect()),
            effect: action.effect.clone(),
            hull: None,
        };
        let check = ActionCheck {
            name,
            id,
            action,
            vocabulary,
            columns,
            classes: Classes::new(),
            bindings: BTreeSet::new(),
            steps: BTreeMap::new(),
        };
        if let Some(slot) = self.actions.get_mut(id.index()) {
            *slot = Some(check);
        }
    }

    /// A monomial that the certificate names.
    fn monomial(&self, vocabulary: &Vocabulary, id: ActionId, text: &str) -> Result<Monomial, String> {
        let source = Source::new("certificate", text);
        let expression = read_expression(&source, self.domain, id)
            .map_err(|_| format!("the certificate names {text:?}, which is no expression"))?;
        let polynomial = vocabulary.polynomial(&expression);
        match polynomial.as_ref().map(|polynomial| polynomial.0.iter().collect::<Vec<_>>()).as_deref() {
            Some([(monomial, one)]) if **one == Rational::ONE && !monomial.is_empty() => Ok((*monomial).clone()),
            _ => Err(format!("the certificate names {text}, which is no product of functions of the action")),
        }
    }

    /// What the verdict takes for granted, in words: from what the certificate declares, not from the words it comes with.
    pub fn assumptions(&self) -> Vec<String> {
        let Certificate { class, settings, set_aside, .. } = self.certificate;
        let mut words = vec![
            "The recorded states are complete, and every recorded step succeeded and is deterministic.".to_owned(),
            "Preconditions are conjunctions. Conditions and effects mention only parameters of their action and constants, and no \
             parameter twice in one atom. Changes of one function add up."
                .to_owned(),
        ];
        words.push(match (settings.algorithm, class.degree, class.squares) {
            (AlgorithmRecord::Sam, ..) => "Numbers do not matter.".to_owned(),
            (_, 1, _) => "Numeric conditions are linear inequalities, numeric effects are affine.".to_owned(),
            (_, degree, squares) => {
                let which = if squares { "(also equal)" } else { "different" };
                format!("Numeric conditions and effects are linear in products of at most {degree} {which} functions.")
            }
        });
        for (action, columns) in &class.relevant {
            words.push(format!("{action} reads and changes only: {}.", columns.join(", ")));
        }
        words.extend(class.decimals.map(|places| format!("Recorded numbers are exact to {places} decimals.")));
        words.extend(settings.arity.map(|arity| format!("Each real numeric condition mentions at most {arity} functions.")));
        words.extend(settings.effect_arity.map(|arity| format!("Each real numeric effect reads at most {arity} functions.")));
        for (action, marks) in &settings.monotone {
            for (column, mark) in marks {
                words.push(match mark {
                    MonotoneRecord::More => format!("More of {column} never makes {action} inapplicable."),
                    MonotoneRecord::Less => format!("Less of {column} never makes {action} inapplicable."),
                    MonotoneRecord::Any => format!("{column} does not matter for the applicability of {action}."),
                });
            }
        }
        if settings.positive_preconditions {
            words.push("Preconditions have no negative atoms.".to_owned());
        }
        if !set_aside.is_empty() {
            words.push(format!("{} recorded steps are recording errors.", set_aside.len()));
        }
        words
    }

    /// How numbers are to be read.
    pub fn numbers(&self) -> Numbers {
        self.certificate.class.decimals.map_or(Numbers::Exact, Numbers::Decimals)
    }

    /// Reads one trajectory. `Err` where it does not read as one of the domain.
    pub fn read(&mut self, trace: &Source, objects: &Objects) -> Result<(), ReadError> {
        let name = digest(trace.text());
        if !self.comparable || !self.traces.insert(name.clone()) {
            return Ok(());
        }
        let aside: BTreeSet<usize> =
            self.certificate.set_aside.iter().filter(|one| one.trace == name).map(|one| one.step).collect();
        let stripped = self.stripped.clone();
        let semantics = Semantics::new(&stripped, objects);
        let mut reader = TrajectoryReader::new(trace, self.domain, objects, self.numbers())?;
        let mut groundings: HashMap<GroundAction, Grounding> = HashMap::new();
        let mut index = 0;
        while let Some(step) = reader.next_transition()? {
            if aside.contains(&index) {
                self.met.insert(SetAside { trace: name.clone(), step: index });
            } else if let Some(check) = self.actions.get_mut(step.action.symbol.index()).and_then(Option::as_mut) {
                let constants = self.domain.signature.constants.len();
                let grounding = groundings
                    .entry(step.action.clone())
                    .or_insert_with(|| Grounding::new(&check.vocabulary, step.action, constants));
                check.observe(grounding, &step);
                let booleans_only = self.certificate.settings.algorithm == AlgorithmRecord::Sam;
                if let Some((kind, what)) = reproduced(&semantics, &step, booleans_only) {
                    let writer = Writer::new(self.domain, objects);
                    let place = step.position();
                    let what = format!("{what} ({}:{}, {})", trace.name(), place.line, writer.ground_action(step.action));
                    // One witness a kind is enough; a wrong effect is wrong in every step.
                    let known = |reason: &Reason| reason.kind == kind && reason.action.as_deref() == Some(&check.name);
                    if !self.reasons.iter().any(known) {
                        self.reasons.insert(Reason { action: Some(check.name.clone()), kind, what });
                    }
                }
            }
            index += 1;
        }
        Ok(())
    }

    /// What is wrong; nothing when the model is accepted.
    pub fn finish(mut self) -> Vec<Reason> {
        if self.comparable {
            let missing = self.certificate.traces.difference(&self.traces).count();
            let extra = self.traces.difference(&self.certificate.traces).count();
            if missing > 0 {
                self.global(
                    Kind::Traces,
                    format!("{missing} of the trajectories that the certificate names are not among those given"),
                );
            }
            if extra > 0 {
                self.global(Kind::Traces, format!("{extra} of the trajectories given are not among those the certificate names"));
            }
            let absent = self.certificate.set_aside.difference(&self.met).count();
            if absent > 0 {
                self.global(Kind::Certificate, format!("{absent} of the steps that the certificate sets aside are not there"));
            }
            for check in std::mem::take(&mut self.actions).into_iter().flatten() {
                let constants = &self.domain.signature.constants;
                let writer = Writer::new(self.domain, constants).with_parameters(&check.action.parameters);
                let mut found = Found { writer, check: &check, constants, reasons: Vec::new() };
                self.conclude(&check, &mut found);
                let reasons = found.reasons;
                self.reasons.extend(reasons);
            }
        }
        self.reasons.into_iter().collect()
    }

    fn conclude(&self, check: &ActionCheck<'_>, found: &mut Found<'_, '_>) {
        let settings = &self.certificate.settings;
        let conditions = conjuncts(&check.action.precondition);
        let effects = flat(&check.action.effect);
        if check.bindings.is_empty() {
            return found.push(Kind::Evidence, "it was never observed".into());
        }
        // 3 and 4.
        for literal in boolean::missing_literals(
            &check.vocabulary,
            &check.classes,
            &check.bindings,
            settings.positive_preconditions,
            &conditions,
        ) {
            let literal = found.writer.condition(&literal);
            found.push(Kind::Literal, format!("{literal} held before every step, but is not in the precondition"));
        }
        let Some(admitted) = boolean::admitted(self.domain, &check.vocabulary, &conditions) else {
            return found.push(Kind::Unverifiable, "too many ways to bind one object to several parameters".into());
        };
        match boolean::changes(&check.vocabulary, &effects) {
            Err(effect) => {
                let effect = found.writer.effect(&effect);
                found.push(Kind::Unverifiable, format!("the effect {effect} is not of the class"));
            }
            Ok(changes) => {
                for open in boolean::undetermined(&check.vocabulary, &check.classes, &admitted, &conditions, &changes) {
                    let atom = found.writer.atom(&check.vocabulary.atoms[open.atom]);
                    let truth = if open.before { "true" } else { "false" };
                    let binding = found.binding(&open.binding);
                    found.push(
                        Kind::Effect,
                        format!("where {atom} is {truth} before{binding}, the steps do not determine what it is afterwards"),
                    );
                }
            }
        }
        if settings.algorithm == AlgorithmRecord::Sam {
            let numeric = conditions.iter().any(|part| matches!(part, Condition::Compare(..)));
            if numeric || effects.iter().any(|effect| matches!(effect, Effect::Numeric(_))) {
                found.push(Kind::Unverifiable, "SAM looks at no numbers, but the model does".into());
            }
            return;
        }
        self.conclude_numeric(check, &conditions, &effects, &admitted, found);
    }

    fn conclude_numeric(
        &self,
        check: &ActionCheck<'_>,
        conditions: &[&Condition],
        effects: &[&Effect],
        admitted: &[Binding],
        found: &mut Found<'_, '_>,
    ) {
        let settings = &self.certificate.settings;
        let undefined = check.undefined();
        let defined = |column: &&Monomial| column.iter().all(|function| !undefined.contains(function));
        let columns: Vec<Monomial> = check.columns.iter().filter(defined).cloned().collect();
        let distinct = check.distinct();
        if settings.algorithm == AlgorithmRecord::Nsam && distinct < columns.len() + 1 {
            let needed = columns.len() + 1;
            found.push(Kind::Evidence, format!("{distinct} distinct vectors were observed, N-SAM asks for {needed}"));
        }
        let changes = check.changes(&columns);
        let points: BTreeSet<Vec<Rational>> = changes.values().flatten().map(|(row, _)| row.clone()).collect();
        let region = Region::of(&check.vocabulary, &columns, conditions);
        for condition in &region.foreign {
            let condition = found.writer.condition(condition);
            found.push(Kind::Unverifiable, format!("{condition} is no linear condition over defined functions of the action"));
        }
        let Some(record) = self.certificate.actions.get(&check.name) else {
            return found.push(Kind::Certificate, "the certificate does not have this action".into());
        };
        let mut marks = BTreeMap::new();
        for (text, mark) in settings.monotone.get(&check.name).into_iter().flatten() {
            match self.monomial(&check.vocabulary, check.id, text) {
                Ok(monomial) => marks.extend(columns.iter().position(|column| *column == monomial).map(|column| (column, *mark))),
                Err(what) => found.push(Kind::Certificate, what),
            }
        }
        // Shadows on more columns than assumed bound the region more tightly.
        let arity = match (record.arity, settings.arity) {
            (Some(used), Some(assumed)) if used >= assumed => Some(used),
            (None, _) => None,
            _ => {
                return found
                    .push(Kind::Certificate, "its region is made for fewer functions than the certificate assumes".into());
            }
        };
        let frame = Frame {
            width: columns.len() + 1,
            points: &points,
            marks: &marks,
            arity,
            inner: record.inner,
            restricted: record.restricted,
        };
        let exact = match &record.exact {
            None => None,
            Some(rows) => {
                let rows: Option<Vec<Vec<Rational>>> = rows.iter().map(|row| read_row(row, columns.len() + 1)).collect();
                let Some(inequalities) = rows else {
                    return found.push(Kind::Certificate, "the exact inequalities of the certificate are none".into());
                };
                if let Some(index) = not_implied(&region.inequalities, &inequalities) {
                    let row = found.row(&columns, &inequalities[index]);
                    found.push(Kind::Facet, format!("{row} <= 0 does not follow from the rounded inequalities"));
                }
                Some(Region { equations: region.equations.clone(), inequalities, foreign: Vec::new() })
            }
        };
        let bounding = exact.as_ref().unwrap_or(&region);
        for fault in frame.faults(bounding) {
            let (kind, what) = found.fault(&columns, bounding, fault);
            found.push(kind, what);
        }
        let check_effects = Effects {
            vocabulary: &check.vocabulary,
            columns: &columns,
            changes: &changes,
            undefined: &undefined,
            arity: settings.effect_arity,
        };
        for fault in check_effects.faults(&region, effects, admitted) {
            let what = found.effect_fault(fault);
            found.push(what.0, what.1);
        }
        found.evidence(&columns, record, &region, &points, &marks, conditions, effects);
    }
}

fn flat(effect: &Effect) -> Vec<&Effect> {
    match effect {
        Effect::And(parts) => parts.iter().flat_map(flat).collect(),
        other => vec![other],
    }
}

/// Obligation 2, for one step.
fn reproduced(semantics: &Semantics<'_>, step: &Transition<'_>, booleans_only: bool) -> Option<(Kind, String)> {
    let changes = match semantics.changes(step.action, step.universe, step.before) {
        Ok(changes) => changes,
        Err(Inapplicable::Precondition(_)) => {
            return Some((Kind::Condition, "a recorded step does not satisfy the precondition".into()));
        }
        Err(_) => return Some((Kind::Effect, "the effects cannot be applied to a recorded step".into())),
    };
    let mut next: State = step.before.clone();
    // What the whole trajectory never names is false, or undefined, in every state of it.
    let mut named = true;
    for atom in &changes.deletes {
        step.universe.find_atom(atom).into_iter().for_each(|id| next.remove(id));
    }
    for atom in &changes.adds {
        match step.universe.find_atom(atom) {
            Some(id) => next.insert(id),
            None => named = false,
        }
    }
    for (function, value) in &changes.values {
        match step.universe.find_value(function) {
            Some(id) => next.set_value(id, value.clone()),
            None => named = false,
        }
    }
    let atoms = named && next.atoms().eq(step.after.atoms());
    let values = booleans_only || next.values().eq(step.after.values());
    (!atoms || !values).then(|| (Kind::Effect, "the effects do not give the state that was recorded after a step".into()))
}

/// What a ground action's literals and functions are.
struct Grounding {
    binding: Binding,
    atoms: Vec<(GroundAtom, Vec<usize>)>,
    functions: Vec<GroundFunction>,
}

impl Grounding {
    fn new(vocabulary: &Vocabulary, action: &GroundAction, constants: usize) -> Self {
        let mut atoms: BTreeMap<Ground<_>, Vec<usize>> = BTreeMap::new();
        for (index, atom) in vocabulary.atoms.iter().enumerate() {
            atoms.entry(atom.ground(&action.arguments)).or_default().push(index);
        }
        Grounding {
            binding: binding_of(&action.arguments, constants),
            atoms: atoms.into_iter().collect(),
            functions: vocabulary.functions.iter().map(|function| function.ground(&action.arguments)).collect(),
        }
    }
}

impl ActionCheck<'_> {
    fn observe(&mut self, grounding: &Grounding, step: &Transition<'_>) {
        let holds =
            |universe: &Universe, state: &State, atom: &GroundAtom| universe.find_atom(atom).is_some_and(|id| state.contains(id));
        for (atom, class) in &grounding.atoms {
            let seen = Seen { before: holds(step.universe, step.before, atom), after: holds(step.universe, step.after, atom) };
            match self.classes.get_mut(class) {
                Some(all) => drop(all.insert(seen)),
                None => drop(self.classes.insert(class.clone(), BTreeSet::from([seen]))),
            }
        }
        let value =
            |state: &State, function: &GroundFunction| step.universe.find_value(function).and_then(|id| state.value(id)).cloned();
        let before: Vec<Option<Rational>> = grounding.functions.iter().map(|function| value(step.before, function)).collect();
        let changes =
            grounding.functions.iter().zip(&before).map(|(function, before)| match (before, value(step.after, function)) {
                (Some(before), Some(after)) => &after - before,
                _ => Rational::ZERO,
            });
        let changes = changes.collect();
        self.bindings.insert(grounding.binding.clone());
        self.steps.entry(grounding.binding.clone()).or_default().insert((before, changes));
    }

    /// The functions that had no value before some step: no condition and no effect reads them, or the step could not have been.
    fn undefined(&self) -> BTreeSet<usize> {
        let missing = |before: &Vec<Option<Rational>>| (0..before.len()).filter(|&at| before[at].is_none()).collect::<Vec<_>>();
        self.steps.values().flatten().flat_map(|(before, _)| missing(before)).collect()
    }

    /// How many distinct vectors over all columns there are.
    fn distinct(&self) -> usize {
        let value = |before: &[Option<Rational>], column: &Monomial| {
            column.iter().try_fold(Rational::ONE, |product, &factor| Some(&product * before[factor].as_ref()?))
        };
        let vector = |before: &[Option<Rational>]| self.columns.iter().map(|column| value(before, column)).collect::<Vec<_>>();
        self.steps.values().flatten().map(|(before, _)| vector(before)).collect::<BTreeSet<_>>().len()
    }

    /// Rows over defined columns, and changes, by binding.
    fn changes(&self, columns: &[Monomial]) -> Changes {
        let zero = Rational::ZERO;
        let value = |before: &[Option<Rational>], column: &Monomial| {
            column.iter().fold(Rational::ONE, |product, &factor| &product * before[factor].as_ref().unwrap_or(&zero))
        };
        let row = |before: &[Option<Rational>]| {
            std::iter::once(Rational::ONE).chain(columns.iter().map(|column| value(before, column))).collect()
        };
        let rows = |steps: &Steps| steps.iter().map(|(before, changes)| (row(before), changes.clone())).collect();
        self.steps.iter().map(|(binding, steps)| (binding.clone(), rows(steps))).collect()
    }
}

/// Says what is wrong with an action.
struct Found<'w, 'c> {
    writer: Writer<'w>,
    check: &'c ActionCheck<'c>,
    constants: &'c Objects,
    reasons: Vec<Reason>,
}

impl Found<'_, '_> {
    fn push(&mut self, kind: Kind, what: String) {
        self.reasons.push(Reason { action: Some(self.check.name.clone()), kind, what });
    }

    fn monomial(&self, monomial: &Monomial) -> String {
        let names: Vec<String> =
            monomial.iter().map(|&function| self.writer.function(&self.check.vocabulary.functions[function])).collect();
        if names.len() == 1 { names.concat() } else { format!("(* {})", names.join(" ")) }
    }

    /// `2 (fuel ?t) - (load ?t) + 3`
    fn row(&self, columns: &[Monomial], row: &[Rational]) -> String {
        let mut text = String::new();
        let constant = row.first().filter(|value| !value.is_zero()).map(|value| (value, String::new()));
        let terms = columns.iter().zip(row.iter().skip(1)).filter(|(_, value)| !value.is_zero());
        for (value, name) in terms.map(|(column, value)| (value, self.monomial(column))).chain(constant) {
            let sign = match (value.signum() < 0, text.is_empty()) {
                (true, true) => "-",
                (true, false) => " - ",
                (false, true) => "",
                (false, false) => " + ",
            };
            let size = value.abs();
            text += sign;
            text += &match (size == Rational::ONE, name.is_empty()) {
                (true, false) => name,
                (_, true) => size.to_string(),
                (false, false) => format!("{size} {name}"),
            };
        }
        if text.is_empty() { "0".into() } else { text }
    }

    /// `, with ?a = ?b`, where parameters are one object.
    fn binding(&self, binding: &Binding) -> String {
        let parameters = &self.check.action.parameters;
        let constants = self.constants;
        let name = |place: usize| match parameters.get(place) {
            Some(parameter) => format!("?{}", parameter.name),
            None => constants.name(ObjectId::from(place - parameters.len())).to_owned(),
        };
        let equal = binding.iter().enumerate().filter(|(slot, place)| *slot != **place);
        let equal: Vec<String> = equal.map(|(slot, place)| format!("{} = {}", name(slot), name(*place))).collect();
        if equal.is_empty() { String::new() } else { format!(", with {}", equal.join(" and ")) }
    }

    fn fault(&self, columns: &[Monomial], region: &Region, fault: Fault) -> (Kind, String) {
        let inequality = |index: usize| {
            region.inequalities.get(index).map_or_else(|| "infinity".into(), |row| format!("{} <= 0", self.row(columns, row)))
        };
        let at = |point: &[Rational]| {
            let values: Vec<String> = columns
                .iter()
                .zip(point.iter().skip(1))
                .map(|(column, value)| format!("{} = {value}", self.monomial(column)))
                .collect();
            values.join(", ")
        };
        match fault {
            Fault::OutsideEquation(index, point) => {
                let row = region.equations.get(index).map_or_else(String::new, |row| self.row(columns, row));
                (Kind::Condition, format!("an observed state does not satisfy {row} = 0: {}", at(&point)))
            }
            Fault::OutsideInequality(index, point) => {
                (Kind::Condition, format!("an observed state does not satisfy {}: {}", inequality(index), at(&point)))
            }
            Fault::MissingEquation(row) => (
                Kind::Equation,
                format!("{} = 0 held before every step, but does not follow from the precondition", self.row(columns, &row)),
            ),
            Fault::MissingFacet(over, beside) => {
                let over: Vec<String> = over.iter().filter_map(|&column| Some(self.monomial(columns.get(column)?))).collect();
                let beside = beside.map_or_else(String::new, |index| format!(", beside {}", inequality(index)));
                (Kind::Facet, format!("a facet is missing{beside}: the boundary over {} is not closed", over.join(", ")))
            }
            Fault::Direction(index) => {
                (Kind::Facet, format!("{} forbids a direction that is assumed to do no harm", inequality(index)))
            }
            Fault::Unspanned(index) => (Kind::Facet, format!("{} is not spanned by observations", inequality(index))),
            Fault::Empty => (Kind::Evidence, "no observation lies in the region".into()),
        }
    }

    fn effect_fault(&mut self, fault: EffectFault) -> (Kind, String) {
        let function = |at: usize| self.writer.function(&self.check.vocabulary.functions[at]);
        match fault {
            EffectFault::Foreign(effect) => {
                let effect = self.writer.effect(&effect);
                (Kind::Unverifiable, format!("the effect {effect} is not of the class"))
            }
            EffectFault::Undefined(at) => {
                (Kind::Effect, format!("it changes {}, which had no value before some step", function(at)))
            }
            EffectFault::Undetermined(at) => {
                (Kind::Effect, format!("the steps do not determine the change of {} all over the precondition", function(at)))
            }
            EffectFault::Clash(one, other) => {
                (Kind::Effect, format!("it assigns both {} and {}, which may be one", function(one), function(other)))
            }
        }
    }

    /// Obligation 8: what the certificate says of the action.
    #[allow(clippy::too_many_arguments)]
    fn evidence(
        &mut self,
        columns: &[Monomial],
        record: &crate::learn::ActionRecord,
        region: &Region,
        points: &BTreeSet<Vec<Rational>>,
        marks: &BTreeMap<usize, MonotoneRecord>,
        conditions: &[&Condition],
        effects: &[&Effect],
    ) {
        let names: Vec<String> = columns.iter().map(|column| self.monomial(column)).collect();
        if !names.iter().map(|name| name.to_ascii_lowercase()).eq(record.columns.iter().map(|name| name.to_ascii_lowercase())) {
            return self.push(Kind::Certificate, format!("the certificate is over other functions than {}", names.join(", ")));
        }
        let boolean = conditions.iter().filter(|part| !matches!(part, Condition::Compare(..)));
        let boolean: BTreeSet<String> = boolean.map(|part| self.writer.condition(part)).collect();
        if boolean != record.conditions.iter().cloned().collect() {
            self.push(Kind::Certificate, "its Boolean conditions are not those of the certificate".into());
        }
        let effects: BTreeSet<String> = effects.iter().map(|effect| self.writer.effect(effect)).collect();
        if effects != record.effects.iter().cloned().collect() {
            self.push(Kind::Certificate, "its effects are not those of the certificate".into());
        }
        let width = columns.len() + 1;
        let read = |texts: &[String]| read_row(texts, width);
        let listed = |rows: Vec<Option<Vec<Rational>>>| rows.into_iter().collect::<Option<BTreeSet<_>>>();
        let primitive = |rows: &[Vec<Rational>]| rows.iter().map(|row| scaled(row, false)).collect::<BTreeSet<_>>();
        let equations = listed(record.equations.iter().map(|row| read(row)).collect());
        let up_to_sign = |rows: BTreeSet<Vec<Rational>>| rows.iter().map(|row| scaled(row, true)).collect::<BTreeSet<_>>();
        if equations.map(up_to_sign) != Some(region.equations.iter().map(|row| scaled(row, true)).collect()) {
            self.push(Kind::Certificate, "its equations are not those of the certificate".into());
        }
        let facets = listed(record.facets.iter().map(|facet| read(&facet.row)).collect());
        if facets.map(|rows| rows.iter().map(|row| scaled(row, false)).collect()) != Some(primitive(&region.inequalities)) {
            self.push(Kind::Certificate, "its inequalities are not those of the certificate".into());
        }
        let observed = |texts: &Vec<String>| {
            let values = texts.iter().map(|text| number(text)).collect::<Option<Vec<_>>>()?;
            let row: Vec<Rational> = std::iter::once(Rational::ONE).chain(values).collect();
            points.contains(&row).then_some(row)
        };
        let observations: Vec<Option<Vec<Rational>>> = record.observations.iter().map(observed).collect();
        if observations.iter().any(Option::is_none) {
            self.push(Kind::Certificate, "the certificate lists observations that were not made".into());
        }
        if record.vertices.iter().any(|texts| observed(texts).is_none()) {
            self.push(Kind::Certificate, "the certificate lists vertices that were not observed".into());
        }
        let rank = Span::of(width, points).rank();
        for facet in &record.facets {
            let Some(row) = read(&facet.row) else { continue };
            let mut spanning: Vec<Vec<Rational>> = Vec::new();
            let mut good = true;
            for &index in &facet.observations {
                match observations.get(index) {
                    Some(Some(point)) => spanning.push(point.clone()),
                    _ => good = false,
                }
            }
            for &column in &facet.rays {
                let mut ray = vec![Rational::ZERO; width];
                match (marks.get(&column), ray.get_mut(column + 1)) {
                    (Some(MonotoneRecord::Less), Some(entry)) => *entry = Rational::integer(-1),
                    (Some(_), Some(entry)) => *entry = Rational::ONE,
                    _ => good = false,
                }
                spanning.push(ray);
            }
            good &= spanning.iter().all(|generator| dot(&row, generator).is_zero());
            // In a shadow, or a part, the rank is another; there the boundary says it all.
            let whole = record.arity.is_none() && record.exact.is_none() && !record.inner && marks.is_empty();
            good &= !whole || Span::of(width, &spanning).rank() + 1 == rank;
            if !good {
                let row = self.row(columns, &row);
                self.push(Kind::Certificate, format!("{row} <= 0 is not spanned by what the certificate lists for it"));
            }
        }
    }
}

fn read_row(texts: &[String], width: usize) -> Option<Vec<Rational>> {
    let row: Option<Vec<Rational>> = texts.iter().map(|text| number(text)).collect();
    row.filter(|row| row.len() == width)
}

/// A number as the certificate writes it: a decimal, or a quotient.
fn number(text: &str) -> Option<Rational> {
    let read = |word: &str| Numbers::Exact.read(word).ok();
    match text.split_once('/') {
        Some((numerator, denominator)) => read(numerator)?.checked_div(&read(denominator)?),
        None => read(text),
    }
}

/// A row scaled such that its first entry that is not zero is one; or one or minus one, where the sign matters.
fn scaled(row: &[Rational], any_sign: bool) -> Vec<Rational> {
    let first = row.iter().find(|value| !value.is_zero()).map(|value| if any_sign { value.clone() } else { value.abs() });
    let scale = first.and_then(|value| value.recip()).unwrap_or(Rational::ONE);
    row.iter().map(|value| value * &scale).collect()
}
