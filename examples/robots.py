"""Learn a rule from three records, plan with it, ask why a step is refused, and learn in two places.

A robot was recorded three times as it moved. This is enough to learn a safe rule for `move`.

    python examples/robots.py
"""

from pathlib import Path

import surefoot

RECORDS = Path(__file__).with_name("robots")

# Of the domain, surefoot uses only names, types and parameters. It learns what `move` needs and does.
domain = surefoot.Domain.read(RECORDS / "domain.pddl")
model = surefoot.learn(domain, RECORDS)
print(model.to_pddl())

# A plan made with the model. It leads through states that were never recorded, and works nevertheless.
problem = surefoot.Problem.read(RECORDS / "problem.pddl", domain)
print("plan:", surefoot.plan(model, problem).plan)

# No robot was recorded with a battery as full as that of r2. So the rule refuses the step, and `explain` says why.
step = ("move", "r2", "dock", "shelf")
print(model.explain(problem.initial_state, step))

# If you know that a fuller battery never hurts, state it with `monotone=`. The header of the model then lists this assumption.
told = surefoot.learn(domain, RECORDS, monotone={"move": {"(battery ?r)": "more"}})
print("told so:", "applicable" if told.applicable(problem.initial_state, step) else "refused")
print("  assumed:", told.assumptions[-1])

# Two learners learn from different records. Merged, they give the same model as one learner that read all records.
here, there = surefoot.Learner(domain), surefoot.Learner(domain)
here.observe([RECORDS / "monday.trajectory", RECORDS / "tuesday.trajectory"])
there.observe(RECORDS / "wednesday.trajectory")
here.merge(there)
print("the same model from two places:", here.model().to_pddl() == model.to_pddl())
