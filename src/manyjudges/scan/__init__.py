"""Scans: sums over tables larger than memory, with DuckDB, dask or partitions of your own.

Whatever has ``ORDER BY`` for a table of judgments lives here. What comes out are the same sums that tables in memory
give: a law holds everything in ``readers.READERS`` to that, and a new reader is entered there. Imported by ``learn``
and the rooms above it; knows tables and sums, no plan.
"""

from typing import TYPE_CHECKING

from manyjudges.base.lazy import lazy_names

if TYPE_CHECKING:
    from manyjudges.scan.dask_scan import scan_with_dask as scan_with_dask
    from manyjudges.scan.moments import scan_moments as scan_moments
    from manyjudges.scan.options import ScanLimits as ScanLimits
    from manyjudges.scan.options import ScanOptions as ScanOptions
    from manyjudges.scan.partitions import Partition as Partition
    from manyjudges.scan.partitions import map_in_arrow as map_in_arrow
    from manyjudges.scan.partitions import merge_partitions as merge_partitions
    from manyjudges.scan.partitions import summarize_partition as summarize_partition
    from manyjudges.scan.readers import READERS as READERS
    from manyjudges.scan.readers import Reader as Reader
    from manyjudges.scan.results import Scan as Scan

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "dask_scan": ["scan_with_dask"],
        "moments": ["scan_moments"],
        "options": ["ScanLimits", "ScanOptions"],
        "partitions": ["Partition", "map_in_arrow", "merge_partitions", "summarize_partition"],
        "readers": ["READERS", "Reader"],
        "results": ["Scan"],
    },
)
