"""`pitledger log-schema`: the table log as a JSON Schema."""

import click

from cli.output import print_document
from domain import commands


@click.command()
def log_schema() -> None:
    """Print the JSON Schema of one line of a table log.

    \b
    Example:
        pitledger log-schema > table-log.schema.json
    """
    print_document(commands.log_schema())
