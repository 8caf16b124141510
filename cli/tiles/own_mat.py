"""The mat of a table, from its settings: its sizes, and the table that it is for."""

from dataclasses import replace

from controller.settings import TableSettings
from twinwall.art.mat import Mat


def own_mat(settings: TableSettings) -> Mat:
    """The mat that lies at the table of these settings; its frames name that table or none."""
    return replace(settings.mat, table=settings.table.name)
