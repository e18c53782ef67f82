"""Pictures as SVG, by hand: no library, every text escaped, readable on light and on dark paper."""

from discreet.charts.bars import bar_chart
from discreet.charts.curves import Curve, curve_chart
from discreet.charts.heat_maps import heat_map
from discreet.charts.picture import Picture, stacked

__all__ = ["Curve", "Picture", "bar_chart", "curve_chart", "heat_map", "stacked"]
