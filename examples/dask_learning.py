"""Learn on a Dask cluster: each partition of the traces becomes a learner, and the learners are merged.

The model is the same as from one process, byte for byte.

    surefoot generate farmland --count 20 --traces -o farmland
    python dask_learning.py farmland
"""

import sys

from dask.distributed import Client

import surefoot
import surefoot.dask


def main() -> None:
    folder = sys.argv[1] if len(sys.argv) > 1 else "farmland"
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=":0") as client:
        together = surefoot.dask.learn(f"{folder}/domain.pddl", folder, client)
    alone = surefoot.learn(f"{folder}/domain.pddl", folder)
    print(together)
    print("the same bytes as from one process:", together.to_pddl() == alone.to_pddl())


# Workers are processes that import this file. Only the first process may start a cluster.
if __name__ == "__main__":
    main()
