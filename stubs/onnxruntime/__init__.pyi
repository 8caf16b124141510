from collections.abc import Mapping, Sequence
from enum import Enum

import numpy as np
from numpy.typing import NDArray

__version__: str

class GraphOptimizationLevel(Enum):
    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_ALL = 99

class ExecutionMode(Enum):
    ORT_SEQUENTIAL = 0
    ORT_PARALLEL = 1

class SessionOptions:
    def __init__(self) -> None: ...
    intra_op_num_threads: int
    inter_op_num_threads: int
    log_severity_level: int
    enable_cpu_mem_arena: bool
    enable_mem_pattern: bool
    execution_mode: ExecutionMode
    graph_optimization_level: GraphOptimizationLevel
    def add_session_config_entry(self, name: str, value: str) -> None: ...

class NodeArg:
    name: str
    shape: list[int | str | None]
    type: str

class ModelMetadata:
    custom_metadata_map: dict[str, str]

class InferenceSession:
    def __init__(
        self, path_or_bytes: str | bytes, sess_options: SessionOptions | None = None, providers: Sequence[str] | None = None
    ) -> None: ...
    def get_inputs(self) -> list[NodeArg]: ...
    def get_outputs(self) -> list[NodeArg]: ...
    def get_session_options(self) -> SessionOptions: ...
    def get_modelmeta(self) -> ModelMetadata: ...
    def run(self, output_names: Sequence[str] | None, input_feed: Mapping[str, NDArray[np.generic]]) -> list[NDArray[np.float32]]: ...

def get_available_providers() -> list[str]: ...
def set_default_logger_severity(severity: int) -> None: ...
