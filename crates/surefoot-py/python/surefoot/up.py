"""unified-planning: problems, states, plans and roll-outs both ways, learning, and our planner and validator as engines.

Importing this module registers the engines, so that `OneshotPlanner(name="surefoot")` and `PlanValidator(name="surefoot")` find them.
Numbers stay exact on the way. Fluents are Boolean or numeric, parameters are of user types; anything else is refused by name.
"""

# unified-planning has no types.
# mypy: disable-error-code="import-untyped,import-not-found,misc,no-any-return,no-untyped-call"

import re
from fractions import Fraction
from typing import IO, Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple, Union

try:
    import unified_planning as up
    from unified_planning.engines import (
        Credits,
        Engine,
        LogLevel,
        LogMessage,
        PlanGenerationResult,
        PlanGenerationResultStatus,
        ValidationResult,
        ValidationResultStatus,
    )
    from unified_planning.engines.mixins import OneshotPlannerMixin, PlanValidatorMixin
    from unified_planning.engines.results import FailedValidationReason
    from unified_planning.exceptions import UPInvalidActionError, UPProblemDefinitionError, UPUsageError
    from unified_planning.model import InstantaneousAction, Object, ProblemKind, UPState
    from unified_planning.model.metrics import (
        MaximizeExpressionOnFinalState,
        MinimizeExpressionOnFinalState,
        MinimizeSequentialPlanLength,
    )
    from unified_planning.plans import ActionInstance, PlanKind, SequentialPlan
except ImportError as error:  # pragma: no cover
    raise ImportError("surefoot.up needs unified-planning: pip install 'surefoot[up]'") from error

from . import Domain, Learner, Model, Problem, plan as find_plan, validate
from ._lists import conjuncts, parsed

__all__ = ["Converter", "PlannerEngine", "Recorder", "ValidatorEngine", "learn", "learner", "register", "rollout"]

State = Dict[str, Any]
Words = Tuple[str, ...]


class Converter:
    """Takes a unified-planning problem, its states and plans to surefoot, and models, states and plans back.

    PDDL knows fewer names than unified-planning, so that names are changed where they have to be; `to` is the way there,
    `back` the way back.
    """

    def __init__(self, problem: "up.model.Problem") -> None:
        if not isinstance(problem, up.model.Problem):
            raise UPUsageError("surefoot reads action-based problems only")
        self.problem = problem
        self.env = problem.environment
        self._names: Dict[Tuple[str, str], str] = {}
        self._things: Dict[Tuple[str, str], Any] = {}
        for kind in problem.user_types:
            self._name("type", kind.name, kind)
        for fluent in problem.fluents:
            self._check_fluent(fluent)
            self._name("fluent", fluent.name, fluent)
        for action in problem.actions:
            if not isinstance(action, InstantaneousAction):
                raise UPUsageError(f"action {action.name} takes time, which surefoot does not read")
            self._name("action", action.name, action)
        for thing in problem.all_objects:
            self._name("object", thing.name, thing)
        self._ground: Optional[List[Tuple[Any, bool, Words]]] = None
        self.domain = Domain.parse(self._domain_text(bodies=False), name=f"vocabulary of {problem.name}")

    def _name(self, kind: str, name: str, thing: Any) -> None:
        # One name space for each kind of thing; names of types and objects must not be words of the language.
        base = re.sub(r"[^a-z0-9_-]", "_", name.lower())
        if not base[:1].isalpha() or base in ("object", "either", "and", "or", "not", "imply", "forall", "exists", "when", "number"):
            base = f"{kind}_{base}"
        written, number = base, 2
        while (kind, written) in self._things:
            written, number = f"{base}_{number}", number + 1
        self._names[(kind, name)] = written
        self._things[(kind, written)] = thing

    @staticmethod
    def _check_fluent(fluent: Any) -> None:
        if not (fluent.type.is_bool_type() or fluent.type.is_int_type() or fluent.type.is_real_type()):
            raise UPUsageError(f"fluent {fluent.name} is neither Boolean nor numeric, which surefoot does not read")
        for parameter in fluent.signature:
            if not parameter.type.is_user_type():
                raise UPUsageError(f"parameter {parameter.name} of fluent {fluent.name} is of no user type")

    # To surefoot.

    def _parameters(self, parameters: Sequence[Any]) -> str:
        for parameter in parameters:
            if not parameter.type.is_user_type():
                raise UPUsageError(f"parameter {parameter.name} is of no user type, which surefoot does not read")
        return " ".join(f"?{_variable(one.name)} - {self._names[('type', one.type.name)]}" for one in parameters)

    def _domain_text(self, bodies: bool) -> str:
        lines = ["(define (domain d)"]
        kinds = [
            f"{self._names[('type', kind.name)]} - {self._names[('type', kind.father.name)] if kind.father else 'object'}"
            for kind in self.problem.user_types
        ]
        lines.append(f"(:types {' '.join(kinds)})")
        atoms: List[str] = []
        functions: List[str] = []
        for fluent in self.problem.fluents:
            text = f"({self._names[('fluent', fluent.name)]} {self._parameters(fluent.signature)})"
            (atoms if fluent.type.is_bool_type() else functions).append(text)
        # All objects are constants when bodies are wanted: conditions of unified-planning may name them.
        if bodies:
            lines.append(f"(:constants {self._objects_text()})")
        lines.append(f"(:predicates {' '.join(atoms)}) (:functions {' '.join(functions)})")
        for action in self.problem.actions:
            lines.append(f"(:action {self._names[('action', action.name)]} :parameters ({self._parameters(action.parameters)})")
            if bodies:
                lines.append(f":precondition (and {' '.join(map(self.expression, action.preconditions))})")
                if action.simulated_effect is not None:
                    raise UPUsageError(f"action {action.name} has simulated effects, which surefoot does not read")
                lines.append(f":effect (and {' '.join(map(self._effect, action.effects))})")
            lines.append(")")
        return "\n".join([*lines, ")"])

    def _objects_text(self) -> str:
        return " ".join(
            f"{self._names[('object', one.name)]} - {self._names[('type', one.type.name)]}" for one in self.problem.all_objects
        )

    def _effect(self, effect: Any) -> str:
        target, value = self.expression(effect.fluent), effect.value
        if effect.is_increase():
            text = f"(increase {target} {self.expression(value)})"
        elif effect.is_decrease():
            text = f"(decrease {target} {self.expression(value)})"
        elif not effect.is_assignment():
            raise UPUsageError("surefoot does not read continuous effects")
        elif effect.fluent.type.is_bool_type():
            if not value.is_bool_constant():
                raise UPUsageError(f"{effect.fluent} is assigned a formula, which surefoot does not read")
            text = target if value.is_true() else f"(not {target})"
        else:
            text = f"(assign {target} {self.expression(value)})"
        if not effect.condition.is_true():
            text = f"(when {self.expression(effect.condition)} {text})"
        if effect.forall:
            text = f"(forall ({self._parameters(effect.forall)}) {text})"
        return text

    def expression(self, node: Any) -> str:
        """A formula or a term as PDDL, exactly."""
        if node.is_bool_constant():
            return "(and)" if node.is_true() else "(or)"
        if node.is_int_constant() or node.is_real_constant():
            return _number_text(Fraction(node.constant_value()))
        if node.is_fluent_exp():
            return f"({self._names[('fluent', node.fluent().name)]} {' '.join(map(self.expression, node.args))})"
        if node.is_parameter_exp():
            return f"?{_variable(node.parameter().name)}"
        if node.is_variable_exp():
            return f"?{_variable(node.variable().name)}"
        if node.is_object_exp():
            return self._names[("object", node.object().name)]
        parts = [self.expression(part) for part in node.args]
        if node.is_forall() or node.is_exists():
            return f"({'forall' if node.is_forall() else 'exists'} ({self._parameters(node.variables())}) {parts[0]})"
        if node.is_iff():
            return f"(and (imply {parts[0]} {parts[1]}) (imply {parts[1]} {parts[0]}))"
        for test, word in (
            (node.is_and, "and"),
            (node.is_or, "or"),
            (node.is_not, "not"),
            (node.is_implies, "imply"),
            (node.is_equals, "="),
            (node.is_le, "<="),
            (node.is_lt, "<"),
            (node.is_minus, "-"),
            (node.is_div, "/"),
        ):
            if test():
                return f"({word} {' '.join(parts)})"
        for test, word in ((node.is_plus, "+"), (node.is_times, "*")):
            if test():
                text = parts[0]
                for part in parts[1:]:
                    text = f"({word} {text} {part})"
                return text
        raise UPUsageError(f"surefoot does not read {node}")

    def whole_domain(self) -> Domain:
        """The problem's actions with their bodies; its objects are constants there."""
        return Domain.parse(self._domain_text(bodies=True), name=f"domain of {self.problem.name}")

    def whole_problem(self, domain: Domain) -> Problem:
        """The problem's initial state, goal and metric, for a domain of `whole_domain`."""
        facts = []
        for key, value in self._initial_values():
            text = self.expression(key)
            if key.type.is_bool_type():
                facts += [text] if value.is_true() else []
            else:
                facts.append(f"(= {text} {_number_text(Fraction(value.constant_value()))})")
        goals = " ".join(map(self.expression, self.problem.goals))
        text = f"(define (problem p) (:domain d) (:init {' '.join(facts)}) (:goal (and {goals})) {self._metric()})"
        return Problem.parse(text, domain, name=f"problem {self.problem.name}")

    def _metric(self) -> str:
        if not self.problem.quality_metrics:
            return ""
        if len(self.problem.quality_metrics) > 1:
            raise UPUsageError("surefoot reads at most one quality metric")
        [metric] = self.problem.quality_metrics
        if isinstance(metric, MinimizeSequentialPlanLength):
            return "(:metric minimize (total-time))"
        if isinstance(metric, MinimizeExpressionOnFinalState):
            return f"(:metric minimize {self.expression(metric.expression)})"
        if isinstance(metric, MaximizeExpressionOnFinalState):
            return f"(:metric maximize {self.expression(metric.expression)})"
        raise UPUsageError(f"surefoot does not read the metric {metric}")

    def _initial_values(self) -> List[Tuple[Any, Any]]:
        try:
            return list(self.problem.initial_values.items())
        except UPProblemDefinitionError:
            # Some fluents have no value: those that have one are listed.
            return list(self.problem.explicit_initial_values.items())

    def objects(self) -> Dict[str, str]:
        """By name: the type of each object."""
        return {self._names[("object", one.name)]: self._names[("type", one.type.name)] for one in self.problem.all_objects}

    def state(self, state: "up.model.State") -> State:
        """A state of unified-planning as one of surefoot."""
        if self._ground is None:
            self._ground = []
            for key, _ in self._initial_values():
                names = [self._names[("fluent", key.fluent().name)]]
                names += [self._names[("object", part.object().name)] for part in key.args]
                self._ground.append((key, key.type.is_bool_type(), tuple(names)))
        atoms, values = set(), {}
        for key, is_atom, words in self._ground:
            value = state.get_value(key)
            if not is_atom:
                values[words] = Fraction(value.constant_value())
            elif value.is_true():
                atoms.add(words)
        return {"atoms": atoms, "values": values}

    def action(self, instance: ActionInstance) -> Words:
        """An action of a plan as a tuple."""
        objects = [self._names[("object", part.object().name)] for part in instance.actual_parameters]
        return (self._names[("action", instance.action.name)], *objects)

    def plan(self, plan: SequentialPlan) -> List[Words]:
        """A plan as a list of tuples."""
        return [self.action(instance) for instance in plan.actions]

    # Back to unified-planning.

    def back_state(self, state: State) -> UPState:
        """A state of surefoot as one of unified-planning. What is not among its atoms is false."""
        values = {}
        for fluent in self.problem.fluents:
            if fluent.type.is_bool_type():
                for key in up.model.fluent.get_all_fluent_exp(self.problem, fluent):
                    values[key] = self.env.expression_manager.FALSE()
        for words in state["atoms"]:
            values[self._fluent(words)] = self.env.expression_manager.TRUE()
        for words, number in state["values"].items():
            values[self._fluent(words)] = self._number(Fraction(number))
        return UPState(values, self.problem)

    def _fluent(self, words: Sequence[str]) -> Any:
        fluent = self._things[("fluent", words[0])]
        return fluent(*(self._things[("object", name)] for name in words[1:]))

    def _number(self, number: Fraction) -> Any:
        manager = self.env.expression_manager
        return manager.Int(number.numerator) if number.denominator == 1 else manager.Real(number)

    def back_plan(self, plan: Iterable[Sequence[str]], problem: Optional["up.model.Problem"] = None) -> SequentialPlan:
        """A plan of surefoot as one of unified-planning, with the actions of `problem` (by default the converter's own)."""
        owner = problem or self.problem
        instances = []
        for name, *objects in plan:
            action = owner.action(self._things[("action", name)].name)
            parameters = [self.env.expression_manager.ObjectExp(self._things[("object", one)]) for one in objects]
            instances.append(ActionInstance(action, tuple(parameters)))
        return SequentialPlan(instances, self.env)

    def back_problem(self, model: Union[Model, Domain]) -> "up.model.Problem":
        """The problem with the actions of a model in place of its own: the same fluents, objects, initial state and goals."""
        learned = self.problem.clone()
        learned.clear_actions()
        # Metrics may speak of actions that are no more.
        learned.clear_quality_metrics()
        for metric in self.problem.quality_metrics:
            if isinstance(
                metric, (MinimizeExpressionOnFinalState, MaximizeExpressionOnFinalState, MinimizeSequentialPlanLength)
            ):
                learned.add_quality_metric(metric)
        domain = model.domain if isinstance(model, Model) else model
        for section in parsed(domain.to_pddl())[2:]:
            if section[0] == ":action":
                learned.add_action(self._back_action(section))
        return learned

    def _back_action(self, section: List[Any]) -> InstantaneousAction:
        original = self._things[("action", section[1])]
        parts = dict(zip(section[2::2], section[3::2]))
        action = InstantaneousAction(
            original.name, _env=self.env, **{parameter.name: parameter.type for parameter in original.parameters}
        )
        scope = {f"?{_variable(one.name)}": action.parameter(one.name) for one in original.parameters}
        # Written names are in the order of the parameters, whatever they are called.
        written = [word for word in parts.get(":parameters", []) if word.startswith("?")]
        scope.update({name: action.parameter(one.name) for name, one in zip(written, original.parameters)})
        for condition in conjuncts(parts.get(":precondition", ["and"])):
            action.add_precondition(self._back(condition, scope))
        for effect in conjuncts(parts.get(":effect", ["and"])):
            self._back_effect(action, effect, scope, None)
        return action

    def _back_effect(self, action: InstantaneousAction, effect: List[Any], scope: Dict[str, Any], condition: Any) -> None:
        when = True if condition is None else condition
        head = effect[0]
        if head == "when":
            for part in conjuncts(effect[2]):
                self._back_effect(action, part, scope, self._back(effect[1], scope))
        elif head in ("increase", "decrease"):
            add = action.add_increase_effect if head == "increase" else action.add_decrease_effect
            add(self._back(effect[1], scope), self._back(effect[2], scope), when)
        elif head == "assign":
            action.add_effect(self._back(effect[1], scope), self._back(effect[2], scope), when)
        elif head == "not":
            action.add_effect(self._back(effect[1], scope), False, when)
        else:
            action.add_effect(self._back(effect, scope), True, when)

    def _back(self, part: Any, scope: Dict[str, Any]) -> Any:
        manager = self.env.expression_manager
        if isinstance(part, str):
            if part.startswith("?"):
                return manager.ParameterExp(scope[part])
            if ("object", part) in self._things:
                return manager.ObjectExp(self._things[("object", part)])
            return self._number(Fraction(part))
        head, *inner = part
        if ("fluent", head) in self._things:
            fluent = self._things[("fluent", head)]
            return fluent(*(self._back(one, scope) for one in inner))
        arguments = [self._back(one, scope) for one in inner]
        if head == "-" and len(arguments) == 1:
            return manager.Minus(0, arguments[0])
        if head == "/" and all(one.is_constant() for one in arguments):
            return self._number(Fraction(arguments[0].constant_value()) / Fraction(arguments[1].constant_value()))
        make: Dict[str, Callable[..., Any]] = {
            "and": manager.And,
            "or": manager.Or,
            "not": manager.Not,
            "imply": manager.Implies,
            "=": manager.Equals,
            "<=": manager.LE,
            "<": manager.LT,
            ">=": manager.GE,
            ">": manager.GT,
            "+": manager.Plus,
            "-": manager.Minus,
            "*": manager.Times,
            "/": manager.Div,
        }
        return make[head](*arguments)


def _variable(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)


def _number_text(number: Fraction) -> str:
    if number.denominator == 1:
        return str(number.numerator)
    return f"(/ {number.numerator} {number.denominator})"


class Recorder:
    """Takes actions in a simulator of unified-planning and remembers every attempt, also those that failed.

    `simulator` is unified-planning's own UPSequentialSimulator unless another is given; `state` is where it is now, and can be set, for
    instance to start over. `attempts` lists (state before, action, state after) in the order they were made; the state after a failed
    attempt is None. A recorder is a trace for `learner` and `learn`.
    """

    def __init__(self, problem: "up.model.Problem", simulator: Any = None) -> None:
        self.simulator = up.engines.UPSequentialSimulator(problem) if simulator is None else simulator
        self.state = self.simulator.get_initial_state()
        self.attempts: List[Attempt] = []

    def attempt(self, action: Union[ActionInstance, Any], *parameters: Any) -> bool:
        """Tries an action (an ActionInstance, or an action and its parameters), and whether it worked. The state stays where it did not."""
        instance = action if isinstance(action, ActionInstance) else ActionInstance(action, _terms(action, parameters))
        try:
            after = self.simulator.apply(self.state, instance.action, instance.actual_parameters)
        except UPInvalidActionError:
            # With these parameters it could be taken in no state.
            after = None
        self.attempts.append((self.state, instance, after))
        if after is not None:
            self.state = after
        return after is not None


def _terms(action: Any, parameters: Sequence[Any]) -> Tuple[Any, ...]:
    return tuple(action.environment.expression_manager.auto_promote(*parameters)) if parameters else ()


def rollout(
    problem: "up.model.Problem", actions: Union[SequentialPlan, Iterable[ActionInstance]]
) -> Tuple[List["up.model.State"], List[ActionInstance]]:
    """Simulates a plan, or actions, with unified-planning's own SequentialSimulator: the states, and the actions between them.

    Raises UPUsageError at the first action that cannot be taken; a `Recorder` remembers it as a failed attempt and goes on.
    """
    recorder = Recorder(problem)
    states: List[Any] = [recorder.state]
    taken: List[ActionInstance] = []
    for instance in actions.actions if isinstance(actions, SequentialPlan) else actions:
        if not recorder.attempt(instance):
            raise UPUsageError(f"{instance} cannot be taken, after {len(taken)} actions")
        states.append(recorder.state)
        taken.append(instance)
    return states, taken


#: A state, an action that was tried there, and the state after it; None where it failed.
Attempt = Tuple["up.model.State", ActionInstance, Optional["up.model.State"]]
Trace = Union[SequentialPlan, Recorder, Tuple[Sequence["up.model.State"], Sequence[ActionInstance]], Sequence[Attempt]]


def _attempts(problem: "up.model.Problem", trace: Any) -> Iterable[Attempt]:
    if isinstance(trace, Recorder):
        return trace.attempts
    if isinstance(trace, SequentialPlan):
        states, actions = rollout(problem, trace)
    elif hasattr(trace, "states") and hasattr(trace, "actions"):
        states, actions = trace.states, trace.actions
    elif all(isinstance(one, tuple) and len(one) == 3 for one in trace):
        return trace
    else:
        states, actions = trace
    if len(states) != len(actions) + 1:
        raise UPUsageError(f"a trace of {len(actions)} actions has {len(actions) + 1} states, found {len(states)}")
    return zip(states, actions, states[1:])


def learner(problem: "up.model.Problem", traces: Iterable[Trace], **options: Any) -> Tuple[Learner, Converter]:
    """A learner that saw traces of a problem, and the converter that goes with it.

    A trace is a pair of states and the actions between them (such as `rollout` returns), an object with attributes `states` and
    `actions`, a SequentialPlan of the problem, which is simulated with the problem's own actions, a `Recorder`, or a list of
    (state before, action, state after), where None is the state after an attempt that failed.
    """
    converter = Converter(problem)
    result = Learner(converter.domain, **options)
    for trace in traces:
        steps: List[Any] = []
        known: Any = None
        words: State = {}
        for before, action, after in _attempts(problem, trace):
            # The state after a step is nearly always the one before the next.
            there = words if before is known else converter.state(before)
            known, words = (before, there) if after is None else (after, converter.state(after))
            steps.append((there, converter.action(action), None if after is None else words))
        result.observe(steps, objects=converter.objects())
    return result, converter


def learn(problem: "up.model.Problem", traces: Iterable[Trace], **options: Any) -> "up.model.Problem":
    """The problem with learned actions in place of its own, of which only names and parameters are used.

    `traces` are those of `learner`; options are those of `surefoot.Learner`. A plan of the learned problem works in the real world.
    """
    taught, converter = learner(problem, traces, **options)
    return converter.back_problem(taught.model())


_CREDITS = Credits(
    "surefoot",
    "the surefoot project",
    "",
    "",
    "MIT OR Apache-2.0",
    "Safe learning of numeric action models, a satisficing numeric planner and an exact validator.",
    "The planner is made for models with many numeric conditions; plans are validated in exact arithmetic.",
)


def _supported_kind() -> ProblemKind:
    kind = ProblemKind(version=3)
    kind.set_problem_class("ACTION_BASED")
    for typing in ("FLAT_TYPING", "HIERARCHICAL_TYPING"):
        kind.set_typing(typing)
    for fluents in ("INT_FLUENTS", "REAL_FLUENTS"):
        kind.set_fluents_type(fluents)
    for planning in ("SIMPLE_NUMERIC_PLANNING", "GENERAL_NUMERIC_PLANNING"):
        kind.set_problem_type(planning)
    for condition in (
        "NEGATIVE_CONDITIONS",
        "DISJUNCTIVE_CONDITIONS",
        "EQUALITIES",
        "EXISTENTIAL_CONDITIONS",
        "UNIVERSAL_CONDITIONS",
    ):
        kind.set_conditions_kind(condition)
    for effect in (
        "CONDITIONAL_EFFECTS",
        "INCREASE_EFFECTS",
        "DECREASE_EFFECTS",
        "STATIC_FLUENTS_IN_NUMERIC_ASSIGNMENTS",
        "FLUENTS_IN_NUMERIC_ASSIGNMENTS",
        "FORALL_EFFECTS",
    ):
        kind.set_effects_kind(effect)
    for metric in ("FINAL_VALUE", "PLAN_LENGTH"):
        kind.set_quality_metrics(metric)
    kind.set_initial_state("UNDEFINED_INITIAL_NUMERIC")
    return kind


class PlannerEngine(Engine, OneshotPlannerMixin):
    """The built-in planner as an engine of unified-planning. Options are those of `surefoot.plan`."""

    def __init__(self, **options: Any) -> None:
        Engine.__init__(self)
        OneshotPlannerMixin.__init__(self)
        self._options = options

    @property
    def name(self) -> str:
        return "surefoot"

    @staticmethod
    def supported_kind() -> ProblemKind:
        return _supported_kind()

    @staticmethod
    def supports(problem_kind: ProblemKind) -> bool:
        return bool(problem_kind <= _supported_kind())

    @staticmethod
    def get_credits(**kwargs: Any) -> Credits:
        return _CREDITS

    def _solve(
        self,
        problem: "up.model.AbstractProblem",
        heuristic: Optional[Callable[[Any], Optional[float]]] = None,
        timeout: Optional[float] = None,
        output_stream: Optional[IO[str]] = None,
    ) -> PlanGenerationResult:
        options = dict(self._options)
        if timeout is not None:
            options["time_limit"] = timeout
        converter = Converter(problem)
        domain = converter.whole_domain()
        found = find_plan(domain, converter.whole_problem(domain), **options)
        status = {
            "solved": PlanGenerationResultStatus.SOLVED_SATISFICING,
            "unsolvable": PlanGenerationResultStatus.UNSOLVABLE_PROVEN,
            "time-limit": PlanGenerationResultStatus.TIMEOUT,
            "memory-limit": PlanGenerationResultStatus.MEMOUT,
            "unknown": PlanGenerationResultStatus.UNSOLVABLE_INCOMPLETELY,
            "unsupported": PlanGenerationResultStatus.UNSUPPORTED_PROBLEM,
        }.get(found.status, PlanGenerationResultStatus.INTERNAL_ERROR)
        messages = [LogMessage(LogLevel.INFO, found.message)] if found.message else []
        if output_stream is not None:
            output_stream.write(f"surefoot: {found.status} after {found.seconds:.2f} s\n")
        plan = None if found.plan is None else converter.back_plan(found.plan)
        metrics = {"engine_internal_time": str(found.seconds)}
        return PlanGenerationResult(status, plan, self.name, metrics=metrics, log_messages=messages)


class ValidatorEngine(Engine, PlanValidatorMixin):
    """The exact validator as an engine of unified-planning."""

    def __init__(self, **options: Any) -> None:
        Engine.__init__(self)
        PlanValidatorMixin.__init__(self)
        self._options = options

    @property
    def name(self) -> str:
        return "surefoot"

    @staticmethod
    def supported_kind() -> ProblemKind:
        return _supported_kind()

    @staticmethod
    def supports(problem_kind: ProblemKind) -> bool:
        return bool(problem_kind <= _supported_kind())

    @staticmethod
    def supports_plan(plan_kind: PlanKind) -> bool:
        return bool(plan_kind == PlanKind.SEQUENTIAL_PLAN)

    @staticmethod
    def get_credits(**kwargs: Any) -> Credits:
        return _CREDITS

    def _validate(self, problem: "up.model.AbstractProblem", plan: "up.plans.Plan") -> ValidationResult:
        converter = Converter(problem)
        domain = converter.whole_domain()
        verdict = validate(domain, converter.whole_problem(domain), converter.plan(plan), **self._options)
        if verdict.valid:
            values = None
            if problem.quality_metrics and verdict.metric is not None:
                values = {problem.quality_metrics[0]: verdict.metric}
            return ValidationResult(ValidationResultStatus.VALID, self.name, [], metric_evaluations=values)
        messages = [LogMessage(LogLevel.INFO, reason) for reason in verdict.reasons]
        if verdict.failing_step is None:
            reason, culprit = FailedValidationReason.UNSATISFIED_GOALS, None
        else:
            reason, culprit = FailedValidationReason.INAPPLICABLE_ACTION, plan.actions[verdict.failing_step]
        return ValidationResult(
            ValidationResultStatus.INVALID, self.name, messages, reason=reason, inapplicable_action=culprit
        )


class _Both(PlannerEngine, ValidatorEngine):
    """One name, two engines: unified-planning asks for either by the same name."""

    def __init__(self, **options: Any) -> None:
        PlannerEngine.__init__(self, **options)
        PlanValidatorMixin.__init__(self)


def register(environment: Any = None) -> None:
    """Makes `OneshotPlanner(name="surefoot")` and `PlanValidator(name="surefoot")` known to an environment of unified-planning."""
    factory = (environment or up.environment.get_environment()).factory
    if "surefoot" not in factory.engines:
        factory.add_engine("surefoot", __name__, "_Both")


register()
