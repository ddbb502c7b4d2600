"""What the scripts of this folder promise, and whether it was kept."""

import os


class Goals:
    """What was promised and whether it was kept."""

    def __init__(self):
        self.lines, self.kept = [], True

    def check(self, kept, text):
        self.kept &= kept
        self.lines.append(f"{'kept  ' if kept else 'MISSED'}  {text}")

    def report(self):
        print("\nGoals")
        print("\n".join(self.lines))
        return 0 if self.kept else 1


def load():
    """The load of the machine over 1, 5 and 15 minutes."""
    return " ".join(f"{load:.1f}" for load in os.getloadavg()) + f" on {os.cpu_count()} cores"
