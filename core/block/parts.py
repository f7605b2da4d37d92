"""The parts of a block: registers, shared memory, pipelines, copies, tensor memory.

Offsets and sizes are bytes from the start of dynamic shared memory, tensor memory is columns
and lanes, warps are numbers within the block, registers are counts per thread.
"""

from __future__ import annotations

from kcfg.core.block.keys import LARGEST, Group, dtype, group, number, numbers, truth, word, words
from kcfg.core.hardware import tensor_map
from kcfg.core.hardware.dtypes import SWIZZLES

UNITS = ("tcgen05", "wgmma", "mma.sync")
KINDS = ("f16", "tf32", "f8f6f4", "i8", "mxf8f6f4", "mxf4", "mxf4nvf4")

ARRIVES = ("thread", "warp", "role", "commit")
"""What arrives at an mbarrier once: every thread of a role, one of each of its warps, one of the
role, or the tcgen05.commit that one of them issues.
"""

DIRECTION = "Whether it gives registers back or takes some; unsaid, the largest count takes."


class Role(Group):
    """What some warps of the block do."""

    name: str | None = word("What these warps do.")
    warps: int | None = number("warps", "How many warps.")
    first: int | None = number("warps", "The first of them; after the role before, if left out.")
    count: int | None = number("registers", "Registers per thread that setmaxnreg sets.")
    direction: str | None = word(DIRECTION, ("dec", "inc"))


class Warpgroup(Group):
    """What setmaxnreg sets in one warpgroup; a bare number is its count."""

    lead = "count"

    count: int | None = number("registers", "Registers per thread that setmaxnreg sets.")
    direction: str | None = word(DIRECTION, ("dec", "inc"))


class Registers(Group):
    """How many registers a thread is launched with, and who sets other counts."""

    entry: int | None = number("registers", "Registers per thread at launch, as compiled.")
    launch_bounds: tuple[int, ...] = numbers(
        "threads, blocks",
        "The arguments of __launch_bounds__: threads, minimum blocks, most blocks of a cluster.",
        longest=3,
    )
    maxnreg: int | None = number("registers", "The argument of __maxnreg__ or -maxrregcount.")
    warpgroups: tuple[Warpgroup, ...] = group(
        Warpgroup, "What setmaxnreg sets in each warpgroup, in order.", many=True
    )
    roles: tuple[Role, ...] = group(Role, "The block's warps by what they do.", many=True)
    rdc: bool | None = truth("Whether it is compiled as relocatable device code (-rdc=true).")
    debug: bool | None = truth("Whether it is compiled for debugging (-G).")


MAX = "max"
"""What stands for the most stages that fit."""

PADDING = "(padding)"
"""The name of what lies between regions."""

MBARRIERS = "mbarriers"
"""How the names of regions end in which kernels keep mbarriers."""


class Region(Group):
    """A range of dynamic shared memory."""

    name: str | None = word("What it holds.")
    offset: int | None = number(
        "bytes",
        "From the base of dynamic shared memory; if left out, where what it shares starts, else"
        " after the region before.",
    )
    bytes: int | None = number(
        "bytes",
        "Its size, that of all its slots together; if left out, that of the elements or mbarriers"
        " in them.",
    )
    of: str | None = dtype("The type of its elements.")
    shape: tuple[int, ...] = numbers(
        "elements", "The elements of one slot along each dimension.", longest=8
    )
    align: int | None = number(
        "bytes",
        "The alignment the kernel asks of its start; if left out, that of its elements or"
        " mbarriers where these are said.",
        least=1,
    )
    stages: int | None = number(
        "stages",
        "How many equal slots it is made of; if left out, the stages of its ring, else 1.",
    )
    stride: int | None = number(
        "bytes", "From one slot to the next; its size divided by its slots, if left out."
    )
    ring: str | None = word("The pipeline whose stages are its slots.")
    swizzle: str | None = word("The swizzle its tiles are laid out with.", SWIZZLES)
    tma: bool | None = truth("Whether a TMA tensor copy writes it.")
    bulk: bool | None = truth("Whether a 1-D bulk copy writes or reads it.")
    descriptor: bool | None = truth("Whether a matrix descriptor points at it.")
    mbarriers: int | bool | None = number(
        "barriers",
        "Whether it holds mbarriers, or how many in each slot; one, if it is true of a ring's.",
        instead=("true", "false"),
    )
    base_offset: bool | None = truth("Whether descriptors account for where the pattern starts.")
    alias_of: str | None = word("The region whose bytes it shares.")

    @property
    def end(self) -> int:
        """The first byte behind it."""
        return (self.offset or 0) + (self.bytes or 0)

    @property
    def pitch(self) -> int | None:
        """Bytes from one slot to the next; None for a single one, unequal ones, and if unsaid."""
        slots, size = self.stages or 1, self.bytes
        if slots < 2:
            return None
        if size is None or self.stride is not None or size % slots:
            return self.stride
        return size // slots

    @property
    def padding(self) -> bool:
        """Whether it is only what lies between two others."""
        return self.name == PADDING


class Shared(Group):
    """Shared memory of one block."""

    static: int | None = number("bytes", "Static shared memory, as the source declares it.")
    dynamic: int | None = number("bytes", "Dynamic shared memory.")
    opt_in: bool | None = truth("Whether MaxDynamicSharedMemorySize is raised.")
    carveout: int | None = number("KiB", "Shared memory the SM is preferably set up with.")
    carveout_percent: int | None = number(
        "percent",
        "The same as PreferredSharedMemoryCarveout has it; -1 for no preference.",
        least=-LARGEST,
    )
    base_align: int | None = number(
        "bytes",
        "Alignment declared on the dynamic array; of several in one file, the largest.",
        least=1,
    )
    regions: tuple[Region, ...] = group(Region, "What is in dynamic shared memory.", many=True)


class Arriving(Group):
    """Who arrives at an mbarrier; a bare word is the role."""

    lead = "role"

    role: str | None = word("The role, by its name.")
    by: str | None = word("What of it arrives once; every thread, if left out.", ARRIVES)


class Pipeline(Group):
    """A ring of stages in shared memory, and the barriers that hand them over."""

    name: str | None = word("What it carries.")
    stages: int | None = number(
        "stages",
        "How many stages; max for the most that fit, with all else that is laid out.",
        instead=(MAX,),
    )
    stage_bytes: int | None = number(
        "bytes", "Size of one stage; if left out, what its ring has for it."
    )
    fixed_bytes: int | None = number("bytes", "What is there once, however many stages.")
    tma: bool | None = truth("Whether TMA fills it.")
    barriers_per_stage: int | None = number(
        "barriers",
        "mbarriers of a stage; if left out, those of its ring where it has some, else 2.",
    )
    barrier_bytes: int | None = number("bytes", "Room for its mbarriers in the layout.")
    expect_tx: int | None = number("bytes", "What a stage's full barrier waits for.")
    boxes: tuple[int, ...] = numbers("bytes", "What each copy into a stage brings.")
    maps: tuple[str, ...] = words(
        "The tensor maps that fill a stage, by name, one for each copy; the one of its own name,"
        " if left out."
    )
    region: tuple[str, ...] = words(
        "The regions its stages lie in, by name; if left out, those of its ring, or the one of its"
        " own name."
    )
    alias_of: str | None = word("The pipeline whose bytes it shares.")
    producers: tuple[Arriving, ...] = group(
        Arriving,
        "Who fills a stage and arrives at its full barrier; one thread of a role, where TMA fills"
        " it and nothing else is said.",
        many=True,
    )
    full_arrivals: int | None = number("count", "Arrivals that a full barrier waits for.")
    consumers: tuple[Arriving, ...] = group(
        Arriving, "Who empties a stage and arrives at its empty barrier.", many=True
    )
    empty_arrivals: int | None = number("count", "Arrivals that an empty barrier waits for.")


def has_most(line: Pipeline) -> bool:
    """Whether a pipeline as it is written says `MAX` in place of its stages."""
    stages: object = line.stages
    return stages == MAX


class Mbarriers(Group):
    """A group of mbarriers, which follow each other in memory; a bare number is how many."""

    lead = "count"

    name: str | None = word("What they hand over.")
    count: int | None = number(
        "barriers", "How many there are; as many as in the region of its name, if left out."
    )
    arrivals: int | None = number("count", "The arrivals each of them waits for.")
    apart: bool | None = truth(
        "Whether others lie between them or in their place, as in a struct that repeats."
    )
    arrive: tuple[Arriving, ...] = group(Arriving, "Who arrives at each of them.", many=True)
    by: str | None = word("What arrives once of roles that do not say it themselves.", ARRIVES)


class NamedBarrier(Group):
    """A named barrier (``bar.sync``); a bare number is its id."""

    lead = "id"

    id: int | None = number("index", "Its number.")
    participants: int | None = number("threads", "Threads that arrive at it.")
    roles: tuple[str, ...] = words("The roles all of whose threads arrive at it, by name.")


class Allocation(Group):
    """One ``tcgen05.alloc``; a bare number is its columns."""

    lead = "columns"

    columns: int | None = number("columns", "What it asks for.")
    needs: int | None = number("columns", "What is needed, where the kernel rounds it up.")
    cta_group: int | None = number("CTAs", "Its cta_group.", least=1, most=2)
    after_relinquish: bool | None = truth("Whether relinquish_alloc_permit came before it.")


class Accumulator(Group):
    """A 32-bit accumulator in tensor memory."""

    name: str | None = word("What it accumulates.")
    M: int | None = number("rows", "Rows of the MMA.")
    N: int | None = number("columns", "Columns of the MMA.")
    cta_group: int | None = number("CTAs", "The MMA's cta_group; 1 if left out.", least=1, most=2)
    ws: bool | None = truth("Whether the MMA has .ws.")
    sparse: bool | None = truth("Whether A is sparse.")
    alias_of: str | None = word("What shares its columns.")


class Columns(Group):
    """A range of tensor memory."""

    name: str | None = word("What it holds.")
    column: int | None = number(
        "columns",
        "Its first column; if left out, that of what it shares, else after the range before.",
    )
    columns: int | None = number("columns", "How many columns.")
    lane: int | None = number("lanes", "Its first lane; 0 if left out.", most=127)
    lanes: int | None = number("lanes", "How many lanes; all if left out.", least=1, most=128)
    alias_of: str | None = word("The range whose columns it shares.")


class Tmem(Group):
    """Tensor memory of one block."""

    allocations: tuple[Allocation, ...] = group(Allocation, "In the order issued.", many=True)
    accumulators: tuple[Accumulator, ...] = group(Accumulator, "What is kept there.", many=True)
    columns: int | None = number("columns", "Columns needed for everything else.")
    regions: tuple[Columns, ...] = group(Columns, "What is in which columns.", many=True)


class TensorMap(Group):
    """A TMA tensor map and the box it copies; dimensions from the innermost out."""

    name: str | None = word("What it copies.")
    box: tuple[int, ...] = numbers("elements", "The box.", longest=16)
    dims: tuple[int, ...] = numbers("elements", "The tensor.", longest=16)
    strides: tuple[int, ...] = numbers(
        "bytes", "Of every dimension but the innermost; packed, if left out.", longest=15
    )
    element_strides: tuple[int, ...] = numbers(
        "elements", "Steps of the copy in each dimension; all 1, if left out.", longest=16
    )
    dtype: str | None = word("Element type, or one of the packed types.", tensor_map.TYPES)
    element_bytes: int | None = number("bytes", "Size of an element, instead of its type.", least=1)
    swizzle: str | None = word("Its swizzle.", tensor_map.SWIZZLES)
    interleave: str | None = word("Its interleave.", tensor_map.INTERLEAVES)
    oob_fill: str | None = word("What is read beyond the tensor.", tensor_map.FILLS)
    address: int | None = number("bytes", "Global address, or what is known of it modulo 128.")


class BulkCopy(Group):
    """A 1-D bulk copy (``cp.async.bulk``); a bare number is its size."""

    lead = "bytes"

    bytes: int | None = number("bytes", "What it copies.")
    source: int | None = number("bytes", "Source address or offset.")
    destination: int | None = number("bytes", "Destination address or offset.")


class Compiled(Group):
    """What is known of a build: by ``ptxas -v``, ``cuobjdump``, its PTX or Triton's cache."""

    target: str | None = word("The target it was compiled for, such as sm_100a.")
    registers: int | None = number("registers", "Registers per thread at launch.")
    barriers: int | None = number("barriers", "Named barriers it sets aside.")
    smem: int | None = number("bytes", "Static shared memory, as ptxas counts it.")
    shared: int | None = number("bytes", "The same as cuobjdump counts it: with the reserve.")
    stack: int | None = number("bytes", "The stack frame of a thread.")
    spill_stores: int | None = number("bytes", "Registers stored to local memory.")
    spill_loads: int | None = number("bytes", "Registers loaded from local memory.")
    threads: tuple[int, ...] = numbers(
        "threads", "The x, y, z of the only block it is compiled for (.reqntid).", longest=3
    )
    max_threads: int | None = number(
        "threads", "The most threads it is compiled for: of its launch bounds (.maxntid)."
    )
    min_blocks: int | None = number(
        "blocks", "The blocks per SM it is compiled for: of its launch bounds (.minnctapersm)."
    )
    maxnreg: int | None = number("registers", "The cap it is compiled under, by whatever option.")
    max_cluster: int | None = number(
        "blocks", "The most blocks of a cluster it is compiled for (.maxclusterrank)."
    )
    cluster: tuple[int, ...] = numbers(
        "blocks", "The x, y, z of the cluster it is compiled for (.reqnctapercluster).", longest=3
    )
    dynamic: int | None = number("bytes", "Dynamic shared memory it is to be launched with.")
    tmem_columns: int | None = number("columns", "Columns of tensor memory that it allocates.")
    setmaxnreg: tuple[int, ...] = numbers(
        "registers", "The counts that its setmaxnreg instructions set; 0 alone if it has none."
    )
    setmaxnreg_ignored: str | None = word("The advisory that setmaxnreg was ignored, as C7508.")
    refused: str | None = word("The first error of a compilation that failed.")


class Mma(Group):
    """A matrix instruction and the tile it is issued over."""

    kind: str | None = word("Its kind.", KINDS)
    cta_group: int | None = number("CTAs", "Its cta_group; 1 if left out.", least=1, most=2)
    ws: bool | None = truth("Whether it has .ws.")
    sparse: bool | None = truth("Whether A is sparse.")
    a_in_tmem: bool | None = truth("Whether A comes from tensor memory.")
    M: int | None = number("rows", "M of the instruction.")
    N: int | None = number("columns", "N of the instruction.")
    K: int | None = number("elements", "K of the tile that the instructions step through.")
    accumulators: tuple[str, ...] = words("The accumulators it adds to, by name.")
