"""Reads what Scripts/benchmark-scale measured, and writes its report: tables in Markdown, plots in SVG 1.1."""
import json
import math
import statistics
import sys

COLOURS = {"tutti-320": "#0a6ebd", "tutti-128": "#4b8b3b", "snapcast": "#d1711b"}
NAMES = {"tutti-320": "Tutti, 320 kbit/s", "tutti-128": "Tutti, 128 kbit/s", "snapcast": "Snapcast, 128 kbit/s"}
# What is promised of 1,000 listeners, and of processor time and bytes beside Snapcast.
PROMISED = {"listeners": 1000, "p1": 100, "cpu": 60, "kibibytes": 64, "share": 1 / 3}
# Of 1,000 clocks one may be beyond what its listener says. Kilobytes that memory may grow by from the second third of
# the time to the last: in the first what the heap keeps for everyone fills up.
PROMISED |= {"beyond": 1e-3, "growth": 1024}


def figures(line):
    """One measurement, in the units of the report."""
    entry = json.loads(line)
    seconds = entry["microseconds"] / 1e6
    load = entry.get("load")
    found = {
        "kind": entry["kind"], "listeners": entry["listeners"],
        "cpu": entry["processorMicroseconds"] / entry["microseconds"] * 100,
        "resident": entry["residentKilobytes"], "kernel": entry["kernelKilobytes"],
        "rate": entry["bytes"] / seconds / entry["listeners"],
    }
    if load:
        steady = load["steady"]
        errors = steady.get("clockErrorsMicroseconds", {})
        margins = steady["marginsMilliseconds"]
        found |= {
            "joined": steady["joined"], "joining": load["joiningMilliseconds"], "packets": steady["packets"],
            "late": steady["late"], "least": margins["least"], "p1": margins["p1"], "p50": margins["p50"],
            "wrong": sum(steady[key] for key in (
                "mismatched", "misplaced", "missing", "toldLost", "repeated", "unexpected", "wrongPreroll")),
            "lost": steady["connectionsLost"], "answered": steady["clockExchanges"]["answered"],
            "unanswered": steady["clockExchanges"]["lost"],
            "loadCPU": load["loadProcessorMilliseconds"] / max(1, load["milliseconds"]) * 100,
            "lag": load["loadLongestLagMilliseconds"], "stalls": load.get("stalls", 0),
            "stalled": load.get("stalledMilliseconds", 0),
            "steady": steady["listeners"], "readings": errors.get("readings", 0), "clockP50": errors.get("p50"),
            "clockP99": errors.get("p99"), "clockMost": errors.get("most"), "beyond": errors.get("beyondBound", 0),
        }
        disturbed = load.get("disturbed")
        if disturbed:
            found |= {"troubled": disturbed["listeners"], "told": disturbed["toldLost"], "missed": disturbed["missing"],
                      "entries": disturbed["entries"], "harmed": sum(disturbed[key] for key in (
                          "mismatched", "misplaced", "repeated", "unexpected", "wrongPreroll"))}
    return found | thirds(entry.get("held", []))


def thirds(held):
    """What the server held in the first, the second and the last third of the time, in the median."""
    length = len(held) // 3
    if not length:
        return {}
    parts = [held[length * part:length * (part + 1)] for part in range(3)]
    return {f"{name}{number}": statistics.median(sample[place] for sample in part)
            for number, part in enumerate(parts, 1) for place, name in enumerate(("memory", "files"))}


# Of several runs the worst, where it is a promise to every packet.
WORST = {"late": max, "wrong": max, "lost": max, "least": min, "joined": min, "stalls": max, "stalled": max,
         "clockP99": max, "clockMost": max, "beyond": max, "harmed": max}


def gathered(path):
    """The medians of all runs of each kind and number of listeners, in their order."""
    groups = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            found = figures(line)
            groups.setdefault((found["kind"], found["listeners"]), []).append(found)
    rows = []
    for (kind, listeners), runs in sorted(groups.items()):
        row = {"kind": kind, "listeners": listeners, "runs": len(runs)}
        for key in runs[0].keys() - {"kind", "listeners"}:
            values = [run[key] for run in runs if run[key] is not None]
            row[key] = WORST.get(key, statistics.median)(values) if values else None
        rows.append(row)
    return rows


def text(value, digits=0):
    return "-" if value is None else f"{value:,.{digits}f}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---:|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(cells) + " |" for cells in rows]) + "\n"


def per_listener(row, rows):
    """KiB of resident memory for each listener beyond the fewest of the same kind."""
    least = min((other for other in rows if other["kind"] == row["kind"]), key=lambda other: other["listeners"])
    more = row["listeners"] - least["listeners"]
    return (row["resident"] - least["resident"]) / more if more else None


def troubled_markdown(rows):
    parts = ["# Listeners in trouble\n",
             "10 % stop reading for up to 8 s, 10 % read at half the song's speed, 10 % are cut off and come back. "
             "A 320 kbit/s MP3, `tutti broadcast` on one core. The others:\n"]
    parts.append(table(
        ["listeners", "joined", "packets", "late", "wrong or missing", "connections lost", "least margin ms",
         "p99 delivery ms before", "clock off by us, p50", "p99", "most", "beyond its bound"],
        [[text(row["steady"]), text(row["joined"]), text(row["packets"]), text(row["late"]), text(row["wrong"]),
          text(row["lost"]), text(row["least"]), text(row["p1"]), text(row["clockP50"], 1), text(row["clockP99"], 1),
          text(row["clockMost"], 1), f"{text(row['beyond'])} of {text(row['readings'])}"] for row in rows]))
    parts.append("\nThose in trouble, and the broadcaster, in the first, the second and the last third of the time:\n")
    parts.append(table(
        ["listeners in trouble", "entries", "packets that they missed", "were told of", "harmed", "CPU % of a core",
         "MB resident", "open files"],
        [[text(row["troubled"]), text(row["entries"]), text(row["missed"]), text(row["told"]), text(row["harmed"]),
          text(row["cpu"], 1), ", ".join(text(row[f"memory{third}"] / 1024, 1) for third in (1, 2, 3)),
          ", ".join(text(row[f"files{third}"]) for third in (1, 2, 3))] for row in rows]))
    return "\n".join(parts + ["\n" + verdict(rows)]) + "\n"


def markdown(rows):
    troubled = [row for row in rows if row["kind"] == "tutti-troubled"]
    if troubled:
        return troubled_markdown(troubled)
    ours = [row for row in rows if row["kind"] == "tutti-320"]
    parts = ["# Many listeners\n", "A 320 kbit/s MP3, `tutti broadcast` on one core:\n"]
    parts.append(table(
        ["listeners", "joined", "joining s", "CPU % of a core", "MB resident", "KiB a listener", "kernel's sockets MB",
         "kB/s a listener", "packets", "late", "wrong or missing", "connections lost", "least margin ms",
         "p99 delivery ms before", "median ms before"],
        [[text(row["listeners"]), text(row["joined"]), text(row["joining"] / 1000, 1), text(row["cpu"], 1),
          text(row["resident"] / 1024, 1), text(per_listener(row, rows), 1), text(row["kernel"] / 1024, 1),
          text(row["rate"] / 1000, 1), text(row["packets"]), text(row["late"]), text(row["wrong"]),
          text(row["lost"]), text(row["least"]), text(row["p1"]), text(row["p50"])] for row in ours]))
    parts.append("\nThe load generator, and the machine meanwhile:\n")
    parts.append(table(
        ["listeners", "load CPU %", "longest lag ms", "clock exchanges answered", "unanswered", "stalls", "stalled ms"],
        [[text(row[key], digits) for key, digits in (
            ("listeners", 0), ("loadCPU", 1), ("lag", 0), ("answered", 0), ("unanswered", 0), ("stalls", 0),
            ("stalled", 0))] for row in ours]))
    parts.append("\n![CPU](cpu.svg)\n![margin](margin.svg)\n\n# Beside Snapcast\n\nA 128 kbit/s MP3:\n")
    parts.append(table(
        ["listeners", "Tutti CPU %", "Snapcast CPU %", "share", "Tutti kB/s a listener", "Snapcast kB/s", "share",
         "Tutti MB resident", "Snapcast MB"],
        [[text(tutti["listeners"]), text(tutti["cpu"], 2), text(snap["cpu"], 2), text(tutti["cpu"] / snap["cpu"], 2),
          text(tutti["rate"] / 1000, 1), text(snap["rate"] / 1000, 1), text(tutti["rate"] / snap["rate"], 2),
          text(tutti["resident"] / 1024, 1), text(snap["resident"] / 1024, 1)] for tutti, snap in pairs(rows)]))
    parts.append("\n" + verdict(rows))
    return "\n".join(parts) + "\n"


def verdict(rows):
    missed = excesses(rows)
    return "\n".join(f"- Missed: {what}" for what in missed) if missed else "Nothing promised is missed."


def pairs(rows):
    """Ours and Snapcast's of as many listeners."""
    snapcast = {row["listeners"]: row for row in rows if row["kind"] == "snapcast"}
    return [(row, snapcast[row["listeners"]]) for row in rows
            if row["kind"] == "tutti-128" and row["listeners"] in snapcast]


def troubled_excesses(row):
    name = f"{row['listeners']} listeners, {row['troubled']} in trouble"
    missed = []
    if row["late"] or row["wrong"] or row["lost"] or row["joined"] < row["steady"]:
        missed.append(f"{name}: late, wrong or missing packets, or listeners, of the others")
    if row["p1"] is None or row["p1"] < PROMISED["p1"]:
        missed.append(f"{name}: p99 delivery {row['p1']} ms before play time")
    if not row["readings"] or row["beyond"] > row["readings"] * PROMISED["beyond"]:
        missed.append(f"{name}: {row['beyond']} of {row['readings']} clocks beyond their bounds")
    if row["harmed"] or row["missed"] > row["told"]:
        missed.append(f"{name}: those in trouble got what is not the song, or were not told what they missed")
    if row["memory3"] > row["memory2"] + PROMISED["growth"] or row["files3"] > row["files1"] + row["troubled"] / 3:
        missed.append(f"{name}: the broadcaster's memory or open files grew")
    return missed


def excesses(rows):
    missed = [what for row in rows if row["kind"] == "tutti-troubled" for what in troubled_excesses(row)]
    for row in rows:
        if row["kind"] != "tutti-320" or row["listeners"] > PROMISED["listeners"]:
            continue
        name = f"{row['listeners']} listeners"
        if row["late"] or row["wrong"] or row["lost"] or row["joined"] < row["listeners"]:
            missed.append(f"{name}: late, wrong or missing packets, or listeners")
        if row["p1"] is None or row["p1"] < PROMISED["p1"]:
            missed.append(f"{name}: p99 delivery {row['p1']} ms before play time")
        if row["cpu"] > PROMISED["cpu"]:
            missed.append(f"{name}: {row['cpu']:.1f} % of a core")
        if row["listeners"] == PROMISED["listeners"] and (per_listener(row, rows) or 0) > PROMISED["kibibytes"]:
            missed.append(f"{name}: {per_listener(row, rows):.1f} KiB each")
    for tutti, snap in pairs(rows):
        for key, what in (("cpu", "CPU"), ("rate", "bytes")):
            if tutti[key] > snap[key] * PROMISED["share"]:
                missed.append(f"{tutti['listeners']} listeners: {tutti[key] / snap[key]:.2f} of Snapcast's {what}")
    return missed


class Plot:
    """A figure against the number of listeners, both axes linear from 0."""

    WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 840, 440, 70, 30, 40, 70

    def __init__(self, title, unit, limit, most_x, most_y):
        self.title, self.unit, self.limit = title, unit, limit
        self.step_x, self.most_x = self.scale(most_x)
        self.step_y, self.most_y = self.scale(max(most_y, limit * 1.1))
        self.parts = []
        self.legend_end = self.LEFT

    @staticmethod
    def scale(most):
        """A step of 1, 2 or 5 times a power of ten, and the multiple of it that holds `most`."""
        power = 10 ** math.floor(math.log10(max(most, 1e-9) / 5))
        step = next(factor * power for factor in (1, 2, 5, 10) if most / (factor * power) <= 8)
        return step, step * math.ceil(most / step)

    def x(self, value):
        return self.LEFT + value / self.most_x * (self.WIDTH - self.LEFT - self.RIGHT)

    def y(self, value):
        inside = min(max(value, 0), self.most_y)
        return self.HEIGHT - self.BOTTOM - inside / self.most_y * (self.HEIGHT - self.TOP - self.BOTTOM)

    def words(self, content, x, y, extra=""):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" {extra}>{content}</text>')

    def line(self, x1, y1, x2, y2, style):
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {style}/>')

    def grid(self):
        self.words(self.title, self.LEFT, 24, 'font-size="15"')
        for number in range(int(round(self.most_y / self.step_y)) + 1):
            value = number * self.step_y
            self.line(self.LEFT, self.y(value), self.WIDTH - self.RIGHT, self.y(value), 'stroke="#ddd"')
            self.words(f"{value:,g} {self.unit}", self.LEFT - 8, self.y(value) + 4, 'text-anchor="end"')
        for number in range(int(round(self.most_x / self.step_x)) + 1):
            value = number * self.step_x
            self.line(self.x(value), self.TOP, self.x(value), self.HEIGHT - self.BOTTOM, 'stroke="#eee"')
            self.words(f"{value:,g}", self.x(value), self.HEIGHT - self.BOTTOM + 18, 'text-anchor="middle"')
        self.words("listeners", self.WIDTH - self.RIGHT, self.HEIGHT - self.BOTTOM + 36, 'text-anchor="end"')
        height = self.y(self.limit)
        self.line(self.LEFT, height, self.WIDTH - self.RIGHT, height, 'stroke="#444" stroke-dasharray="5 4"')
        self.legend(f"limit for 1,000: {self.limit:g} {self.unit}", "#444", 'stroke-dasharray="5 4"')

    def legend(self, name, colour, style=""):
        """Below the plot, where no curve goes, from left to right."""
        height = self.HEIGHT - 14
        self.line(self.legend_end, height - 4, self.legend_end + 24, height - 4, f'stroke="{colour}" {style}')
        self.words(name, self.legend_end + 30, height, f'fill="{colour}"')
        # Letters of 12 px are some 7 px wide.
        self.legend_end += 30 + 7 * len(name) + 20

    def curve(self, points, colour, name):
        places = " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in points)
        self.parts.append(
            f'<polyline fill="none" stroke="{colour}" stroke-width="1.5" points="{places}"/>')
        for x, y in points:
            self.parts.append(f'<circle cx="{self.x(x):.1f}" cy="{self.y(y):.1f}" r="3" fill="{colour}"/>')
        self.legend(name, colour, 'stroke-width="1.5"')

    @property
    def svg(self):
        size = f'width="{self.WIDTH}" height="{self.HEIGHT}"'
        body = "\n".join([f'<rect {size} fill="white"/>'] + self.parts)
        return (f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {self.WIDTH} {self.HEIGHT}" '
                f'font-family="sans-serif" font-size="12">\n{body}\n</svg>\n')


def cpu_plot(rows):
    plot = Plot("Processor time of the server", "%", PROMISED["cpu"], max(row["listeners"] for row in rows),
                max(row["cpu"] for row in rows))
    plot.grid()
    for kind in COLOURS:
        points = [(row["listeners"], row["cpu"]) for row in rows if row["kind"] == kind]
        if points:
            plot.curve(points, COLOURS[kind], NAMES[kind])
    return plot.svg


def margin_plot(rows):
    rows = [row for row in rows if row["kind"] == "tutti-320" and row["p1"] is not None]
    plot = Plot("How long before their play time packets are there", "s", PROMISED["p1"] / 1000,
                max(row["listeners"] for row in rows), max(row["p50"] for row in rows) / 1000)
    plot.grid()
    for key, name, colour in (("p50", "median", "#4b8b3b"), ("p1", "99 of 100 messages, at least", "#0a6ebd"),
                              ("least", "the last of all", "#d1711b")):
        plot.curve([(row["listeners"], row[key] / 1000) for row in rows], colour, name)
    return plot.svg


def main(directory):
    rows = gathered(f"{directory}/results.jsonl")
    report = markdown(rows)
    files = [("report.md", report)]
    if any(row["kind"] == "tutti-320" for row in rows):
        files += [("cpu.svg", cpu_plot(rows)), ("margin.svg", margin_plot(rows))]
    for name, content in files:
        with open(f"{directory}/{name}", "w", encoding="utf-8") as file:
            file.write(content)
    print(report)
    return 1 if excesses(rows) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
