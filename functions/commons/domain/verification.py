"""Is access what it should be: whom to ask a cluster about, and where.

One person stands for a role; whoever is listed by a binding that is not ours is asked about too.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict

from commons.domain import rbac
from commons.domain.access_questions import LOOK, NEVER, TELLING, Act, Question, permits
from commons.domain.leavers import Leaver
from commons.domain.membership import BOUND, ROLES, Member, Role
from commons.domain.names import kubernetes_user, session_name

# namespaces that are nobody's: tasks would run ungoverned in one, the cluster lives in the other
PLATFORM = ("default", "kube-system")
# whoever is signed in has this group
EVERYBODY = "system:authenticated"
# how the user names of service accounts begin: their namespace and name follow
_ACCOUNT = "system:serviceaccount:"
# for one namespace; beyond it only some of the namespaces next door are asked about
MOST_QUESTIONS = 3000
# of those who may do nothing any more
MOST_FORMER = 50
# what a binding that lists somebody for the whole cluster is counted under
WHOLE_CLUSTER = ""


class People(BaseModel):
    """User names as the cluster knows them. `prefix`: how all of the team's begin. `bound`: role
    by user. `former`: may do nothing any more. `groups`: what the team's access entry brings.
    """

    model_config = ConfigDict(frozen=True)

    prefix: str
    bound: Mapping[str, Role]
    former: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()

    def representatives(self) -> list[str]:
        """One user for each role that anybody has."""
        first = {role: user for user, role in sorted(self.bound.items(), reverse=True)}
        return [first[role] for role in ROLES if role in first]

    def role(self, user: str) -> str:
        if user.startswith(_ACCOUNT):
            return "service account"
        return self.bound.get(user, "person who is no member any more")

    def groups_of(self, user: str) -> tuple[str, ...]:
        """What an authorizer is told beside the name."""
        if user.startswith(_ACCOUNT):
            namespace = user.removeprefix(_ACCOUNT).partition(":")[0]
            return (EVERYBODY, "system:serviceaccounts", f"system:serviceaccounts:{namespace}")
        return (EVERYBODY, *self.groups)


def people_of(
    team: str,
    members: Iterable[Member],
    left: Iterable[Leaver],
    groups: Iterable[str] = (),
    open_: bool = True,
) -> People:
    """`open_`: whether the namespace takes in the team's people at all."""
    known = list(members)
    names = {user: member for member in known if (user := _user(team, member))}
    bound = {u: m.role for u, m in names.items() if open_ and m.state in BOUND}
    gone = [user for each in left if (user := _user(team, each))]
    former = dict.fromkeys([*gone, *names])
    return People(
        prefix=kubernetes_user(team, ""),
        bound=bound,
        # a name of somebody who left may be another's by now
        former=tuple(user for user in former if user not in bound),
        groups=tuple(groups),
    )


def _user(team: str, person: Member | Leaver) -> str | None:
    session = session_name(person.user_name)
    return kubernetes_user(team, session) if session else None


class Places(BaseModel):
    """`here`: the namespace that is verified; `others`: those of other teams. `listed`: users of
    the team whom a binding lists that is not ours, by namespace.
    """

    model_config = ConfigDict(frozen=True)

    here: str
    others: tuple[str, ...]
    listed: Mapping[str, frozenset[str]] = {}

    @property
    def next_door(self) -> tuple[str, ...]:
        """Where nobody of the team has any business."""
        return (*PLATFORM, *self.others)


def questions(people: People, places: Places) -> tuple[list[Question], int]:
    """What to ask, and how many of the namespaces next door are left out of it."""
    asked = [*_here(people, places), *_listed(people, places)][:MOST_QUESTIONS]
    standing = people.representatives()
    if not standing:
        return _once(asked), 0
    room = (MOST_QUESTIONS - len(asked)) // len(standing)
    asked += [
        _question(people, user, LOOK, namespace, expected=False)
        for namespace in places.next_door[:room]
        for user in standing
    ]
    return _once(asked), max(len(places.next_door) - room, 0)


def _once(asked: Iterable[Question]) -> list[Question]:
    return list({(each.user, each.act, each.namespace): each for each in asked}.values())


def _here(people: People, places: Places) -> Iterator[Question]:
    listed = places.listed.get(places.here, frozenset()) & people.bound.keys()
    for user in [*people.representatives(), *sorted(listed)]:
        role = people.bound[user]
        for act in TELLING:
            yield _question(people, user, act, places.here, expected=permits(role, act))
        for act in NEVER:
            yield _question(people, user, act, places.here, expected=False)
    for user in people.former[:MOST_FORMER]:
        yield _question(people, user, LOOK, places.here, expected=False)


def _listed(people: People, places: Places) -> Iterator[Question]:
    """Whoever is listed where they have no business, and who is listed here and has left."""
    everywhere = places.listed.get(WHOLE_CLUSTER, frozenset())
    where = {name: places.listed.get(name, frozenset()) for name in places.others}
    where |= {name: places.listed.get(name, frozenset()) | everywhere for name in PLATFORM}
    here = places.listed.get(places.here, frozenset()) | everywhere
    where[places.here] = here - people.bound.keys()
    for namespace, users in where.items():
        for user in sorted(users):
            for act in (*TELLING, *NEVER):
                yield _question(people, user, act, namespace, expected=False)


def _question(people: People, user: str, act: Act, namespace: str, expected: bool) -> Question:
    return Question(
        user=user,
        groups=people.groups_of(user),
        role=people.role(user),
        act=act,
        namespace=namespace,
        expected=expected,
    )


def listed_users(
    bindings: Iterable[Mapping[str, Any]], people: People, own: Collection[str]
) -> dict[str, frozenset[str]]:
    """Users of the team whom bindings list that are not ours, by namespace.

    A binding that lists a group which they all have lists those who stand for a role. Service
    accounts are the team's too, and in its own namespaces their own business.
    """
    found: dict[str, frozenset[str]] = {}
    for binding in bindings:
        meta = binding["metadata"]
        namespace = meta.get("namespace", WHOLE_CLUSTER)
        if namespace in own and meta["name"] in rbac.ROLE_NAMES:
            continue
        users = frozenset(_users(binding, people))
        if namespace not in own:
            users |= frozenset(_accounts(binding, own))
        if users:
            found[namespace] = found.get(namespace, frozenset()) | users
    return found


def _users(binding: Mapping[str, Any], people: People) -> Iterator[str]:
    # every cluster lets everybody ask who they are, by bindings for the whole of it
    alike = (EVERYBODY, *people.groups) if "namespace" in binding["metadata"] else people.groups
    for subject in binding.get("subjects") or []:
        match subject.get("kind"), subject.get("name", ""):
            case "User", name if name.startswith(people.prefix):
                yield name
            case "Group", name if name in alike:
                yield from people.representatives()


def _accounts(binding: Mapping[str, Any], own: Collection[str]) -> Iterator[str]:
    for subject in binding.get("subjects") or []:
        if subject.get("kind") == "ServiceAccount" and subject.get("namespace") in own:
            yield f"{_ACCOUNT}{subject['namespace']}:{subject['name']}"
