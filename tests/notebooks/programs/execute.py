"""execute.py NOTEBOOK KERNEL: runs all cells as nbconvert does, and prints the notebook with its outputs."""

import json
import sys

import nbformat
from nbclient import NotebookClient

book = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(book, kernel_name=sys.argv[2], allow_errors=True, timeout=None).execute()
print(json.dumps(book))
