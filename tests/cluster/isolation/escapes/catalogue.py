"""All attempts to get out, by what they are about."""

from tests.cluster.isolation.escapes import (
    doors,
    favours,
    identity,
    namespaces,
    next_door,
    nodes,
    priorities,
    queues,
    quotas,
    tokens,
    volumes,
)

_MODULES = (
    *(doors, identity, tokens, namespaces, favours),
    *(queues, priorities, quotas),
    *(volumes, nodes, next_door),
)
THEMES = {str(module.__doc__): module.ATTEMPTS for module in _MODULES}
ATTEMPTS = tuple(attempt for attempts in THEMES.values() for attempt in attempts)
