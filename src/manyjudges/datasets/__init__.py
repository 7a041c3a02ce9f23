"""Datasets: recorded crowds and the data of the paper, fetched once, checked, and kept in a folder.

``fetch_…`` reads what others have published, ``make_…`` simulates what nobody published or what is too large to have at
hand, and ``read_slice`` reads a file of your own. See :func:`get_data_home` for where files are looked for.
"""

from manyjudges.datasets.cache import get_data_home
from manyjudges.datasets.ct_slices import SliceCrowd, Slices
from manyjudges.datasets.ct_slices_file import fetch_slice, read_slice
from manyjudges.datasets.recorded import Dataset, fetch_faces, fetch_odours, fetch_skating
from manyjudges.datasets.stand_ins import make_height_weight, make_slice

__all__ = [
    "Dataset",
    "SliceCrowd",
    "Slices",
    "fetch_faces",
    "fetch_odours",
    "fetch_skating",
    "fetch_slice",
    "get_data_home",
    "make_height_weight",
    "make_slice",
    "read_slice",
]
