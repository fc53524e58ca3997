# SPDX-License-Identifier: Apache-2.0
"""Curves of ns per operation over CPUs as SVG, the same bytes for the same figures."""


def draw(path, title, sizes, panels):
    """panels: [(heading, {name: [ns or None of each size]})]. Why there is no curve, or None."""
    panels = [panel for panel in panels if any(any(values) for values in panel[1].values())]
    if not panels:
        return "no figures"
    try:
        import matplotlib
        matplotlib.use("svg")
        matplotlib.rcParams["svg.hashsalt"] = "corestorm"
        from matplotlib import pyplot
    except ImportError:
        return "Matplotlib is missing"
    figure, axes = pyplot.subplots(1, len(panels), figsize=(max(7, 4 * len(panels)), 4), squeeze=False)
    for axis, (heading, series) in zip(axes[0], panels):
        _panel(axis, heading, sizes, series)
    axes[0][0].set_ylabel("ns/op (predicted)")
    axes[0][0].legend(fontsize=6)
    figure.suptitle(f"{title} (predicted)", fontsize=9)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
    return None


def _panel(axis, heading, sizes, series):
    for name, values in series.items():
        points = [(n, v) for n, v in zip(sizes, values) if v]
        axis.plot([n for n, _ in points], [v for _, v in points], marker="o", markersize=3, linewidth=1,
                  label=name)  # fmt: skip
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    axis.set_xticks(sizes, [str(n) for n in sizes])
    axis.set_xlabel("CPUs")
    axis.set_title(heading, fontsize=8)
