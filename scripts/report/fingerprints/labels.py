"""Labels of points that overlap neither each other nor the points: each stands as near to its point as there is room, with a line to it."""

import math
from dataclasses import dataclass

from matplotlib.textpath import TextPath

from .. import plots

FONT_SIZE = 7.5
LINE_HEIGHT = 1.35 * FONT_SIZE
# Points of a figure that a marker covers on each side, and that are kept free around a label.
MARKER, GAP = 5, 1.5
# Points nearer to each other have one label.
SAME_PLACE = 1.5
NAMES_PER_LINE = 3
# Width of other text.
TAKEN_WIDTH = 32
# Distances of a label from its point, and directions.
DISTANCES = [1 + 4 * step for step in range(75)]
DIRECTIONS = [math.pi * step / 12 for step in range(24)]
# A label farther away has a line.
FAR = 8
# Distance that a line across another label counts as.
CROSSING = 120


@dataclass(frozen=True)
class Box:
    """A rectangle in points of the figure."""

    left: float
    low: float
    right: float
    high: float

    def overlaps(self, other):
        """Returns whether two rectangles share an area."""
        return self.left < other.right and other.left < self.right and self.low < other.high and other.low < self.high

    def contains(self, other):
        """Returns whether another rectangle is inside."""
        return self.left <= other.left and other.right <= self.right and self.low <= other.low and other.high <= self.high

    def nearest(self, x, y):
        """Returns the nearest place of the rectangle."""
        return min(max(x, self.left), self.right), min(max(y, self.low), self.high)

    def meets(self, start, end):
        """Returns whether a line, by 30 places of it, meets the rectangle."""
        if max(start[0], end[0]) <= self.left or min(start[0], end[0]) >= self.right or max(start[1], end[1]) <= self.low or min(start[1], end[1]) >= self.high:
            return False
        places = ((start[0] + (end[0] - start[0]) * step / 30, start[1] + (end[1] - start[1]) * step / 30) for step in range(31))
        return any(self.left < x < self.right and self.low < y < self.high for x, y in places)


def add(figure, axis, points, taken=()):
    """Labels (name, x, y) points of an axis whose limits are final. Labels also keep clear of (x, y) places where other text begins."""
    figure.draw_without_rendering()
    scale = 72 / figure.dpi
    groups = together([(name, *(scale * axis.transData.transform((x, y)))) for name, x, y in points])
    corners = axis.get_window_extent()
    inside = Box(*(scale * one for one in (corners.x0, corners.y0, corners.x1, corners.y1)))
    markers = [Box(x - MARKER, y - MARKER, x + MARKER, y + MARKER) for _, x, y in groups]
    texts = (scale * axis.transData.transform(place) for place in taken)
    markers += [Box(x, y - LINE_HEIGHT / 2, x + TAKEN_WIDTH, y + LINE_HEIGHT / 2) for x, y in texts]
    placed = []
    for names, x, y in sorted(groups, key=lambda group: (-group[2], group[1])):
        text = "\n".join(", ".join(names[at : at + NAMES_PER_LINE]) for at in range(0, len(names), NAMES_PER_LINE))
        box = place(text, x, y, inside, markers, placed)
        placed.append((box, (x, y)))
        draw(axis, text, (x, y), box, scale)


def together(points):
    """Returns ([names], x, y) of the places; points of one place have one label."""
    groups = []
    for name, x, y in points:
        near = next((group for group in groups if math.dist(group[1:], (x, y)) < SAME_PLACE), None)
        if near:
            near[0].append(name)
        else:
            groups.append(([name], x, y))
    return groups


def place(text, x, y, inside, markers, placed):
    """Returns the box of a label: the one with the least distance and fewest crossings among those with room, else the first."""
    lines = text.split("\n")
    width = max(TextPath((0, 0), line, size=FONT_SIZE).get_extents().width for line in lines) + 2 * GAP
    height = LINE_HEIGHT * len(lines)
    taken, best = [*markers, *(one for one, _ in placed)], None
    # A line begins in the marker of its own point.
    crossable = [one for one in taken if one.nearest(x, y) != (x, y)]
    for distance in DISTANCES:
        for direction in DIRECTIONS:
            box = beside(x, y, width, height, distance, direction)
            if not inside.contains(box) or any(box.overlaps(other) for other in taken):
                continue
            start, end = (x, y), box.nearest(x, y)
            crossed = sum(one.meets(start, end) for one in crossable) + sum(box.meets(point, one.nearest(*point)) for one, point in placed)
            cost = math.dist(start, end) + CROSSING * crossed
            if best is None or cost < best[0]:
                best = (cost, box)
        if best and best[0] < distance:
            break
    return best[1] if best else beside(x, y, width, height, DISTANCES[0], 0)


def beside(x, y, width, height, distance, direction):
    """Returns a box whose nearest place lies at a distance from a point, in a direction."""
    middle_x = x + math.cos(direction) * (distance + MARKER + width / 2)
    middle_y = y + math.sin(direction) * (distance + MARKER + height / 2)
    return Box(middle_x - width / 2, middle_y - height / 2, middle_x + width / 2, middle_y + height / 2)


def draw(axis, text, point, box, scale):
    """Draws a label, and the line to its point if it is far."""
    to_data = axis.transData.inverted()
    end = box.nearest(*point)
    if math.dist(point, end) > FAR:
        (x, y), (end_x, end_y) = (to_data.transform([one / scale for one in place]) for place in (point, end))
        axis.plot([x, end_x], [y, end_y], color=plots.GREY, linewidth=0.5, zorder=1)
    x, y = to_data.transform([(box.left + GAP) / scale, (box.low + box.high) / 2 / scale])
    label = axis.text(x, y, text, fontsize=FONT_SIZE, verticalalignment="center", linespacing=1.1)
    label.set_in_layout(False)
