"""`assay completion SHELL`: commands and options, completed by the shell."""

from __future__ import annotations

from typing import Annotated, Literal

from assay.cli import options
from assay.cli.commands import application
from assay.cli.output import deliver
from assay.core.domains import Choice


def completion(
    shell: Annotated[Literal["bash", "zsh", "fish"], options.argument("SHELL", "bash, zsh or fish.")],
) -> None:
    """Print the completion script for your shell: commands and options.

    For bash, put it into ~/.local/share/bash-completion/completions/assay; for zsh into ~/.zfunc/_assay; for fish into
    ~/.config/fish/completions/assay.fish.

    $ assay completion bash
    """
    Choice(("bash", "zsh", "fish")).check("SHELL", shell)
    deliver(application().generate_completion(prog_name="assay", shell=shell))
