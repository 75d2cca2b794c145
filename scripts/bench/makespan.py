"""Simulated makespan of stages in shards on a cluster, with stragglers and lost nodes.

Stages run one after the other, each as shards and then one merge. A free node takes the next shard. The assumptions are those of `Cluster`; shard times are
resampled from measured ones. All chance follows from a seed.
"""

import dataclasses
import functools
import heapq
import math
import random
import statistics


@dataclasses.dataclass(frozen=True)
class Work:
    """A stage: seconds of all shards together on one node, relative times of measured shards (mean 1), seconds of its merge."""

    name: str
    seconds: float
    spread: tuple
    merge_seconds: float


@dataclasses.dataclass(frozen=True)
class Cluster:
    """Assumptions on a cluster; times in seconds."""

    # From the end of one task to the start of the next on the same node, and per stage.
    start_delay: float = 2.0
    # Probability that a task runs on a slow node, and how many times as long it takes there.
    straggler_share: float = 0.03
    straggler_factor: tuple = (1.5, 4.0)
    # Mean time between failures of one node; a lost task starts anew after the node was found dead and the task requeued.
    node_mtbf: float = 90 * 86_400.0
    requeue_delay: float = 300.0 + 120.0
    # Until the node is back.
    repair: float = 86_400.0

    def ends(self, seconds):
        """Returns whether a task of this length is likely to end within 1,000 tries; if not, the simulation does not try."""
        return seconds < math.log(1000) * self.node_mtbf


def task_seconds(mean, spread, cluster, chance):
    """Returns the time of one shard."""
    seconds = mean * chance.choice(spread)
    if chance.random() < cluster.straggler_share:
        seconds *= chance.uniform(*cluster.straggler_factor)
    return seconds


def run_tasks(durations, nodes, start, cluster, chance):
    """Returns when the last task has ended, infinity if one is too long to survive its nodes. Tasks start in order, a lost one again after its delay."""
    if not all(map(cluster.ends, durations)):
        return math.inf
    free = [(start, node) for node in range(nodes)]
    waiting = [(start, number) for number in range(len(durations))]
    heapq.heapify(free)
    heapq.heapify(waiting)
    end = start
    while waiting:
        ready, number = heapq.heappop(waiting)
        at, node = heapq.heappop(free)
        begin = max(at, ready) + cluster.start_delay
        failure = chance.expovariate(1 / cluster.node_mtbf)
        if failure < durations[number]:
            heapq.heappush(waiting, (begin + failure + cluster.requeue_delay, number))
            heapq.heappush(free, (begin + failure + cluster.repair, node))
        else:
            end = max(end, begin + durations[number])
            heapq.heappush(free, (begin + durations[number], node))
    return end


def makespan(stages, nodes, shards, cluster, seed):
    """Returns the seconds from the first task to the last merge."""
    chance = random.Random(f"{seed} {nodes} {shards}")
    now = 0.0
    for stage in stages:
        mean = stage.seconds / shards
        durations = [task_seconds(mean, stage.spread, cluster, chance) for _ in range(shards)]
        now = run_tasks(durations, nodes, now, cluster, chance)
        now = run_tasks([stage.merge_seconds], nodes, now, cluster, chance) if stage.merge_seconds else now
    return now


def ideal(stages, nodes):
    """Returns the seconds without stragglers, failures, delays and merges, and with shards as small as needed."""
    return sum(stage.seconds for stage in stages) / nodes


SEEDS = 10


@functools.cache
def extremes(stages, nodes, shards, cluster):
    """Returns the median, the least and the largest makespan of several seeds; stages are a tuple."""
    found = [makespan(stages, nodes, shards, cluster, seed) for seed in range(SEEDS)]
    return statistics.median(found), min(found), max(found)
