"""The program `surefoot`: the same command line as the one of the Rust binary, from the same code."""

import signal
import sys

from . import _surefoot


def main() -> int:
    """Runs the command line of this process and returns its exit code."""
    # Python notices Ctrl-C only between its own instructions; here it shall end the program, as it ends others.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if sys.executable:
        _surefoot.set_program([sys.executable, "-m", "surefoot"])
    return _surefoot.run_command(["surefoot", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
