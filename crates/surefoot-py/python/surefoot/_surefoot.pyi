from os import PathLike
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union, final

from decimal import Decimal
from fractions import Fraction

from ._assessment import Assessment
from ._evaluation import Evaluation
from ._results import ActionSummary, Answer, Explanation, LogScore, Planned, Verdict

__version__: str

Path = Union[str, PathLike[str]]
#: A name and objects: `("at", "t", "a")`, or `"(at t a)"`.
Words = Union[Sequence[str], str]
#: None and NaN: unknown. Numbers of numpy and pandas are taken, too.
Number = Union[int, Fraction, Decimal, str, float, None, Any]
#: `{"atoms": {...}, "values": {...}}`, or a pair of both.
State = Union[Mapping[str, Any], Tuple[Iterable[Words], Mapping[Any, Number]]]
#: The state after is None where the action failed.
Step = Tuple[State, Words, Optional[State]]
#: What the columns of a log mean: the path of a TOML file, its text, or the same as a dict.
Map = Union[Path, Mapping[str, Any]]
Progress = Callable[[int, Optional[int]], object]
Objects = Dict[str, str]

@final
class Domain:
    @staticmethod
    def read(path: Path) -> Domain: ...
    @staticmethod
    def parse(text: str, name: str = "domain") -> Domain: ...
    @property
    def name(self) -> str: ...
    @property
    def actions(self) -> Dict[str, List[Tuple[str, str]]]: ...
    @property
    def predicates(self) -> Dict[str, List[Tuple[str, str]]]: ...
    @property
    def functions(self) -> Dict[str, List[Tuple[str, str]]]: ...
    @property
    def types(self) -> Dict[str, List[str]]: ...
    @property
    def constants(self) -> Dict[str, str]: ...
    def to_pddl(self, *, binary: bool = False) -> str: ...
    def applicable(self, state: State, action: Words, objects: Optional[Objects] = None) -> bool: ...
    def successor(self, state: State, action: Words, objects: Optional[Objects] = None) -> Optional[Dict[str, Any]]: ...
    def applicable_actions(self, state: State, objects: Optional[Objects] = None) -> List[Tuple[str, ...]]: ...
    def mask(self, state: State, actions: Iterable[Words], objects: Optional[Objects] = None) -> List[bool]: ...
    def masker(self, actions: Iterable[Words], objects: Objects) -> Masker: ...

@final
class Problem:
    @staticmethod
    def read(path: Path, domain: Union[Domain, Model, Path], decimals: Optional[int] = None) -> Problem: ...
    @staticmethod
    def parse(
        text: str, domain: Union[Domain, Model, Path], name: str = "problem", decimals: Optional[int] = None
    ) -> Problem: ...
    @property
    def name(self) -> str: ...
    @property
    def objects(self) -> Dict[str, str]: ...
    @property
    def initial_state(self) -> Dict[str, Any]: ...
    @property
    def goal(self) -> str: ...
    def is_goal(self, state: State) -> bool: ...
    def with_errors(
        self, model: Union[Domain, Model, Path], errors: Union[None, Number, str, Mapping[str, Any]] = None
    ) -> Problem: ...
    def to_pddl(self, *, binary: bool = False) -> str: ...

@final
class Learner:
    def __new__(
        cls,
        domain: Union[Domain, Model, Log, Path],
        algorithm: str = "nsam-star",
        *,
        arity: Optional[int] = None,
        effect_arity: Optional[int] = None,
        effect_decimals: Optional[int] = None,
        monotone: Optional[Mapping[str, Any]] = None,
        positive_preconditions: bool = False,
        degree: int = 1,
        squares: bool = False,
        relevant: Optional[Mapping[str, Sequence[str]]] = None,
        parts: Optional[Union[str, Mapping[str, Union[str, Sequence[str], Sequence[Sequence[str]]]]]] = None,
        decimals: Optional[int] = None,
        error: Union[None, Number, Mapping[str, Any]] = None,
        facet_budget: int = 100_000,
        digits: Optional[int] = None,
    ) -> Learner: ...
    @staticmethod
    def load(
        state: Union[bytes, Path],
        *,
        algorithm: str = "nsam-star",
        arity: Optional[int] = None,
        effect_arity: Optional[int] = None,
        effect_decimals: Optional[int] = None,
        monotone: Optional[Mapping[str, Any]] = None,
        positive_preconditions: bool = False,
        facet_budget: int = 100_000,
        digits: Optional[int] = None,
    ) -> Learner: ...
    def observe(
        self,
        what: Union[Path, Sequence[Path], Log, Step, Iterable[Step], Mapping[str, Any], Any],
        map: Optional[Map] = None,
        *,
        objects: Optional[Objects] = None,
        problems: Optional[Path] = None,
        progress: Optional[Progress] = None,
        threads: Optional[int] = None,
    ) -> int: ...
    def observe_text(
        self, text: Union[str, bytes], name: str = "trajectory", problem: Optional[Union[str, bytes]] = None
    ) -> int: ...
    def merge(self, other: Learner) -> None: ...
    def model(
        self,
        *,
        on_bad_data: str = "stop",
        set_aside_share: float = 0.05,
        set_aside_steps: int = 2,
        algorithm: str = ...,
        arity: Optional[int] = ...,
        effect_arity: Optional[int] = ...,
        effect_decimals: Optional[int] = ...,
        monotone: Optional[Mapping[str, Any]] = ...,
        positive_preconditions: bool = ...,
        facet_budget: int = ...,
        digits: Optional[int] = ...,
    ) -> Model: ...
    @property
    def domain(self) -> Domain: ...
    @property
    def options(self) -> Dict[str, Any]: ...
    def __bytes__(self) -> bytes: ...
    def __copy__(self) -> Learner: ...

@final
class Log:
    @staticmethod
    def read(paths: Union[Path, Sequence[Path]], map: Map) -> Log: ...
    @staticmethod
    def _of_columns(
        name: str, names: Sequence[str], columns: Sequence[Sequence[Any]], map: str, title: str, folder: str
    ) -> Log: ...
    @property
    def domain(self) -> Domain: ...
    @property
    def parts(self) -> Dict[str, Any]: ...
    @property
    def episodes(self) -> List[str]: ...
    def __len__(self) -> int: ...

@final
class Masker:
    def __call__(self, state: State) -> List[bool]: ...
    @property
    def actions(self) -> List[Tuple[str, ...]]: ...
    def __len__(self) -> int: ...

@final
class Model:
    def to_pddl(self, *, binary: bool = False) -> str: ...
    @property
    def domain(self) -> Domain: ...
    @property
    def assumptions(self) -> List[str]: ...
    @property
    def not_safe(self) -> Optional[str]: ...
    @property
    def options(self) -> Dict[str, Any]: ...
    @property
    def actions(self) -> List[ActionSummary]: ...
    def answer(self, state: State, action: Words, objects: Optional[Objects] = None) -> Answer: ...
    def applicable(self, state: State, action: Words, objects: Optional[Objects] = None) -> bool: ...
    def successor(self, state: State, action: Words, objects: Optional[Objects] = None) -> Optional[Dict[str, Any]]: ...
    def applicable_actions(self, state: State, objects: Optional[Objects] = None) -> List[Tuple[str, ...]]: ...
    def mask(self, state: State, actions: Iterable[Words], objects: Optional[Objects] = None) -> List[bool]: ...
    def masker(self, actions: Iterable[Words], objects: Objects) -> Masker: ...
    def explain(self, state: State, action: Words, objects: Optional[Objects] = None) -> Explanation: ...
    def score(
        self,
        log: Union[Path, Sequence[Path], Log, Step, Iterable[Step], Mapping[str, Any], Sequence[Mapping[str, Any]], Any],
        map: Optional[Map] = None,
        *,
        objects: Optional[Objects] = None,
        problems: Optional[Path] = None,
        progress: Optional[Progress] = None,
        threads: Optional[int] = None,
    ) -> LogScore: ...
    def save(self, path: Path) -> None: ...
    @staticmethod
    def load(path: Path) -> Model: ...
    def certificate(self, traces: Optional[Sequence[Path]] = None) -> str: ...
    def _repr_html_(self) -> str: ...

def learn(
    domain: Union[Domain, Model, Log, Path],
    traces: Optional[Union[Path, Sequence[Path], Log]] = None,
    *,
    on_bad_data: str = "stop",
    set_aside_share: float = 0.05,
    set_aside_steps: int = 2,
    problems: Optional[Path] = None,
    progress: Optional[Progress] = None,
    threads: Optional[int] = None,
    algorithm: str = "nsam-star",
    arity: Optional[int] = None,
    effect_arity: Optional[int] = None,
    effect_decimals: Optional[int] = None,
    monotone: Optional[Mapping[str, Any]] = None,
    positive_preconditions: bool = False,
    degree: int = 1,
    squares: bool = False,
    relevant: Optional[Mapping[str, Sequence[str]]] = None,
    parts: Optional[Union[str, Mapping[str, Union[str, Sequence[str], Sequence[Sequence[str]]]]]] = None,
    decimals: Optional[int] = None,
    error: Union[None, Number, Mapping[str, Any]] = None,
    facet_budget: int = 100_000,
    digits: Optional[int] = None,
    repair: Optional[Union[str, Sequence[str]]] = None,
    seed: Optional[int] = None,
    time_limit: Optional[int] = None,
) -> Model: ...
def assess(
    domain: Union[Domain, Model, Log, Path],
    traces: Optional[Union[Path, Sequence[Path], Log]] = None,
    *,
    confidence: float = 0.95,
    share: float = 0.9,
    on_bad_data: str = "stop",
    set_aside_share: float = 0.05,
    set_aside_steps: int = 2,
    problems: Optional[Path] = None,
    progress: Optional[Progress] = None,
    threads: Optional[int] = None,
    algorithm: str = "nsam-star",
    arity: Optional[int] = None,
    effect_arity: Optional[int] = None,
    effect_decimals: Optional[int] = None,
    monotone: Optional[Mapping[str, Any]] = None,
    positive_preconditions: bool = False,
    degree: int = 1,
    squares: bool = False,
    relevant: Optional[Mapping[str, Sequence[str]]] = None,
    parts: Optional[Union[str, Mapping[str, Union[str, Sequence[str], Sequence[Sequence[str]]]]]] = None,
    decimals: Optional[int] = None,
    error: Union[None, Number, Mapping[str, Any]] = None,
    facet_budget: int = 100_000,
    digits: Optional[int] = None,
) -> Assessment: ...
def plan(
    domain: Union[Domain, Model, Path],
    problem: Union[Problem, Path],
    *,
    planner: str = "builtin",
    time_limit: float = 300.0,
    memory_limit: int = 4096,
    minimize: bool = False,
    seed: int = 0,
    threads: int = 1,
    progress: Optional[Progress] = None,
) -> Planned: ...
def validate(
    domain: Union[Domain, Model, Path],
    problem: Union[Problem, Path],
    plan: Union[Path, Iterable[Words]],
    *,
    tolerance: Optional[Number] = None,
) -> Verdict: ...
def trace(
    domain: Union[Domain, Model, Path], problem: Union[Problem, Path], plan: Union[Path, Iterable[Words]]
) -> Dict[str, Any]: ...
def run_command(arguments: Sequence[str]) -> int: ...
def set_program(words: Sequence[str]) -> None: ...
def evaluate(
    truth: Union[Domain, Path],
    learned: Union[Model, Domain, Path],
    problems: Path,
    *,
    traces: Optional[Path] = None,
    walks: int = 1,
    steps: int = 200,
    inapplicable: float = 0.25,
    seed: int = 0,
    planner: Optional[str] = None,
    time_limit: float = 60.0,
    decimals: Optional[int] = None,
    tolerance: Optional[Number] = None,
    on_bad_data: str = "stop",
) -> Evaluation: ...

@final
class Parts:
    def __new__(cls, config: Path, traces_root: Optional[Path] = None) -> Parts: ...
    def __len__(self) -> int: ...
    def missing(self, output: Path) -> List[int]: ...
    def work(self, cell: int) -> str: ...
    def keep(self, output: Path, record: str) -> None: ...
    def finish(self, output: Path) -> Tuple[int, int]: ...
