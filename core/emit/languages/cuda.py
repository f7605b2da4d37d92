"""CUDA C++: the header of C++17, and what prepares a kernel for its launch."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.emit.languages import cpp
from kcfg.core.emit.model import Configuration

RESERVED = cpp.RESERVED | {"prepare"}

HOST = "#ifndef __CUDACC_RTC__"
"""What opens lines that a compilation for the device alone cannot take."""

ATTRIBUTES = {
    "needs_opt_in": ("MaxDynamicSharedMemorySize", "launch::dynamic_smem"),
    "needs_non_portable": ("NonPortableClusterSizeAllowed", "1"),
}
"""The attribute that a launch may need: the constant that says so, its name, its value."""


def write(found: Configuration) -> str:
    """A header."""
    launch = (section for section in found.sections if section.name == "launch")
    names = {constant.name for section in launch for constant in section.constants}
    needs = [name for name in ATTRIBUTES if name in names]
    if not needs:
        return cpp.lines(found, "cuda")
    includes = (HOST, "#include <cuda_runtime_api.h>", "#endif", "")
    return cpp.lines(found, "cuda", includes, _prepare(needs))


def _prepare(needs: list[str]) -> Iterator[str]:
    yield from ("", HOST, "/// Sets the attributes without which a kernel's launch is refused.")
    yield from ("template <typename Kernel>", "inline cudaError_t prepare(Kernel *kernel) {")
    yield "  const void *function = reinterpret_cast<const void *>(kernel);"
    yield "  cudaError_t error = cudaSuccess;"
    for need in needs:
        attribute, value = ATTRIBUTES[need]
        yield f"  if (launch::{need} && error == cudaSuccess) {{"
        yield f"    error = cudaFuncSetAttribute(function, cudaFuncAttribute{attribute},"
        yield f"                                 {value});"
        yield "  }"
    yield from ("  return error;", "}", "#endif")
