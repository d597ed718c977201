"""All attempts to get out, by what they are about."""

from tests.cluster.isolation.escapes import (
    doors,
    identity,
    namespaces,
    next_door,
    nodes,
    priorities,
    queues,
    quotas,
    tokens,
)

_MODULES = (doors, identity, tokens, namespaces, queues, priorities, quotas, nodes, next_door)
THEMES = {str(module.__doc__): module.ATTEMPTS for module in _MODULES}
ATTEMPTS = tuple(attempt for attempts in THEMES.values() for attempt in attempts)
