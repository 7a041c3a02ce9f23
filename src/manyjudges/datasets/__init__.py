"""Datasets: recorded crowds and the paper's data, downloaded once, checked and cached.

``fetch_…`` reads what others have published, ``make_…`` simulates what nobody published or what is too large to have
at hand, and ``read_slice`` reads a file of your own. See :func:`get_data_home` for where files are looked for.

``recorded`` with ``published_files`` (recorded crowds), ``ct_slices`` with ``ct_slices_file`` (the paper's slices),
``stand_ins`` (simulated ones), ``cache`` (downloads). Imported by programs, not by other rooms.
"""

from typing import TYPE_CHECKING

from manyjudges.base.lazy import lazy_names

if TYPE_CHECKING:
    from manyjudges.datasets.cache import get_data_home as get_data_home
    from manyjudges.datasets.ct_slices import SliceCrowd as SliceCrowd
    from manyjudges.datasets.ct_slices import Slices as Slices
    from manyjudges.datasets.ct_slices_file import fetch_slice as fetch_slice
    from manyjudges.datasets.ct_slices_file import read_slice as read_slice
    from manyjudges.datasets.recorded import Dataset as Dataset
    from manyjudges.datasets.recorded import fetch_faces as fetch_faces
    from manyjudges.datasets.recorded import fetch_odours as fetch_odours
    from manyjudges.datasets.recorded import fetch_skating as fetch_skating
    from manyjudges.datasets.stand_ins import make_height_weight as make_height_weight
    from manyjudges.datasets.stand_ins import make_slice as make_slice

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "cache": ["get_data_home"],
        "ct_slices": ["SliceCrowd", "Slices"],
        "ct_slices_file": ["fetch_slice", "read_slice"],
        "recorded": ["Dataset", "fetch_faces", "fetch_odours", "fetch_skating"],
        "stand_ins": ["make_height_weight", "make_slice"],
    },
)
