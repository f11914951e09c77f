"""What the wheel is made of: every version, in one place. A change here is a new set of static libraries.

The compiler comes from PyPI, all else from Debian packages of one suite, whatever the machine runs itself.
apt checks signatures and sums.
"""

TARGET = "x86_64-linux-gnu.2.17"  # what the compiler is asked for: glibc 2.17 is of 2012
# What the wheel says, which check_wheel.py holds it to. The first is the old name of the second: pip before 20.3 knows no other.
PLATFORMS = ["manylinux2014_x86_64", "manylinux_2_17_x86_64"]

SUITE = "bookworm"
SOURCES = {  # Debian source packages, built as static libraries
    "zlib": "1:1.2.13.dfsg-1",
    "libzstd": "1.5.4+dfsg2-5",
    "capstone": "4.0.2-5",
    "elfutils": "0.188-2.1",
}
HEADERS = {  # Debian packages of which only the headers are used: folder or file below usr/include
    "libfmt-dev": ("9.1.0+ds1-2", "fmt"),
    "nlohmann-json3-dev": ("3.11.2-2", "nlohmann"),
    "libcli11-dev": ("2.1.2+ds-1", "CLI"),
    "libxxhash-dev": ("0.8.1-1", "xxhash.h"),
    "libprotozero-dev": ("1.7.1-1", "protozero"),
}
