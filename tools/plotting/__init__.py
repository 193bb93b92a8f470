"""Pictures of the experiments. A new picture is a function in one of the modules, with a row in kinds.py."""
