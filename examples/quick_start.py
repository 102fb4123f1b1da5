"""The whole story in Python: load traces, learn, look at the model, dial an assumption, plan, explain a refusal.

    surefoot generate farmland --count 20 --traces -o farmland
    python quick_start.py farmland
"""

import sys
from pathlib import Path

import surefoot

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "farmland")

# Traces are what was recorded: states, and the actions between them. Of the domain only names and parameters are used.
real = surefoot.Domain.read(folder / "domain.pddl")
learner = surefoot.Learner(real)
steps = learner.observe(folder)
print(f"{steps} recorded steps of {', '.join(real.actions)}")

# The model: what it allows works in the real world and does what it says, under the assumptions it lists.
model = learner.model()
for action in model.actions:
    print(f"  {action.action}: {action.vectors} distinct observations, {action.facets} numeric conditions, {action.result}")
for assumption in model.assumptions:
    print("  assumed:", assumption)

# A plan made with the learned model, tried in the real one.
problems = sorted(path for path in folder.glob("*.pddl") if path.name != "domain.pddl")
for path in problems:
    problem = surefoot.Problem.read(path, real)
    found = surefoot.plan(model, problem, time_limit=20)
    if found.solved:
        verdict = surefoot.validate(real, problem, found.plan)
        print(f"{problem.name}: a plan of {len(found.plan)} steps, in the real world {'valid' if verdict else 'NOT VALID'}")
        break

# A state beyond all that was recorded: far more workers on one farm.
state = problem.initial_state
here, there = next(atom[1:] for atom in sorted(state["atoms"]) if atom[0] == "adj")
state["values"]["x", here] = 100_000
refusal = model.explain(state, ("move-slow", here, there))
print(refusal)

# Whoever knows that more workers never hurt can say so. It becomes an assumption of the model, in words.
dialled = learner.model(monotone={"move-slow": {"(x ?f1)": "more"}})
print("told that more of (x ?f1) never hurts:", "applicable" if dialled.applicable(state, refusal.action) else "refused")
print("  assumed:", dialled.assumptions[-1])
