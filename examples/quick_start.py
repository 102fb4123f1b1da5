"""A quick start in Python: load traces, learn, look at the model, plan, explain a refusal, add an assumption.

    surefoot generate farmland --count 20 --traces -o farmland
    python quick_start.py farmland
"""

import sys
from pathlib import Path

import surefoot

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "farmland")

# Traces are recorded states with the actions between them. Of the domain, surefoot uses only names, types and parameters.
real = surefoot.Domain.read(folder / "domain.pddl")
learner = surefoot.Learner(real)
steps = learner.observe(folder)
print(f"{steps} recorded steps of {', '.join(real.actions)}")

# Every step that the model allows works in the real world, provided that the assumptions it lists hold.
model = learner.model()
for action in model.actions:
    print(f"  {action.action}: {action.vectors} distinct observations, {action.facets} numeric conditions, {action.result}")
for assumption in model.assumptions:
    print("  assumed:", assumption)

# A plan made with the learned model, and validated in the real domain.
problems = sorted(path for path in folder.glob("*.pddl") if path.name != "domain.pddl")
for path in problems:
    problem = surefoot.Problem.read(path, real)
    found = surefoot.plan(model, problem, time_limit=20)
    if found.solved:
        verdict = surefoot.validate(real, problem, found.plan)
        print(f"{problem.name}: a plan of {len(found.plan)} steps, in the real world {'valid' if verdict else 'NOT VALID'}")
        break

# A state outside the recorded range: far more workers on one farm.
state = problem.initial_state
here, there = next(atom[1:] for atom in sorted(state["atoms"]) if atom[0] == "adj")
state["values"]["x", here] = 100_000
refusal = model.explain(state, ("move-slow", here, there))
print(refusal)

# If you know that more workers never hurt, state it with `monotone=`. The model then lists it among its assumptions.
dialled = learner.model(monotone={"move-slow": {"(x ?f1)": "more"}})
print("told that more of (x ?f1) never hurts:", "applicable" if dialled.applicable(state, refusal.action) else "refused")
print("  assumed:", dialled.assumptions[-1])
