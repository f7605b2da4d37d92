"""The documents that limits and rules rest on, each named well enough to find it."""

from __future__ import annotations

PG = "CUDA C++ Programming Guide 13, Compute Capabilities, table of technical specifications"
BTG = "NVIDIA Blackwell Tuning Guide, sections on occupancy, clusters and the memory system"
HTG = "NVIDIA Hopper Tuning Guide, sections on occupancy and thread block clusters"
PTX = "PTX ISA 9"
OCC = "CUDA toolkit 13.0, host occupancy header cuda_occupancy.h"
NCU = "Nsight Compute 2025.3.1, occupancy calculator data (ncu_occupancy.get_gpu_data)"
CCCL = "CCCL, constants per architecture (arch_traits)"
CUTLASS = "CUTLASS, static assertions of the SM100 MMA atoms and the tensor-memory allocator"
FLASHINFER = "FlashInfer 0.7.4, the devices its tables were measured on"
MOJO = "Mojo standard library, GPUInfo"
PTXAS = "ptxas of CUDA toolkit 13.0, as observed"
CUOBJDUMP = "cuobjdump 13.5 of builds by CUDA 13.0, as observed"
TRITON = "Triton 3.9.0, what it keeps beside a cubin and launches by"
H200_DEVICE = "device attributes read on one H200, driver 580"
H200_DRIVER = "driver 580 on one H200, as observed"
H200_KERNELS = "kernels run on one H200, driver 580"
B200_DEVICE = "published device query of one B200, 2026-10 (torch properties and nvidia-smi)"
PRODUCT = "NVIDIA product pages and datasheets"

KINDS = {
    **dict.fromkeys((PG, BTG, HTG, PTX, PRODUCT), "a document"),
    "CUDA Programming Guide": "a document",
    "CUDA Driver API": "a document",
    **dict.fromkeys((OCC, NCU, PTXAS, CUOBJDUMP, TRITON), "a tool"),
    **dict.fromkeys((CCCL, CUTLASS, MOJO), "published code"),
    "the kernel's own source": "published code",
    **dict.fromkeys((H200_DEVICE, H200_DRIVER, H200_KERNELS), "another GPU (an H200)"),
    B200_DEVICE: "a B200, as published",
    "follows from": "what follows from others",
}
"""What sources are as evidence, by how they begin."""


def evidence(source: str) -> list[str]:
    """The kinds of evidence that a rule has from its source: several, joined by "; "."""
    kinds = [
        kind
        for each in source.split("; ")
        for start, kind in KINDS.items()
        if each.startswith(start)
    ]
    return list(dict.fromkeys(kinds))
