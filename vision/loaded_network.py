"""Loaded networks: ONNX files that run in the calling thread, and free the memory of each run."""

import hashlib
from functools import cache
from pathlib import Path

from onnxruntime import InferenceSession, SessionOptions

from twinwall.given_files import limited_bytes


@cache
def loaded_network(file: Path) -> tuple[str, InferenceSession]:
    """Return a file's SHA-256 and its network, loaded once per process; any thread may run it. Raises OSError and onnxruntime's own
    errors."""
    content, options = limited_bytes(file), SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    options.enable_cpu_mem_arena = options.enable_mem_pattern = False  # pictures have any size: an arena would keep the largest for ever
    return hashlib.sha256(content).hexdigest(), InferenceSession(content, options, providers=["CPUExecutionProvider"])
