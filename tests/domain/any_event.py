"""Any event there is, of any kind and with anything in it."""

from hypothesis import strategies as st

from domain import events as e


def _of(kind: type[e.Happened]) -> st.SearchStrategy[e.Happened]:
    kind.model_rebuild()  # until somebody needs it, a kind of event does not know what it is made of
    return st.builds(kind)


ANY_EVENT: st.SearchStrategy[e.Happened] = st.one_of([_of(kind) for kind in e.BY_NAME.values()])
