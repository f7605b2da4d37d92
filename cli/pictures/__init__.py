"""Pictures of a configuration: what sits where in a block, and how blocks share an SM.

``bars`` is what there is to see, ``scene`` finds it in a report; ``svg``, ``terminal``
and ``html`` show it.
"""
