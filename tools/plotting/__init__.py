"""Pictures of the experiments. A new picture: a function in one of the modules, its row in kinds.py."""
